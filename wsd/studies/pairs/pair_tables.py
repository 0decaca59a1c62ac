"""The tables of a corpus of pairs, and of their cosines.

In the folder of the corpus, ``sentences.parquet`` is a table of :mod:`wsd.artifacts.corpus_table`.
It has each sentence of a split once, without senses, so that ``wsd embed`` reads it like a word.
``pairs.parquet`` has a row per pair: the word, the split, the line, the rows of its two sentences,
the label ``same`` or the ``rating``, and the extra columns of the imported file.

``cosines.parquet`` has a row per pair too. The columns of the pair come first, then a column per
transformation and layer choice. The scores are next to it in ``pairs.csv``: a row per
transformation, layer choice and split.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts import corpus_table
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ABOUT, MANIFEST, OF_PAIRS, read_manifest
from wsd.errors import wrong_file
from wsd.storage.parquet import read_table, write_table
from wsd.storage.result_files import parsing

TEST = "test"
# The split of a corpus without splits, which is cross-validated.
ALL = "all"
SPLITS = ("train", "dev", TEST, ALL)
# In the column of splits of ``pairs.csv``.
OUT_OF_FOLD = "out-of-fold"
SENTENCES_FILE, PAIRS_FILE = OF_PAIRS
# In the column ``same``.
UNKNOWN = -1
# The names of the extra columns in the file.
EXTRA = "extra:"
COSINES, TABLE = "cosines.parquet", "pairs.csv"
NAMES = ("model", "view", "transform", "layers", "split")
# Of pairs with labels, and of pairs with ratings. The first one selects.
LABEL_METRICS, RATING_METRICS = ("accuracy", "auc"), ("spearman", "pearson")
# A metric, its interval by pairs and its interval by words.
BOUNDS = ("", "_low", "_high", "_low_by_word", "_high_by_word")
# Against the selected row; only the test split and the split of all pairs have them.
TESTS = ["difference_low", "difference_high", "p", "p_holm"]
# By transformation and layer choice: an array of shape (pairs,).
Cosines = Mapping[tuple[str, str], np.ndarray]


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

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics of these pairs; the first one selects."""
        return RATING_METRICS if self.is_graded else LABEL_METRICS

    def columns(self) -> dict[str, Any]:
        """Return the columns with which both tables begin."""
        columns = {"word": self.word.tolist(), "split": self.split.tolist(), "line": self.line}
        return columns | {"rating" if self.is_graded else "same": self.gold}


def columns_of(*, is_graded: bool) -> list[str]:
    """Return the columns of ``pairs.csv``."""
    metrics = RATING_METRICS if is_graded else LABEL_METRICS
    return [
        *(*NAMES, "chosen", "n", "words", *(() if is_graded else ("threshold", "called_same"))),
        *(f"{name}{bound}" for name in metrics for bound in BOUNDS),
        *("difference", *TESTS, "p_largest_advantage", "in_confidence_set"),
    ]


def write_pairs(folder: Path, pairs: Pairs) -> None:
    """Write the tables of a corpus of pairs."""
    import pyarrow as pa

    corpus_table.write(folder / SENTENCES_FILE, pairs.sentences)
    columns = {**pairs.columns(), "first": pairs.rows[:, 0], "second": pairs.rows[:, 1]}
    if not pairs.is_graded:
        columns["same"] = np.nan_to_num(pairs.gold, nan=UNKNOWN).astype(np.int8)
    columns |= {f"{EXTRA}{name}": values for name, values in pairs.extra.items()}
    write_table(folder / PAIRS_FILE, pa.table(columns), {"about": dict(pairs.about)})


def read_pairs(folder: Path) -> Pairs:
    """Read the tables of :func:`write_pairs`.

    Raises
    ------
    ResultError
        If a table is missing or damaged.
    """
    path = folder / PAIRS_FILE
    table, provenance = read_table(path)
    with parsing(path):
        is_graded = "rating" in table.column_names
        gold = table["rating" if is_graded else "same"].to_numpy().astype(np.float64)
        extra = [name for name in table.column_names if name.startswith(EXTRA)]
        return Pairs(
            about=provenance["about"],
            sentences=corpus_table.read(folder / SENTENCES_FILE),
            word=np.array(table["word"].to_pylist()),
            split=np.array(table["split"].to_pylist()),
            line=table["line"].to_numpy(),
            rows=np.stack([table[name].to_numpy() for name in ("first", "second")], axis=1),
            gold=gold if is_graded else np.where(gold == UNKNOWN, np.nan, gold),
            is_graded=is_graded,
            extra={name.removeprefix(EXTRA): tuple(table[name].to_pylist()) for name in extra},
        )


def write_cosines(path: Path, pairs: Pairs, cosines: Cosines, provenance: dict[str, Any]) -> None:
    """Write the cosines and the columns of each pair."""
    import pyarrow as pa

    columns, choices = pairs.columns(), ["/".join(name) for name in cosines]
    for name, values in pairs.extra.items():
        is_taken = name in columns or name in choices
        columns[f"{name} (extra)" if is_taken else name] = values
    columns |= dict(zip(choices, cosines.values(), strict=True))
    facts = {**provenance, "choices": choices, "sentences": pairs.sentences.digest}
    write_table(path, pa.table(columns), facts)


def read_cosines(path: Path, pairs: Pairs) -> tuple[Cosines, dict[str, Any]]:
    """Return the cosines of these pairs in a file of :func:`write_cosines`, and its provenance.

    Raises
    ------
    ResultError
        If the file is missing or damaged, or has the cosines of other pairs.
    """
    table, provenance = read_table(path)
    with parsing(path):
        choices = [name.partition("/")[::2] for name in provenance["choices"]]
        cosines = {(t, layers): table[f"{t}/{layers}"].to_numpy() for t, layers in choices}
        known = provenance["sentences"], len(table)
    if known != (pairs.sentences.digest, len(pairs)):
        raise wrong_file("the cosines belong to other pairs", path)
    return cosines, provenance


def write_tables(source: Path, out: Path) -> list[Path] | None:
    """Write the tables of a corpus of pairs for ``wsd corpus``, and return their paths.

    Parameters
    ----------
    source, out : Path
        The folder of the corpus, and the folder of its tables.

    Returns
    -------
    list of Path or None
        None for another corpus.
    """
    if not (source / PAIRS_FILE).exists():
        return None
    dataset = read_manifest(source / MANIFEST)
    about = {key: getattr(dataset, key) for key in ("name", *ABOUT)}
    write_pairs(out, replace(read_pairs(source), about=about))
    return [out / file for file in OF_PAIRS]
