"""Refuse commands that would overwrite files, and jobs whose code or inputs have changed.

A command may not overwrite its inputs, results of the workflow, or another of its outputs, and its
outputs must have writable paths.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.find_runs import PROVENANCE
from wsd.artifacts.run_json import MAPS, RUN_MAP, RunMap, WordFiles
from wsd.errors import ConfigError, ResultError, StorageError
from wsd.run import modules_of_step
from wsd.run.digests import MAP, PROGRAM
from wsd.storage.atomic import check_target
from wsd.storage.checksums import STORE
from wsd.storage.checksums import sha256 as sha256_of

# Arguments that name folders of tables or vectors to read.
READ = ("corpus", "embeddings", "source", "substitutes")


def check_outputs(args: argparse.Namespace, *, of_a_run: bool) -> None:
    """Refuse a command whose output would replace an input or a result of the workflow.

    Parameters
    ----------
    args
        The command's arguments; ``outputs`` has the names of the output arguments.
    of_a_run : bool
        Whether the command is a job of the workflow, which may replace its results. By hand, a
        command may replace a whole folder only if it wrote all files there.

    Raises
    ------
    ConfigError, StorageError
        Naming the option and the file.
    """
    outputs = getattr(args, "outputs", ())
    inputs = [
        path
        for name, value in vars(args).items()
        if name not in outputs
        for path in _paths(value)
        if path.is_file()
    ]
    for name in outputs:
        for path in _paths(getattr(args, name)):
            option = f"--{name.replace('_', '-')}"
            if path.is_file() and any(path.samefile(file) for file in inputs):
                problem = f"{path} is an input of this command, and would be overwritten"
                raise ConfigError(problem, where=option, fix="name another file")
            if not of_a_run and path.is_file() and (folder := _read_from(args, path)):
                problem = f"{path} would be overwritten, and is in a folder that is read: {folder}"
                raise ConfigError(problem, where=option, fix="name another file")
            if not of_a_run and (result := _result(path)):
                problem = f"{path} would replace a result of the workflow: {result}"
                raise ConfigError(problem, where=option, fix="name a file or folder of your own")
    for name, is_own in getattr(args, "replaced", {}).items():
        if not of_a_run and (foreign := _foreign(getattr(args, name), is_own)):
            problem = f"the folder has a file that this command did not write: {foreign}"
            fix = "name a folder that does not exist yet, an empty one, or an earlier output"
            raise ConfigError(problem, where=f"--{name}", fix=fix)
    _check_places(args)


def check_unchanged(args: argparse.Namespace) -> None:
    """Refuse a job if its code or a foreign file has changed since its run began.

    Otherwise a new result would get the key of the old code or file.

    Raises
    ------
    ResultError
        Naming the file that has changed.
    """
    if not (named := os.environ.get(MAP)):
        return
    digests = RunMap(Path(named)).digests
    paths = [path for value in vars(args).values() for path in _paths(value)]
    files = [file for path in paths for file in (path, path / MANIFEST)]
    known = {file: digests.get(f"file {file}") for file in files}
    changed = [path for path, digest in known.items() if digest and digest != sha256_of(path)]
    if digests.get(PROGRAM) != modules_of_step.package_checksum():
        changed = [modules_of_step.PACKAGE]
    if changed:
        problem = f"{changed[0]} has changed since the run began"
        raise ResultError(problem, fix="run snakemake again: it takes what is there now")


def _check_places(args: argparse.Namespace) -> None:
    """Refuse impossible outputs before anything is computed, so that no half of them is written."""
    seen = set()
    for name in getattr(args, "outputs", ()):
        for path in _paths(getattr(args, name)):
            option = f"--{name.replace('_', '-')}"
            above = next(folder for folder in path.absolute().parents if folder.exists())
            if not above.is_dir():
                problem = f"{path} could not be written: {above} is a file, not a folder"
                raise StorageError(problem, where=option, fix="name another place")
            if (place := path.resolve()) in seen:
                problem = f"two outputs of this command have the same path: {path}"
                raise ConfigError(problem, where=option, fix="name a place for each")
            seen.add(place)
            if name == "log" or name in getattr(args, "replaced", ()):
                continue
            if name not in getattr(args, "folders", ()):
                check_target(path)
            elif path.exists() and not path.is_dir():
                problem = f"{path} could not be written: it is a file, not a folder"
                raise StorageError(problem, where=option, fix="name a folder")


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Path):
            yield item


def _read_from(args: argparse.Namespace, path: Path) -> Path | None:
    """Return the input folder of tables or vectors that has a file in it."""
    folders = [getattr(args, name, None) for name in READ]
    above = path.resolve().parents
    inside = (folder for folder in folders if isinstance(folder, Path))
    return next((folder for folder in inside if folder.resolve() in above), None)


def _foreign(folder: Path, is_own: Callable[[Path], bool]) -> Path | None:
    """Return a file in a folder that the command did not write, and would delete."""
    if not folder.is_dir():
        return folder if folder.exists() else None
    files = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    return next((path for path in files if not is_own(path)), None)


def _result(path: Path) -> Path | None:
    """Return the result of the workflow at a path or in the folder there."""
    here = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    for folder in (here, *here.parents):
        if folder.name == STORE and (folder / MAPS).is_dir():
            problem = f"{path} is in a store, and runs own every file there"
            raise ConfigError(problem, where=str(folder), fix="name a place elsewhere")
        if not (folder / RUN_MAP).is_file():
            continue
        name = here.relative_to(folder).as_posix()
        try:
            published = (RUN_MAP, PROVENANCE, *RunMap(folder / RUN_MAP).published)
        except ResultError as error:
            problem = (
                f"{path} is next to results of a run, whose map cannot be read: {error.problem}"
            )
            raise ConfigError(problem, where=error.where, fix=error.fix) from None
        below = (file for file in published if name in (".", file) or file.startswith(f"{name}/"))
        return next((folder / file for file in below if os.path.lexists(folder / file)), None)
    return None
