# In:  the selection; predictions, vectors and folds of the selected configurations.
# Out: <model>/calibration.csv and reliability.csv, how well the selected probabilities are calibrated;
#      <model>/ood.csv, which sentences are out of distribution;
#      with `snakemake fit`, selected.wsd, the selected classifier in one file.

SELECTED_FROM = {"_corpus": CORPUS, "_folds": FOLDS, "_table": f"{FILES.selection}.csv"}
SELECTION = {**SELECTED_FROM, "_chosen": SELECTED}

step(
    "calibration",
    {
        **SELECTION,
        "_vectors": STORED_VECTORS,
        "_predictions": lambda wildcards: FILES.candidates_of(model_of(wildcards).name),
    },
    {"_tables": [f"{FILES.calibration}/{table}.csv" for table in CONFIDENCE]},
    {"results": SESSION.map, "model": name_of("model")},
    **VECTORS,
)

step(
    "fit",
    {
        **SELECTION,
        "_vectors": [path for name in CONFIG.models for path in FILES.listings(name, CONFIG.store)],
        "_predictions": FILES.candidates(PREDICTIONS),
        "_scores": list(FILES.scores.values()),
        "_comparison": [f"{FILES.comparison}.csv", *FILES.behind],
        "_confidence": FILES.confidence,
        "_source": LISTED,
    },
    FILES.selected,
    {"results": SESSION.map},
    **VECTORS,
)
