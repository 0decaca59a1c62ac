"""The table of what decides each kind of file; :mod:`wsd.run.keys` makes keys of it."""

from wsd.studies.base import Kind
from wsd.studies.registry import STUDIES

SEED = {"seed": "seed"}
TUNED = {"objective": "tuning.objective"}
DEVICE = {"device": "device"}
FOLDED = {"k": "tuning.folds", "repeats": "tuning.repeats", **SEED}
# What an encoder is, and how its vectors are taken.
SOURCES = ("path", "package", "hub", "revision", "sha256", "blocks", "width", "random_weights")
IDENTITY = tuple(f"models.{key}" for key in SOURCES)
USED = (*IDENTITY, "models.pooling", "models.input")
# Which candidates there are, and what is scored beside them.
SHOWN = ("models", "layers", "views.classify")
SINGLE = (*SHOWN, "classifiers")
CANDIDATES = (*SINGLE, "features")
CONTROLS = ("controls.views", "controls.random_weights", "controls.classifiers")
SCORED = (*CANDIDATES, *CONTROLS)
SET = ("vectors", "views", "other")
PREDICTED = ("predictions", "per-word")
EVERY = "every key"

# kind -> what decides it. Nowhere in here: part, threads, cores, where things are.
KINDS = {
    # The command that writes them is the dataset's.
    "source": Kind("copy-corpus", {}, ("dataset", "at_least")),
    # Not what the corpus is called, but of pairs.
    "corpus": Kind("corpus", {}, ("dataset", "at_least", "words")),
    "trains": Kind("training-sets", {}, (), ("corpus",)),
    "folds": Kind("folds", FOLDED, (), ("corpus", "trains")),
    "record": Kind("model", {}, IDENTITY),
    # A word's own files go by its sentences: see wsd.encoder.embed.
    "vectors": Kind("embed", DEVICE, (*USED, "models.precision")),
    "views": Kind("embed", {}, (), ("corpus",)),
    # The view that has another word of each sentence: the only one that the seed decides.
    "other": Kind("embed", {}, ("seed",), ("corpus",)),
    "predictions": Kind("classify", TUNED, ("classifiers",), (*SET, "folds")),
    "baselines": Kind("baseline", TUNED, (), ("folds",)),
    # t-SNE takes no folds.
    "projections": Kind("project", SEED, (), ("vectors", "views", "folds")),
    "neighbours": Kind("neighbours", {}, (), ("vectors", "views")),
    "selection": Kind("select", TUNED, CANDIDATES, ("predictions",)),
    "per-word": Kind("classify-selected", {}, ("views.store",), ("selection", "other")),
    "calibration": Kind("calibration", SEED, ("views.store",), ("selection", "other")),
    "scores": Kind("evaluate", {}, (*SCORED, "trains"), (*PREDICTED, "selection")),
    "comparison": Kind(
        "compare",
        SEED,
        ("controls", "analyses"),
        (*PREDICTED, "baselines", "scores"),
    ),
    "layers": Kind("layerwise", SEED, SINGLE, ("predictions",)),
    "figures": Kind("figures", {}, (), ("comparison", "layers")),
    "alignment": Kind("alignment", {}, (), ("vectors", "corpus")),
    "selected": Kind("fit", {}, ("dataset",), ("calibration", "comparison")),
    # They show the whole config.
    "report": Kind("report", {"view": "page_view"}, (EVERY,), ("scores", "comparison", "layers")),
}
for study in STUDIES.values():
    KINDS |= study.kinds
for study in STUDIES.values():
    for name, more in study.feeds.items():
        if kind := KINDS.get(name):
            KINDS[name] = kind._replace(
                items=(*kind.items, *more.items), upstream=(*kind.upstream, *more.upstream)
            )
