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

# The logs are no inputs: what did not leave its time here is not run again for it.
step(
    "strategies",
    {
        "corpus": CORPUS,
        "candidates": FILES.of_every_train(PREDICTIONS),
        "searches": FILES.of_every_train(SEARCH),
        "selection": CHOSEN,
        "baselines": FILES.told,
        "zero_shot": FILES.all_zero_shot,
        "per_word": FILES.of_models(FILES.per_word),
        "finetuned": FILES.tuned(),
    },
    FILES.strategies,
    "strategies: what each scores, on how many labels, in what time",
    f"--map {SESSION.map} --logs {LOGS}",
    "strategies",
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

step(
    "geometry",
    {"corpus": CORPUS, "embeddings": pages_vectors},
    FILES.geometry,
    "geometry: every layer of {model}",
    "--layers {params.layers}",
    "geometry",
    params={"layers": lambda of: MODEL_OF[of.model].single},
    **OF_SET,
)

step(
    "sense_substitutes",
    {"corpus": CORPUS, "substitutes": FILES.substitutes},
    FILES.sense_substitutes,
    "substitutes: what sets each sense apart, by {asked}",
    mem=(800, 20),
    minutes=(10, 0.2),
)

step(
    "audit",
    {
        "corpus": CORPUS,
        "predictions": lambda of: FILES.audited(MODEL_OF[of.model].name),
    },
    {
        "_tables": expand(
            f"{FILES.audit}/{{of}}.csv", of=run_files.AUDIT, allow_missing=True
        )
    },
    "audit: near-duplicates, suspected gold, confusions of {model}",
    " ".join(f"--judge {name}" for name in FILES.judges),
    folder=FILES.audit,
    mem=(800, 50),
    minutes=(20, 2),
)

step(
    "code_length",
    {
        "corpus": CORPUS,
        "embeddings": pages_vectors,
        "predictions": lambda of: FILES.coded(MODEL_OF[of.model].name),
        "folds": FILES.paths(FILES.folds, train=FILES.nested),
    },
    FILES.code_length,
    "code length: every layer of {model}",
    mem=(600, 1.5),
    minutes=(20, 0.2),
)
