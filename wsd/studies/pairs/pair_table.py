"""The tables of a corpus of pairs: a word has the same sense in two sentences, or not.

``sentences.parquet`` is a table of :mod:`wsd.artifacts.corpus_table`. It has each sentence of a
split once, without senses, so that ``wsd embed`` reads it like a word. ``pairs.parquet`` has a row
per pair: the word, the split, the line, the rows of its two sentences, and the label.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ABOUT, OF_PAIRS
from wsd.errors import wrong_file
from wsd.storage.parquet import read_table, write_table
from wsd.storage.result_files import parsing, require

TEST = "test"
SPLITS = ("train", "dev", TEST)
SENTENCES_FILE, PAIRS_FILE = OF_PAIRS
SAME, DIFFERENT, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sentences.

    Attributes
    ----------
    about : mapping of str to str
        ``name``, and title, source, licence, licence_url and citation.
    sentences : Corpus
        Its gold senses are meaningless.
    word : array of shape (n,)
        Such as ``carry.v``.
    split : array of shape (n,)
        ``"train"``, ``"dev"`` or ``"test"``.
    line : int array of shape (n,)
        The line in the split's file, from 1.
    rows : int array of shape (n, 2)
        The rows of the two sentences.
    same : int array of shape (n,)
        ``SAME``, ``DIFFERENT`` or ``UNKNOWN``.
    """

    about: Mapping[str, str]
    sentences: Corpus
    word: np.ndarray
    split: np.ndarray
    line: np.ndarray
    rows: np.ndarray
    same: np.ndarray

    def __len__(self) -> int:
        return len(self.word)

    def labelled(self, split: str) -> np.ndarray:
        """Return the row numbers of a split's pairs that have a label."""
        return np.flatnonzero((self.split == split) & (self.same != UNKNOWN))


def write_pairs(folder: Path, pairs: Pairs) -> None:
    """Write both tables."""
    import pyarrow as pa

    corpus_table.write(folder / SENTENCES_FILE, pairs.sentences)
    table = pa.table(
        {
            "word": pairs.word.tolist(),
            "split": pairs.split.tolist(),
            "line": pairs.line,
            "first": pairs.rows[:, 0],
            "second": pairs.rows[:, 1],
            "same": pairs.same,
        }
    )
    provenance = {"about": dict(pairs.about), "sentences": pairs.sentences.digest}
    write_table(folder / PAIRS_FILE, table, provenance)


def read_pairs(folder: Path) -> Pairs:
    """Read the tables of :func:`write_pairs`.

    Raises
    ------
    ResultError
        If a table is missing or damaged, or the two tables do not belong together.
    """
    path = folder / PAIRS_FILE
    table, provenance = read_table(path)
    sentences = corpus_table.read(folder / SENTENCES_FILE)
    with parsing(path):
        column = {name: table[name].to_numpy() for name in ("line", "first", "second", "same")}
        rows = np.stack([column["first"], column["second"]], axis=1)
        pairs = Pairs(
            about={key: str(provenance["about"][key]) for key in ("name", *ABOUT)},
            sentences=sentences,
            word=np.array(table["word"].to_pylist()),
            split=np.array(table["split"].to_pylist()),
            line=column["line"],
            rows=rows,
            same=column["same"],
        )
        require(len(pairs) > 0, "no pairs")
        require(rows.min() >= 0 and rows.max() < len(sentences), "a row without a sentence")
        require(np.isin(pairs.split, SPLITS).all(), "an unknown split")
        require(np.isin(pairs.same, (SAME, DIFFERENT, UNKNOWN)).all(), "an unknown label")
        known = provenance["sentences"]
    if known != sentences.digest:
        raise wrong_file("the pairs belong to another table of sentences", path)
    return pairs
