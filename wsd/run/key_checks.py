"""Check what one config key requires of others: stored views, classifiers, files.

Each error names the key to change.
"""

import os
import re
from collections.abc import Iterable

from wsd.artifacts.view_names import STATIC
from wsd.errors import ConfigError
from wsd.run.schema import ConfigFile, Controls
from wsd.studies.base import refused

BRACES = re.compile(r"[{}]")
LINK = "rename the folder, or use a link to it"
# Snakemake resolves links to its own folder.
RENAME = "rename the folder"


def without_braces(path: str, where: str, fix: str = LINK) -> str:
    """Refuse braces in a path for Snakemake, which takes them for wildcards and has no escape."""
    if BRACES.search(path):
        problem = f"the path {path!r} has braces, which Snakemake takes for wildcards"
        raise ConfigError(problem, where=where, fix=fix)
    return path


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


def check_file(path: str, key: str, fix: str) -> None:
    """Refuse a file that does not exist, or whose path Snakemake cannot handle."""
    without_braces(path, f"config key {key}")
    if not os.path.isfile(path):  # noqa: PTH113 - nor is one whose name is too long
        raise refused(f"there is no file {path!r}", key, fix)


def check_controls(controls: Controls, classifiers: Iterable[str]) -> None:
    """Refuse the name of a classifier that the config does not have."""
    for i, name in enumerate(controls.classifiers):
        if name not in classifiers:
            fix = f"choose among {', '.join(classifiers)}"
            raise refused(f"there is no classifier {name!r}", f"controls.classifiers[{i}]", fix)
