"""Read and write training sets as lines of the full training set.

A training set needs only line numbers, because its sentences are also in the full training set. It
has one file for all words, with the columns word and index (the 0-based line of the full training
file, ascending).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ResultError, wrong_file
from wsd.storage.parquet import read_table, rows_by, write_table

FULL = "full"
NO_TRAIN = "none"  # instead of a training set, for a model without training instances


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Lines of the full training files.

    Attributes
    ----------
    name : str
    lines : mapping of word to int array
        0-based lines of the word's training file, ascending. Words that the set lacks are absent.
    corpus : mapping of word to str
        The digests of the words' tables.
    """

    name: str
    lines: Mapping[str, np.ndarray]
    corpus: Mapping[str, str]


def setting(train: str) -> tuple[str, int | None]:
    """Return the setting of a training set, and its number among several draws of that setting.

    >>> setting("nshot-3.set2"), setting("balanced")
    (('nshot-3', 2), ('balanced', None))
    """
    name, dot, draw = train.partition(".set")
    return (name, int(draw)) if dot else (name, None)


def training_rows(corpus: Corpus, train: TrainingSet | None = None) -> np.ndarray:
    """Return the rows of a word's table that belong to a training set.

    Parameters
    ----------
    corpus : Corpus
    train : TrainingSet, optional
        By default the full training set.

    Returns
    -------
    int array, ascending by line

    Raises
    ------
    ResultError
        If the training set was made from another table, or lacks the word.
    """
    if train is None:
        return np.flatnonzero(corpus.split == "train")
    check_digest(f"the training set {train.name!r}", train.corpus, corpus)
    return corpus.training_rows(train.lines[corpus.word])


def check_digest(source: str, digests: Mapping[str, str], corpus: Corpus) -> None:
    """Refuse a file with lines of another table than a corpus.

    Parameters
    ----------
    source : str
        The name of the file's content in an error.
    digests : mapping of word to str
        The digests of the tables from which the file was made.
    corpus : Corpus

    Raises
    ------
    ResultError
    """
    if digests.get(corpus.word) != corpus.digest:
        problem = f"{source}: made from another table than the corpus of {corpus.word!r}"
        raise ResultError(problem, fix="delete the file and run again")


def write(path: Path, train: TrainingSet) -> None:
    """Write a training set as Parquet, atomically."""
    import pyarrow as pa

    words = [word for word, lines in train.lines.items() for _ in lines]
    table = pa.table({"word": words, "index": np.concatenate(list(train.lines.values()))})
    write_table(path, table, {"train": train.name, "corpus": dict(train.corpus)})


def read(path: Path) -> TrainingSet:
    """Read a training set that :func:`write` wrote."""
    table, provenance = read_table(path)
    if table.column_names != ["word", "index"]:
        raise wrong_file("the table is not a training set", path)
    rows, index = rows_by(table["word"]), table["index"].to_numpy()
    lines = {word: index[rows[word]] for word in provenance["corpus"]}
    return TrainingSet(provenance["train"], lines, provenance["corpus"])
