# In:  corpus, predictions, projections, neighbours, the tables.
# Out: report/, the pages, listed in report.json; portable/, each word page in a single file for
#      `snakemake --report`, listed in portable.json.

step(
    "report",
    {
        "corpus": CORPUS,
        "predictions": FILES.shown(PREDICTIONS),
        "projections": FILES.shown(FILES.projections),
        "neighbours": FILES.shown(FILES.neighbours),
        "scores": FILES.scores["scores"],
        "summary": FILES.scores["summary"],
        "provenance": FILES.scores["sources"],
        "comparison": f"{FILES.comparison}.csv",
        "tables": [*FILES.behind, *FILES.layerwise.values()],
        "_confidence": FILES.confidence,
        "alignment": FILES.of_models(FILES.alignment),
        **FILES.shown_by_studies,
        "_source": LISTED,
    },
    {
        "listings": [FILES.report, f"{FILES.portable}.json"],
        "portable": report(
            directory(FILES.portable),
            patterns=["{model,[^/]+}/{word,[^/]+}.html"],
            category="Words",
        ),
    },
    "report: the pages",
    f"--dataset {MANIFEST or DATASET} --map {SESSION.map}"
    f" --confidence {' '.join(FILES.of_models(FILES.calibration))} {TEXT_FLAG}",
    "report",
    folder=FILES.report.removesuffix(".json"),
    mem=(600, 20),
    minutes=(10, 1),
)
