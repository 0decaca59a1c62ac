"""Check that config keys agree with each other: views and classifiers.

Each error names the key to change.
"""

from collections.abc import Iterable

from wsd.artifacts.view_names import STATIC
from wsd.run.schema import ConfigFile, Controls
from wsd.studies.base import refused, without_braces


def check_program_folder(path: str) -> str:
    """Refuse braces in the path of the program; Snakemake resolves links to its own folder."""
    return without_braces(path, "the folder of the program", "rename the folder")


def check_views(file: ConfigFile) -> None:
    """Refuse to classify a view that is not stored, or a first view that has no layers."""
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
    if file.views.classify[0] in STATIC:
        problem = f"the first view, {file.views.classify[0]!r}, has no layers"
        fix = "put another view first: pages, controls and analyses use the first one"
        raise refused(problem, "views.classify", fix)


def check_controls(controls: Controls, classifiers: Iterable[str]) -> None:
    """Refuse a classifier of the controls that the config does not have."""
    for i, name in enumerate(controls.classifiers):
        if name not in classifiers:
            fix = f"choose among {', '.join(classifiers)}"
            raise refused(f"there is no classifier {name!r}", f"controls.classifiers[{i}]", fix)
