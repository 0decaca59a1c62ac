"""Clusters of one word's vectors, without labels: k-means and a tree, and how many there are.

All is done on vectors at length 1, where Euclidean distance orders as cosine does. The tree is
Ward's. How many clusters there are, where nobody says, is the number with the highest mean
silhouette (Rousseeuw 1987), of equal ones the smallest; it is taken with cosine distances. One
cluster has no silhouette: that a word has but one use is for people to see.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import silhouette_score

METHODS = ("k-means", "agglomerative")
STARTS = 10
# Vectors that agree to so many digits are one.
DIGITS = 6
# Rows of a group: of fewer, nobody knows where its mean is.
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

    Groups of fewer than ``FEW`` rows are one group here: centred apart, rows that are alone in
    their group would all end in the same place, and look like a cluster.

    Parameters
    ----------
    vectors : array of shape (n, features)
    groups : sequence of n str
        Such as the form of the focal word in each row.

    Returns
    -------
    float64 array of shape (n, features)
    """
    _, of, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    of[counts[of] < FEW] = -1
    vectors = vectors.astype(np.float64)
    mean = vectors.mean(axis=0)
    for group in np.unique(of):
        vectors[of == group] += mean - vectors[of == group].mean(axis=0)
    return vectors


def numbers_of_clusters(units: np.ndarray, most: int, also: int = 0) -> list[int]:
    """The numbers of clusters to try: 1 to ``most``, and another; at most one less than vectors.

    Parameters
    ----------
    units : array of shape (n, features)
    most : int
    also : int
        Such as the number of senses, where it is known.
    """
    distinct = len(np.unique(units.round(DIGITS), axis=0))
    wanted = {*range(1, most + 1), also} - {0}
    return [1, *sorted(k for k in wanted if 1 < k < distinct)]


def clusterings(units: np.ndarray, ks: Sequence[int], seed: int) -> list[Clustering]:
    """The partitions of every method into every number of clusters.

    Parameters
    ----------
    units : float64 array of shape (n, features)
        Of length 1.
    ks : sequence of int
        As :func:`numbers_of_clusters` gives them.
    seed : int
        Of k-means.
    """
    distances = np.clip(1 - units @ units.T, 0, 2)
    np.fill_diagonal(distances, 0)
    merges = AgglomerativeClustering(compute_full_tree=True).fit(units).children_
    found = []
    for method in METHODS:
        for k in ks:
            if k == 1:
                labels = np.zeros(len(units), dtype=np.int64)
            elif method == "k-means":
                labels = KMeans(k, n_init=STARTS, random_state=seed).fit(units).labels_
            else:
                labels = cut(merges, k)
            labels = by_size(labels)
            score = silhouette_score(distances, labels, metric="precomputed") if k > 1 else np.nan
            found.append(Clustering(method, labels, float(score)))
    return found


def cut(merges: np.ndarray, k: int) -> np.ndarray:
    """The partition that a tree has left before its last ``k - 1`` merges.

    Parameters
    ----------
    merges : int array of shape (n - 1, 2)
        As scikit-learn has them, the nearest first: instances are 0 to n - 1, and merge ``i``
        makes ``n + i``.
    k : int

    Returns
    -------
    int array of shape (n,)
    """
    n = len(merges) + 1
    members = {i: [i] for i in range(n)}
    for i, (one, other) in enumerate(merges[: n - k].tolist()):
        members[n + i] = members.pop(one) + members.pop(other)
    labels = np.empty(n, dtype=np.int64)
    for label, rows in enumerate(members.values()):
        labels[rows] = label
    return labels


def by_size(labels: np.ndarray) -> np.ndarray:
    """The same partition with its largest cluster called 0; of equal ones the earliest first."""
    names, first, of, counts = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.lexsort((first, -counts))] = np.arange(len(names))
    return rank[of]


def chosen(found: Sequence[Clustering], method: str) -> Clustering:
    """What the silhouette chooses of one method; where none can be taken, the one cluster."""
    own = sorted((of for of in found if of.method == method), key=lambda of: of.k)
    return max(own, key=lambda of: np.nan_to_num(of.silhouette, nan=-2.0))


def typical(units: np.ndarray, labels: np.ndarray, most: int) -> list[list[int]]:
    """Per cluster the rows nearest to its centre, by cosine, the nearest first."""
    found = []
    for label in range(labels.max() + 1):
        rows = np.flatnonzero(labels == label)
        closeness = units[rows] @ units[rows].mean(axis=0)
        found.append(rows[np.argsort(-closeness, kind="stable")[:most]].tolist())
    return found
