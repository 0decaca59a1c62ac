# In:  corpus and embeddings. No senses, but where there are some the clusters are held against them.
# Out: <model>/uses/<view>/<layers>.parquet, the clusters of every word at a layer choice;
#      .../uses/substitutes.parquet, those of what an encoder that was asked would say;
#      uses/, a page per word and model, index.html and uses.csv, which uses.json lists. Of a corpus
#      without senses this is what a run makes; of another only by its name, `snakemake uses_page`.

USES = STUDY_FILES["unlabelled"]

step(
    "uses",
    {"corpus": CORPUS, "embeddings": vectors},
    USES["uses"],
    "uses: {model}, {view}, layers {layers}",
    "--view {view} --layers {layers}",
    "uses",
    mem=(800, 1.5),
    minutes=(20, 1),
)

# Where an encoder has filled the places of focal words.
if USES["by_substitutes"]:

    step(
        "substitute_uses",
        {"corpus": CORPUS, "substitutes": STUDY_FILES["substitutes"]["substitutes"]},
        USES["substitute_uses"],
        "uses: by the substitutes of {asked}",
        kind="substitute-uses",
        mem=(1200, 20),
        minutes=(20, 1),
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
    "uses: the pages",
    f"--dataset {MANIFEST or DATASET} {OF_TEXT}",
    folder=USES["page"].removesuffix(".json"),
    mem=(600, 20),
    minutes=(10, 1),
)
