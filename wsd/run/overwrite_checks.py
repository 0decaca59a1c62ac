"""Refuse to overwrite inputs and files of a run by hand, and jobs whose code or inputs changed."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.run_json import MAPS, RunMap, WordFiles
from wsd.errors import ConfigError, ResultError
from wsd.run.digests import MAP, PACKAGE, PROGRAM, package_checksum
from wsd.storage.checksums import STORE, sha256

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
    inputs = [path for value in others for path in _paths(value) if path.exists()]
    for option, path in ((name, path) for name in names for path in _paths(getattr(args, name))):
        above, problem = {path.resolve(), *path.resolve().parents}, ""
        if path.is_file() and any(file.resolve() in above for file in inputs):
            problem = f"{path} is an input of this command, and would be overwritten"
        elif any(folder.name == STORE and (folder / MAPS).is_dir() for folder in above):
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
    changed = [path for path, digest in known.items() if digest and digest != sha256(path)]
    if digests.get(PROGRAM) != package_checksum():
        changed = [PACKAGE]
    if changed:
        problem = f"{changed[0]} has changed since the run began"
        raise ResultError(problem, fix="run snakemake again: it takes what is there now")


def _is_foreign(folder: Path) -> bool:
    """Return whether a folder has files, and no page of a report."""
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return folder.is_dir() and any(folder.iterdir()) and GENERATOR not in text


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Path):
            yield item
