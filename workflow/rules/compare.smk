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
            f"{FILES.comparison}.csv",
            category="Comparison",
            caption="../report/comparison.rst",
        ),
        "_behind": FILES.behind,
        "_paper": FILES.paper,
    },
    "compare: intervals, paired tests, tables for a paper",
    kind="comparison",
    folder=FILES.comparison,
    mem=(800, 50),
    minutes=(20, 2),
)

step(
    "layerwise",
    {
        "corpus": CORPUS,
        "predictions": FILES.candidates(PREDICTIONS, joined=False),
        "searches": FILES.candidates(SEARCH, joined=False),
    },
    {name.replace("-", "_"): path for name, path in FILES.layerwise.items()},
    "layerwise: every layer choice compared with the selected one",
    kind="layers",
    mem=(800, 50),
    minutes=(20, 2),
)

# A listing names the figures, which depend on the tables: without further training sets there are no
# learning curves.
step(
    "figures",
    {
        "tables": [
            f"{FILES.comparison}.csv",
            FILES.layerwise["layers"],
            FILES.layerwise["word-layers"],
            f"{FILES.comparison}/controls.csv",
            f"{FILES.comparison}/learning.csv",
        ]
    },
    {"listings": FILES.figures},
    "figures: for a paper, as PDF and PNG",
    folder=FILES.figures.removesuffix(".json"),
    mem=(700,),
)
