"""Read and write the map of a run, and listings of many files.

The files of all runs of a dataset lie in ``results/<dataset>/store``. Their paths contain keys of
everything that decides their content, so that runs never overwrite each other's files. The file
``run.json`` of a run maps readable paths to paths in the store.

The files of many words have one entry: a listing, which is a JSON object with relative paths and
checksums. Rules use listings because Snakemake is slow with a file per word: it requests the time
and size of every input of every job repeatedly.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, ResultError, wrong_file
from wsd.storage.checksums import STORE, SUMS, checksum
from wsd.storage.json import read_json, write_json
from wsd.storage.result_files import parsing

RUN_MAP = "run.json"
# The folder in the store with the maps of runs that were started.
MAPS = "runs"
# The listing of the words' tables, and listings of folders with the same names.
TABLES = "words.json"
PAGES = ("change.json", "figures.json", "report.json", "uses.json")
SOURCE = "source.json"
LISTINGS = (TABLES, SOURCE, *PAGES)
# The listing of a fine-tuned model, in a folder of this name. Records of models have the same name.
TRAINED, FINETUNE = "model.json", "finetune"
# The folders whose JSON files are listings of words' files.
LISTED = ("embeddings", "gloss-vectors")
DIGITS = 10
KEY = re.compile(rf"@[0-9a-f]{{{DIGITS}}}(?=[./]|$)")


def bare(name: str) -> str:
    """Return a path, or a part of it, without its keys.

    >>> bare("store/m@0123456789/@abcdef0123/geometry.csv")
    'store/m/geometry.csv'
    """
    return KEY.sub("", name).replace("//", "/")


def write_listing(out: Path, checksums: Mapping[Path, str | None]) -> None:
    """Write a listing of files below its folder, with their checksums."""
    if elsewhere := [path for path in checksums if not path.is_relative_to(out.parent)]:
        problem = f"{elsewhere[0]} does not lie below the folder of its listing"
        fix = "write the listing to the folder of its files"
        raise ConfigError(problem, where=str(out), fix=fix)
    files = {path.relative_to(out.parent).as_posix(): crc for path, crc in checksums.items()}
    write_json(out, files)


def list_folders(listings: Iterable[Path]) -> None:
    """Write listings, each of all files in the folder with the listing's name without suffix."""
    for listing in listings:
        folder = listing.parent / listing.stem
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        write_listing(listing, {path: checksum(path) for path in files if SUMS not in path.parts})


def is_listing(path: Path) -> bool:
    """Return whether a file in a store is a listing, by its name."""
    return path.suffix == ".json" and (
        bare(path.name) in LISTINGS
        or path.parent.name in LISTED
        or (path.name == TRAINED and path.parent.parent.name == FINETUNE)
    )


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all files of a listing; 0 if it is missing."""
    with suppress(OSError, ValueError, AttributeError, IndexError):
        if not is_listing(path):
            return path.stat().st_size / 1e6
        checksums = json.loads(path.read_text(encoding="utf-8")).values()
        return sum(int(checksum.split()[-1]) for checksum in checksums) / 1e6
    return 0.0


def read_listing(listing: Path) -> dict[str, str]:
    """Return the checksums of the files of a listing, by path relative to its folder.

    Raises
    ------
    ResultError
        If the file is missing, damaged, or names a file outside its folder.
    """
    files: dict[str, str] = read_json(listing)
    with parsing(listing):
        _check_inside(files.keys(), listing)
    return files


def _check_inside(names: Iterable[str], path: Path) -> None:
    if any(".." in name.split("/") or name[:1] == "/" for name in names):
        raise wrong_file("it names a file outside its folder", path)


class WordFiles:
    """The files of words, found by listings.

    Parameters
    ----------
    listings : iterable of Path
    """

    def __init__(self, listings: Iterable[Path]) -> None:
        self.listings = tuple(listings)

    @cached_property
    def _paths(self) -> dict[str, Path]:
        return {
            bare(name): listing.parent / name
            for listing in self.listings
            for name in read_listing(listing)
        }

    def find(self, name: str) -> Path:
        """Return the path of a file, such as ``crane/focal.safetensors``.

        Raises
        ------
        ResultError
            If no listing has the file.
        """
        if name not in self._paths:
            where = ", ".join(map(str, self.listings[:1])) or "-"
            raise ResultError(f"no listing has {name}", where=where, fix="run snakemake again")
        return self._paths[name]


# A folder of files with plain names, or listings of files with keys in their names.
Words = Path | WordFiles


def word_files_at(paths: Sequence[Path]) -> Words:
    """Return the words' files for an argument of a command: a folder, or listings."""
    is_folder = len(paths) == 1 and paths[0].suffix != ".json"
    return paths[0] if is_folder else WordFiles(paths)


