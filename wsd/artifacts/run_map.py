"""The map of a run: which of the files in a dataset's store are its own.

What a run makes lies in ``results/<dataset>/store``, each file under keys of what decides it, so
that runs never write over each other's. ``run.json`` beside the run's tables maps the paths that
people read to those. Many words' files are one entry there: a listing, a JSON object of their
paths, from the listing's folder, and their checksums. Snakemake asks for time and size of every
input of every job, again and again: a rule that named a file per word would keep it busy for longer
than the work.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, ResultError
from wsd.storage.checksums import STORE, SUMS, checksum
from wsd.storage.json import read_json, write_json
from wsd.storage.result_files import parsing, require

RUN_MAP = "run.json"
# In the store: the maps of runs that have begun.
MAPS = "runs"
# What lists the words' tables; and the files of the folders beside, of the same names.
TABLES = "words.json"
PAGES = ("figures.json", "portable.json", "report.json", "uses.json")
SOURCE = "source.json"
LISTINGS = (TABLES, SOURCE, *PAGES)
# The same of what was fine-tuned, below this folder: records are called so too.
TRAINED, FINETUNE = "model.json", "finetune"
# Folders of words' files, which lists lie beside.
LISTED = ("embeddings", "gloss-vectors")
DIGITS = 10
KEY = re.compile(rf"@[0-9a-f]{{{DIGITS}}}(?=[./]|$)")


def bare(name: str) -> str:
    """A path, or a part of it, without its keys.

    >>> bare("store/m@0123456789/@abcdef0123/geometry.csv")
    'store/m/geometry.csv'
    """
    return KEY.sub("", name).replace("//", "/")


def write_listing(out: Path, checksums: Mapping[Path, str | None]) -> None:
    """List files that lie below the listing's folder, with their checksums."""
    if elsewhere := [path for path in checksums if not path.is_relative_to(out.parent)]:
        what = f"a listing of what does not lie below its folder, such as {elsewhere[0]}"
        raise ConfigError(what, where=str(out), fix="put it beside what it lists, or above")
    found = {path.relative_to(out.parent).as_posix(): said for path, said in checksums.items()}
    write_json(out, found)


def list_folders(listings: Iterable[Path]) -> None:
    """List every file of folders, such as pages; a listing lies beside its folder, of its name."""
    for listing in listings:
        files = (path for path in sorted(listing.with_suffix("").rglob("*")) if path.is_file())
        write_listing(listing, {path: checksum(path) for path in files if SUMS not in path.parts})


def is_listing(path: Path) -> bool:
    """Whether a file of a store lists others, by its name."""
    return path.suffix == ".json" and (
        bare(path.name) in LISTINGS
        or path.parent.name in LISTED
        or (path.name == TRAINED and path.parent.parent.name == FINETUNE)
    )


def megabytes(path: Path) -> float:
    """Size of a file; of a listing, of all that it lists. What is not there has none."""
    with suppress(OSError, ValueError, AttributeError, IndexError):
        status = path.stat()
        return _listed_mb(path, status.st_mtime_ns) if is_listing(path) else status.st_size / 1e6
    return 0.0


@lru_cache
def _listed_mb(listing: Path, _: int) -> float:
    sizes = json.loads(listing.read_text(encoding="utf-8")).values()
    return sum(int(said.split()[-1]) for said in sizes) / 1e6


def read_listing(listing: Path) -> dict[str, str]:
    """The files of a listing, by their paths from its folder, and their checksums.

    Raises
    ------
    ResultError
        If it is missing, damaged, or no listing.
    """
    found = read_json(listing)
    with parsing(listing):
        # A path could lead out of the folder.
        inside = all(".." not in name.split("/") and name[:1] != "/" for name in found)
        require(inside and all(isinstance(of, str) for of in found.values()), "not a listing")
    return dict(found)


