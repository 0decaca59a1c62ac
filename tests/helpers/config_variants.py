"""List the kinds of files with their dependencies and paths, and change single config keys."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wsd.artifacts.run_json import bare
from wsd.run.config import check
from wsd.run.digests import KINDS, Digests, Seen
from wsd.run.files import Files
from wsd.run.keys import Keys
from wsd.run.schema import ANALYSES, ConfigFile
from wsd.studies.registry import STUDIES

EVERY = "every key"
# The keys of a model that identify it, and all keys that its vectors depend on.
SOURCES = ("path", "package", "hub", "revision", "sha256", "blocks", "width", "random_weights")
IDENTITY = tuple(f"models.{key}" for key in SOURCES)
USED = (*IDENTITY, "models.pooling", "models.input")
STORAGE = ("models.store_dtype", "models.store_layers")
# The keys that decide the candidates, and the controls that are scored with them.
SHOWN = ("models", "layers", "views.classify")
SINGLE = (*SHOWN, "classifiers")
CANDIDATES = (*SINGLE, "features")
CONTROLS = ("controls.views", "controls.random_weights", "controls.classifiers")
SCORED = (*CANDIDATES, *CONTROLS, "trains")
FINETUNED = ("finetune.trains", "finetune.seeds")
TRAINING = tuple(
    f"finetune.{key}" for key in ("rate", "epochs", "blocks", "steps", "seeds", "folds")
)
SET = ("vectors", "views")
PREDICTED = ("predictions", "per-word", "finetune", "finetuned")
# The config asks for substitutes under this key; they add baselines.
SUBSTITUTES = ("analyses",) if "substitutes" in STUDIES else ()
# Per kind, besides the flags of its step: the config keys that decide it, and its inputs' kinds.
DECIDED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "source": (("dataset", "at_least"), ()),
    "corpus": (("dataset", "at_least", "words"), ()),
    "trains": ((), ("corpus",)),
    "folds": ((), ("corpus", "trains")),
    "record": (IDENTITY, ()),
    "vectors": ((*USED, "models.precision", *STORAGE), ()),
    "views": ((), ("corpus",)),
    "predictions": (("classifiers",), (*SET, "folds")),
    "baselines": ((), ("folds",)),
    "projections": ((), ("vectors", "views", "folds")),
    "neighbours": ((), ("vectors", "views")),
    "selection": (CANDIDATES, ("predictions",)),
    "per-word": (("views.store",), ("selection",)),
    "calibration": (("views.store",), ("selection",)),
    "scores": (
        (*SCORED, "systems", "glosses", *FINETUNED),
        (*PREDICTED, "selection", "systems", "zero-shot"),
    ),
    "comparison": (
        ("controls", *SUBSTITUTES),
        (*PREDICTED, "baselines", "scores", "systems", "zero-shot", "control", "bags"),
    ),
    "layers": (SINGLE, ("predictions",)),
    "figures": ((), ("comparison", "layers")),
    "alignment": ((), ("vectors", "corpus")),
    "selected": (("dataset",), ("calibration", "comparison")),
    "report": ((EVERY,), ("scores", "comparison", "layers")),
    # Of studies
    "control": ((), ("predictions",)),
    "asked": (IDENTITY, ("corpus",)),
    "bags": ((), ("asked", "folds")),
    "sense-substitutes": ((), ("asked",)),
    "glosses": (("glosses",), ("corpus",)),
    "gloss-vectors": ((), ("glosses", "vectors")),
    "zero-shot": ((), ("gloss-vectors", "views")),
    "finetune": ((*USED, *TRAINING), ("folds",)),
    "finetuned": (("device",), ("finetune", "predictions")),
    "geometry": (("views.classify",), ("vectors", "views")),
    "audit": (("classifiers", "views.classify"), ("predictions",)),
    "code-length": (("controls.classifiers", "views.classify"), ("predictions",)),
    "published": ((), ("source",)),
    "systems": (("systems",), ("corpus", "published")),
    "pairs": (("layers", "models", "views.classify"), ("vectors", "views")),
    "pairs-page": (("sentences", "dataset"), ("pairs",)),
    "uses": ((), ("vectors", "views")),
    "uses-page": (("sentences", "dataset", "models", "layers", "views.classify"), ("uses",)),
}  # fmt: skip
# Without the kinds of deleted studies; "finetuned" are predictions.
PRESENT = {*KINDS, *(["finetuned"] if "finetuning" in STUDIES else [])}
DECIDED = {kind: DECIDED[kind] for kind in DECIDED if kind in PRESENT}
# Kinds without files in a run of a corpus with senses and without groups.
ELSEWHERE = ("pairs", "pairs-page", "change", "change-page")


def paths(config: dict[str, Any], folder: Path) -> dict[str, dict[str, str]]:
    """Return the files of each kind in `KINDS`, by the paths that people read."""
    checked = check(config)
    keys = Keys(checked, config, Digests(Seen(folder / "seen.json")), folder)
    files = Files(checked, keys, "snakemake")
    kinds = {
        "source": [files.source],
        "corpus": [files.corpus],
        "record": files.paths(files.record, record=checked.models),
        "vectors": [files.keyed["model"][name] for name in checked.models],
        "views": [files.view(view) for view in checked.store],
        "alignment": files.of_models(files.alignment),
    }
    if checked.dataset.of_pairs:
        return by_name(kinds | of_studies(files))
    trained = files.keyed["model"].get("trained", "-")
    scored = [*files.scored(files.predictions), *files.scored(files.searches)]
    kinds |= {
        "trains": files.rows,
        "systems": [*files.judged["published"], *files.judged["systems"]],
        "folds": files.paths(files.folds, train=checked.trains),
        "views": [*kinds["views"], files.view("alignment")],
        "finetuned": [path for path in scored if f"/{trained}/" in path],
        "predictions": [path for path in scored if f"/{trained}/" not in path],
        "control": files.judged.get("control", []),
        "zero-shot": files.judged.get("zero_shot", []),
        "baselines": [path for path in files.judged["baselines"] if "substitutes" not in path],
        "bags": [path for path in files.judged["baselines"] if "substitutes" in path],
        "projections": files.shown(files.projections),
        "neighbours": files.shown(files.neighbours),
        "selection": [files.selection],
        "per-word": files.judged["per_word"],
        "calibration": files.confidence,
        "scores": [*files.scores.values()],
        "comparison": [files.comparison],
        "layers": [*files.layerwise.values()],
        "figures": [files.figures],
        "selected": [files.selected],
        "report": [files.report],
    }
    kinds |= of_studies(files)
    return by_name({kind: kinds.get(kind, []) for kind in DECIDED if kind not in ELSEWHERE})


# By kind of file: the study that makes it, and its files, from all files and the study's patterns.
BY_STUDY: dict[str, tuple[str, Callable[[Files, Any], list[str]]]] = {
    "pairs": ("pairs", lambda files, own: files.of_models(own["tables"][0])),
    "pairs-page": ("pairs", lambda files, own: files.of_models(own["page"])),
    "glosses": ("glosses", lambda files, own: [own["glosses"]]),
    "gloss-vectors": (
        "glosses",
        lambda files, own: [p for v in own["vectors"] for p in files.paths(v, model=["a"])],
    ),
    "asked": (
        "substitutes",
        lambda files, own: files.paths(own["substitutes"], asked=own["models"]),
    ),
    "sense-substitutes": (
        "substitutes",
        lambda files, own: files.paths(own["sense_substitutes"], asked=own["models"]),
    ),
    "uses": ("unlabelled", lambda files, own: own["by_vectors"]),
    "uses-page": ("unlabelled", lambda files, own: [own["page"]]),
    "finetune": (
        "finetuning",
        lambda files, own: files.paths(
            f"{own['finetune']}/trials.csv",
            base=files.config.models,
            train=STUDIES["finetuning"].trains(files.config),
        ),
    ),
    "geometry": ("geometry", lambda files, own: files.of_models(own["table"])),
    "audit": ("audit", lambda files, own: files.of_models(*own["tables"])),
    "code-length": ("code_length", lambda files, own: files.of_models(own["table"])),
    "published": ("systems", lambda files, own: STUDIES["systems"].outputs(files).made),
}


def of_studies(files: Files) -> dict[str, list[str]]:
    """Return the files of each kind of the studies of a config."""
    given = ((kind, study, get) for kind, (study, get) in BY_STUDY.items() if study in files.study)
    return {kind: get(files, files.study[study]) for kind, study, get in given}


def by_name(kinds: dict[str, list[str]]) -> dict[str, dict[str, str]]:
    return {kind: {bare(path): path for path in files} for kind, files in kinds.items()}


def changes(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> set[str]:
    """Return the kinds whose paths differ; ignore files that only one of the configs has."""
    return {
        kind
        for kind, paths_before in before.items()
        if any(after[kind].get(name, path) != path for name, path in paths_before.items())
    }


def decided(key: str) -> set[str]:
    """Return the kinds that a config key decides, directly or through their inputs."""
    decided = {
        kind
        for kind, (keys, _) in DECIDED.items()
        for other in (*keys, *(KINDS[kind].flags.values() if kind in KINDS else ()))
        if other in (key, EVERY) or key.startswith(f"{other}.")
    }
    while further := {kind for kind in DECIDED if decided & {*DECIDED[kind][1]}} - decided:
        decided |= further
    return decided


# Another value for each key that changes a file. In lists of entries the first entry changes, among
# the classifiers the second (its values in another order).
VALUES: dict[str, Any] = {
    "words": ["apple", "crane"],
    "seed": 2,
    "device": "cpu",
    "tuning.folds": 4,
    "tuning.repeats": 2,
    "tuning.objective": "mean_word_accuracy",
    "transforms": ["none"],
    "projections": ["tsne", "pca"],
    "sentences": False,
    "run": "mine",
    "clusters.most": 4,
    "clusters.centre": None,
    "views.store": ["focal", "context", "sentence"],
    "views.classify": ["context"],
    "layers": ["all"],
    "features": [],
    "trains": ["1pct", "5pct", "10pct", "25pct", "50pct", "balanced"],
    "glosses": "glosses.tsv",
    **({"analyses": [name for name in ANALYSES if name == "geometry"]} if ANALYSES else {}),
    "systems.0.file": "more.jsonl",
    "controls.baselines": False,
    "controls.views": [],
    "controls.random_weights": [2],
    **({"controls.task": False} if "control_task" in STUDIES else {}),
    "controls.classifiers": ["nearest_centroid", "lda"],
    "finetune.rate": [1e-3],
    "finetune.epochs": [2],
    "finetune.steps": 200,
    "finetune.seeds": [4],
    "finetune.folds": 2,
    "finetune.trains": ["full", "1pct"],
    "models.0.pooling": "last",
    "models.0.input": "masked",
    "models.0.path": "other",
    "classifiers.1.C": [0.3, 0.1, 0.03, 0.01, 0.003],
}
OTHER = {key: VALUES[key] for key in VALUES if key.split(".")[0] in ConfigFile.model_fields}


def changed(config: dict[str, Any], key: str, value: Any, folder: Path) -> dict[str, Any]:
    """Return the config with another value for a key; None removes the key."""
    new = copy.deepcopy(config)
    *above, last = key.split(".")
    place: Any = new
    for name in above:
        place = place[int(name) if name.isdigit() else name]
    if isinstance(value, str) and (folder / value).exists():
        value = str(folder / value)
    if value is None:
        del place[last]
    else:
        place[last] = value
    return new
