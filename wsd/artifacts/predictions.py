"""The predictions of all words by one classifier: one file.

It has word, split, index (line of the test file), gold, predicted, and a map from every sense of
the word to its score. A sense without training instances scores NaN and is never predicted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.errors import ResultError, wrong_file
from wsd.storage.parquet import read_table, rows_by, write_table
from wsd.storage.result_files import parsing, require

if TYPE_CHECKING:
    import pyarrow as pa


PACKAGES = ("numpy", "scikit-learn", "scipy", "wsd")
TEST = "test"
_LAST_LINE = np.iinfo(np.int32).max
PER_WORD = "per-word"  # the name of what differs from word to word


@dataclass(frozen=True, eq=False)
class WordPredictions:
    """The test instances of one word.

    Attributes
    ----------
    word : str
    senses : tuple of str
        The word's inventory.
    n_train : int
        Training instances that the classifier saw.
    index : int array of shape (n,)
        0-based line in the split's file.
    gold, predicted : int arrays of shape (n,)
        0-based index into ``senses``.
    scores : float array of shape (n, len(senses))
        NaN for a sense without training instances.
    split : str
        ``"test"``, or another split that is tested on.
    """

    word: str
    senses: tuple[str, ...]
    n_train: int
    index: np.ndarray
    gold: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    split: str = TEST


# The predictions of a file, word by word, and their provenance.
PredictionFile = tuple[Sequence[WordPredictions], Mapping[str, Any]]


def versions() -> dict[str, str]:
    """The versions of what predictions depend on."""
    return {package: version(package) for package in PACKAGES}


def write_predictions(
    path: Path, words: Sequence[WordPredictions], provenance: Mapping[str, Any]
) -> None:
    """Write the predictions of all words, whole or not at all."""
    import pyarrow as pa

    def table(of: WordPredictions) -> pa.Table:
        senses = pa.array(of.senses, pa.string())
        n, k = of.scores.shape
        # A map, so that a reader in any language sees which score is which sense's.
        every = senses.take(np.tile(np.arange(k), n))
        starts = np.arange(0, n * k + 1, k, dtype=np.int32)
        return pa.table(
            {
                "word": np.repeat(of.word, n),
                "split": np.repeat(of.split, n),
                "index": of.index,
                "gold": senses.take(of.gold),
                "predicted": senses.take(of.predicted),
                "scores": pa.MapArray.from_arrays(starts, every, of.scores.astype(float).ravel()),
            }
        )

    per_word = {of.word: {"senses": list(of.senses), "n_train": of.n_train} for of in words}
    whole = pa.concat_tables(map(table, words)).combine_chunks()
    write_table(path, whole, {**provenance, "words": per_word})


def read_predictions(path: Path) -> tuple[list[WordPredictions], dict[str, Any]]:
    """Read what :func:`write_predictions` wrote, by word and split, and its provenance.

    All words of the test split come first.
    """
    table, provenance = read_table(path)
    with parsing(path):
        words = []
        for split, rows in rows_by(table["split"]).items():
            of_split = table.take(rows)
            of_words = rows_by(of_split["word"], provenance["words"])
            words += [
                _of_word(word, split, described, of_split.take(of_words[word]))
                for word, described in provenance["words"].items()
                if word in of_words
            ]
    return words, provenance


def read_test_split(
    path: Path, corpora: Mapping[str, Corpus], *, relabelled: bool = False
) -> PredictionFile:
    """Read the predictions of the test split of every word, checked against the corpora.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
    relabelled : bool
        Gold may be other than the corpora's, as that of a control task is.

    Returns
    -------
    list of WordPredictions
        In the order of ``corpora``.
    dict
        Their provenance.

    Raises
    ------
    ResultError
        If the file lacks a word, or was made from other instances than the corpora have.
    """
    words, source = read_predictions(path)
    by_word = {one.word: one for one in words if one.split == TEST}
    for word, corpus in corpora.items():
        found, test = by_word.get(word), corpus.split == TEST
        if found is None:
            raise lacking(word, by_word, path)
        if (
            source["corpus"].get(word) != corpus.digest
            or found.senses != corpus.senses
            or not np.array_equal(found.index, corpus.index[test])
            or not (relabelled or np.array_equal(found.gold, corpus.gold[test]))
        ):
            what = f"the table was made from other instances of {word!r} than the corpus has"
            raise wrong_file(what, path)
    return [by_word[word] for word in corpora], source


def lacking(word: str, there: Iterable[str], path: Path) -> ResultError:
    """A word that a table does not have."""
    fix = "leave the word out, or give a table that has it"
    what = f"the table has nothing of {word!r}, only of {', '.join(there) or 'no word'}"
    return ResultError(what, where=str(path), fix=fix)


def _of_word(
    word: str, split: str, described: Mapping[str, Any], rows: "pa.Table"
) -> WordPredictions:
    import pyarrow as pa
    import pyarrow.compute as pc

    senses, n_train = tuple(described["senses"]), described["n_train"]
    counted = type(n_train) is int and n_train >= 0
    require(counted, f"no number of training instances of {word!r}")

    def codes(names: "pa.Array | pa.ChunkedArray") -> np.ndarray:
        found = pc.index_in(names, value_set=pa.array(senses, pa.string()))
        require(not found.null_count, f"a sense that {word!r} does not have")
        return found.to_numpy().astype(np.int32)

    index = rows["index"].to_numpy()
    lines = index.dtype.kind == "i" and ((index >= 0) & (index <= _LAST_LINE)).all()
    require(lines, f"an index of {word!r} that is no line")
    # Every row's map has all senses, in their order.
    maps = rows["scores"].combine_chunks()
    expected = np.tile(np.arange(len(senses)), len(rows))
    own = len(set(senses)) == len(senses) and np.array_equal(codes(maps.keys), expected)
    require(own, f"scores of other senses than those of {word!r}")
    # A copy: what Arrow lends is read-only.
    scores = np.array(maps.items.to_numpy(zero_copy_only=False)).reshape(-1, len(senses))
    numbers = scores.dtype.kind == "f" and not np.isinf(scores).any()
    require(numbers, f"a score of {word!r} that is no number")
    gold, predicted = codes(rows["gold"]), codes(rows["predicted"])
    index = index.astype(np.int32)
    return WordPredictions(word, senses, n_train, index, gold, predicted, scores, split)
