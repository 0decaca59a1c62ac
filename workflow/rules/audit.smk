# In:  the corpus, and the predictions of every single layer.
# Out: audit/<model>/: near-duplicates, suspected label errors, confusions.

AUDIT = STUDY_FILES["audit"]

step(
    "audit",
    {
        "corpus": CORPUS,
        "predictions": lambda wildcards: STUDIES["audit"].predictions(FILES, bare(wildcards.model)),
    },
    {"_tables": AUDIT["tables"]},
    {"judge": AUDIT["judges"]},
    **COMPARED,
)
