"""A config, read and checked: every value that could fail later is refused here, by key.

Snakemake merges the config files, and so do the commands that take some; this turns the result
into typed values. No step of the pipeline imports it: steps get what they need as arguments.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wsd.artifacts.cv_table import PARAMETERS
from wsd.artifacts.dataset import DATASETS, MANIFEST, Dataset, check_name
from wsd.artifacts.feature_set import Features, parse_features
from wsd.artifacts.layer_choice import expand_layers
from wsd.artifacts.manifest import read_manifest
from wsd.artifacts.named_runs import NAMELESS
from wsd.artifacts.noad import AT_LEAST, NOAD
from wsd.artifacts.reserved_names import check_reserved
from wsd.artifacts.training_set import FULL
from wsd.corpora.coarsewsd20 import DRAWS, words_of_trains
from wsd.corpora.published_systems import SYSTEMS as PUBLISHED
from wsd.errors import CorpusError
from wsd.run.config_errors import README, validate
from wsd.run.config_files import read_configs
from wsd.run.fold_checks import check_folds
from wsd.run.key_checks import (
    check_controls,
    check_file,
    check_views,
    without_braces,
)
from wsd.run.schema import ConfigFile
from wsd.run.schema_entries import ClassifierEntry, ModelEntry, SystemEntry
from wsd.run.settings import MIX, Classifier, Config, Model
from wsd.studies.base import refused
from wsd.studies.registry import STUDIES

JSON_LINES = "give a file of JSON lines, as `wsd score` takes it"
SOURCES = ("hub", "revision", "package", "path", "finetuned_from")
# What to do about a name that is taken.
FREE = {
    "models": "give it another name: no other model, random control or published system has it",
    "classifiers": "give it another name: no other classifier, kind of gloss vector or fine-tuned "
    "row has it",
    "systems": "give the system a name that no model, published system or other system has",
}


def load(files: Sequence[Path], run: str | None = None) -> Config:
    """Read config files, as :func:`read_configs` does, and check what they say together."""
    return check(read_configs(files, run))


def check(config: Mapping[str, Any]) -> Config:
    """Check a config: every value by itself, and what they have to do with each other.

    Parameters
    ----------
    config : mapping
        The merged config files.

    Raises
    ------
    ConfigError
        Naming the key, the value and what is possible.
    """
    said = validate(config)
    check_views(said)
    dataset = _dataset(said)
    first = said.views.classify[:1]
    words = dataset.choose(said.words, where="config key words")
    for word in words:
        check_reserved("word", word, "config key words")
    if said.run:
        check_reserved("run", said.run, "config key run")
    models = {
        entry.name: _model(entry, f"models[{i}]", said)
        for i, entry in enumerate(said.models)
        if entry.finetuned_from is None
    }
    # A model with random weights is its own control.
    random_controls = {
        name: replace(model, name=name, random_weights=seed)
        for model in models.values()
        if model.random_weights is None and not dataset.of_pairs
        for seed in said.controls.random_weights
        for name in [f"{model.name}-random-{seed}"]
    }
    classifiers = {
        entry.name: _classifier(entry, f"classifiers[{i}]", config["classifiers"][i])
        for i, entry in enumerate(said.classifiers)
    }
    published = PUBLISHED if dataset.name == "coarsewsd20" else ()
    _check_names("models", said.models, [*random_controls, *published])
    reserved = [name for study in STUDIES.values() for name in study.reserved_names(said)]
    _check_names("classifiers", said.classifiers, reserved)
    _check_names(
        "systems",
        said.systems,
        [*(entry.name for entry in said.models), *random_controls, *published],
    )
    for i, system in enumerate(said.systems):
        check_file(system.file, f"systems[{i}].file", JSON_LINES)
    check_controls(said.controls, classifiers)
    trains = _trains(said.trains, dataset, words)
    if said.projections == ["discriminant"]:
        what = "discriminant alone: a word too small for its LDA would have no picture"
        raise refused(what, "projections", "add pca")
    made = Config(
        dataset=dataset,
        run=said.run or NAMELESS,
        words=words,
        models=models,
        random_controls=random_controls,
        finetuned={},
        trains=trains,
        tuning=said.tuning,
        controls=said.controls,
        analyses=tuple(said.analyses),
        transforms=tuple(said.transforms),
        projections=tuple(said.projections),
        sentences=said.sentences,
        systems={system.name: system.file for system in said.systems},
        classifiers=classifiers,
        # Of pairs nothing but the first view is looked at.
        store=tuple(first if dataset.of_pairs else said.views.store),
        classify=tuple(said.views.classify),
        seed=said.seed,
        device=said.device,
        sections={},
    )
    for study in STUDIES.values():
        made = study.configure(said, made)
    check_folds(made)
    return made


def _dataset(said: ConfigFile) -> Dataset:
    """A built-in corpus by its name, or another by its folder."""
    entry = said.dataset
    if said.at_least is not None and entry not in NOAD:
        fix = f"leave it out: it is for {', '.join(NOAD)}; `wsd import` has --at-least"
        raise refused("another corpus than NOAD", "at_least", fix)
    if isinstance(entry, str):
        if said.at_least is None:
            return DATASETS[entry]
        dataset = replace(DATASETS[entry], at_least=said.at_least)
        if not dataset.words:
            what = f"no word has two senses with {said.at_least} instances"
            raise refused(what, "at_least", f"give fewer, {AT_LEAST} or more")
        return dataset
    check_name(entry.name, "config key dataset.name")
    without_braces(entry.path, "config key dataset.path")
    try:
        return read_manifest(Path(entry.path) / MANIFEST, name=entry.name, title=entry.title)
    except CorpusError as error:
        raise refused(error.what, f"dataset.path, {error.where}", error.fix or README) from None


def _model(entry: ModelEntry, key: str, said: ConfigFile) -> Model:
    source = {name: getattr(entry, name) for name in SOURCES if name in entry.model_fields_set}
    if set(source) not in ({"hub", "revision"}, {"package"}, {"path"}):
        named = ", ".join(source) or "-"
        what = f"the model {entry.name!r} has no source, or more than one: {named}"
        fix = "give exactly one of `hub` with `revision`, `package`, `path` or `finetuned_from`"
        raise refused(what, key, fix)
    choices = expand_layers(said.layers, entry.blocks, where="config key layers")
    if all(choice.operation == MIX for choice in choices):
        what = f"nothing but a learned mix: {', '.join(choice.name for choice in choices)}"
        fix = "add another choice, such as all: only logistic learns a mix, and the pages show none"
        raise refused(what, "layers", fix)
    sets = [_feature_set(of, entry.blocks, f"features[{i}]") for i, of in enumerate(said.features)]
    return Model(
        **{name: value for name, value in entry if name not in SOURCES},
        source=source,
        layers=tuple(choice.name for choice in choices),
        features=tuple(dict.fromkeys((one.view, one.layers) for one in sets)),
    )


def _feature_set(entry: Mapping[str, str | int], blocks: int, key: str) -> Features:
    layers = "+".join(map(str, entry.values()))
    found = parse_features("+".join(entry), layers, blocks, where=f"config key {key}")
    for view, choice in found.parts:
        if choice.operation == MIX:
            raise refused(
                f"a learned mix, {entry[view]!r}, beside another vector",
                f"{key}.{view}",
                "use mean, sum or concat here: a mix is learned on one view alone, and stands "
                "under `layers`",
            )
    return found


def _classifier(entry: ClassifierEntry, key: str, written: Mapping[str, Any]) -> Classifier:
    estimator = entry.estimator or entry.name
    if estimator not in PARAMETERS:
        fix = f"add `estimator:` with {' or '.join(PARAMETERS)}"
        raise refused(f"{entry.name!r} is no estimator", key, fix)
    # As it is written: in its order, and a whole number as one.
    space = {k: v for k, v in written.items() if k not in ("name", "estimator")}
    for name in space:
        if name not in PARAMETERS[estimator]:
            fix = f"its parameters are {', '.join(PARAMETERS[estimator])}"
            raise refused(f"{estimator} has no parameter {name!r}", key, fix)
    return Classifier(entry.name, estimator, space)


def _check_names(
    key: str,
    entries: Sequence[ModelEntry | ClassifierEntry | SystemEntry],
    others: Iterable[str] = (),
) -> None:
    """Names become files, and two names that differ in case are one file on some disks."""
    taken = {name.lower() for name in others}
    for i, entry in enumerate(entries):
        check_reserved(key.removesuffix("s"), entry.name, f"config key {key}[{i}].name")
        if entry.name.lower() in taken:
            raise refused(f"the name {entry.name!r} is taken", f"{key}[{i}].name", FREE[key])
        taken.add(entry.name.lower())


def _trains(names: Sequence[str], dataset: Dataset, words: Sequence[str]) -> tuple[str, ...]:
    """Training sets by name, a setting of several draws as all of them; ``full`` first."""
    holds = words_of_trains() if dataset.name == "coarsewsd20" else {}
    found = [FULL]
    for i, name in enumerate(names):
        # The whole of the set under its other name: the same rows, the same results.
        as_full = name == FULL or (name == "100pct" and holds)
        drawn = (FULL,) if as_full else DRAWS.get(name, ())
        drawn = tuple(train for train in drawn if train == FULL or train in holds)
        if not drawn:
            fix = "use full" + (", balanced, 1pct to 100pct, or nshot-1 to 30" if holds else "")
            raise refused(f"{dataset.title} has no training set {name!r}", f"trains[{i}]", fix)
        if not all(train == FULL or set(words) & set(holds[train]) for train in drawn):
            what = f"the training set {name!r} has none of the words {', '.join(words)}"
            raise refused(what, f"trains[{i}]", "leave it out, or choose other words")
        found += drawn
    return tuple(dict.fromkeys(found))
