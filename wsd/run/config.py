"""Check a config as a whole and turn it into typed values.

A value that would make a run fail later is refused here, by its key. No step of the pipeline
imports this module: steps get their settings as arguments.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from reprlib import Repr
from typing import Any, get_args

from pydantic import ValidationError

from wsd.artifacts.config_section import REFUSED, TAGS, Section
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.dataset import (
    AT_LEAST,
    DATASETS,
    MANIFEST,
    NOAD,
    Dataset,
    check_free,
    check_name,
    check_reserved,
    read_manifest,
)
from wsd.artifacts.feature_set import Features, expand_layers, parse_features, parse_layers
from wsd.artifacts.find_runs import NAMELESS
from wsd.artifacts.training_set import FULL
from wsd.corpora.download import DRAWS, words_of_trains
from wsd.errors import ConfigError, CorpusError
from wsd.run.config_files import over_defaults, read_configs
from wsd.run.schema import MIX, Config, ConfigFile, Model, ModelEntry
from wsd.studies.base import refused, without_braces
from wsd.studies.registry import STUDIES

README = "config/README.md explains it"
QUOTES = "YAML reads a plain no, yes, on and off as false and true: put it in quotes"
# Show only part of a value: YAML's aliases can expand to more than fits into memory.
SHOWN = Repr()
SHOWN.maxlevel, SHOWN.maxstring = 3, 500
# What to do about a name that is taken.
FREE = "give it another name: no other row of the tables has it"


def load(files: Sequence[Path], run: str | None = None) -> Config:
    """Read config files over the program's own, as :func:`read_configs` does, and check them."""
    return check(over_defaults(read_configs(files, run)))


def check(config: Mapping[str, Any]) -> Config:
    """Check every value of a config by itself, and that its keys agree with each other.

    Parameters
    ----------
    config : mapping
        The merged config files.

    Raises
    ------
    ConfigError
        Naming the key, the value and the possible values.
    """
    file = validate(config)
    check_views(file)
    dataset = _dataset(file)
    words = dataset.choose(file.words, where="config key words")
    # Without fine-tuned encoders.
    models = {
        entry.name: _model(entry, f"models[{i}]", file)
        for i, entry in enumerate(file.models)
        if entry.finetuned_from is None
    }
    random_controls = {} if dataset.of_pairs else _random_controls(file, models)
    classifiers = {classifier.name: classifier for classifier in file.classifiers}
    _check_names(file, words, random_controls)
    for i, name in enumerate(file.controls.classifiers):
        if name not in classifiers:
            fix = f"choose among {', '.join(classifiers)}"
            raise refused(f"there is no classifier {name!r}", f"controls.classifiers[{i}]", fix)
    resolved = dict(file) | {
        "dataset": dataset,
        "run": file.run or NAMELESS,
        "words": words,
        "models": models,
        "random_controls": random_controls,
        "finetuned": {},
        "trains": _trains(file.trains, dataset, words),
        "classifiers": classifiers,
    }
    checked = Config.model_construct(**resolved)
    for study in STUDIES.values():
        checked = study.configure(file, checked)
    check_folds(checked)
    return checked


def validate(config: Mapping[str, Any]) -> ConfigFile:
    """Check every value of a config by itself.

    Raises
    ------
    ConfigError
        Naming the key, what is wrong and the possible values.
    """
    try:
        return ConfigFile.model_validate(dict(config))
    except ValidationError as refused:
        # The first error at the top level, or the nearest to it: others may follow from it.
        error = min(refused.errors(include_url=False), key=lambda error: len(error["loc"]))
    kind, place = error["type"], [part for part in error["loc"] if part not in (*TAGS, "[key]")]
    last = place.pop() if kind in ("missing", "extra_forbidden") else ""
    section, fix = _describe(place)
    # A section is a dictionary in YAML, and an instance of a class only here.
    message = error["msg"].partition(" or instance of ")[0]
    problem = f"{SHOWN.repr(error['input'])}: {message[0].lower()}{message[1:]}"
    if kind == "missing":
        problem, fix = f"the key {last!r} is missing", f"add the key; {README}"
    elif kind == "extra_forbidden" and section:
        problem = f"there is no key {last!r} here"
        fix = f"the keys here are {', '.join(sorted(section.model_fields))}"
    elif kind == REFUSED:
        problem = error["msg"]
    elif kind == "string_type" and isinstance(error["input"], bool):
        fix = f"{fix.rstrip('.')}; {QUOTES}"
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    raise ConfigError(problem, where=f"config key {key.lstrip('.') or '(top level)'}", fix=fix)


