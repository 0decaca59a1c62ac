# In:  the corpus, and the predictions of every single layer.
# Out: audit/<model>/: near-duplicates, suspected label errors, confusions.

AUDIT = STUDY_FILES["audit"]

step(
    "audit",
    {
        "corpus": CORPUS,
        "predictions": lambda wildcards: STUDIES["audit"].predictions(
            FILES, model_of(wildcards).name
        ),
    },
    {"_tables": AUDIT["tables"]},
    "audit: near-duplicates, suspected label errors, confusions of {model}",
    " ".join(f"--judge {name}" for name in AUDIT["judges"]),
    folder=AUDIT["folder"],
    mem=(800, 50),
    minutes=(20, 2),
)
