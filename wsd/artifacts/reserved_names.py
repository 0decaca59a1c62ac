"""Refuse names that the program uses itself for files, folders and rows.

Names of datasets, runs and models become folders next to folders with fixed names. Names of systems
and classifiers become the first part of a file name. Words name rows of tables, next to fixed rows.
"""

from collections.abc import Iterable

from wsd.artifacts.find_runs import RUNS
from wsd.artifacts.noad_datasets import NOAD
from wsd.errors import ConfigError
from wsd.storage.checksums import STORE

DWUG_EN = "dwug-en"
# Built-in corpora with a manifest, which a step writes.
WITH_MANIFEST = (*NOAD, DWUG_EN)
# By kind, in lower case, because names that differ only in case are the same file on some disks.
RESERVED = {
    # Below results/, and the built-in corpora.
    "dataset": (
        *("benchmarks", "coarsewsd20", "logs", "models", "quickstart", "quickstart-hard"),
        *(STORE, *WITH_MANIFEST),
    ),
    # results/<dataset>/runs/ has only runs, but a folder with a store would count as a dataset.
    "run": (STORE,),
    # Below results/<dataset>/ and results/<dataset>/runs/<run>/, and in their folders of logs.
    "model": (
        *("audit", "baselines", "comparison", "corpus", "figures", "folds", "glosses"),
        *("published", "report", RUNS, "source", STORE, "systems", "trains", "uses"),
    ),
    # Values of tables instead of the name of a classifier or a word.
    "classifier": ("per-word",),
    "system": (),
    "word": ("all words", "(all)"),
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
    lower, fix = name.lower(), "choose another name"
    if (name if kind == "word" else lower) in RESERVED[kind]:
        why = "wsd needs the name itself"
    elif kind in FOLDERS and lower.endswith(SUFFIXES):
        why = f"its folder would look like a {lower[lower.rindex('.') :]} file"
    else:
        return
    raise ConfigError(f"a {kind} cannot be called {name!r}: {why}", where=where, fix=fix)


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
