"""The tables of a corpus of pairs: two sentences with a word, and a label or a rating.

``sentences.parquet`` is a table of :mod:`wsd.artifacts.corpus_table`. It has each sentence of a
split once, without senses, so that ``wsd embed`` reads it like a word. ``pairs.parquet`` has a row
per pair: the word, the split, the line, the rows of its two sentences, the label ``same`` or the
``rating``, and the extra columns of the imported file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ABOUT, OF_PAIRS
from wsd.errors import wrong_file
from wsd.storage.parquet import read_table, write_table
from wsd.storage.result_files import parsing, require

TEST = "test"
# The split of a corpus without splits, which is cross-validated.
ALL = "all"
SPLITS = ("train", "dev", TEST, ALL)
SENTENCES_FILE, PAIRS_FILE = OF_PAIRS
# In the column ``same``.
UNKNOWN = -1
# The names of the extra columns in the file.
EXTRA = "extra:"


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
        Among ``SPLITS``.
    line : int array of shape (n,)
        The number of the pair in its split, from 1.
    rows : int array of shape (n, 2)
        The rows of the two sentences.
    gold : float array of shape (n,)
        1 if the word has the same sense in both sentences, 0 if not; or a rating. NaN if it is
        unknown.
    is_graded : bool
        Whether the pairs have ratings.
    extra : mapping of str to tuple of n str
        The columns of the imported file that are not used.
    """

    about: Mapping[str, str]
    sentences: Corpus
    word: np.ndarray
    split: np.ndarray
    line: np.ndarray
    rows: np.ndarray
    gold: np.ndarray
    is_graded: bool = False
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.word)

    def labelled(self, split: str) -> np.ndarray:
        """Return the row numbers of a split's pairs that have a label or a rating."""
        return np.flatnonzero((self.split == split) & ~np.isnan(self.gold))

    @property
    def fitted_on(self) -> str:
        """Return the split that thresholds and transforms are fitted on: the first that exists."""
        return next(split for split in ("train", ALL, "dev", TEST) if split in self.split)


def write_pairs(folder: Path, pairs: Pairs) -> None:
    """Write both tables."""
    import pyarrow as pa

    corpus_table.write(folder / SENTENCES_FILE, pairs.sentences)
    columns = {
        "word": pairs.word.tolist(),
        "split": pairs.split.tolist(),
        "line": pairs.line,
        "first": pairs.rows[:, 0],
        "second": pairs.rows[:, 1],
    }
    if pairs.is_graded:
        columns["rating"] = pairs.gold
    else:
        columns["same"] = np.nan_to_num(pairs.gold, nan=UNKNOWN).astype(np.int8)
    columns |= {f"{EXTRA}{name}": values for name, values in pairs.extra.items()}
    table = pa.table(columns)
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
        label = "rating" if "rating" in table.column_names else "same"
        column = {name: table[name].to_numpy() for name in ("line", "first", "second", label)}
        rows = np.stack([column["first"], column["second"]], axis=1)
        gold = column[label].astype(np.float64)
        if label == "same":
            require(np.isin(gold, (1, 0, UNKNOWN)).all(), "an unknown label")
            gold[gold == UNKNOWN] = np.nan
        pairs = Pairs(
            about={key: str(provenance["about"][key]) for key in ("name", *ABOUT)},
            sentences=sentences,
            word=np.array(table["word"].to_pylist()),
            split=np.array(table["split"].to_pylist()),
            line=column["line"],
            rows=rows,
            gold=gold,
            is_graded=label == "rating",
            extra={
                name.removeprefix(EXTRA): tuple(table[name].to_pylist())
                for name in table.column_names
                if name.startswith(EXTRA)
            },
        )
        require(len(pairs) > 0, "no pairs")
        require(rows.min() >= 0 and rows.max() < len(sentences), "a row without a sentence")
        require(np.isin(pairs.split, SPLITS).all(), "an unknown split")
        known = provenance["sentences"]
    if known != sentences.digest:
        raise wrong_file("the pairs belong to another table of sentences", path)
    return pairs
