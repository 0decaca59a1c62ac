"""Read and write training sets, and their cross-validation folds.

A training set is a list of lines of the full training set. It has one file for all words, with the
columns word and index (the 0-based line of the full training file, ascending).

Folds are drawn before anything is fitted: stratified by sense, with near-duplicates in one fold,
and several times (repeats). The file of a training set has the fold in which each instance is held
out, for each repeat. Later steps take the rows of the training set from this file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
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


# The default number of folds, as in config/config.yaml.
K = 5
# The settings that decide a word's folds, besides its training instances.
SETTINGS = ("k", "repeats", "seed")
RUN_AGAIN = "run snakemake again with the config of this run"


@dataclass(frozen=True, eq=False)
class WordFolds:
    """The training instances of one word.

    Attributes
    ----------
    lines : int array of shape (n,)
        0-based lines of the full training file, ascending.
    component : int array of shape (n,)
        Instances that a chain of near-duplicates connects have the same number.
    held : int array of shape (repeats, n), or None
        The fold in which each instance is held out. None if the rarest sense has fewer instances
        than there are folds: the word cannot be tuned.
    """

    lines: np.ndarray
    component: np.ndarray
    held: np.ndarray | None

    def splits(self, repeat: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield for each fold the rows to fit on and the held-out rows of the training set."""
        assert self.held is not None
        held = self.held[repeat]
        for fold in np.unique(held):
            yield np.flatnonzero(held != fold), np.flatnonzero(held == fold)


@dataclass(frozen=True, eq=False)
class Folds:
    """A training set and its folds.

    Attributes
    ----------
    train : str
        The training set's name.
    k, repeats, seed : int
    words : mapping of word to WordFolds
        Words that the training set lacks are absent.
    corpus : mapping of word to str
        The digests of the words' tables.
    """

    train: str
    k: int
    repeats: int
    seed: int
    words: Mapping[str, WordFolds]
    corpus: Mapping[str, str]

    @property
    def settings(self) -> dict[str, int]:
        """Return the settings of the draw: ``k``, ``repeats`` and ``seed``."""
        return {key: getattr(self, key) for key in SETTINGS}

    def rows(self, corpus: Corpus) -> np.ndarray:
        """Return the rows of the training set in a word's table, in the order of its lines.

        Raises
        ------
        ResultError
            If the folds were made from another table.
        """
        check_digest(f"the folds of {self.train!r}", self.corpus, corpus)
        return corpus.training_rows(self.words[corpus.word].lines)


def read_folds_for(path: Path, corpora: Mapping[str, Corpus]) -> Folds:
    """Read the folds of some words. The file may have further words, because runs share it.

    Raises
    ------
    ResultError
        If the full training set lacks a word, or another training set lacks all of them.
    """
    folds = read_folds(path)
    words = {word: folds.words[word] for word in corpora if word in folds.words}
    lacking = [word for word in corpora if word not in words]
    if lacking and (folds.train == FULL or not words):
        problem = f"the folds of {folds.train!r} lack {', '.join(map(repr, lacking))}"
        raise ResultError(problem, where=str(path), fix=RUN_AGAIN)
    return replace(folds, words=words)


def write_folds(path: Path, folds: Folds) -> None:
    """Write folds as Parquet, atomically."""
    import pyarrow as pa

    words = folds.words.values()
    held = [[[]] * len(w.lines) if w.held is None else w.held.T.tolist() for w in words]
    table = pa.table(
        {
            "word": np.repeat(list(folds.words), [len(word.lines) for word in words]),
            "index": np.concatenate([word.lines for word in words]),
            "component": np.concatenate([word.component for word in words]),
            "held_out_in": pa.array(chain.from_iterable(held), pa.list_(pa.int8())),
        }
    )
    about = {"train": folds.train, **folds.settings, "corpus": dict(folds.corpus)}
    write_table(path, table, about)


def read_folds(path: Path) -> Folds:
    """Read folds that :func:`write` wrote."""
    table, provenance = read_table(path, "held_out_in")
    rows_of, words = rows_by(table["word"]), {}
    for word in provenance["corpus"]:
        rows = table.take(rows_of[word])
        held = np.array(rows["held_out_in"].to_pylist(), dtype=np.int8).T
        lines, component = rows["index"].to_numpy(), rows["component"].to_numpy()
        words[word] = WordFolds(lines, component, held if held.size else None)
    drawn = {key: provenance[key] for key in ("train", *SETTINGS)}
    return Folds(**drawn, words=words, corpus=provenance["corpus"])
