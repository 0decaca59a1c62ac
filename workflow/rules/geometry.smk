# In:  the vectors of the first view.
# Out: <model>/geometry.csv, a row per word, layer and transform.

step(
    "geometry",
    {"corpus": CORPUS, "embeddings": PAGE_VECTORS},
    STUDY_FILES["geometry"]["table"],
    {"layers": of_encoder("single")},
    **VECTORS,
)
