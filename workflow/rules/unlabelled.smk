# In:  corpus and embeddings. If there are senses, the clusters are compared with them.
# Out: <model>/uses/<view>/<layers>.parquet, the clusters of every word at a layer choice;
#      .../uses/substitutes.parquet, the clusters of an encoder's substitutes;
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

# If the config asks an encoder for substitutes.
if USES["by_substitutes"]:

    step(
        "substitute_uses",
        {"corpus": CORPUS, "substitutes": STUDY_FILES["substitutes"]["substitutes"]},
        USES["substitute_uses"],
    )

step(
    "uses_page",
    {
        "corpus": CORPUS,
        "uses": USES["by_vectors"],
        "substitute_uses": USES["by_substitutes"],
        "_source": LISTED,
    },
    {"listings": USES["page"]},
    {"dataset": NAMED, **TEXT},
)
