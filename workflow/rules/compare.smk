# In:  predictions of every kind, the selection, the corpus.
# Out: comparison.csv and comparison/, what stands behind it and the tables for a
#      paper; comparison/layers.csv and word-layers.csv, every layer choice, model-layers.csv, each
#      model less the first, group-layers.csv and group-peaks.csv, by part of speech; figures/, the
#      same to print; comparison/strategies.csv, ways to tell senses with what they took;
#      <model>/geometry.csv, code-length.csv and substitutes.csv; audit/<model>/*.csv.

step(
    "compare",
    {
        "corpus": CORPUS,
        **FILES.judged,
        "selection": CHOSEN,
        "selection_table": f"{FILES.selection}.csv",
        "scores": FILES.scores["scores"],
    },
    {
        "table": report(
            f"{FILES.comparison}.csv",
            category="Comparison",
            caption="report/comparison.rst",
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
    "layerwise: every layer choice beside the one that the folds choose",
    kind="layers",
    mem=(800, 50),
    minutes=(20, 2),
)

# Listed, since which figures there are depends on what the tables hold: without further training
# sets there are no learning curves.
step(
    "figures",
    {
        "comparison": f"{FILES.comparison}.csv",
        "layers": FILES.layerwise["layers"],
        "word_layers": FILES.layerwise["word-layers"],
        "controls": f"{FILES.comparison}/controls.csv",
        "learning": f"{FILES.comparison}/learning.csv",
    },
    {"listings": FILES.figures},
    "figures: for a paper, as PDF, SVG and PNG",
    folder=FILES.figures.removesuffix(".json"),
    mem=(700,),
)
