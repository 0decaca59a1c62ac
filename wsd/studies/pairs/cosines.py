"""The table of cosines, with a row per pair and a column per transformation and layer choice.

The columns of a pair come first: its word, split, line, label or rating, and the extra columns of
the imported file. The scores are next to it in ``pairs.csv``: a row per transformation, layer
choice and split.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wsd.errors import wrong_file
from wsd.storage.parquet import read_table, write_table
from wsd.storage.result_files import parsing
from wsd.studies.pairs.pair_table import Pairs

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


def metrics_of(*, is_graded: bool) -> tuple[str, ...]:
    """Return the metrics of pairs with ratings, or of pairs with labels."""
    return RATING_METRICS if is_graded else LABEL_METRICS


def columns_of(*, is_graded: bool) -> list[str]:
    """Return the columns of ``pairs.csv``."""
    return [
        *(*NAMES, "chosen", "n", "words", *(() if is_graded else ("threshold", "called_same"))),
        *(f"{name}{bound}" for name in metrics_of(is_graded=is_graded) for bound in BOUNDS),
        *("difference", *TESTS, "p_largest_advantage", "in_confidence_set"),
    ]


def write_cosines(path: Path, pairs: Pairs, cosines: Cosines, provenance: dict[str, Any]) -> None:
    """Write the cosines and the columns of each pair."""
    import pyarrow as pa

    gold = "rating" if pairs.is_graded else "same"
    columns: dict[str, Any] = {
        "word": pairs.word.tolist(),
        "split": pairs.split.tolist(),
        "line": pairs.line,
        gold: pairs.gold,
    }
    choices = ["/".join(name) for name in cosines]
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
        cosines = {}
        for name in provenance["choices"]:
            transform, layers = name.split("/")
            cosines[transform, layers] = table[name].to_numpy()
        known = provenance["sentences"], len(table)
    if known != (pairs.sentences.digest, len(pairs)):
        raise wrong_file("the cosines belong to other pairs", path)
    return cosines, provenance
