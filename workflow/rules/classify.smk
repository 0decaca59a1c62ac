# In:  the vectors of all words; the folds.
# Out: <model>/search/<train>/<view>/<layers>.<classifier>.parquet, the results of cross-validation,
#      and predictions/... of the same name: a file per feature set and classifier, with all words;
#      <model>/projections/<method>/<view>/<layers>.parquet and neighbours/<view>/<layers>.parquet;
#      selection.csv and .json, selected by cross-validation; <model>/predictions/full/per-word/, with
#      a selection for each word; scores.csv, summary.csv, and sources.json, their inputs.

PREDICTIONS = FILES.predictions
SEARCH = FILES.searches
# All words at one layer choice.
FEATURES = {"corpus": CORPUS, "embeddings": vectors}
TUNED = {**FEATURES, "folds": FOLDS}
# Steps that read the vectors of a feature set.
LIGHT = {"mem": (600, 1.5), "minutes": (10, 0.1)}
CLASSIFIER = {"classifier": lambda wildcards: classifier_flags([bare(wildcards.classifier)])}
SELECTED = f"{FILES.selection}.json"

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
    # All later steps wait for this one; projections and neighbours fill the other cores.
    priority=1,
    only={
        "model": keyed("model", [*CONFIG.models, *CONFIG.finetuned]),
        "view": r"(?!%s)[a-z_+]+@[0-9a-f]{10}" % any_of(map(FILES.view, FILES.control_views)),
    },
    params=CLASSIFIER,
    **LIGHT,
)

if OTHER_TRAINS:

    # One job for all further training sets: each takes less time than starting a job.
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
        params=CLASSIFIER,
        **LIGHT,
    )


def classify_controls(name, kind, models, views, predictions, searches, command):
    """Define a step for every single layer of some models' views with the controls' classifiers.

    A single job has all of them, since most take less time than starting a job.
    """
    layers = common_layers(models, views)
    suffix = ".{layers}" if layers == ("{layers}",) else ""
    step(
        name,
        TUNED,
        {
            "out": controls_of(predictions, layers),
            "searches": controls_of(searches, layers),
        },
        f"{command}: {{model}}, {{view}}, layers {' '.join(layers)}",
        f"--view {{view}} --layers {' '.join(layers)} {{params.classifiers}}",
        kind,
        command=command,
        log=FILES.log(f"{STORE}/{{model}}/{name}/{FULL_TRAIN}/{{view}}{suffix}"),
        only={
            "model": keyed("model", models),
            "view": any_of(map(FILES.view, views)),
        },
        params={"classifiers": lambda wildcards: classifier_flags(CONFIG.controls.classifiers)},
        **LIGHT,
    )


for control, models, views in (
    ("classify_views", CONFIG.models, FILES.control_views),
    ("classify_random_controls", CONFIG.random_controls, CONFIG.classify[:1]),
):
    if models and views:
        classify_controls(control, "predictions", models, views, PREDICTIONS, SEARCH, "classify")

step(
    "baseline",
    {"corpus": CORPUS, "folds": FOLDS},
    FILES.baselines,
    "baseline: {baseline}",
    "--view text --layers - --estimator {baseline}",
    "baselines",
    command="classify",
    # The bag of words takes minutes: as the last job, it would keep the other cores waiting.
    priority=1,
    mem=(600, 100),
    minutes=(10, 10),
)

# Its output exists before any test prediction is scored: `evaluate` and `compare` need it.
step(
    "select",
    {"searches": FILES.candidates(SEARCH)},
    {"table": f"{FILES.selection}.csv", "out": SELECTED},
    "select: by cross-validation on the training set",
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
        "selection": SELECTED,
    },
    FILES.per_word,
    "classify: {model}, each word with its own selection",
    "--model {model}",
    mem=(800, 0.5),
    minutes=(10, 0.1),
)

step(
    "project",
    # t-SNE uses no folds, since pages open with it only if there is no other projection.
    {
        **FEATURES,
        "folds": lambda wildcards: [] if bare(wildcards.method) == "tsne" else FOLDS,
    },
    FILES.projections,
    "project: {model}, {method}, {view}, layers {layers}",
    "--view {view} --layers {layers} --method {method}",
    "projections",
    **LIGHT,
)

step(
    "neighbours",
    FEATURES,
    FILES.neighbours,
    "neighbours: {model}, {view}, layers {layers}",
    "--view {view} --layers {layers}",
    **LIGHT,
)

step(
    "evaluate",
    {
        "predictions": [
            *FILES.scored(PREDICTIONS),
            *FILES.of_models(FILES.per_word),
            *(
                path
                for row, paths in FILES.further_scores.items()
                if row != "systems"
                for path in paths
            ),
        ],
        "systems": FILES.further_scores.get("systems", []),
        "_selection": SELECTED,
    },
    {
        "scores": FILES.scores["scores"],
        "summary": report(
            FILES.scores["summary"],
            category="Leaderboard",
            caption="../report/leaderboard.rst",
        ),
        "provenance": FILES.scores["sources"],
    },
    "evaluate: scores.csv and summary.csv",
    f"--dataset {DATASET}",
    mem=(600, 5),
    minutes=(10, 0.2),
)
