# In:  vectors, predictions and folds of the nested training sets.
# Out: <model>/code-length.csv, the code length of the labels in bits at every layer.

step(
    "code_length",
    {
        "corpus": CORPUS,
        "embeddings": pages_vectors,
        "predictions": lambda wildcards: STUDIES["code_length"].predictions(
            FILES, model_of(wildcards).name
        ),
        "folds": FILES.paths(FILES.folds, train=[*STUDY_FILES["code_length"]["trains"], FULL]),
    },
    STUDY_FILES["code_length"]["table"],
    "code length: every layer of {model}",
    mem=(600, 1.5),
    minutes=(20, 0.2),
)
