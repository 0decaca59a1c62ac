# In:  corpus and embeddings. If there are senses, the clusters are compared with them.
# Out: <model>/uses/<view>/<layers>.parquet, the clusters of every word at a layer choice;
#      uses/, a page per word and model, index.html and uses.csv, which uses.json lists.
# They are part of a run if the corpus has no senses; for other corpora, run `snakemake uses_page`.

USES = STUDY_FILES["unlabelled"]

step(
    "uses",
    {"corpus": CORPUS, "embeddings": vectors_of()},
    USES["uses"],
    mem=(800, 1.5),
    minutes=(20, 1),
)

step(
    "uses_page",
    {"corpus": CORPUS, "uses": USES["by_vectors"], "_source": LISTED},
    {"listings": USES["page"]},
    {"dataset": NAMED, **TEXT},
)