def _describe(place: Sequence[int | str]) -> tuple[type[Section] | None, str]:
    """Return the section at a place in the config, if any, and the description of its key."""
    section: type[Section] | None = ConfigFile
    about = None
    for part in place:
        if isinstance(part, int):
            about = section.__doc__ if section else about
        elif section:
            field = section.model_fields[part]
            section, about = _section_of(field.annotation), field.description
    return section, " ".join((about or README).split())


def _section_of(annotation: Any) -> type[Section] | None:
    """Return the section among the types of a key."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(_section_of, get_args(annotation))), None)


def _dataset(file: ConfigFile) -> Dataset:
    entry = file.dataset
    if file.at_least is not None and entry not in NOAD:
        fix = f"leave it out: it is for {', '.join(NOAD)}; `wsd import` has --at-least"
        raise refused("another corpus than NOAD", "at_least", fix)
    if isinstance(entry, str):
        if file.at_least is None:
            return DATASETS[entry]
        dataset = replace(DATASETS[entry], at_least=file.at_least)
        if not dataset.words:
            problem = f"no word has two senses with {file.at_least} instances"
            raise refused(problem, "at_least", f"give fewer, {AT_LEAST} or more")
        return dataset
    check_name(entry.name, "config key dataset.name")
    without_braces(entry.path, "config key dataset.path")
    try:
        return read_manifest(Path(entry.path) / MANIFEST, name=entry.name, title=entry.title)
    except CorpusError as error:
        raise refused(error.problem, f"dataset.path, {error.where}", error.fix or README) from None


def _model(entry: ModelEntry, key: str, file: ConfigFile) -> Model:
    stored = check_stored_layers(entry, key, file)
    choices = expand_layers(file.layers, entry.blocks, where="config key layers", stored=stored)
    if all(choice.operation == MIX for choice in choices):
        problem = f"nothing but a learned mix: {', '.join(choice.name for choice in choices)}"
        fix = "add another choice, such as all: only logistic learns a mix, and the pages show none"
        raise refused(problem, "layers", fix)
    sets = [
        _feature_set(features, entry.blocks, f"features[{i}]")
        for i, features in enumerate(file.features)
    ]
    resolved = dict(entry) | {
        "input": entry.input_value,
        "store_layers": stored,
        "layers": tuple(choice.name for choice in choices),
        "features": tuple(dict.fromkeys((features.view, features.layers) for features in sets)),
    }
    return Model.model_construct(**resolved)


def _feature_set(entry: Mapping[str, str | int], blocks: int, key: str) -> Features:
    layers = "+".join(map(str, entry.values()))
    features = parse_features("+".join(entry), layers, blocks, where=f"config key {key}")
    for view, choice in features.parts:
        if choice.operation == MIX:
            problem = f"a learned mix, {entry[view]!r}, in a feature set of several vectors"
            fix = "use mean, sum or concat here: only a value of `layers` can be a mix, of one view"
            raise refused(problem, f"{key}.{view}", fix)
    return features


def _random_controls(file: ConfigFile, models: Mapping[str, Model]) -> dict[str, Model]:
    """Return the random-initialisation controls of all models that have weights of their own."""
    return {
        name: model.model_copy(update={"name": name, "random_weights": seed})
        for model in models.values()
        if model.random_weights is None and model.vectors is None
        for seed in file.controls.random_weights
        for name in [f"{model.name}-random-{seed}"]
    }


def _check_names(file: ConfigFile, words: Sequence[str], random_controls: Iterable[str]) -> None:
    """Refuse reserved names and names that are taken."""
    for word in words:
        check_reserved("word", word, "config key words")
    if file.run:
        check_reserved("run", file.run, "config key run")
    taken: dict[str, list[str]] = {"models": [*random_controls], "classifiers": []}
    for study in STUDIES.values():
        for key, names in study.reserved_names(file).items():
            taken[key] += names
    for key, entries in (("models", file.models), ("classifiers", file.classifiers)):
        check_free(key, [entry.name for entry in entries], taken[key], FREE)


def _trains(names: Sequence[str], dataset: Dataset, words: Sequence[str]) -> tuple[str, ...]:
    """Return the training sets, each draw of a setting by itself; ``full`` comes first."""
    words_of = words_of_trains() if dataset.name == "coarsewsd20" else {}
    trains = [FULL]
    for i, name in enumerate(names):
        # 100pct has the rows of full, and so its results.
        is_full = name == FULL or (name == "100pct" and words_of)
        draws = [FULL] if is_full else [draw for draw in DRAWS.get(name, ()) if draw in words_of]
        if not draws:
            more = ", balanced, 1pct to 100pct, or nshot-1 to 30" if words_of else ""
            problem = f"{dataset.title} has no training set {name!r}"
            raise refused(problem, f"trains[{i}]", f"use full{more}")
        if not all(draw == FULL or {*words} & {*words_of[draw]} for draw in draws):
            problem = f"the training set {name!r} has none of the words {', '.join(words)}"
            raise refused(problem, f"trains[{i}]", "leave it out, or choose other words")
        trains += draws
    return tuple(dict.fromkeys(trains))


def check_views(file: ConfigFile) -> None:
    """Refuse to classify a view that is not stored, or to store one that a model does not have."""
    given = [entry.name for entry in file.models if entry.vectors is not None]
    if given and file.views.store != ["focal"]:
        problem = f"the vectors of {given[0]} are of the focal word alone"
        raise refused(problem, "views.store", "say [focal], and run other models by themselves")
    used: dict[str, Iterable[str]] = {
        "views.classify": file.views.classify,
        "controls.views": file.controls.views,
        **{f"features[{i}]": entry for i, entry in enumerate(file.features)},
    }
    for key, views in used.items():
        for view in views:
            if view not in file.views.store:
                problem = f"the view {view!r} is classified, but not stored"
                raise refused(problem, key, f"add {view} to views.store")


def check_stored_layers(entry: ModelEntry, key: str, file: ConfigFile) -> tuple[int, ...] | None:
    """Refuse layer choices that need a layer that a model does not store.

    Returns
    -------
    tuple of int or None
        The stored layers, ascending; None if all are stored.
    """
    if entry.store_layers is None:
        return None
    stored = tuple(sorted(entry.store_layers))
    if stored[-1] > entry.blocks:
        problem = f"there is no layer {stored[-1]}"
        raise refused(
            problem, f"{key}.store_layers", f"with {entry.blocks} blocks, use 0 to {entry.blocks}"
        )
    used = [(f"layers[{i}]", choice) for i, choice in enumerate(file.layers) if choice != "all"]
    for i, features in enumerate(file.features):
        used += [(f"features[{i}].{view}", choice) for view, choice in features.items()]
    for place, choice in used:
        layers = parse_layers(choice, entry.blocks, where=f"config key {place}").layers
        if missing := ", ".join(str(layer) for layer in layers if layer not in stored):
            problem = f"{choice!r} needs layers that {entry.name} does not store: {missing}"
            raise refused(problem, place, f"add {missing} to its store_layers, or leave it out")
    return None if stored == tuple(range(entry.blocks + 1)) else stored


def check_folds(config: Config) -> None:
    """Refuse several candidates if no word has enough sentences to select one on folds."""
    folds, known = config.tuning.folds, config.dataset.most_folds
    most = max(known.get(word, folds) for word in config.words)
    for model in config.models.values():
        combinations = config.combinations(model)
        points = sum(len(grid_points(classifier.space)) for classifier in combinations)
        if most < folds and points > 1:
            problem = f"no word has enough training sentences for {folds} folds (at most {most})"
            problem += f", to select one of {points} candidates of {model.name}"
            fix = "add training sentences, use fewer folds, or give a single layer and classifier"
            raise refused(problem, "tuning.folds", fix)
