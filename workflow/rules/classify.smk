# In:  the vectors of all words; the folds.
# Out: <model>/search/<train>/<view>/<layers>.<classifier>.parquet, the results of cross-validation,
#      and predictions/... of the same name: a file per feature set and classifier, with all words;
#      <model>/projections/<method>/<view>/<layers>.parquet and neighbours/<view>/<layers>.parquet;
#      selection.csv and .json, selected by cross-validation; <model>/predictions/full/per-word/, with
#      a selection for each word; scores.csv, summary.csv, and sources.json, their inputs.

PREDICTIONS = FILES.predictions
SEARCH = FILES.searches
# All words at one layer choice.
FEATURES = {"corpus": CORPUS, "embeddings": vectors_of()}
TUNED = {**FEATURES, "folds": FOLDS}
SELECTED = f"{FILES.selection}.json"


def classifier_flags(names):
    """Return classifiers of the config as flags of `wsd classify`."""
    classifiers = [CONFIG.classifiers[name] for name in names]
    return {
        "estimator": [classifier.estimator for classifier in classifiers],
        "name": names,
        "space": [json.dumps(classifier.space) for classifier in classifiers],
    }


def classify(name, trains, **more):
    """Define a step that classifies one feature set with one classifier on some training sets."""
    step(
        name,
        {**FEATURES, "folds": expand(FILES.folds, train=trains)},
        {
            "out": update(expand(PREDICTIONS, train=trains, allow_missing=True)),
            "searches": update(expand(SEARCH, train=trains, allow_missing=True)),
        },
        lambda wildcards: classifier_flags([bare(wildcards.classifier)]),
        command="classify",
        # All later steps wait for this one; projections and neighbours fill the other cores.
        priority=1,
        **more,
        **VECTORS,
    )


NOT_A_CONTROL = r"(?!%s)[a-z_+]+@[0-9a-f]{10}" % any_of(map(FILES.view, FILES.control_views))
LEARNT = {"model": keyed("model", [*CONFIG.models, *CONFIG.finetuned]), "view": NOT_A_CONTROL}
classify("classify", [FULL_TRAIN], only=LEARNT)
# One job for all further training sets: each takes less time than starting a job.
classify("classify_trains", OTHER_TRAINS)


def classify_controls(name, models, views, predictions, searches, command):
    """Define a step for every single layer of some models' views with the controls' classifiers.

    A single job has all of them, since most take less time than starting a job. If the models have
    different layers, each layer gets its own job.
    """
    every = {model.single for model in models.values()}
    layers = every.pop() if len(every) == 1 else ("{layers}",)
    names = [FILES.keyed["classifier"][name] for name in CONFIG.controls.classifiers]
    wildcards = {"train": FULL_TRAIN, "layers": layers, "classifier": names}
    one_layer = layers == ("{layers}",)
    step(
        name,
        TUNED,
        {
            "out": expand(predictions, **wildcards, allow_missing=True),
            "searches": expand(searches, **wildcards, allow_missing=True),
        },
        classifier_flags(CONFIG.controls.classifiers) | ({} if one_layer else {"layers": layers}),
        command=command,
        log=FILES.log(f"{STORE}/{{model}}/{name}/{{view}}{'.{layers}' if one_layer else ''}"),
        only={"model": keyed("model", models), "view": any_of(map(FILES.view, views))},
        **VECTORS,
    )


for control, models, views in (
    ("classify_views", CONFIG.models, FILES.control_views),
    ("classify_random_controls", CONFIG.random_controls, CONFIG.classify[:1]),
):
    if models and views:
        classify_controls(control, models, views, PREDICTIONS, SEARCH, "classify")

step(
    "baseline",
    {"corpus": CORPUS, "folds": FOLDS},
    FILES.baselines,
    {"view": "text", "layers": "-", "estimator": name_of("baseline")},
    command="classify",
    # The bag of words takes minutes: as the last job, it would keep the other cores waiting.
    priority=1,
    **DRAWN,
)

# Its output exists before any test prediction is scored: `evaluate` and `compare` need it.
step(
    "select",
    {"searches": FILES.candidates(SEARCH)},
    {"table": f"{FILES.selection}.csv", "out": SELECTED},
)

step(
    "classify_selected",
    {"corpus": CORPUS, "embeddings": STORED_VECTORS, "folds": FOLDS, "selection": SELECTED},
    FILES.per_word,
    {"model": name_of("model")},
    **VECTORS,
)

step(
    "project",
    # t-SNE uses no folds, since pages open with it only if there is no other projection.
    {**FEATURES, "folds": lambda wildcards: [] if bare(wildcards.method) == "tsne" else FOLDS},
    FILES.projections,
    **VECTORS,
)

step("neighbours", FEATURES, FILES.neighbours, **VECTORS)

OTHERS = [paths for row, paths in FILES.further_scores.items() if row != "systems"]
step(
    "evaluate",
    {
        "predictions": sum(OTHERS, [*FILES.scored(PREDICTIONS), *FILES.of_models(FILES.per_word)]),
        "systems": FILES.further_scores.get("systems", []),
        "_selection": SELECTED,
    },
    {
        "scores": FILES.scores["scores"],
        "summary": report(
            FILES.scores["summary"], category="Leaderboard", caption="../report/leaderboard.rst"
        ),
        "provenance": FILES.scores["sources"],
    },
    {"dataset": DATASET},
    mem=(800, 5),
)
