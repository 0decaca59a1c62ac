"""Read and write the five nearest neighbours of every instance: one file per layer choice.

The columns are word, split, index, and two lists of five: the neighbours' rows in the word's table
and their similarities. The metadata has a score per word, which tells how well the neighbours alone
predict the senses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.instances import read_instances, write_instances
from wsd.metrics.nearest import K

COLUMNS = ("rows", "similarity")


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest neighbours of one word's instances.

    Attributes
    ----------
    rows : int32 array of shape (n, 5)
        Rows in the word's table, the most similar first; -1 if there are fewer than five.
    similarity : float32 array of shape (n, 5)
        Cosines; NaN if there are fewer than five.
    score : float
        Macro-F1 on the test split of :func:`wsd.metrics.nearest.vote`; NaN if the word has no
        test instance.
    """

    rows: np.ndarray
    similarity: np.ndarray
    score: float


def write_neighbours(
    path: Path, corpora: Corpora, words: Mapping[str, Neighbours], provenance: Mapping[str, Any]
) -> None:
    """Write the neighbours of all words, atomically."""
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word], name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    columns = {name: fives(name) for name in COLUMNS}
    write_instances(path, corpora, columns, words, provenance)


def read_neighbours(path: Path) -> tuple[dict[str, Neighbours], dict[str, Any]]:
    """Read the neighbours that :func:`write_neighbours` wrote, by word, and the provenance."""
    table, places, scores, provenance = read_instances(path, *COLUMNS)
    rows, similarity = (
        table[name].combine_chunks().flatten().to_numpy().reshape(-1, K) for name in COLUMNS
    )
    words = {w: Neighbours(rows[places[w]], similarity[places[w]], scores[w]) for w in scores}
    return words, provenance
