"""What one key of a config asks of others: views that are stored, training sets, models, files.

Each check names the key that is to be changed.
"""

import os
import re
from collections.abc import Iterable, Sequence

from wsd.artifacts.dataset import DATA, Dataset
from wsd.artifacts.training_set import FULL
from wsd.artifacts.view_names import STATIC
from wsd.errors import ConfigError
from wsd.run.schema import ConfigFile, Controls
from wsd.run.settings import Classifier, Model
from wsd.studies.finetuning.finetuning_files import ALL
from wsd.studies.glosses.gloss_vectors import NO_GLOSSES, OF_CORPUS, VIEW

NESTED = ("1pct", "5pct", "10pct", "25pct", "50pct")
BRACES = re.compile(r"[{}]")
LINK = "rename the folder, or use a link to it"
# Snakemake resolves links to its own folder.
RENAME = "rename the folder"
FIX_GLOSSES = f"give a table with word, sense and gloss, {OF_CORPUS} or {NO_GLOSSES}"


def refused(what: str, key: str, fix: str) -> ConfigError:
    """The error for a key."""
    return ConfigError(what, where=f"config key {key}", fix=fix)


def without_braces(path: str, where: str, fix: str = LINK) -> str:
    """Refuse braces in a path for Snakemake, which takes them for wildcards and has no escape."""
    if BRACES.search(path):
        what = f"the path {path!r} has braces, which Snakemake takes for wildcards"
        raise ConfigError(what, where=where, fix=fix)
    return path


def check_views(said: ConfigFile) -> None:
    """What is classified is stored, and the first has layers."""
    used: dict[str, Iterable[str]] = {
        "views.classify": said.views.classify,
        "controls.views": said.controls.views,
        **{f"features[{i}]": entry for i, entry in enumerate(said.features)},
    }
    for key, views in used.items():
        for view in views:
            if view not in said.views.store:
                what = f"the view {view!r} is to be classified but not stored"
                raise refused(what, key, f"add {view} to views.store")
    if said.views.classify[0] in STATIC:
        what = f"the first view, {said.views.classify[0]!r}, has no layers"
        fix = "put another first: pages, twins, control task and analyses are of the first"
        raise refused(what, "views.classify", fix)


def check_file(path: str, key: str, fix: str) -> None:
    """A file that is there, with a path that Snakemake can take."""
    without_braces(path, f"config key {key}")
    if not os.path.isfile(path):  # noqa: PTH113 - nor is one whose name is too long
        raise refused(f"there is no file {path!r}", key, fix)


def _check_senses(dataset: Dataset, key: str, fix: str) -> None:
    if dataset.of_pairs or not dataset.labelled:
        raise refused(f"{dataset.title} has no senses", key, fix)


def check_glosses(said: ConfigFile, dataset: Dataset) -> None:
    """Senses, the view that glosses are compared with, and where they stand."""
    _check_senses(dataset, "glosses", f"say `glosses: {NO_GLOSSES}`")
    if VIEW not in said.views.store:
        what = f"glosses are compared with the view {VIEW!r}, which is not stored"
        raise refused(what, "views.store", f"add {VIEW}, or say `glosses: {NO_GLOSSES}`")
    if said.glosses != OF_CORPUS:
        check_file(said.glosses, "glosses", FIX_GLOSSES)
    elif not (dataset.folder or (DATA / f"glosses/{dataset.name}.tsv").is_file()):
        raise refused(f"{dataset.title} comes with no glosses", "glosses", FIX_GLOSSES)


def check_finetune(said: ConfigFile, dataset: Dataset, models: Iterable[Model]) -> None:
    """Senses, training sets, folds and blocks that there are."""
    _check_senses(dataset, "finetune", "leave it out")
    asked, trains = said.finetune, dict.fromkeys([FULL, *said.trains])
    for i, name in enumerate(asked.trains):
        if name not in trains:
            what = f"{name!r} is no training set of this run"
            fix = f"choose among {', '.join(trains)}, or add it to trains"
            raise refused(what, f"finetune.trains[{i}]", fix)
    if asked.folds > said.tuning.folds:
        what = f"settings tried on {asked.folds} folds, and there are {said.tuning.folds}"
        raise refused(what, "finetune.folds", f"say {said.tuning.folds} at most")
    for i, blocks in enumerate(asked.blocks):
        for model in models:
            if blocks != ALL and int(blocks) > model.blocks:
                what = f"{blocks} blocks, and {model.name} has {model.blocks}"
                raise refused(what, f"finetune.blocks[{i}]", "say fewer, or all")


def check_controls(controls: Controls, classifiers: Iterable[str]) -> None:
    """Classifiers that there are."""
    for i, name in enumerate(controls.classifiers):
        if name not in classifiers:
            fix = f"choose among {', '.join(classifiers)}"
            raise refused(f"there is no classifier {name!r}", f"controls.classifiers[{i}]", fix)


def check_code_length(trains: Sequence[str], classifiers: Sequence[Classifier]) -> None:
    """Nested training sets, and a classifier that gives probabilities."""
    lacking = [train for train in NESTED if train not in trains]
    if lacking:
        what = f"the code length needs the nested training sets, {', '.join(lacking)} too"
        raise refused(what, "trains", "add them, or leave code_length out of analyses")
    if not {"logistic", "lda"} & {classifier.estimator for classifier in classifiers}:
        what = "the code length needs a classifier that gives probabilities"
        fix = "add one of logistic and lda, or leave code_length out of analyses"
        raise refused(what, "controls.classifiers", fix)
