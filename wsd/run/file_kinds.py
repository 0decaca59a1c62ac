"""What decides each kind of file: the table of which :mod:`wsd.run.keys` makes keys."""

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """What decides a kind of file.

    Attributes
    ----------
    step : str
        The command that makes it, whose code counts.
    flags : mapping of flag to config key
        What every job of the step is given.
    items : tuple of str
        Config keys of which a file has its own entry, or that say which files the step reads.
    upstream : tuple of str
        The kinds that it reads.
    """

    step: str
    flags: Mapping[str, str] = {}
    items: tuple[str, ...] = ()
    upstream: tuple[str, ...] = ()


SEED = {"seed": "seed"}
TUNED = {"objective": "tuning.objective"}
TRANSFORMED = {"transforms": "transforms", **SEED}
DEVICE = {"device": "device"}
CLUSTERED = {"clusters": "clusters.most", **SEED}
FOLDED = {"k": "tuning.folds", "repeats": "tuning.repeats", **SEED}
# What an encoder is, and how its vectors are taken.
SOURCES = ("path", "package", "hub", "revision", "sha256", "blocks", "width", "random_weights")
IDENTITY = tuple(f"models.{key}" for key in SOURCES)
USED = (*IDENTITY, "models.pooling", "models.input")
TRAINED = ("rate", "epochs", "blocks", "steps", "seeds", "folds")
# Which candidates there are, and what is scored beside them.
SHOWN = ("models", "layers", "views.classify")
SINGLE = (*SHOWN, "classifiers")
CANDIDATES = (*SINGLE, "features")
CONTROLS = ("controls.views", "controls.random_weights", "controls.classifiers")
SCORED = (*CANDIDATES, *CONTROLS, "glosses", "systems", "finetune.trains", "finetune.seeds")
STRATEGIES = (
    *("controls.baselines", "controls.classifiers", "trains", "glosses", "analyses"),
    *("finetune.trains", "finetune.seeds"),
)
SET = ("vectors", "views", "other")
JUDGED = ("predictions", "per-word", "zero-shot", "finetune", "finetuned", "published", "systems")
EVERY = "every key"

# kind -> what decides it. Nowhere in here: part, threads, cores, where things are.
KINDS = {
    # The command that writes them is the dataset's.
    "source": Kind("copy-corpus", {}, ("dataset", "at_least")),
    # Not what the corpus is called, but of pairs.
    "corpus": Kind("corpus", {}, ("dataset", "at_least", "words")),
    "trains": Kind("training-sets", {}, (), ("corpus",)),
    "published": Kind("published", {}, (), ("corpus",)),
    "systems": Kind("score", {}, ("systems",), ("corpus",)),
    "folds": Kind("folds", FOLDED, (), ("corpus", "trains")),
    "record": Kind("model", {}, IDENTITY),
    # A word's own files go by its sentences: see wsd.encoder.embed.
    "vectors": Kind("embed", DEVICE, (*USED, "models.precision")),
    "views": Kind("embed", {}, (), ("corpus",)),
    # The view that has another word of each sentence: the only one that the seed decides.
    "other": Kind("embed", {}, ("seed",), ("corpus",)),
    "asked": Kind("substitutes", DEVICE, IDENTITY, ("corpus",)),
    "glosses": Kind("glosses", {}, ("glosses",), ("corpus",)),
    "gloss-vectors": Kind("embed", {}, (), ("glosses", "vectors")),
    "finetune": Kind(
        "finetune",
        {**TUNED, **DEVICE},
        (*USED, *(f"finetune.{key}" for key in TRAINED)),
        ("folds",),
    ),
    # What is embedded and classified of what was fine-tuned.
    "finetuned": Kind("embed", DEVICE, (), ("finetune", "predictions")),
    "predictions": Kind("classify", TUNED, ("classifiers",), (*SET, "folds")),
    "control": Kind("control-task", {**TUNED, **SEED}, (), ("predictions",)),
    "zero-shot": Kind("zero-shot", {}, (), ("gloss-vectors", "views")),
    "gloss-worth": Kind("gloss-worth", SEED, (), ("gloss-vectors", "views")),
    "baselines": Kind("baseline", TUNED, (), ("folds",)),
    "bags": Kind("baseline", TUNED, (), ("asked", "folds")),
    # t-SNE takes no folds.
    "projections": Kind("project", SEED, (), ("vectors", "views", "folds")),
    "neighbours": Kind("neighbours", {}, (), ("vectors", "views")),
    "selection": Kind("select", TUNED, CANDIDATES, ("predictions",)),
    "per-word": Kind("classify-selected", {}, ("views.store",), ("selection", "other")),
    "calibration": Kind("calibration", SEED, ("views.store",), ("selection", "other")),
    "scores": Kind("evaluate", {}, (*SCORED, "trains"), (*JUDGED, "selection")),
    "comparison": Kind(
        "compare",
        SEED,
        ("controls", "analyses"),
        (*JUDGED, "baselines", "bags", "control", "scores"),
    ),
    "layers": Kind("layerwise", SEED, SINGLE, ("predictions",)),
    "strategies": Kind(
        "strategies",
        SEED,
        (*CANDIDATES, *STRATEGIES),
        ("selection", "per-word", "predictions", "baselines", "bags", "zero-shot", "finetune"),
    ),
    "figures": Kind("figures", {}, (), ("comparison", "layers")),
    "alignment": Kind("alignment", {}, (), ("vectors", "corpus")),
    "geometry": Kind(
        "geometry", {"view": "page_view", **TRANSFORMED}, ("views.classify",), ("vectors", "views")
    ),
    "sense-substitutes": Kind("sense-substitutes", {}, (), ("asked",)),
    "audit": Kind("audit", {}, ("classifiers", "views.classify"), ("predictions",)),
    "code-length": Kind(
        "code-length", {}, ("controls.classifiers", "views.classify"), ("predictions",)
    ),
    "selected": Kind("fit", {}, ("dataset",), ("calibration", "comparison")),
    # They show the whole config.
    "report": Kind("report", {"view": "page_view"}, (EVERY,), ("scores", "comparison", "layers")),
    "uses": Kind("uses", {"centre": "clusters.centre", **CLUSTERED}, (), ("vectors", "views")),
    "substitute-uses": Kind("substitute-uses", CLUSTERED, (), ("asked",)),
    "uses-page": Kind(
        "uses-page", {}, ("sentences", "dataset", "analyses", *SHOWN), ("uses", "substitute-uses")
    ),
    "pairs": Kind(
        "pairs",
        {"view": "page_view", **TRANSFORMED},
        ("layers", "models", "views.classify"),
        ("vectors", "views"),
    ),
    "pairs-page": Kind("pairs-page", {}, ("sentences", "dataset"), ("pairs",)),
    "reproduced": Kind("reproduce", {}, (), ("vectors", "views", "published")),
}
