"""The table of cosines, with a row per pair and a column per transformation and layer choice.

The scores are next to it in ``pairs.csv``: a row per transformation, layer choice and split.
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
METRICS = ("accuracy", "auc")
# A metric, its interval by pairs and its interval by words.
BOUNDS = ("", "_low", "_high", "_low_by_word", "_high_by_word")
# Against the selected row; only the test split has them.
TESTS = ["difference_low", "difference_high", "p", "detectable", "detectable_in_family", "p_holm"]
NUMBERS = (
    *("n", "words", "threshold", "called_same"),
    *(f"{metric}{bound}" for metric in METRICS for bound in BOUNDS),
    *("difference", *TESTS),
)
# By transformation and layer choice: an array of shape (pairs,).
Cosines = Mapping[tuple[str, str], np.ndarray]


def write_cosines(path: Path, pairs: Pairs, cosines: Cosines, provenance: dict[str, Any]) -> None:
    """Write the cosines with the split and line of each pair."""
    import pyarrow as pa

    # Only the names of these columns have a slash.
    columns = {"/".join(name): values for name, values in cosines.items()}
    table = pa.table({"split": pairs.split.tolist(), "line": pairs.line, **columns})
    write_table(path, table, {**provenance, "sentences": pairs.sentences.digest})


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
        for name in table.column_names:
            if "/" in name:
                transform, layers = name.split("/")
                cosines[transform, layers] = table[name].to_numpy()
        known = provenance["sentences"], len(table)
    if known != (pairs.sentences.digest, len(pairs)):
        raise wrong_file("the cosines belong to other pairs", path)
    return cosines, provenance
