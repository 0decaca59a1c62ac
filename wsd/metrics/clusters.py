"""Intervals from whole clusters of near-duplicates, drawn with replacement."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from wsd.metrics.intervals import Seed, bounded
from wsd.metrics.scores import MEAN_SCORES, mean_differences

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
    clusters = [_kinds_of_cluster(*word) for word in words]
    joints = [np.tensordot(numbers, kinds, 1) for kinds, numbers in clusters]
    by_cluster = _resampled(clusters, generator)
    by_instance = _resampled([_kinds_of_instance(joint) for joint in joints], generator)
    estimate = mean_differences(joints)
    intervals = {}
    for name in MEAN_SCORES:
        quantiles = np.quantile(by_cluster[name], [(1 + level) / 2, (1 - level) / 2])
        low, high = 2 * estimate[name] - quantiles
        spread, alone = by_cluster[name].std(), by_instance[name].std()
        intervals[name] = ClusterInterval(
            *bounded(low, high, estimate[name], floor=-1),
            inflation=float(spread / alone) if alone else 1.0,
        )
    return intervals


def _kinds_of_cluster(
    gold: np.ndarray, first: np.ndarray, second: np.ndarray, clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The different joint confusions of a word's clusters, and how many clusters have each.

    Most clusters are one instance that both get right: there are few different ones, and to draw
    among those is the same and much less work.

    Returns
    -------
    int arrays of shape (kinds, K, K, K) and (kinds,)
    """
    senses = 1 + max(int(column.max()) for column in (gold, first, second))
    _, code = np.unique(clusters, return_inverse=True)
    counts = np.zeros((code.max() + 1, senses, senses, senses), dtype=np.int64)
    np.add.at(counts, (code, gold, first, second), 1)
    return np.unique(counts, axis=0, return_counts=True)


def _kinds_of_instance(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`_kinds_of_cluster` with each instance its own cluster."""
    numbers = joint[joint > 0]
    kinds = np.zeros((len(numbers), *joint.shape), dtype=np.int64)
    kinds[(np.arange(len(numbers)), *np.nonzero(joint))] = 1
    return kinds, numbers


def _resampled(
    words: Sequence[tuple[np.ndarray, np.ndarray]], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Differences over words whose clusters are drawn with replacement: arrays (DRAWS,)."""
    times = (rng.multinomial(n.sum(), n / n.sum(), size=DRAWS).astype(float) for _, n in words)
    return mean_differences(
        np.tensordot(of_word, kinds, 1) for (kinds, _), of_word in zip(words, times, strict=True)
    )