def word_file(words: Words, name: str) -> Path:
    """Return the path of a file in a folder or in listings."""
    return words.find(name) if isinstance(words, WordFiles) else words / name


class RunMap:
    """The files of one run by readable path.

    Parameters
    ----------
    path : Path
        ``run.json``, or a map in the store.

    Attributes
    ----------
    folder : Path
        ``results/<dataset>``.
    files : dict of str to str
        The path of each file relative to ``folder``, by readable path relative to the folder of the
        run's tables.
    config : dict
        The config of the run.
    command : str
        The command that repeats the run.
    digests : dict of str to str
        Digests of the code and of the user's files, which are part of the keys.
    published : dict of str to str or None
        The files in the folder of the run's tables, with checksums of the copies.

    Raises
    ------
    ResultError
        If the file is missing, damaged, or names a file outside the folder of the dataset.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        content = read_json(path)
        with parsing(path):  # a map of an earlier version has other keys
            self.files: dict[str, str] = content["files"]
            self.config: dict[str, Any] = content["config"]
            self.command: str = content["command"]
            self.digests: dict[str, str] = content["digests"]
            self.published: dict[str, str | None] = content.get("published", {})
        _check_inside((*self, *self.published), path)
        # The map lies in `results/<dataset>`, in `runs/<run>` there, or in `store/runs`.
        here = path.absolute().parent
        dataset = here.parent.parent
        below = MAPS in (here.name, here.parent.name) and (dataset / STORE).is_dir()
        self.folder = dataset if below else here

    def __iter__(self) -> Iterator[str]:
        return iter(self.files.values())

    def has(self, name: str) -> bool:
        """Return whether the run has a file of this name, and the file exists."""
        return name in self.files and os.path.lexists(self.folder / self.files[name])

    def file(self, name: str) -> Path:
        """Return the path of a file of the run.

        Raises
        ------
        ResultError
            If the run has no file of this name, or the file is missing.
        """
        if not self.has(name):
            where = self.folder / self.files[name] if name in self.files else self.path
            problem, fix = f"this run has no {name}", f"run `{self.command}` again"
            raise ResultError(problem, where=str(where), fix=fix)
        return self.folder / self.files[name]

    def words(self, folder: str) -> Words:
        """Return the words' files in a folder, such as ``<model>/embeddings``."""
        names = [name for name in self.files if Path(name).parent.as_posix() == folder]
        return WordFiles(map(self.file, names)) if names else self.folder / folder


def write_map(
    path: Path, paths: Iterable[str], folder: str, about: Mapping[str, Any]
) -> dict[str, str]:
    """Write the map of a run.

    Parameters
    ----------
    path : Path
    paths : iterable of str
        The paths of all its files.
    folder : str
        ``results/<dataset>``, the beginning of the paths.
    about : mapping
        ``config``, ``command`` and ``digests``.

    Returns
    -------
    dict of str to str
        The attribute ``files`` of the map.
    """
    inside = [file.removeprefix(f"{folder}/") for file in paths]
    files = {bare(file.removeprefix(f"{STORE}/")): file for file in inside}
    write_json(path, {**about, "files": files})
    return files
