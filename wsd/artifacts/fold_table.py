"""The folds of a training set: on what its instances are tuned, decided before anything is fitted.

Stratified by sense, near-duplicates always together, drawn several times. One file per training
set says for each of its instances which fold it is held out in, in each of the repeats. It is
also the list of the set's rows: nothing after it asks again what was in the training set.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.training_set import FULL, are_lines
from wsd.errors import ResultError
from wsd.storage.parquet import read_table, rows_by, write_table
from wsd.storage.result_files import parsing, require

# How many there are if nothing else is said; config/config.yaml says the same.
K = 5
# What decides the folds of a word, beside its training instances.
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
        Instances of one number are near-duplicates of each other, by a chain.
    held : int array of shape (repeats, n), or None
        The fold each instance is held out in; None where the rarest sense has fewer instances
        than there are folds, so that nothing can be tuned.
    """

    lines: np.ndarray
    component: np.ndarray
    held: np.ndarray | None

    def splits(self, repeat: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to fit on and rows held out, counted from 0 within the training set, per fold."""
        if self.held is None:
            raise ValueError("a word without folds")
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
        The digest of the corpus that the lines are of.
    """

    train: str
    k: int
    repeats: int
    seed: int
    words: Mapping[str, WordFolds]
    corpus: Mapping[str, str]

    @property
    def settings(self) -> dict[str, int]:
        """How the folds were drawn: ``k``, ``repeats`` and ``seed``."""
        return {key: getattr(self, key) for key in SETTINGS}

    def rows(self, corpus: Corpus) -> np.ndarray:
        """The rows of a word's table that the training set has, in the order of its lines.

        Raises
        ------
        ResultError
            If the folds were made from another table, or lack the word.
        """
        if corpus.word not in self.words:
            raise ResultError(f"the folds of {self.train!r} lack {corpus.word!r}", fix=RUN_AGAIN)
        if self.corpus[corpus.word] != corpus.digest:
            table = f"another table than the corpus of {corpus.word!r}"
            fix = "delete the file of the folds and run again"
            raise ResultError(f"the folds of {self.train!r} belong to {table}", fix=fix)
        return corpus.training_rows(self.words[corpus.word].lines)


def read_for_words(path: Path, corpora: Mapping[str, Corpus]) -> Folds:
    """Read the folds of the words of a corpus. Those of other words are left out.

    Runs share the file: it keeps the words that an earlier run had.

    Raises
    ------
    ResultError
        If the full training set lacks a word, or another training set lacks all of them.
    """
    found = read(path)
    if found.train == FULL:
        check_words(path, found, corpora)
    elif not set(corpora) & set(found.words):
        what = f"the training set {found.train!r} has none of {', '.join(corpora)}"
        raise ResultError(what, where=str(path), fix="choose other words, or another training set")
    return replace(
        found, words={word: found.words[word] for word in corpora if word in found.words}
    )


def check_words(path: Path, folds: Folds, words: Iterable[str]) -> None:
    """Refuse the folds of another run, which lack some of a run's words.

    Raises
    ------
    ResultError
    """
    if lacking := [word for word in words if word not in folds.words]:
        what = f"folds of another run: they lack {', '.join(map(repr, lacking[:5]))}"
        what += f" and {len(lacking) - 5} more words" if len(lacking) > 5 else ""
        raise ResultError(what, where=str(path), fix=RUN_AGAIN)


def check_settings(path: Path, folds: Folds, settings: Mapping[str, Any]) -> None:
    """Refuse the folds of another run, which were drawn in another way.

    Parameters
    ----------
    path : Path
        The file of the folds.
    folds : Folds
    settings : mapping
        How the run drew them: ``k``, ``repeats`` and ``seed``, as its selection has it.

    Raises
    ------
    ResultError
    """
    if folds.settings != settings:
        what = f"folds of another run: {describe_settings(folds.settings)}"
        what += f"; this run has {describe_settings(settings)}"
        raise ResultError(what, where=str(path), fix=RUN_AGAIN)


def describe_settings(settings: Mapping[str, Any]) -> str:
    """How folds were drawn, in words.

    >>> describe_settings({"k": 5, "repeats": 3, "seed": 1})
    '5 folds, drawn 3 times, seed 1'
    """
    repeats = settings["repeats"]
    times = "once" if repeats == 1 else f"{repeats} times"
    return f"{settings['k']} folds, drawn {times}, seed {settings['seed']}"


def write(path: Path, folds: Folds) -> None:
    """Write folds as Parquet, whole or not at all."""
    import pyarrow as pa

    words = folds.words.values()
    held = [([[]] * len(of.lines) if of.held is None else of.held.T.tolist()) for of in words]
    table = pa.table(
        {
            "word": [word for word, of in folds.words.items() for _ in of.lines],
            "index": np.concatenate([of.lines for of in words]),
            "component": np.concatenate([of.component for of in words]),
            "held_out_in": pa.array(chain.from_iterable(held), pa.list_(pa.int8())),
        }
    )
    about = {"train": folds.train, **folds.settings, "corpus": dict(folds.corpus)}
    write_table(path, table, about)


def read(path: Path) -> Folds:
    """Read folds that :func:`write` wrote."""
    table, provenance = read_table(path)
    with parsing(path):
        rows_of = rows_by(table["word"], provenance["corpus"])
        words = {}
        for word in provenance["corpus"]:
            rows = table.take(rows_of[word])
            held = np.array(rows["held_out_in"].to_pylist(), dtype=np.int8).T
            lines, component = rows["index"].to_numpy(), rows["component"].to_numpy()
            words[word] = WordFolds(lines, component, held if held.size else None)
        drawn = {key: provenance[key] for key in ("train", *SETTINGS)}
        found = Folds(**drawn, words=words, corpus=provenance["corpus"])
        _check(found)
        return found


def _check(folds: Folds) -> None:
    """Refuse what :func:`write` would not write."""
    numbers = (folds.k, folds.repeats, folds.seed)
    require(all(type(n) is int for n in numbers), "k, repeats or seed that is no whole number")
    require(isinstance(folds.train, str), "no name of a training set")
    require(isinstance(folds.corpus, dict), "no digests of its corpus")
    for of in folds.words.values():
        require(are_lines(of.lines), "lines that do not ascend, or none")
        require(of.component.dtype.kind == "i", "near-duplicates that are not numbered")
        if of.held is not None:
            known = (of.held >= 0) & (of.held < folds.k)
            shape = (folds.repeats, len(of.lines))
            require(of.held.shape == shape and known.all(), "a fold that there is not")
