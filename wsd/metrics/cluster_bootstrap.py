"""Compute bootstrap intervals by resampling whole clusters of near-duplicates."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from wsd.metrics.confidence_intervals import TAILS, Seed, bounded
from wsd.metrics.scores import MEAN_SCORES, Counts, mean_differences

DRAWS = 2000


class ClusterInterval(NamedTuple):
    """An interval from resampled clusters.

    Attributes
    ----------
    low, high : float
    inflation : float
        The standard deviation with resampled clusters, divided by the standard deviation with
        resampled instances: 1 if near-duplicates carry as much information as other instances.
    """

    low: float
    high: float
    inflation: float


def cluster_intervals(
    words: Iterable[tuple[np.ndarray, ...]], *, rng: Seed = 0
) -> dict[str, ClusterInterval]:
    """Return intervals of the differences of two systems, with near-duplicates drawn together.

    Whole clusters are drawn with replacement within each word. The interval is the pivotal one:
    twice the estimate minus the quantiles. It is not smoothed, and so too narrow if nearly all
    predictions are right. Its ``inflation`` checks
    :func:`wsd.metrics.confidence_intervals.difference_intervals`.

    Parameters
    ----------
    words : iterable of (gold, first, second, clusters), int arrays of shape (n,)
        Per word: the senses, the predictions of the two systems, and the cluster of each instance.
        An instance without near-duplicates is a cluster by itself.
    rng : Generator or int

    Returns
    -------
    dict of mean to ClusterInterval, for first minus second
    """
    generator = np.random.default_rng(rng)
    clusters = [_count_clusters(*word) for word in words]
    joints = [joint for joint, *_ in clusters]
    by_cluster = _resampled(clusters, generator)
    alone = [(joint, joint.numbers, sparse.eye_array(len(joint.numbers))) for joint in joints]
    by_instance = _resampled(alone, generator)
    estimate = mean_differences(joint.margins(joint.numbers) for joint in joints)
    intervals = {}
    for name in MEAN_SCORES:
        quantiles = np.quantile(by_cluster[name], TAILS[::-1])
        low, high = 2 * estimate[name] - quantiles
        spread, spread_alone = by_cluster[name].std(), by_instance[name].std()
        intervals[name] = ClusterInterval(
            *bounded(low, high, estimate[name], floor=-1),
            inflation=float(spread / spread_alone) if spread_alone else 1.0,
        )
    return intervals


def _count_clusters(
    gold: np.ndarray, first: np.ndarray, second: np.ndarray, clusters: np.ndarray
) -> tuple[Counts, np.ndarray, sparse.csr_array]:
    """Return a word's joint confusion, and the number and the content of each kind of cluster.

    Most clusters consist of one instance that both systems get right. So there are few kinds of
    clusters, and drawing among the kinds is equivalent and much faster.

    Returns
    -------
    Counts
    int array of shape (kinds of cluster,)
    sparse array of shape (kinds of cluster, kinds of instance)
    """
    triples = np.stack([gold, first, second], axis=1)
    kinds, kind, numbers = np.unique(triples, axis=0, return_inverse=True, return_counts=True)
    order = np.lexsort((kind.ravel(), clusters))
    ends = np.flatnonzero(np.diff(clusters[order])) + 1
    # Negated, so that sorting gives the order of the clusters' counts.
    alike = Counter(tuple(-cluster) for cluster in np.split(kind.ravel()[order], ends))
    contents = sorted(alike)
    row = np.repeat(np.arange(len(contents)), [len(content) for content in contents])
    places = row, -np.concatenate(contents)
    held = sparse.csr_array((np.ones(len(row)), places), shape=(len(contents), len(kinds)))
    joint = Counts(kinds, numbers, 1 + int(triples.max()))
    return joint, np.array([alike[content] for content in contents]), held


def _resampled(
    words: Sequence[tuple[Counts, np.ndarray, sparse.sparray]], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return differences over words with resampled clusters: arrays of shape (DRAWS,)."""
    return mean_differences(
        joint.margins(rng.multinomial(n.sum(), n / n.sum(), size=DRAWS) @ contents)
        for joint, n, contents in words
    )
