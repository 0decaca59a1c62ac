# In:  corpus and embeddings. No senses, but where there are some the clusters are held against them.
# Out: <model>/uses/<view>/<layers>.parquet, the clusters of every word at a layer choice;
#      .../uses/substitutes.parquet, those of what an encoder that was asked would say;
#      uses/, a page per word and model, index.html and uses.csv, which uses.json lists. Of a corpus
#      without senses this is what a run makes; of another only by its name, `snakemake uses_page`.

step(
    "uses",
    {"corpus": CORPUS, "embeddings": vectors},
    FILES.uses,
    "uses: {model}, {view}, layers {layers}",
    "--view {view} --layers {layers}",
    "uses",
    mem=(800, 1.5),
    minutes=(20, 1),
)

step(
    "substitute_uses",
    {"corpus": CORPUS, "substitutes": FILES.substitutes},
    FILES.substitute_uses,
    "uses: by the substitutes of {asked}",
    kind="substitute-uses",
    mem=(1200, 20),
    minutes=(20, 1),
)

step(
    "uses_page",
    {
        "corpus": CORPUS,
        "uses": FILES.shown(FILES.uses, CONFIG.classify[:1]),
        "substitute_uses": FILES.of_asked(FILES.substitute_uses),
        "_source": LISTED,
    },
    {"listings": FILES.uses_page},
    "uses: the pages",
    f"--dataset {MANIFEST or DATASET} {OF_TEXT}",
    folder=FILES.uses_page.removesuffix(".json"),
    mem=(600, 20),
    minutes=(10, 1),
)
