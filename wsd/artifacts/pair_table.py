"""A corpus of pairs: two sentences with one word, of one sense in both or of two.

A folder with two tables. ``sentences.parquet`` is a table of :mod:`wsd.artifacts.corpus_table`,
each sentence of a split once and none with a sense, so that ``wsd embed`` reads it as it reads a
word. ``pairs.parquet`` has a row per pair: the word, the split, the line, the rows of its two
sentences and what is said of them.
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

SPLITS = ("train", "dev", "test")
SENTENCES_FILE, PAIRS_FILE = OF_PAIRS
# Of a run: the page, beside the tables.
PAGE = "pairs.html"
SAME, DIFFERENT, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sentences.

    Attributes
    ----------
    about : mapping of str to str
        ``name``, and title, source, licence, licence_url and citation.
    sentences : Corpus
        Its gold says nothing.
    word, split : arrays of shape (n,)
        ``carry.v``; ``"train"``, ``"dev"`` or ``"test"``.
    line : int array of shape (n,)
        In the split's file, from 1.
    rows : int array of shape (n, 2)
        Of the sentences.
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
        """The pairs of a split of which something is said, by number."""
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
    """Read what :func:`write_pairs` wrote.

    Raises
    ------
    ResultError
        If a table is missing, damaged, or belongs to another.
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
        require(rows.min() >= 0 and rows.max() < len(sentences), "a row of no sentence")
        require(np.isin(pairs.split, SPLITS).all(), "a split that is none")
        require(np.isin(pairs.same, (SAME, DIFFERENT, UNKNOWN)).all(), "a label that is none")
        known = provenance["sentences"]
    if known != sentences.digest:
        raise wrong_file("the pairs belong to another table of sentences", path)
    return pairs
