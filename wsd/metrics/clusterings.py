"""Cluster the vectors of one word without labels, by k-means and by a tree.

The vectors have length 1, so that Euclidean distances have the order of cosine distances. The tree
is built by Ward's method. The selected number of clusters has the highest mean silhouette
(Rousseeuw 1987) of cosine distances; in a tie, the smallest number is selected. A single cluster
has no silhouette, so people must decide whether a word has only one use.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import cut_tree, ward
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

METHODS = K_MEANS, TREE = "k-means", "agglomerative"
STARTS = 10
# Vectors that agree in so many decimal places count as the same vector.
DIGITS = 6
# The mean of a group with fewer rows is too uncertain.
FEW = 5


@dataclass(frozen=True, eq=False)
class Clustering:
    """One partition of a word's instances.

    Attributes
    ----------
    method : str
        One of ``METHODS``.
    labels : int array of shape (n,)
        Clusters from 0 up, the largest first.
    silhouette : float
        NaN for one cluster.
    """

    method: str
    labels: np.ndarray
    silhouette: float

    @property
    def k(self) -> int:
        """The number of clusters."""
        return int(self.labels.max()) + 1


def centred(vectors: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Return the vectors with the mean of each group moved to the mean of all.

    Groups of fewer than ``FEW`` rows are joined into a single group. Otherwise, all groups of one
    row would move to the same point, and look like a cluster.

    Parameters
    ----------
    vectors : array of shape (n, features)
    groups : sequence of n str
        For example, the form of the focal word in each row.

    Returns
    -------
    float64 array of shape (n, features)
    """
    _, numbers, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    numbers[counts[numbers] < FEW] = -1
    vectors = vectors.astype(np.float64)
    mean = vectors.mean(axis=0)
    for group in np.unique(numbers):
        rows = numbers == group
        vectors[rows] += mean - vectors[rows].mean(axis=0)
    return vectors


def numbers_of_clusters(units: np.ndarray, most: int, also: int = 0) -> list[int]:
    """Return the numbers of clusters to try: 1 to ``most``, and ``also``.

    All numbers except 1 are smaller than the number of different vectors.

    Parameters
    ----------
    units : array of shape (n, features)
    most : int
    also : int
        For example, the number of senses, if it is known.
    """
    distinct = len(np.unique(units.round(DIGITS), axis=0))
    wanted = {*range(1, most + 1), also} - {0}
    return [1, *sorted(k for k in wanted if 1 < k < distinct)]


def clusterings(
    units: np.ndarray, ks: Sequence[int], seed: int, methods: Sequence[str] = METHODS
) -> list[Clustering]:
    """Return the partitions of each method into every number of clusters.

    Parameters
    ----------
    units : float64 array of shape (n, features)
        With rows of length 1.
    ks : sequence of int
        The numbers of :func:`numbers_of_clusters`.
    seed : int
        The seed of k-means.
    methods : sequence of str
        Among ``METHODS``.
    """
    distances = np.clip(1 - units @ units.T, 0, 2)
    np.fill_diagonal(distances, 0)
    tree = ward(units)
    partitions = []
    for method in methods:
        for k in ks:
            if k == 1:
                labels = np.zeros(len(units), dtype=np.int64)
            elif method == K_MEANS:
                labels = KMeans(k, n_init=STARTS, random_state=seed).fit(units).labels_
            else:
                labels = cut_tree(tree, k)[:, 0]
            labels = by_size(labels)
            score = silhouette_score(distances, labels, metric="precomputed") if k > 1 else np.nan
            partitions.append(Clustering(method, labels, float(score)))
    return partitions


def by_size(labels: np.ndarray) -> np.ndarray:
    """Return the same partition with the clusters numbered by size, in a tie by first row."""
    names, first, numbers, counts = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.lexsort((first, -counts))] = np.arange(len(names))
    return rank[numbers]


def best_by_silhouette(partitions: Sequence[Clustering], method: str) -> Clustering:
    """Return a method's partition with the highest silhouette, or else its single cluster."""
    candidates = sorted((p for p in partitions if p.method == method), key=lambda p: p.k)
    return max(candidates, key=lambda partition: np.nan_to_num(partition.silhouette, nan=-2.0))


def typical(units: np.ndarray, labels: np.ndarray, most: int) -> list[list[int]]:
    """Return for each cluster the rows nearest to its centre by cosine, from the nearest on."""
    nearest = []
    for label in range(labels.max() + 1):
        rows = np.flatnonzero(labels == label)
        closeness = units[rows] @ units[rows].mean(axis=0)
        nearest.append(rows[np.argsort(-closeness, kind="stable")[:most]].tolist())
    return nearest
