# In:  the vectors of the first view.
# Out: <model>/geometry.csv, a row per word, layer and transform.

step(
    "geometry",
    {"corpus": CORPUS, "embeddings": pages_vectors},
    STUDY_FILES["geometry"]["table"],
    "geometry: every layer of {model}",
    "--layers {params.layers}",
    "geometry",
    params={"layers": single_layers},
    **LIGHT,
)
