"""Where a command may not write: over its inputs, over what the workflow has made, over another
output of its own, or where no file or folder can be.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, StorageError
from wsd.run.noted import STATE, noted_results
from wsd.storage.atomic import check_target

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
    """A result of the workflow that lies at a path, or below it."""
    for folder in path.absolute().parents:
        if (folder / STATE).is_dir():
            here = path.absolute().relative_to(folder.parent)
            found = (one for _, one in noted_results(folder) if here in (one, *one.parents))
            return next((one for one in found if (folder.parent / one).exists()), None)
    return None
