# In:  predictions of every kind, the selection, the corpus.
# Out: comparison.csv and comparison/, with further tables and the tables for a paper;
#      comparison/layers.csv and word-layers.csv, every layer choice; model-layers.csv, differences
#      between models; peaks.csv, the peak of each curve; figures/, for a paper.

step(
    "compare",
    {
        "corpus": CORPUS,
        **FILES.judged,
        "selection": SELECTED,
        "selection_table": f"{FILES.selection}.csv",
        "scores": FILES.scores["scores"],
    },
    {
        "table": report(
            f"{FILES.comparison}.csv", category="Comparison", caption="../report/comparison.rst"
        ),
        "_behind": FILES.behind,
        "_paper": FILES.paper,
    },
    folder=FILES.comparison,
    **COMPARED,
)

step(
    "layerwise",
    {
        "corpus": CORPUS,
        "predictions": FILES.candidates(PREDICTIONS, joined=False),
        "searches": FILES.candidates(SEARCH, joined=False),
    },
    {name.replace("-", "_"): path for name, path in FILES.layerwise.items()},
    **COMPARED,
)

# A listing names the figures: without further training sets there are no learning curves.
BEHIND_FIGURES = [FILES.layerwise["layers"], FILES.layerwise["word-layers"]]
BEHIND_FIGURES += [f"{FILES.comparison}.csv"]
BEHIND_FIGURES += [f"{FILES.comparison}/{name}.csv" for name in ("controls", "learning")]
step("figures", {"tables": BEHIND_FIGURES}, {"listings": FILES.figures})
