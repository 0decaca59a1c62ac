# In:  vectors, predictions and folds of the nested training sets.
# Out: <model>/code-length.csv, the code length of the labels in bits at every layer.

CODE_LENGTH = STUDIES["code_length"]

step(
    "code_length",
    {
        "corpus": CORPUS,
        "embeddings": PAGE_VECTORS,
        "predictions": lambda wildcards: CODE_LENGTH.predictions(FILES, bare(wildcards.model)),
        "folds": FILES.paths(
            FILES.folds, train=[*STUDY_FILES["code_length"]["trains"], FULL_TRAIN]
        ),
    },
    STUDY_FILES["code_length"]["table"],
    **VECTORS,
)
