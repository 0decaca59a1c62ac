# In:  the vectors of all words; the folds.
# Out: <model>/search/<train>/<view>/<layers>.<classifier>.parquet, what the folds say, and
#      .../predictions/... of the same name, one per feature set and classifier, all words inside;
#      .../projections/<method>/<view>/<layers>.parquet and .../neighbours/<view>/<layers>.parquet;
#      selection.csv and .json, what the folds choose; <model>/predictions/full/per-word/, each word
#      as its own folds choose; scores.csv, summary.csv, and sources.json, what they were made from.

PREDICTIONS = FILES.predictions
SEARCH = FILES.searches
# Of all words at one layer choice.
FEATURES = {"corpus": CORPUS, "embeddings": vectors}
TUNED = {**FEATURES, "folds": FOLDS}
OF_SET = {"mem": (600, 1.5), "minutes": (10, 0.1)}
CHOSEN = f"{FILES.selection}.json"

step(
    "classify",
    TUNED,
    {
        "out": [PREDICTIONS.replace("{train}", FULL_TRAIN)],
        "searches": [SEARCH.replace("{train}", FULL_TRAIN)],
    },
    "classify: {model}, {view}, layers {layers}, {classifier}",
    "--view {view} --layers {layers} {params.classifier}",
    "predictions",
    # What everything else waits for; pictures and neighbours fill the cores that are left.
    priority=1,
    only={
        "model": keyed("model", [*CONFIG.models, *CONFIG.finetuned]),
        "view": r"(?!%s)[a-z_+]+@[0-9a-f]{10}"
        % any_of(map(FILES.view, FILES.control_views)),
    },
    params={"classifier": lambda of: classifier_flags([bare(of.classifier)])},
    **OF_SET,
)

if OTHER_TRAINS:

    # All further training sets in one job: each takes less than starting one.
    step(
        "classify_trains",
        {**FEATURES, "folds": expand(FILES.folds, train=OTHER_TRAINS)},
        {
            "out": update(expand(PREDICTIONS, train=OTHER_TRAINS, allow_missing=True)),
            "searches": update(expand(SEARCH, train=OTHER_TRAINS, allow_missing=True)),
        },
        "classify: {model}, {view}, layers {layers}, {classifier}, further training sets",
        "--view {view} --layers {layers} {params.classifier}",
        "predictions",
        command="classify",
        priority=1,
        params={"classifier": lambda of: classifier_flags([bare(of.classifier)])},
        **OF_SET,
    )

# Of a control all layers and classifiers in one job: most take less than starting one.
for control, kind, models, views, path, search in (
    (
        "classify_views",
        "predictions",
        CONFIG.models,
        FILES.control_views,
        PREDICTIONS,
        SEARCH,
    ),
    (
        "classify_twins",
        "predictions",
        CONFIG.twins,
        CONFIG.classify[:1],
        PREDICTIONS,
        SEARCH,
    ),
    (
        "control_task",
        "control",
        CONFIG.models,
        CONFIG.classify[:1],
        FILES.control,
        FILES.control_searches,
    ),
):
    if models and views:
        LAYERS = common_layers(models, views)
        step(
            control,
            TUNED,
            {"out": controls_of(path, LAYERS), "searches": controls_of(search, LAYERS)},
            f"{'control task' if kind == 'control' else 'classify'}: {{model}}, {{view}},"
            f" layers {' '.join(LAYERS)}",
            f"--view {{view}} --layers {' '.join(LAYERS)} {{params.classifiers}}",
            kind,
            command="control-task" if kind == "control" else "classify",
            log=FILES.log(
                f"{STORE}/{{model}}/{control}/{FULL_TRAIN}/{{view}}{only(LAYERS)}"
            ),
            only={
                "model": keyed("model", models),
                "view": any_of(map(FILES.view, views)),
            },
            params={
                "classifiers": lambda of: classifier_flags(CONFIG.controls.classifiers)
            },
            **OF_SET,
        )

step(
    "baseline",
    {"corpus": CORPUS, "folds": FOLDS},
    FILES.baselines,
    "baseline: {baseline}",
    "--name {baseline}",
    "baselines",
    # The bag of words takes minutes: as the last job it would keep one core busy alone.
    priority=1,
    mem=(600, 100),
    minutes=(10, 10),
)

step(
    "baseline_substitutes",
    {"corpus": CORPUS, "folds": FOLDS, "substitutes": FILES.substitutes},
    FILES.bags,
    "baseline: a bag of the substitutes of {asked}",
    "--name bag_of_substitutes",
    "bags",
    command="baseline",
    priority=1,
    mem=(600, 100),
    minutes=(10, 10),
)

# Written before a test prediction is scored: `evaluate` and `compare` take it in.
step(
    "select",
    {"searches": FILES.candidates(SEARCH)},
    {"table": f"{FILES.selection}.csv", "out": CHOSEN},
    "select: what the folds of the training set choose",
    kind="selection",
    mem=(600, 20),
    minutes=(10, 0.2),
)

step(
    "classify_selected",
    {
        "corpus": CORPUS,
        "embeddings": stored_vectors,
        "folds": FOLDS,
        "selection": CHOSEN,
    },
    FILES.per_word,
    "classify: {model}, each word as its own folds choose",
    "--model {model}",
    mem=(800, 0.5),
    minutes=(10, 0.1),
)

step(
    "project",
    # t-SNE takes no folds: pages open with it only where there is no other projection.
    {**FEATURES, "folds": lambda of: [] if bare(of.method) == "tsne" else FOLDS},
    FILES.projections,
    "project: {model}, {method}, {view}, layers {layers}",
    "--view {view} --layers {layers} --method {method}",
    "projections",
    **OF_SET,
)

step(
    "neighbours",
    FEATURES,
    FILES.neighbours,
    "neighbours: {model}, {view}, layers {layers}",
    "--view {view} --layers {layers}",
    **OF_SET,
)

step(
    "evaluate",
    {
        "predictions": [
            *FILES.scored(PREDICTIONS),
            *FILES.of_models(FILES.per_word),
            *FILES.all_zero_shot,
            *FILES.tuned(),
        ],
        "systems": FILES.all_published,
        "_selection": CHOSEN,
    },
    {
        "scores": FILES.scores["scores"],
        "summary": report(
            FILES.scores["summary"],
            category="Leaderboard",
            caption="report/leaderboard.rst",
        ),
        "provenance": FILES.scores["sources"],
    },
    "evaluate: scores.csv and summary.csv",
    f"--dataset {DATASET}",
    mem=(600, 5),
    minutes=(10, 0.2),
)
