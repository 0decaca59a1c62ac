"""Check that config keys agree with each other: views and classifiers.

Each error names the key to change.
"""

from collections.abc import Iterable

from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.layer_choice import parse_layers
from wsd.run.checked_config import Config
from wsd.run.schema import ConfigFile, Controls, ModelEntry
from wsd.studies.base import refused, without_braces


def check_program_folder(path: str) -> str:
    """Refuse braces in the path of the program; Snakemake resolves links to its own folder."""
    return without_braces(path, "the folder of the program", "rename the folder")


def check_views(file: ConfigFile) -> None:
    """Refuse to classify a view that is not stored."""
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


def check_controls(controls: Controls, classifiers: Iterable[str]) -> None:
    """Refuse a classifier of the controls that the config does not have."""
    for i, name in enumerate(controls.classifiers):
        if name not in classifiers:
            fix = f"choose among {', '.join(classifiers)}"
            raise refused(f"there is no classifier {name!r}", f"controls.classifiers[{i}]", fix)


def check_folds(config: Config) -> None:
    """Refuse several candidates if no word has enough sentences to select one on folds."""
    folds, known = config.tuning.folds, config.dataset.most_folds
    most = max(known.get(word, folds) for word in config.words)
    for model in config.models.values():
        points = sum(
            len(grid_points(classifier.space)) for classifier in config.combinations(model)
        )
        if most < folds and points > 1:
            problem = f"no word has enough training sentences for {folds} folds (at most {most})"
            problem += f", to select one of {points} candidates of {model.name}"
            fix = "add training sentences, use fewer folds, or give a single layer and classifier"
            raise refused(problem, "tuning.folds", fix)
