# In:  corpus with the column of the groups, embeddings, and judgments.tsv and change.tsv of the
#      corpus's files, if there are any.
# Out: <model>/change.csv, the change of every word in every layer choice; change-words.csv, sizes of
#      the groups and confounds; change-gold.csv, the agreement with gold;
#      <model>/change/, the pages, which change.json lists.

CHANGE = STUDY_FILES["change"]

step(
    "change",
    {"corpus": CORPUS, "embeddings": pages_vectors, "_source": LISTED},
    {"_tables": CHANGE["tables"]},
    "change: every layer choice of {model}",
    "--source {params.source:q} --layers {params.layers}",
    "change",
    folder=CHANGE["folder"],
    mem=(800, 4),
    minutes=(20, 1),
    params={
        "layers": lambda wildcards: model_of(wildcards).unmixed,
        "source": lambda wildcards: SOURCE,
    },
)

step(
    "change_page",
    {"corpus": CORPUS, "embeddings": pages_vectors, "_tables": CHANGE["tables"], "_source": LISTED},
    {"listings": CHANGE["page"]},
    "change-page: the pages of {model}",
    f"--dataset {MANIFEST or DATASET} --tables {{params.tables}} {TEXT_FLAG}",
    "change-page",
    folder=CHANGE["page"].removesuffix(".json"),
    mem=(800, 4),
    minutes=(10, 1),
    params={"tables": folder_of("_tables")},
)
