"""Where a command may not write: over its inputs, over what the workflow has made, over another
output of its own, or where no file or folder can be. And what may not change under a run.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wsd.artifacts.dataset import MANIFEST
from wsd.artifacts.named_runs import PROVENANCE
from wsd.artifacts.run_map import MAPS, RUN_MAP, RunMap, WordFiles
from wsd.errors import ConfigError, ResultError, StorageError
from wsd.run import step_code
from wsd.run.digests import MAP, PROGRAM
from wsd.storage.atomic import check_target
from wsd.storage.checksums import STORE
from wsd.storage.checksums import sha256 as sha256_of

# Arguments that name folders of tables or vectors that are read.
READ = ("corpus", "embeddings", "source", "substitutes")


def check_outputs(args: argparse.Namespace, *, of_a_run: bool) -> None:
    """Refuse a command whose output lies where an input does, or where a rule's result does.

    Parameters
    ----------
    args
        What the command was given; ``outputs`` names those of it that are written.
    of_a_run : bool
        Whether the command is a job of the workflow, which may replace its results. By hand, a
        folder that is replaced whole may hold nothing but what the command has made.

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
            if path.is_file() and any(path.samefile(one) for one in inputs):
                what = f"{path} is an input of this command, and would be written over"
                raise ConfigError(what, where=option, fix="name another file")
            if not of_a_run and path.is_file() and (folder := _read_from(args, path)):
                what = f"{path} would be written over, and lies in a folder that is read: {folder}"
                raise ConfigError(what, where=option, fix="name another file")
            if not of_a_run and (found := _result(path)):
                what = f"{path} would replace what the workflow made: {found}"
                raise ConfigError(what, where=option, fix="name a file or folder of your own")
    for name, is_own in getattr(args, "replaced", {}).items():
        if not of_a_run and (foreign := _foreign(getattr(args, name), is_own)):
            what = f"will not replace what this command has not made: {foreign}"
            fix = "name a folder that does not exist yet, an empty one, or an earlier output"
            raise ConfigError(what, where=f"--{name}", fix=fix)
    _check_places(args)


def check_unchanged(args: argparse.Namespace) -> None:
    """Refuse a job whose code, or a file from outside, is not that with which its run began.

    What it made would lie under a key of the earlier one.

    Raises
    ------
    ResultError
        Naming what has changed.
    """
    if not (named := os.environ.get(MAP)):
        return
    digests = RunMap(Path(named)).digests
    paths = [of for value in vars(args).values() for of in _paths(value)]
    known = {of: digests.get(f"file {of}") for path in paths for of in (path, path / MANIFEST)}
    changed = [path for path, digest in known.items() if digest and digest != sha256_of(path)]
    if digests.get(PROGRAM) != step_code.of_package():
        changed = [step_code.PACKAGE]
    if changed:
        what = f"{changed[0]} is not what it was when the run began"
        raise ResultError(what, fix="run snakemake again: it goes by what is there now")


def _check_places(args: argparse.Namespace) -> None:
    """Before anything is computed: of several outputs, some would be written and others not."""
    seen = set()
    for name in getattr(args, "outputs", ()):
        for path in _paths(getattr(args, name)):
            option = f"--{name.replace('_', '-')}"
            above = next(one for one in path.absolute().parents if one.exists())
            if not above.is_dir():
                what = f"{path} could not be written: {above} is a file, not a folder"
                raise StorageError(what, where=option, fix="name another place")
            if (place := path.resolve()) in seen:
                what = f"two outputs of this command would replace one another: {path}"
                raise ConfigError(what, where=option, fix="name a place for each")
            seen.add(place)
            if name == "log" or name in getattr(args, "replaced", ()):
                continue
            if name not in getattr(args, "folders", ()):
                check_target(path)
            elif path.exists() and not path.is_dir():
                what = f"{path} could not be written: it is a file, not a folder"
                raise StorageError(what, where=option, fix="name a folder")


def _paths(value: Any) -> Iterator[Path]:
    if isinstance(value, WordFiles):
        yield from value.listings
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, Path):
            yield one


def _read_from(args: argparse.Namespace, path: Path) -> Path | None:
    """The folder of tables or vectors, among a command's inputs, that has a file."""
    folders = [getattr(args, name, None) for name in READ]
    above = path.resolve().parents
    return next((one for one in folders if isinstance(one, Path) and one.resolve() in above), None)


def _foreign(folder: Path, is_own: Callable[[Path], bool]) -> Path | None:
    """What would be lost with a folder and is none of its command's files; or what is no folder."""
    if not folder.is_dir():
        return folder if folder.exists() else None
    files = (path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir())
    return next((path for path in files if not is_own(path)), None)


def _result(path: Path) -> Path | None:
    """A result of the workflow that lies at a path, or below it, or would be taken for one."""
    here = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    for folder in (here, *here.parents):
        if folder.name == STORE and (folder / MAPS).is_dir():
            what, fix = "a run takes what lies here for its own", "name a place elsewhere"
            raise ConfigError(f"{path} is in a store: {what}", where=str(folder), fix=fix)
        if not (folder / RUN_MAP).is_file():
            continue
        name = here.relative_to(folder).as_posix()
        try:
            published = (RUN_MAP, PROVENANCE, *RunMap(folder / RUN_MAP).published)
        except ResultError as error:
            what = f"{path} lies beside the results of a run, and which they are cannot be read"
            raise ConfigError(f"{what}: {error.what}", where=error.where, fix=error.fix) from None
        found = (one for one in published if name in (".", one) or one.startswith(f"{name}/"))
        return next((folder / one for one in found if os.path.lexists(folder / one)), None)
    return None
