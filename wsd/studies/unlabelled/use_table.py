"""The table of uses: the clusters of each word's instances, one file per layer choice.

The columns are word, split, index, x and y, the five nearest instances, and the cluster in every
partition. For each word and partition, the metadata has the method, the number of clusters, the
mean silhouette, whether it is chosen by the silhouette, the typical instances of each cluster, the
information shared with the form of the focal word, and, if there are senses, the agreement with
them. Row numbers are those of the instances of :func:`shown`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.artifacts.instance_tables import Neighbours, read_instances, write_instances
from wsd.errors import wrong_file
from wsd.metrics.nearest import K
from wsd.storage.result_files import parsing

# If a word has more instances, a sample of this size is clustered. Every pair of its instances has
# a distance, and the word's page shows all of them.
MOST = 2000
TABLE = "uses.csv"
# The property that can be removed from the vectors before they are clustered.
FORM = "form"
# Pages warn from this normalised mutual information of clusters and forms. Two clusters of the same
# size, each with one of two forms in 82% of its sentences, have 0.32.
FORM_EXPLAINS = 0.3


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters of one word's instances.

    Attributes
    ----------
    method : str
    k : int
        The number of clusters.
    silhouette : float or None
        None for one cluster.
    chosen : bool
        Whether its silhouette is the highest for the method.
    typical : list of list of int
        For each cluster its rows, the nearest to its centre first.
    form_nmi : float or None
        Normalised mutual information of the clusters and the focal word's forms; None for one
        cluster or one form.
    agreement : dict of measure to float
        The agreement with the senses; empty if there are none.
    """

    method: str
    k: int
    silhouette: float | None
    chosen: bool
    typical: list[list[int]]
    form_nmi: float | None
    agreement: dict[str, float]


@dataclass(frozen=True, eq=False)
class WordUses:
    """The clusters of one word in one layer choice, and the positions of its instances.

    Attributes
    ----------
    points : float32 array of shape (n, 2)
        On the first two principal components.
    near : Neighbours
    partitions : list of Partition
    labels : int16 array of shape (n, partitions)
    """

    points: np.ndarray
    near: Neighbours
    partitions: list[Partition]
    labels: np.ndarray

    @property
    def score(self) -> float:
        """The highest silhouette; NaN if there is none."""
        scores = [p.silhouette for p in self.partitions if p.silhouette is not None]
        return max(scores, default=float("nan"))


def shown(corpus: Corpus, seed: int) -> np.ndarray:
    """Return which of a word's instances are clustered: all, or a sample of ``MOST``.

    Returns
    -------
    bool array of shape (len(corpus),)
    """
    taken = np.ones(len(corpus), dtype=bool)
    if len(corpus) > MOST:
        taken[np.random.default_rng(seed).permutation(len(corpus))[MOST:]] = False
    return taken


def write_uses(
    path: Path, corpora: Corpora, words: Mapping[str, WordUses], provenance: Mapping[str, Any]
) -> None:
    """Write the uses of all words.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
        With only the instances of :func:`shown`.
    words : mapping of word to WordUses
    provenance : mapping
        With the seed, and the property that was removed from the vectors (``centre``).
    """
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word].near, name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    points = np.concatenate([words[word].points for word in corpora])
    labels = [row for word in corpora for row in words[word].labels]
    columns = {
        **{"x": points[:, 0], "y": points[:, 1], "near": fives("rows")},
        **{"similarity": fives("similarity"), "labels": pa.array(labels, pa.list_(pa.int16()))},
    }
    partitions = {word: [asdict(p) for p in words[word].partitions] for word in corpora}
    digests = {word: corpus.digest for word, corpus in corpora.items()}
    write_instances(
        path, corpora, columns, words, {**provenance, "partitions": partitions, "shown": digests}
    )


def read_uses(path: Path, corpora: Corpora) -> tuple[dict[str, WordUses], dict[str, Any]]:
    """Return the uses of these words in a file of :func:`write_uses`, and its provenance.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
        With all instances.

    Raises
    ------
    ResultError
        If the file is missing or damaged, or is about other words or instances.
    """
    table, rows, _, provenance = read_instances(path)
    uses = {}
    with parsing(path):
        seed = int(provenance["seed"])
        known = provenance["shown"]
        points = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
        near, similarity = (
            table[name].combine_chunks().flatten().to_numpy().reshape(-1, K)
            for name in ("near", "similarity")
        )
        for word, of_word in rows.items():
            labels = np.array(table["labels"].take(of_word).to_pylist(), dtype=np.int16)
            partitions = [Partition(**facts) for facts in provenance["partitions"][word]]
            nearest = Neighbours(near[of_word], similarity[of_word], float("nan"))
            uses[word] = WordUses(points[of_word], nearest, partitions, labels)
    now = {word: corpus.take(shown(corpus, seed)).digest for word, corpus in corpora.items()}
    if now != known:
        raise wrong_file("the uses belong to other words or sentences", path)
    return uses, provenance
