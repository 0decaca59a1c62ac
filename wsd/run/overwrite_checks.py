"""Refuse to overwrite inputs and files of a run by hand, and jobs whose code or inputs changed."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.run_json import MAPS, RunMap, WordFiles
from wsd.errors import ConfigError, ResultError
from wsd.run import modules_of_step
from wsd.run.digests import MAP, PROGRAM
from wsd.storage.checksums import STORE
from wsd.storage.checksums import sha256 as sha256_of

# Every page of a report has this in its head.
GENERATOR = 'content="wsd report"'


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse a command by hand whose output would replace an input, or files that are not its own.

    Parameters
    ----------
    args
        The command's arguments; ``outputs`` has the names of the output arguments, and
        ``replaced`` of those that are folders of pages.
    """
    names = () if MAP in os.environ else getattr(args, "outputs", ())
    others = (value for name, value in vars(args).items() if name not in names)
    read = [path for value in others for path in _paths(value)]
    inputs = [path for path in read if path.is_file()]
    folders = {path.resolve() for path in read if path.is_dir()}
    outputs = [(name, path) for name in names for path in _paths(getattr(args, name))]
    for option, path in outputs:
        problem = ""
        if path.is_file() and any(path.samefile(file) for file in inputs):
            problem = f"{path} is an input of this command, and would be overwritten"
        elif path.is_file() and folders & {*_above(path)}:
            problem = f"{path} would be overwritten, and is in a folder that is read"
        elif any(folder.name == STORE and (folder / MAPS).is_dir() for folder in _above(path)):
            problem = f"{path} is in a store, and runs own every file there"
        elif option in getattr(args, "replaced", ()) and _is_foreign(path):
            problem = f"{path} has files, and is no report: it would be replaced"
        if problem:
            where = f"--{option.replace('_', '-')}"
            raise ConfigError(problem, where=where, fix="name a place elsewhere")


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


def _is_foreign(folder: Path) -> bool:
    """Return whether a folder has files, and no page of a report."""
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return folder.is_dir() and any(folder.iterdir()) and GENERATOR not in text


def _above(path: Path) -> Iterator[Path]:
    yield from (path.resolve(), *path.resolve().parents)


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Path):
            yield item
