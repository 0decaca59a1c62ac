"""Intervals from whole clusters of near-duplicates, drawn with replacement."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from wsd.metrics.intervals import Seed, bounded
from wsd.metrics.scores import MEAN_SCORES, Counts, mean_differences

DRAWS = 2000


class ClusterInterval(NamedTuple):
    """An interval from resampled clusters.

    Attributes
    ----------
    low, high : float
    inflation : float
        Standard deviation when clusters are drawn, over that when instances are: 1 where the
        near-duplicates tell no less than other instances.
    """

    low: float
    high: float
    inflation: float


def cluster_intervals(
    words: Iterable[tuple[np.ndarray, ...]], *, level: float = 0.95, rng: Seed = 0
) -> dict[str, ClusterInterval]:
    """Intervals of two systems' differences over all words, near-duplicates resampled together.

    Whole clusters are drawn with replacement within each word, and the interval is the pivotal one
    (twice the estimate less the quantiles). It is not smoothed and so too narrow where nearly all
    is right: a check beside :func:`wsd.metrics.intervals.difference_intervals`, by its
    ``inflation``.

    Parameters
    ----------
    words : iterable of (gold, first, second, clusters), int arrays of shape (n,)
        Of each word: the senses, what each of the two systems predicts, and the cluster that each
        instance is in; one without a near-duplicate has its own.
    level : float
    rng : Generator or int

    Returns
    -------
    dict of mean to ClusterInterval, of first less second
    """
    generator = np.random.default_rng(rng)
    clusters = [_count_clusters(*word) for word in words]
    joints = [joint for joint, *_ in clusters]
    by_cluster = _resampled(clusters, generator)
    alone = [(of, of.numbers, sparse.eye_array(len(of.numbers))) for of in joints]
    by_instance = _resampled(alone, generator)
    estimate = mean_differences(joint.margins(joint.numbers) for joint in joints)
    intervals = {}
    for name in MEAN_SCORES:
        quantiles = np.quantile(by_cluster[name], [(1 + level) / 2, (1 - level) / 2])
        low, high = 2 * estimate[name] - quantiles
        spread, of_alone = by_cluster[name].std(), by_instance[name].std()
        intervals[name] = ClusterInterval(
            *bounded(low, high, estimate[name], floor=-1),
            inflation=float(spread / of_alone) if of_alone else 1.0,
        )
    return intervals


def _count_clusters(
    gold: np.ndarray, first: np.ndarray, second: np.ndarray, clusters: np.ndarray
) -> tuple[Counts, np.ndarray, sparse.csr_array]:
    """A word's joint confusion, how many of its clusters are alike, and what such a one holds.

    Most clusters are one instance that both get right: there are few different ones, and to draw
    among those is the same and much less work.

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
    # Less than zero, they stand in the order of the clusters' counts.
    alike = Counter(tuple(-cluster) for cluster in np.split(kind.ravel()[order], ends))
    contents = sorted(alike)
    row = np.repeat(np.arange(len(contents)), [len(of) for of in contents])
    places = row, -np.concatenate(contents)
    held = sparse.csr_array((np.ones(len(row)), places), shape=(len(contents), len(kinds)))
    joint = Counts(kinds, numbers, 1 + int(triples.max()))
    return joint, np.array([alike[of] for of in contents]), held


def _resampled(
    words: Sequence[tuple[Counts, np.ndarray, sparse.sparray]], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Differences over words whose clusters are drawn with replacement: arrays (DRAWS,)."""
    times = (rng.multinomial(n.sum(), n / n.sum(), size=DRAWS) for _, n, _ in words)
    return mean_differences(
        joint.margins(of_word @ held)
        for (joint, _, held), of_word in zip(words, times, strict=True)
    )
