"""A config, checked: every value that could fail later is refused here, by key.

Snakemake merges the config files; this turns the result into typed values. No step of the
pipeline imports it: steps get what they need as arguments.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.datasets import DATASETS, Dataset
from wsd.errors import ConfigError
from wsd.layers import expand

# What else lies where a model's folder does.
RESERVED = (
    "corpus",
    "portable",
    "provenance.json",
    "report",
    "scores.csv",
    "source",
    "summary.csv",
)
PARAMETERS = {"nearest_centroid": ("metric",), "logistic": ("C",)}


@dataclass(frozen=True)
class Model:
    """An encoder of the config: where it comes from, what it should be, how it is used.

    Attributes
    ----------
    source : dict
        ``hub`` and ``revision``, ``package``, or ``path``.
    layers : tuple of str
        The layer choices for this model's number of blocks, in their fixed order.
    """

    name: str
    source: dict[str, str]
    sha256: dict[str, str]
    blocks: int
    width: int
    pooling: str
    layers: tuple[str, ...]


@dataclass(frozen=True)
class Classifier:
    """A classifier of the config."""

    name: str
    estimator: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Config:
    """A whole config, with what it leaves to defaults filled in."""

    dataset: Dataset
    words: tuple[str, ...]
    models: dict[str, Model]
    classifiers: dict[str, Classifier]
    store: tuple[str, ...]
    classify: tuple[str, ...]
    seed: int
    device: str


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
    _check_schema(config, schema)
    dataset = DATASETS[config["dataset"]]
    store, classify = tuple(config["views"]["store"]), tuple(config["views"]["classify"])
    for view in classify:
        if view not in store:
            raise ConfigError(
                f"the view {view!r} is to be classified but not stored",
                where="config key views.classify",
                fix=f"add {view} to views.store",
            )
    models = [_model(entry, i, config["layers"]) for i, entry in enumerate(config["models"])]
    classifiers = [_classifier(entry, i) for i, entry in enumerate(config["classifiers"])]
    for key, names in (
        ("models", [model.name for model in models]),
        ("classifiers", [classifier.name for classifier in classifiers]),
    ):
        # Names become files, and two names that differ in case are one file on some disks.
        lower = [name.lower() for name in names]
        for i, name in enumerate(lower):
            if name in lower[:i]:
                raise ConfigError(
                    f"the name {names[i]!r} is taken", where=f"config key {key}[{i}].name"
                )
    return Config(
        dataset=dataset,
        words=dataset.choose(config["words"], where="config key words"),
        models={model.name: model for model in models},
        classifiers={classifier.name: classifier for classifier in classifiers},
        store=store,
        classify=classify,
        seed=config["seed"],
        device=config["device"],
    )


def _check_schema(config: Mapping[str, Any], schema: Path) -> None:
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
    validator = jsonschema.validators.extend(draft, type_checker=types)(rules)
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


def _model(entry: Mapping[str, Any], i: int, layers: list[Any]) -> Model:
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
    choices = expand(layers, entry["blocks"], where="config key layers")
    return Model(
        name=entry["name"],
        source={key: entry[key] for key in ("hub", "revision", "package", "path") if key in entry},
        sha256=entry.get("sha256", {}),
        blocks=entry["blocks"],
        width=entry["width"],
        pooling=entry.get("pooling", "mean"),
        layers=tuple(choice.name for choice in choices),
    )


def _classifier(entry: Mapping[str, Any], i: int) -> Classifier:
    where = f"config key classifiers[{i}]"
    estimator = entry.get("estimator", entry["name"])
    if estimator not in PARAMETERS:
        raise ConfigError(
            f"{entry['name']!r} is no estimator",
            where=where,
            fix=f"add `estimator:` with {' or '.join(PARAMETERS)}",
        )
    parameters = {k: v for k, v in entry.items() if k not in ("name", "estimator")}
    for key in parameters:
        if key not in PARAMETERS[estimator]:
            raise ConfigError(
                f"{estimator} has no parameter {key!r}",
                where=where,
                fix=f"its parameters are {', '.join(PARAMETERS[estimator])}",
            )
    return Classifier(entry["name"], estimator, parameters)
