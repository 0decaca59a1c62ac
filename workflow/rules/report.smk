# In:  corpus, predictions, projections, neighbours, the tables.
# Out: report/, the pages, listed in report.json.

TABLES_OF_REPORT = [FILES.scores["scores"], FILES.scores["summary"], f"{FILES.comparison}.csv"]
TABLES_OF_REPORT += [*FILES.behind, *FILES.layerwise.values()]
TABLES_OF_REPORT += FILES.of_models(FILES.alignment, FILES.long_vectors)
step(
    "report",
    {
        "corpus": CORPUS,
        "predictions": FILES.shown(PREDICTIONS),
        "projections": FILES.shown(FILES.projections),
        "neighbours": FILES.shown(FILES.neighbours),
        "tables": TABLES_OF_REPORT,
        "provenance": FILES.scores["sources"],
        "_confidence": FILES.confidence,
        **FILES.shown_by_studies,
        "_source": LISTED,
    },
    {"listings": [FILES.report]},
    {
        "dataset": NAMED,
        "map": SESSION.map,
        "confidence": FILES.of_models(FILES.calibration),
        **TEXT,
    },
)
