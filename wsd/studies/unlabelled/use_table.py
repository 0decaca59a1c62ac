"""The uses of each word: its instances put into clusters, one file per layer choice.

It has word, split, index, x and y, the five nearest instances, and the cluster of every partition.
Its metadata has, per word and partition, method, number of clusters, mean silhouette, whether that
chose it, the instances typical of each cluster, how much the form of the focal word says of the
clusters, and, where there are senses, how well it agrees with them. Row numbers are those of the
instances that :func:`shown` says.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora, Corpus
from wsd.artifacts.instances import read_instances, write_instances
from wsd.artifacts.neighbour_table import Neighbours
from wsd.errors import wrong_file
from wsd.metrics.nearest import K
from wsd.storage.result_files import parsing, require

# Instances of a word that are put into clusters: of more, so many that are drawn. Every pair of
# them has a distance, and a page holds them all.
MOST = 2000
TABLE = "uses.csv"
# What stands for a layer choice where the clusters are of what an encoder would say.
SUBSTITUTES = "substitutes"
# What can be taken out of the vectors before they are put into clusters.
FORM = "form"
# Of the normalised mutual information of clusters and forms: from here on pages warn. Two clusters
# of the same size, each with one of two forms in 82% of its sentences, have 0.32.
FORM_EXPLAINS = 0.3


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters of one word's instances.

    Attributes
    ----------
    method : str
    k : int
        How many.
    silhouette : float or None
        None for one cluster.
    chosen : bool
        Whether its silhouette is the highest of the method.
    typical : list of list of int
        Per cluster rows, the nearest to its centre first.
    form_nmi : float or None
        Normalised mutual information of the clusters and the focal word's forms; None for one
        cluster or one form.
    agreement : dict of measure to float
        With the senses; empty where there are none.
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
    """The clusters of one word in one layer choice, and where its instances lie.

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
        found = [of.silhouette for of in self.partitions if of.silhouette is not None]
        return max(found, default=float("nan"))


def shown(corpus: Corpus, seed: int) -> np.ndarray:
    """Which of a word's instances are put into clusters: all, or ``MOST`` that are drawn.

    Returns
    -------
    bool array of shape (len(corpus),)
    """
    taken = np.ones(len(corpus), dtype=bool)
    if len(corpus) > MOST:
        taken[np.random.default_rng(seed).permutation(len(corpus))[MOST:]] = False
    return taken


def forms(corpus: Corpus) -> list[str]:
    """Return the form of the focal word in every instance, in small letters."""
    places = zip(corpus.tokens, corpus.position.tolist(), strict=True)
    return [tokens[position].lower() for tokens, position in places]


def write_uses(
    path: Path, corpora: Corpora, words: Mapping[str, WordUses], provenance: Mapping[str, Any]
) -> None:
    """Write the uses of all words, whole or not at all.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
        Of the instances that :func:`shown` says.
    words : mapping of word to WordUses
    provenance : mapping
        With the seed, and with what was taken out of the vectors (``centre``).
    """
    import pyarrow as pa

    def fives(name: str) -> pa.Array:
        values = np.concatenate([getattr(words[word].near, name) for word in corpora])
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), K)

    points = np.concatenate([words[word].points for word in corpora])
    columns = {
        **{"x": points[:, 0], "y": points[:, 1], "near": fives("rows")},
        "similarity": fives("similarity"),
        "labels": pa.array(
            [of for word in corpora for of in words[word].labels], type=pa.list_(pa.int16())
        ),
    }
    said = {word: [asdict(of) for of in words[word].partitions] for word in corpora}
    digests = {word: corpus.digest for word, corpus in corpora.items()}
    write_instances(
        path, corpora, columns, words, {**provenance, "partitions": said, "shown": digests}
    )


def read_uses(path: Path, corpora: Corpora) -> tuple[dict[str, WordUses], dict[str, Any]]:
    """Read what :func:`write_uses` wrote of these words, and its provenance.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
        Whole.

    Raises
    ------
    ResultError
        If it is missing, damaged, or of other words or instances.
    """
    table, rows, _, provenance = read_instances(path)
    found = {}
    with parsing(path):
        seed = int(provenance["seed"])
        now = {word: of.take(shown(of, seed)).digest for word, of in corpora.items()}
        known = provenance["shown"]
        require(provenance["centre"] in (None, FORM), "a centring that there is not")
        points = np.column_stack([table["x"].to_numpy(), table["y"].to_numpy()])
        require(np.isfinite(points).all(), "a point that is no number")
        near, similarity = (
            table[name].combine_chunks().flatten().to_numpy().reshape(-1, K)
            for name in ("near", "similarity")
        )
        for word, own in rows.items():
            labels = np.array(table["labels"].take(own).to_pylist(), dtype=np.int16)
            partitions = [Partition(**of) for of in provenance["partitions"][word]]
            fits = labels.shape == (len(own), len(partitions)) and all(
                labels[:, i].min() >= 0 and labels[:, i].max() < of.k == len(of.typical)
                for i, of in enumerate(partitions)
            )
            require(fits, "clusters that are none")
            shares = [of.form_nmi for of in partitions if of.form_nmi is not None]
            require(all(0 <= share <= 1 for share in shares), "a share outside 0 to 1")
            inside = (near[own] >= -1).all() and (near[own] < len(own)).all()
            require(inside, "a neighbour that is no row of the word")
            nearest = Neighbours(near[own], similarity[own], float("nan"))
            found[word] = WordUses(points[own], nearest, partitions, labels)
    if now != known:
        raise wrong_file("the uses are of other words, or of other sentences", path)
    return found, provenance
