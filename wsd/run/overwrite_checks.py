"""Refuse jobs whose code or inputs have changed, and outputs by hand into the store of a run."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.run_json import RunMap, WordFiles
from wsd.errors import ConfigError, ResultError
from wsd.run import modules_of_step
from wsd.run.digests import MAP, PROGRAM
from wsd.storage.checksums import STORE
from wsd.storage.checksums import sha256 as sha256_of


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse a command by hand whose output would replace a file of a run."""
    if MAP in os.environ or not isinstance(out := getattr(args, "out", None), Path):
        return
    if STORE in out.resolve().parts:
        problem = f"{out} is in a store, and runs own every file there"
        raise ConfigError(problem, where="--out", fix="name a place elsewhere")


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


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Path):
            yield item