class WordFiles:
    """Where the words' files are, as listings say.

    Parameters
    ----------
    listings : iterable of Path
    """

    def __init__(self, listings: Iterable[Path]) -> None:
        self.listings = tuple(listings)

    @cached_property
    def _found(self) -> dict[str, Path]:
        return {bare(name): of.parent / name for of in self.listings for name in read_listing(of)}

    def find(self, name: str) -> Path:
        """The file of a name, such as ``crane/focal.safetensors``.

        Raises
        ------
        ResultError
            If no listing has it.
        """
        if name not in self._found:
            where = ", ".join(map(str, self.listings[:1])) or "-"
            raise ResultError(f"no listing has {name}", where=where, fix="run snakemake again")
        return self._found[name]


# A folder in which each file has its name, or listings of files whose names have keys.
Words = Path | WordFiles


def word_files_at(paths: Sequence[Path]) -> Words:
    """Where words' files are, as a command is told: in a folder, or as listings say, ``.json``."""
    alone = len(paths) == 1 and paths[0].suffix != ".json"
    return paths[0] if alone else WordFiles(paths)


def word_file(words: Words, name: str) -> Path:
    """The file of a name in a folder, or as listings say."""
    return words.find(name) if isinstance(words, WordFiles) else words / name


class RunMap:
    """The files of one run, by the paths that people read.

    Parameters
    ----------
    path : Path
        ``run.json``, or one of the store's.

    Attributes
    ----------
    folder : Path
        ``results/<dataset>``.
    files : dict of str to str
        From the path that people read, in the folder of the run's tables, to that from ``folder``.
    config : dict
        What the run was asked for, as it was read.
    command : str
        What makes the same again.
    digests : dict of str to str
        Of the code and the outside files that decided the keys.
    published : dict of str to str or None
        What people read, in the folder of the tables, with the checksums of copies.

    Raises
    ------
    ResultError
        If it is missing, damaged, or no map.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        said = read_json(path)
        with parsing(path):
            self.files: dict[str, str] = dict(said["files"])
            self.config: dict[str, Any] = dict(said["config"])
            self.command = str(said["command"])
            self.digests: dict[str, str] = dict(said["digests"])
            self.published: dict[str, str | None] = dict(said.get("published", {}))
            paths = (*self, *self.published)
            inside = all(".." not in Path(to).parts and to[:1] != "/" for to in paths)
            require(inside, "a file that is not of the dataset")
        # It lies in `results/<dataset>`, in `runs/<run>` there, or in `store/runs`.
        beside = path.absolute().parent
        dataset = beside.parent.parent
        of_run = MAPS in (beside.name, beside.parent.name) and (dataset / STORE).is_dir()
        self.folder = dataset if of_run else beside

    def __iter__(self) -> Iterator[str]:
        return iter(self.files.values())

    def has(self, name: str) -> bool:
        """Whether the run has a file of a name, and it is there."""
        return name in self.files and os.path.lexists(self.folder / self.files[name])

    def file(self, name: str) -> Path:
        """Where a file lies.

        Raises
        ------
        ResultError
            If the run has none of that name, or it is not there.
        """
        if not self.has(name):
            where = self.folder / self.files[name] if name in self.files else self.path
            what, fix = f"{name} of this run is not there", f"run `{self.command}` again"
            raise ResultError(what, where=str(where), fix=fix)
        return self.folder / self.files[name]

    def words(self, folder: str) -> Words:
        """The words' files in a folder, such as ``<model>/embeddings``, as its listings say."""
        names = [name for name in self.files if Path(name).parent.as_posix() == folder]
        return WordFiles(map(self.file, names)) if names else self.folder / folder


def write_map(
    path: Path, paths: Iterable[str], folder: str, said: Mapping[str, Any]
) -> dict[str, str]:
    """Write the map of a run.

    Parameters
    ----------
    path : Path
    paths : iterable of str
        Of all its files.
    folder : str
        ``results/<dataset>``, with which they begin.
    said : mapping
        ``config``, ``command`` and ``digests``.

    Returns
    -------
    dict of str to str
        ``files``.
    """
    inner = [one.removeprefix(f"{folder}/") for one in paths]
    files = {bare(one.removeprefix(f"{STORE}/")): one for one in inner}
    write_json(path, {**said, "files": files})
    return files
