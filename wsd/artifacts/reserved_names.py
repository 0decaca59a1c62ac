"""Refuse names that the program uses itself for files, folders and rows.

Names of datasets, runs and models become folders next to folders with fixed names. Names of systems
and classifiers become the first part of a file name. Words name rows of tables, next to fixed rows.
"""

from collections.abc import Iterable
from pathlib import Path

from wsd.artifacts import noad_datasets
from wsd.artifacts.find_runs import RUNS
from wsd.errors import ConfigError
from wsd.storage.checksums import STORE
from wsd.storage.file_names import is_device

DWUG_EN = "dwug-en"
# Built-in corpora with a manifest, which a step writes.
WITH_MANIFEST = (*noad_datasets.NOAD, DWUG_EN)
# By kind, in lower case, because names that differ only in case are the same file on some disks.
RESERVED = {
    # Below results/, and the built-in corpora.
    "dataset": frozenset(
        {
            *("benchmarks", "coarsewsd20", "logs", "models", "quickstart", "quickstart-hard"),
            *(STORE, DWUG_EN, *noad_datasets.NOAD),
        }
    ),
    # results/<dataset>/runs/ has only runs, but a folder with a store would count as a dataset.
    "run": frozenset({STORE}),
    # Below results/<dataset>/ and results/<dataset>/runs/<run>/, and in their folders of logs.
    "model": frozenset(
        {
            *("audit", "baselines", "comparison", "corpus", "figures", "folds", "glosses"),
            *("published", "report", RUNS, "source", STORE),
            *("systems", "trains", "uses"),
        }
    ),
    # Values of tables instead of the name of a classifier or a word.
    "classifier": frozenset({"per-word"}),
    "system": frozenset(),
    "word": frozenset({"all words", "(all)"}),
}
# The kinds whose names become folders, and the suffixes that a folder must not have.
FOLDERS = ("dataset", "run", "model")
SUFFIXES = (
    ".csv", ".damaged", ".html", ".json", ".log", ".md", ".parquet", ".part", ".safetensors",
    ".wsd",
)  # fmt: skip


def check_reserved(kind: str, name: str, where: str) -> None:
    """Refuse a name that the program itself uses.

    Parameters
    ----------
    kind : str
        A key of ``RESERVED``.
    name : str
    where : str
        The config key, option or file with the name.

    Raises
    ------
    ConfigError
    """
    lower, why, fix = name.lower(), "", "choose another name"
    if kind == "word":
        if name in RESERVED[kind]:
            why, fix = "the tables have a row of that name", "rename the word in the corpus"
    elif lower in RESERVED[kind]:
        why = "wsd needs the name itself"
    elif is_device(lower.partition(".")[0]) or lower.endswith("."):
        why = "Windows cannot have such a file"
    elif kind in FOLDERS and lower.endswith(SUFFIXES):
        why = f"its folder would look like a {lower[lower.rindex('.') :]} file"
    if why:
        raise ConfigError(f"a {kind} cannot be called {name!r}: {why}", where=where, fix=fix)


def check_case(folder: Path, name: str, where: str) -> None:
    """Refuse a name that this disk cannot distinguish from a name in another case.

    Parameters
    ----------
    folder : Path
        The folder in which the name will be a folder.
    name, where : str
        As in :func:`check_reserved`.

    Raises
    ------
    ConfigError
    """
    for other in folder.glob("*"):
        alike = other.name != name and other.name.lower() == name.lower()
        if alike and (folder / name).exists() and other.samefile(folder / name):
            problem = f"{name!r} and {other.name!r} are the same folder on this disk"
            raise ConfigError(problem, where=where, fix=f"write it as {other.name!r}, or rename it")


def check_free(key: str, names: Iterable[str], others: Iterable[str], fix: str) -> None:
    """Refuse reserved names, and names that occur twice in the same or another case.

    Parameters
    ----------
    key : str
        The config key of a list, such as ``models``.
    names : iterable of str
        The names of its entries.
    others : iterable of str
        Names that are taken already.
    fix : str
        What the user can do.

    Raises
    ------
    ConfigError
    """
    taken = {name.lower() for name in others}
    for i, name in enumerate(names):
        where = f"config key {key}[{i}].name"
        check_reserved(key.removesuffix("s"), name, where)
        if name.lower() in taken:
            raise ConfigError(f"the name {name!r} is taken", where=where, fix=fix)
        taken.add(name.lower())
