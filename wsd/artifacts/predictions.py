"""Read and write the predictions of all words by one classifier.

The columns are word, split, index (the line in the split's file), gold, predicted, a map from every
sense of the word to its score, and the extra columns of the corpus. A sense without training
instances has the score NaN and is never predicted.

Rows of the split ``cv`` are out-of-fold predictions: those of the training instances in the first
repeat of the folds, by classifiers with the tuned parameters that did not see the instance. They
calibrate the probabilities (:func:`wsd.metrics.reliability.fit_temperatures`), and nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus, extra_columns, with_extra
from wsd.errors import ResultError, wrong_file
from wsd.storage.parquet import read_table, rows_by, write_table

if TYPE_CHECKING:
    import pyarrow as pa


PACKAGES = ("numpy", "scikit-learn", "scipy", "wsd")
TEST = "test"
CV = "cv"
PER_WORD = "per-word"  # instead of a name that varies by word


@dataclass(frozen=True, eq=False)
class WordPredictions:
    """The predictions for the instances of one word in one split.

    Attributes
    ----------
    word : str
    senses : tuple of str
        The sense inventory of the word.
    n_train : int
        The number of training instances.
    index : int array of shape (n,)
        0-based line in the split's file.
    gold, predicted : int arrays of shape (n,)
        0-based index into ``senses``.
    scores : float array of shape (n, len(senses))
        NaN for a sense without training instances.
    split : str
        ``"test"``, another split with test instances, or ``"cv"``.
    extra : mapping of str to tuple of n str
        The extra columns of the instances, as in the corpus.
    """

    word: str
    senses: tuple[str, ...]
    n_train: int
    index: np.ndarray
    gold: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    split: str = TEST
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def versions() -> dict[str, str]:
    """Return the versions of the packages that predictions depend on."""
    return {package: version(package) for package in PACKAGES}


def write_predictions(
    path: Path, words: Sequence[WordPredictions], provenance: Mapping[str, Any]
) -> None:
    """Write the predictions of all words, atomically."""
    import pyarrow as pa

    def table(word: WordPredictions) -> pa.Table:
        senses = pa.array(word.senses, pa.string())
        n, k = word.scores.shape
        # A map shows the sense of each score to readers in any language.
        keys = senses.take(np.tile(np.arange(k), n))
        starts = np.arange(0, n * k + 1, k, dtype=np.int32)
        columns = pa.table(
            {
                "word": np.repeat(word.word, n),
                "split": np.repeat(word.split, n),
                "index": word.index,
                "gold": senses.take(word.gold),
                "predicted": senses.take(word.predicted),
                "scores": pa.MapArray.from_arrays(starts, keys, word.scores.astype(float).ravel()),
            }
        )
        empty = ("",) * n
        return with_extra(columns, {name: word.extra.get(name, empty) for name in names})

    names = dict.fromkeys(name for word in words for name in word.extra)
    about = {word.word: {"senses": list(word.senses), "n_train": word.n_train} for word in words}
    whole = pa.concat_tables(map(table, words)).combine_chunks()
    write_table(path, whole, {**provenance, "words": about})


def read_predictions(
    path: Path, split: str | None = None
) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read the predictions of test instances, or of one split, and the file's provenance.

    Parameters
    ----------
    path : Path
        A file that :func:`write_predictions` wrote.
    split : str, optional
        By default every split with test instances: all but ``cv``.

    Returns
    -------
    list of WordPredictions
        Sorted by split and word. The test split comes first.
    dict
        The provenance.
    """
    table, provenance = read_table(path, "gold", "predicted", "scores")
    words = []
    for name, split_rows in rows_by(table["split"]).items():
        if name != split if split else name == CV:
            continue
        part = table.take(split_rows)
        rows = rows_by(part["word"])
        words += [
            _parse(word, name, about, part.take(rows[word]))
            for word, about in provenance["words"].items()
            if word in rows
        ]
    return words, provenance


def read_test_split(
    path: Path, corpora: Mapping[str, Corpus]
) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read the predictions of the test split of every word, and check them against the corpora.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus

    Returns
    -------
    list of WordPredictions
        In the order of ``corpora``.
    dict
        The provenance.

    Raises
    ------
    ResultError
        If the file lacks a word, or has other instances than the corpora.
    """
    words, source = read_predictions(path, TEST)
    tested = {word.word: word for word in words}
    for word, corpus in corpora.items():
        if word not in tested:
            raise lacking(word, tested, path)
        if source["corpus"].get(word) != corpus.digest:
            problem = f"the table has other instances of {word!r} than the corpus"
            raise wrong_file(problem, path)
    return [tested[word] for word in corpora], source


def lacking(word: str, words: Iterable[str], path: Path) -> ResultError:
    """Return the error for a word that a table lacks, given the table's words."""
    fix = "leave the word out, or give a table that has it"
    problem = f"the table lacks the word {word!r}; it has {', '.join(words) or 'no word'}"
    return ResultError(problem, where=str(path), fix=fix)


def _parse(word: str, split: str, about: Mapping[str, Any], rows: "pa.Table") -> WordPredictions:
    import pyarrow as pa
    import pyarrow.compute as pc

    senses = tuple(about["senses"])
    values = pa.array(senses, pa.string())

    def codes(name: str) -> np.ndarray:
        return pc.index_in(rows[name], value_set=values).to_numpy().astype(np.int32)

    # The map of every row has all senses in the same order. Arrow's array is read-only.
    items = rows["scores"].combine_chunks().items
    return WordPredictions(
        word=word,
        senses=senses,
        n_train=about["n_train"],
        index=rows["index"].to_numpy().astype(np.int32),
        gold=codes("gold"),
        predicted=codes("predicted"),
        scores=np.array(items.to_numpy(zero_copy_only=False)).reshape(-1, len(senses)),
        split=split,
        extra=extra_columns(rows),
    )
