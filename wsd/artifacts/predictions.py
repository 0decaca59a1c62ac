"""The predictions of all words by one classifier: one file.

It has word, split, index (line of the test file), gold, predicted, and a map from every sense of
the word to its score. A sense without training instances scores NaN and is never predicted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.storage.expecting import expecting
from wsd.storage.parquet import read_table, rows_by, write_table

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
    """Read what :func:`write` wrote: the predictions of each word and split, and their provenance.

    All words of the test split come first.
    """
    table, provenance = read_table(path)
    with expecting(path):
        words = []
        for split, rows in rows_by(table["split"]).items():
            of_split = table.take(rows)
            of_words = rows_by(of_split["word"])
            words += [
                _of_word(word, split, described, of_split.take(of_words[word]))
                for word, described in provenance["words"].items()
                if word in of_words
            ]
        if sum(len(word.index) for word in words) != len(table):
            raise ValueError("rows of a word that the provenance does not name")
    return words, provenance


def _of_word(
    word: str, split: str, described: Mapping[str, Any], rows: "pa.Table"
) -> WordPredictions:
    import pyarrow as pa
    import pyarrow.compute as pc

    senses, n_train = tuple(described["senses"]), described["n_train"]
    if type(n_train) is not int or n_train < 0:
        raise ValueError(f"no number of training instances of {word!r}")

    def codes(names: "pa.Array | pa.ChunkedArray") -> np.ndarray:
        found = pc.index_in(names, value_set=pa.array(senses, pa.string()))
        if found.null_count:
            raise ValueError(f"a sense that {word!r} does not have")
        return found.to_numpy().astype(np.int32)

    index = rows["index"].to_numpy()
    if index.dtype.kind != "i" or not ((index >= 0) & (index <= _LAST_LINE)).all():
        raise ValueError(f"an index of {word!r} that is no line")
    # Every row's map has all senses, in their order.
    maps = rows["scores"].combine_chunks()
    expected = np.tile(np.arange(len(senses)), len(rows))
    if len(set(senses)) != len(senses) or not np.array_equal(codes(maps.keys), expected):
        raise ValueError(f"scores of other senses than those of {word!r}")
    # A copy: what Arrow lends is read-only.
    scores = np.array(maps.items.to_numpy(zero_copy_only=False)).reshape(-1, len(senses))
    if scores.dtype.kind != "f" or np.isinf(scores).any():
        raise ValueError(f"a score of {word!r} that is no number")
    return WordPredictions(
        word=word,
        split=split,
        senses=senses,
        n_train=n_train,
        index=index.astype(np.int32),
        gold=codes(rows["gold"]),
        predicted=codes(rows["predicted"]),
        scores=scores,
    )
