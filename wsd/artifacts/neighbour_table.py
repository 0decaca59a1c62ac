"""The five instances of a word that lie nearest to each of its instances: one file per layer
choice.

It has word, split, index, and two lists of five, the neighbours' row numbers in the word's corpus
and their similarities. Its metadata has, per word, how well the neighbours alone tell the senses
apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.instances import read_instances, write_instances
from wsd.metrics.nearest import K
from wsd.storage.result_files import parsing, require


@dataclass(frozen=True, eq=False)
class Neighbours:
    """One word's instances and those most similar to each.

    Attributes
    ----------
    rows : int32 array of shape (n, 5)
        Row numbers in the corpus, the most similar first; -1 where there are fewer than five.
    similarity : float32 array of shape (n, 5)
        Cosines; NaN where there are fewer than five.
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
    """Write the neighbours of all words, whole or not at all."""
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word], name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    columns = {name: fives(name) for name in ("rows", "similarity")}
    write_instances(path, corpora, columns, words, provenance)


def read_neighbours(path: Path) -> tuple[dict[str, Neighbours], dict[str, Any]]:
    """Read what :func:`write_neighbours` wrote, by word, and its provenance."""
    table, places, scores, provenance = read_instances(path)
    with parsing(path):
        rows, similarity = (
            table[name].combine_chunks().flatten().to_numpy().reshape(-1, K)
            for name in ("rows", "similarity")
        )
        words = {w: Neighbours(rows[places[w]], similarity[places[w]], scores[w]) for w in scores}
        numbered = rows.dtype.kind == "i"
        for of in words.values():
            inside = numbered and ((of.rows >= -1) & (of.rows < len(of.rows))).all()
            require(inside, "a neighbour that is no row of the word")
        # A similarity may round to a little above 1; it is missing where a neighbour is.
        cosines = similarity.dtype.kind == "f" and not (np.abs(similarity) > 1.001).any()
        require(cosines, "a similarity that is no cosine")
    return words, provenance
