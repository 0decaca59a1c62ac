"""A config, checked: every value that could fail later is refused here, by key.

Snakemake merges the config files; this turns the result into typed values. No step of the
pipeline imports it: steps get what they need as arguments.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from wsd.datasets import DATASETS, MANIFEST, Dataset, check_name, read_manifest
from wsd.download import coarsewsd20_trains
from wsd.errors import ConfigError, CorpusError
from wsd.features import Features, features
from wsd.layers import expand
from wsd.published import SYSTEMS as PUBLISHED
from wsd.trains import FULL, draws
from wsd.views import STATIC, blocks_of

# What else lies where a model's folder does.
RESERVED = (
    "audit",
    "baselines",
    "comparison",
    "comparison.csv",
    "corpus",
    "folds",
    "portable",
    "provenance.json",
    "published",
    "report",
    "scores.csv",
    "selected.wsd",
    "selection.csv",
    "selection.json",
    "source",
    "summary.csv",
    "systems",
    "trains",
)
PARAMETERS = {
    "nearest_centroid": ("metric",),
    "logistic": ("C", "prior_shift"),
    "lda": ("shrinkage", "prior_exponent"),
    "knn": ("k",),
}
MIX = "mix"
# Of values in a config, and of values inside one another.
LARGEST, DEEPEST = 100_000, 30
# There where a driver is.
NVIDIA = Path("/dev/nvidia0")
NESTED = ("1pct", "5pct", "10pct", "25pct", "50pct")


@dataclass(frozen=True)
class Model:
    """An encoder of the config: where it comes from, what it should be, how it is used.

    Attributes
    ----------
    source : dict
        ``hub`` and ``revision``, ``package``, or ``path``.
    layers : tuple of str
        The layer choices for this model's number of blocks, in their fixed order.
    features : tuple of (views, layer choices)
        Feature sets of several vectors, as in :mod:`wsd.features`.
    random_weights : int or None
        The seed of the weights, where they are drawn and not read.
    """

    name: str
    source: dict[str, str]
    sha256: dict[str, str]
    blocks: int
    width: int
    pooling: str
    layers: tuple[str, ...]
    features: tuple[tuple[str, str], ...] = ()
    random_weights: int | None = None
    input: str = "plain"
    precision: str = "float32"

    @property
    def single(self) -> tuple[str, ...]:
        """Every single layer."""
        return self.single_of("focal")

    def single_of(self, view: str) -> tuple[str, ...]:
        """Every single layer of a view: a static one has layer 0 alone."""
        return tuple(str(layer) for layer in range(blocks_of(view, self.blocks) + 1))

    def layers_of(self, view: str) -> tuple[str, ...]:
        """The layer choices of a view: of a static one, layer 0 whatever the choices are."""
        return self.single_of(view) if view in STATIC else self.layers


@dataclass(frozen=True)
class Classifier:
    """A classifier of the config.

    Attributes
    ----------
    space : mapping of parameter to a value, or to a list of values
    """

    name: str
    estimator: str
    space: dict[str, Any]

    def fits(self, layers: str) -> bool:
        """Whether it is defined on a layer choice: a learned mix is part of ``logistic`` alone."""
        return self.estimator == "logistic" or not layers.startswith(MIX)


@dataclass(frozen=True)
class Tuning:
    """How the folds are drawn and what they decide by."""

    folds: int
    repeats: int
    objective: str


@dataclass(frozen=True)
class Controls:
    """What stands beside the sweep."""

    baselines: bool
    views: tuple[str, ...]
    random_weights: tuple[int, ...]
    task: bool
    classifiers: tuple[str, ...]


@dataclass(frozen=True)
class Config:
    """A whole config, with what it leaves to defaults filled in.

    Attributes
    ----------
    models : dict
        The encoders that are compared.
    twins : dict
        The twins with random weights of those that have weights of their own.
    trains : tuple of str
        Training sets, draws of one setting apart: ``full`` first.
    projections : tuple of str
        The pictures of the word pages, the one that a page opens with first.
    sentences : bool
        Whether the pages hold the corpus's sentences.
    systems : dict
        Other systems, by name, and the file of what each says.
    """

    dataset: Dataset
    words: tuple[str, ...]
    models: dict[str, Model]
    twins: dict[str, Model]
    trains: tuple[str, ...]
    tuning: Tuning
    controls: Controls
    analyses: tuple[str, ...]
    projections: tuple[str, ...]
    sentences: bool
    systems: dict[str, str]
    classifiers: dict[str, Classifier]
    store: tuple[str, ...]
    classify: tuple[str, ...]
    seed: int
    device: str

    @property
    def uses_gpu(self) -> bool:
        """Whether an encoder will run on a GPU here, as far as can be told without torch."""
        return self.device == "cuda" or (self.device == "auto" and NVIDIA.exists())

    def feature_sets(self, model: Model) -> list[tuple[str, str]]:
        """What a model is classified with: views and layer choices, first those of one view."""
        single = [(view, layers) for view in self.classify for layers in model.layers_of(view)]
        return [*single, *model.features]


def check(config: Mapping[str, Any], schema: Path) -> Config:
    """Check a config against the schema and against itself.

    Parameters
    ----------
    config : mapping
        The merged config files.
    schema : Path
        The JSON schema, in YAML.

    Raises
    ------
    ConfigError
        Naming the key, the value and what is possible.
    """
    _check_tree(config)
    _check_schema(config, schema)
    dataset = _dataset(config["dataset"])
    store, classify = tuple(config["views"]["store"]), tuple(config["views"]["classify"])
    used = {
        "views.classify": classify,
        "controls.views": config["controls"]["views"],
        **{f"features[{i}]": entry for i, entry in enumerate(config["features"])},
    }
    for key, views in used.items():
        for view in views:
            if view not in store:
                raise ConfigError(
                    f"the view {view!r} is to be classified but not stored",
                    where=f"config key {key}",
                    fix=f"add {view} to views.store",
                )
    if classify[0] in STATIC:
        raise ConfigError(
            f"the first view, {classify[0]!r}, has no layers",
            where="config key views.classify",
            fix="put another first: pages, twins, control task and analyses are of the first",
        )
    models = [_model(entry, i, config) for i, entry in enumerate(config["models"])]
    classifiers = [_classifier(entry, i) for i, entry in enumerate(config["classifiers"])]
    # A model whose weights are drawn already would be its own twin, with another seed at most.
    twins = [
        replace(model, name=f"{model.name}-random-{seed}", random_weights=seed)
        for model in models
        if model.random_weights is None
        for seed in config["controls"]["random_weights"]
    ]
    for key, names in (
        ("models", [model.name for model in models]),
        ("classifiers", [classifier.name for classifier in classifiers]),
    ):
        # Names become files, and two names that differ in case are one file on some disks.
        lower = [name.lower() for name in names]
        # A twin is a model of its own, though it stands nowhere in the list.
        of_twins = {twin.name.lower() for twin in twins if key == "models"}
        for i, name in enumerate(lower):
            if name in lower[:i] or name in of_twins:
                twin = ", by a twin of controls.random_weights" if name in of_twins else ""
                raise ConfigError(
                    f"the name {names[i]!r} is taken{twin}",
                    where=f"config key {key}[{i}].name",
                    fix="give it another name",
                )
    words = dataset.choose(config["words"], where="config key words")
    controls = _controls(config["controls"], [c.name for c in classifiers])
    trains = _trains(config["trains"], dataset, words)
    used_estimators = [c.estimator for c in classifiers if c.name in controls.classifiers]
    _check_analyses(tuple(config["analyses"]), trains, used_estimators)
    return Config(
        dataset=dataset,
        words=words,
        models={model.name: model for model in models},
        twins={twin.name: twin for twin in twins},
        trains=trains,
        tuning=Tuning(**config["tuning"]),
        controls=controls,
        analyses=tuple(config["analyses"]),
        projections=tuple(config["projections"]),
        sentences=config["sentences"],
        systems=_systems(config["systems"], [*models, *twins], dataset),
        classifiers={classifier.name: classifier for classifier in classifiers},
        store=store,
        classify=classify,
        seed=config["seed"],
        device=config["device"],
    )


def _dataset(entry: str | Mapping[str, str]) -> Dataset:
    """A built-in corpus by its name, or another by its folder."""
    if isinstance(entry, str):
        return DATASETS[entry]
    check_name(entry["name"], "config key dataset.name")
    path = Path(entry["path"]) / MANIFEST
    try:
        return read_manifest(path, name=entry["name"], title=entry.get("title"))
    except CorpusError as error:
        where = f"config key dataset.path, {error.where}"
        raise ConfigError(error.what, where=where, fix=error.fix) from None


def _check_tree(config: Mapping[str, Any]) -> None:
    """Refuse what YAML can say and no config is: endless, in a circle, with keys that are no text.

    A few lines of aliases to aliases unfold to more values than any memory holds.
    """
    left = LARGEST
    waiting: list[tuple[Any, int]] = [(config, 0)]
    while waiting:
        value, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > DEEPEST:
            raise ConfigError(
                f"more than {LARGEST} values, or more than {DEEPEST} inside one another",
                where="the config",
                fix="write it without aliases",
            )
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise ConfigError(
                        f"the key {key!r} is no text",
                        where="the config",
                        fix="put it in quotes, if it is meant",
                    )
            waiting += [(of, depth + 1) for of in value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += [(of, depth + 1) for of in value]


@cache
def _validator(schema: Path) -> Any:
    """The schema, read once: reading YAML takes longer than checking a config."""
    import jsonschema
    import yaml

    rules = yaml.safe_load(schema.read_text(encoding="utf-8"))
    # JSON Schema counts 6.0 as an integer and YAML has .nan; neither makes a usable argument.
    draft = jsonschema.Draft202012Validator
    types = draft.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
            "number": lambda _, value: (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and math.isfinite(value)
            ),
        }
    )
    return jsonschema.validators.extend(draft, type_checker=types)(rules)


def _check_schema(config: Mapping[str, Any], schema: Path) -> None:
    import jsonschema

    validator = _validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(dict(config)))
    if error is None:
        return
    key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    if error.validator == "additionalProperties":
        known = ", ".join(sorted(error.schema.get("properties", {})))
        what, fix = error.message, f"the keys here are {known}"
    elif error.validator == "required":
        what, fix = error.message, "add the key; config/README.md explains it"
    else:
        what = f"{error.instance!r}: {error.message}"
        fix = error.schema.get("description", "config/README.md explains the key")
    raise ConfigError(what, where=f"config key {key.lstrip('.') or '(top level)'}", fix=fix)


def _trains(names: list[str], dataset: Dataset, words: tuple[str, ...]) -> tuple[str, ...]:
    """Training sets by name, a setting of several draws as all of them; ``full`` first."""
    holds = coarsewsd20_trains() if dataset.name == "coarsewsd20" else {}
    found = [FULL]
    for i, name in enumerate(names):
        # The whole of the set under its other name: the same rows, the same results.
        drawn = (FULL,) if name == "100pct" and holds else draws(name)
        drawn = tuple(train for train in drawn if train == FULL or train in holds)
        if not drawn:
            raise ConfigError(
                f"{dataset.title} has no training set {name!r}",
                where=f"config key trains[{i}]",
                fix="use full" + (", balanced, 1pct to 100pct, or nshot-1 to 30" if holds else ""),
            )
        for train in drawn:
            if train != FULL and not set(words) & set(holds[train]):
                raise ConfigError(
                    f"the training set {name!r} has none of the words {', '.join(words)}",
                    where=f"config key trains[{i}]",
                    fix="leave it out, or choose other words",
                )
            found.append(train)
    return tuple(dict.fromkeys(found))


def _check_analyses(asked: tuple[str, ...], trains: tuple[str, ...], estimators: list[str]) -> None:
    if "code_length" not in asked:
        return
    lacking = [train for train in NESTED if train not in trains]
    if lacking:
        raise ConfigError(
            f"the code length needs the nested training sets, {', '.join(lacking)} too",
            where="config key trains",
            fix="add them, or leave code_length out of analyses",
        )
    if not {"logistic", "lda"} & set(estimators):
        raise ConfigError(
            "the code length needs a classifier that gives probabilities",
            where="config key controls.classifiers",
            fix="add one of logistic and lda, or leave code_length out of analyses",
        )


def _systems(
    entries: list[dict[str, str]], models: list[Model], dataset: Dataset
) -> dict[str, str]:
    """Other systems: name to file."""
    taken = {model.name.lower() for model in models}
    if dataset.name == "coarsewsd20":
        taken |= {name.lower() for name in PUBLISHED}
    found: dict[str, str] = {}
    for i, entry in enumerate(entries):
        if entry["name"].lower() in taken:
            raise ConfigError(
                f"the name {entry['name']!r} is taken",
                where=f"config key systems[{i}].name",
                fix="give the system a name that no model, published system or other system has",
            )
        if not Path(entry["file"]).is_file():
            raise ConfigError(
                f"there is no file {entry['file']!r}",
                where=f"config key systems[{i}].file",
                fix="give a file of JSON lines, as `wsd score` takes it",
            )
        taken.add(entry["name"].lower())
        found[entry["name"]] = entry["file"]
    return found


def _controls(entry: Mapping[str, Any], classifiers: list[str]) -> Controls:
    for i, name in enumerate(entry["classifiers"]):
        if name not in classifiers:
            raise ConfigError(
                f"there is no classifier {name!r}",
                where=f"config key controls.classifiers[{i}]",
                fix=f"choose among {', '.join(classifiers)}",
            )
    return Controls(
        baselines=entry["baselines"],
        views=tuple(entry["views"]),
        random_weights=tuple(entry["random_weights"]),
        task=entry["task"],
        classifiers=tuple(entry["classifiers"]),
    )


def _model(entry: Mapping[str, Any], i: int, config: Mapping[str, Any]) -> Model:
    where = f"config key models[{i}]"
    sources = [key for key in ("hub", "package", "path") if key in entry]
    if len(sources) != 1 or ("hub" in entry) != ("revision" in entry):
        raise ConfigError(
            f"the model {entry['name']!r} has no source, or more than one: "
            f"{', '.join(k for k in ('hub', 'revision', 'package', 'path') if k in entry) or '-'}",
            where=where,
            fix="give exactly one of `hub` with `revision`, `package`, or `path`",
        )
    if entry["name"].lower() in RESERVED:
        raise ConfigError(
            f"the name {entry['name']!r} is that of another file of the results",
            where=f"{where}.name",
            fix="give the model another name",
        )
    choices = expand(config["layers"], entry["blocks"], where="config key layers")
    if all(choice.operation == MIX for choice in choices):
        raise ConfigError(
            f"nothing but a learned mix: {', '.join(choice.name for choice in choices)}",
            where="config key layers",
            fix="add another choice, such as all: only logistic learns a mix, and the pages show "
            "none",
        )
    sets = [
        _feature_set(of, entry["blocks"], f"config key features[{k}]")
        for k, of in enumerate(config["features"])
    ]
    return Model(
        name=entry["name"],
        source={key: entry[key] for key in ("hub", "revision", "package", "path") if key in entry},
        sha256=entry.get("sha256", {}),
        blocks=entry["blocks"],
        width=entry["width"],
        pooling=entry.get("pooling", "mean"),
        input=entry.get("input", "plain"),
        precision=entry.get("precision", "float32"),
        random_weights=entry.get("random_weights"),
        layers=tuple(choice.name for choice in choices),
        features=tuple(dict.fromkeys((one.view, one.layers) for one in sets)),
    )


def _feature_set(entry: Mapping[str, Any], blocks: int, where: str) -> Features:
    found = features("+".join(entry), "+".join(map(str, entry.values())), blocks, where=where)
    for view, choice in found.parts:
        if choice.operation == MIX:
            raise ConfigError(
                f"a learned mix, {entry[view]!r}, beside another vector",
                where=f"{where}.{view}",
                fix="use mean, sum or concat here: a mix is learned on one view alone, and stands "
                "under `layers`",
            )
    return found


def _classifier(entry: Mapping[str, Any], i: int) -> Classifier:
    where = f"config key classifiers[{i}]"
    estimator = entry.get("estimator", entry["name"])
    if estimator not in PARAMETERS:
        raise ConfigError(
            f"{entry['name']!r} is no estimator",
            where=where,
            fix=f"add `estimator:` with {' or '.join(PARAMETERS)}",
        )
    space = {k: v for k, v in entry.items() if k not in ("name", "estimator")}
    for key in space:
        if key not in PARAMETERS[estimator]:
            raise ConfigError(
                f"{estimator} has no parameter {key!r}",
                where=where,
                fix=f"its parameters are {', '.join(PARAMETERS[estimator])}",
            )
    return Classifier(entry["name"], estimator, space)
