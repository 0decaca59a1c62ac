# In:  corpus, predictions, projections, neighbours, the tables.
# Out: report/, the pages, listed in report.json.

step(
    "report",
    {
        "corpus": CORPUS,
        "predictions": FILES.shown(PREDICTIONS),
        "projections": FILES.shown(FILES.projections),
        "neighbours": FILES.shown(FILES.neighbours),
        "tables": [
            FILES.scores["scores"],
            FILES.scores["summary"],
            f"{FILES.comparison}.csv",
            *FILES.behind,
            *FILES.layerwise.values(),
            *FILES.of_models(FILES.alignment),
        ],
        "provenance": FILES.scores["sources"],
        "_confidence": FILES.confidence,
        **FILES.shown_by_studies,
        "_source": LISTED,
    },
    {"listings": [FILES.report]},
    "report: the pages",
    f"--dataset {MANIFEST or DATASET} --map {SESSION.map}"
    f" --confidence {' '.join(FILES.of_models(FILES.calibration))} {TEXT_FLAG}",
    "report",
    folder=FILES.report.removesuffix(".json"),
    mem=(600, 20),
    minutes=(10, 1),
)
