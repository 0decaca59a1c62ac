# In:  corpus with the column of the groups, embeddings, and judgments.tsv and change.tsv of the
#      corpus's files, if there are any.
# Out: <model>/change.csv, the change of every word in every layer choice; change-words.csv, sizes of
#      the groups and confounds; change-gold.csv, the agreement with gold;
#      <model>/change/, the pages, which change.json lists.

CHANGE = STUDY_FILES["change"]

step(
    "change",
    {"corpus": CORPUS, "embeddings": PAGE_VECTORS, "_source": LISTED},
    {"_tables": CHANGE["tables"]},
    {"source": SOURCE, "layers": of_encoder("unmixed")},
    mem=(800, 4),
    minutes=(20, 1),
)

step(
    "change_page",
    {"corpus": CORPUS, "embeddings": PAGE_VECTORS, "_tables": CHANGE["tables"], "_source": LISTED},
    {"listings": CHANGE["page"]},
    {
        "dataset": NAMED,
        "tables": lambda wildcards: CHANGE["folder"].format(model=wildcards.model),
        **TEXT,
    },
    mem=(800, 4),
)
