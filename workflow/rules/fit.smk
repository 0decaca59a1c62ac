# In:  the selection; predictions, vectors and folds of the selected configurations.
# Out: <model>/calibration.csv and reliability.csv, how well the selected probabilities are calibrated;
#      <model>/ood.csv, which sentences are out of distribution;
#      with `snakemake fit`, selected.wsd, the selected classifier in one file.

SELECTION = {
    "_corpus": CORPUS,
    "_folds": FOLDS,
    "_table": f"{FILES.selection}.csv",
    "_chosen": SELECTED,
}

step(
    "calibration",
    {
        **SELECTION,
        "_vectors": stored_vectors,
        "_predictions": lambda wildcards: FILES.candidates_of(model_of(wildcards).name),
    },
    {
        "_tables": expand(
            f"{FILES.calibration}/{{table}}.csv",
            table=run_files.CONFIDENCE,
            allow_missing=True,
        )
    },
    "calibration: the selected configuration of {model}",
    f"--results {SESSION.map} --model {{model}}",
    "calibration",
    folder=FILES.calibration,
    mem=(800, 1.5),
    minutes=(10, 0.2),
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
    "fit: the selected classifier as one file",
    f"--results {SESSION.map}",
    mem=(800, 1.5),
    minutes=(10, 0.2),
)
