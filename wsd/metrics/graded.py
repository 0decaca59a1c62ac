"""Compare predictors with ratings: Spearman and Pearson correlations, resampling, exchange tests.

A predictor has one number per item, such as the cosine of a pair of sentences. Items of one cluster
depend on each other, such as all pairs of a word: they are resampled and exchanged together.

Pairs with the labels same and different have a threshold, an accuracy and an AUC.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from wsd.metrics.confidence_intervals import LEVEL, Seed, percentiles, resampled
from wsd.metrics.confidence_set import Advantages, Best, exchange_p_values
from wsd.metrics.permutation import CACHED, Difference, paired_test, sample_exchanges

METRICS = ("spearman", "pearson")
# The fewest words to resample or exchange as a whole. With fewer, no test could be significant.
FEWEST_WORDS = 6


def clusters_of(words: np.ndarray) -> np.ndarray:
    """Return the word of each item; with fewer than ``FEWEST_WORDS``, each item is a cluster.

    Parameters
    ----------
    words : array of shape (n,)

    Returns
    -------
    int array of shape (n,)
    """
    names, numbers = np.unique(words, return_inverse=True)
    return numbers.ravel() if len(names) >= FEWEST_WORDS else np.arange(len(words))


def correlate(
    values: np.ndarray, ratings: np.ndarray, metric: str, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return a correlation of values with ratings, for each row of weights.

    Spearman's correlation ranks the items of each row anew; equal values share their mean rank.

    Parameters
    ----------
    values, ratings : float arrays of shape (n,)
    metric : str
        Among ``METRICS``.
    weights : array of shape (draws, n), optional
        The number of times that each item counts; once, if left out.

    Returns
    -------
    array of shape (draws,)
        NaN where the values or the ratings do not vary.
    """
    once = np.ones((1, len(values)))
    rows = once if weights is None else weights
    step = max(1, 20 * CACHED // max(1, len(values)))
    parts = [rows[i : i + step].astype(np.float64) for i in range(0, len(rows), step)]
    return np.concatenate([_correlate(values, ratings, metric, part) for part in parts])


def _correlate(
    values: np.ndarray, ratings: np.ndarray, metric: str, weights: np.ndarray
) -> np.ndarray:
    total = weights.sum(axis=1, keepdims=True)
    deviations = []
    for numbers in (values, ratings):
        scores = _ranks(numbers, weights) if metric == "spearman" else _scaled(numbers)
        mean = (weights * scores).sum(axis=1, keepdims=True) / total
        deviations.append(scores - mean)
    first, second = deviations
    covariance, *variances = (
        np.einsum("ij,ij,ij->i", weights, left, right)
        for left, right in ((first, second), (first, first), (second, second))
    )
    # Rounding leaves a tiny variance to values that do not vary.
    flat = np.minimum(*variances) < 1e-12 * np.maximum(1, np.maximum(*variances))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.nan, covariance / np.sqrt(variances[0] * variances[1]))


def _scaled(numbers: np.ndarray) -> np.ndarray:
    """Return numbers with mean 0 and standard deviation 1; zeros, if they do not vary."""
    if np.ptp(numbers) == 0:
        return np.zeros(len(numbers))
    deviations = numbers - numbers.mean(dtype=np.float64)
    return deviations / np.sqrt(np.mean(deviations**2))


def _ranks(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return mid-ranks of items that count ``weights`` times: shape (draws, n)."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    group = np.cumsum(np.r_[False, np.diff(ordered) > 0])
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    ranks = np.empty(weights.shape)
    ranks[:, order] = middle[:, group]
    return ranks


def estimate(
    values: np.ndarray,
    ratings: np.ndarray,
    clusters: np.ndarray,
    metric: str,
    *,
    rng: Seed = 0,
) -> tuple[float, float, float]:
    """Return a correlation and the ends of its percentile interval, which resamples clusters.

    All are NaN if the values or the ratings do not vary.
    :func:`wsd.metrics.graded.percentiles` widens the interval if there are few clusters.

    Parameters
    ----------
    values, ratings : float arrays of shape (n,)
    clusters : array of shape (n,)
        Items with the same value are drawn together: see :func:`clusters_of`.
    metric : str
        Among ``METRICS``.
    rng : Generator or int
        The same seed draws the same clusters for every predictor.
    """
    observed = correlate(values, ratings, metric).item()
    drawn = correlate(values, ratings, metric, resampled(clusters, rng))
    return observed, *percentiles(drawn, observed, len(np.unique(clusters)), floor=-1)


def compare(
    first: np.ndarray,
    second: np.ndarray,
    ratings: np.ndarray,
    clusters: np.ndarray,
    metric: str,
    *,
    rng: Seed = 0,
) -> Difference:
    """Test whether two predictors correlate differently with the same ratings.

    Under the null hypothesis, the two predictors are exchangeable on each cluster. They may have
    different scales, so the test exchanges scores: ranks among all items for Spearman's
    correlation, standardised values for Pearson's. The statistic is the difference of the two
    correlations of the exchanged scores; outcomes are enumerated or drawn as in
    :func:`wsd.metrics.permutation.paired_permutations`. The interval is the difference plus and
    minus the reach of the test, so it agrees with the test, and is too wide for a large difference.

    Parameters
    ----------
    first, second, ratings : float arrays of shape (n,)
        None of them may be constant.
    clusters : array of shape (n,)
        The predictors are exchanged on all items of a cluster together.
    metric : str
        Among ``METRICS``.
    rng : Generator or int

    Returns
    -------
    Difference
        The correlation of the first predictor minus that of the second.
    """
    sums, n = cluster_sums(np.stack([first, second]), ratings, clusters, metric)
    moments, total = sums[1] - sums[0], sums.sum(axis=1)
    units = [(np.ones(sums.shape[1], dtype=int), None)]
    parts, weights = sample_exchanges(units, rng, CACHED)
    exchanged = [
        _of_sums(total[0] + flips @ moments, n) - _of_sums(total[1] - flips @ moments, n)
        for (flips,) in parts
    ]
    test = paired_test(np.concatenate(exchanged), weights)
    ends = max(test.difference - test.reach, -2.0), min(test.difference + test.reach, 2.0)
    return Difference(test.difference, *ends, test.p, test.error)


def cluster_sums(
    predictors: np.ndarray, ratings: np.ndarray, clusters: np.ndarray, metric: str
) -> tuple[np.ndarray, int]:
    """Return what each cluster adds to a correlation of scores, and the number of items.

    Parameters
    ----------
    predictors : float array of shape (predictors, n)
    ratings : float array of shape (n,)
    clusters : array of shape (n,)
    metric : str

    Returns
    -------
    sums : float array of shape (predictors, clusters, 3)
        The sums of the scores, of their squares, and of their products with the ratings' scores.
    n : int
    """
    once = np.ones((1, ratings.shape[-1]))

    def scores(numbers: np.ndarray) -> np.ndarray:
        return _scaled(_ranks(numbers, once)[0] if metric == "spearman" else numbers)

    gold = scores(ratings)
    names, numbers = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(predictors), len(names), 3))
    for i, values in enumerate(predictors):
        own = scores(values)
        for j, part in enumerate((own, own**2, own * gold)):
            sums[i, :, j] = np.bincount(numbers.ravel(), part, len(names))
    return sums, len(gold)


def _of_sums(sums: np.ndarray, n: int) -> np.ndarray:
    """Return correlations from sums as in :func:`cluster_sums`; the ratings have variance 1."""
    mean = sums[..., 0] / n
    return sums[..., 2] / n / np.sqrt(np.maximum(sums[..., 1] / n - mean**2, 1e-12))


def confidence_set(
    predictors: np.ndarray,
    ratings: np.ndarray,
    clusters: np.ndarray,
    metric: str,
    *,
    rng: Seed = 0,
) -> Best:
    """Find the predictors that are not significantly different from the best one.

    This is :func:`wsd.metrics.confidence_set.confidence_set` with the exchanges of :func:`compare`.

    Parameters
    ----------
    predictors : float array of shape (M, n)
    ratings : float array of shape (n,)
    clusters : array of shape (n,)
    metric : str
        Among ``METRICS``.
    rng : Generator or int
    """
    sums, n = cluster_sums(predictors, ratings, clusters, metric)
    total = sums.sum(axis=1)

    def advantages(given: np.ndarray, choice: int, others: np.ndarray) -> np.ndarray:
        gained = given[:, others] - given[:, [choice]]
        return _of_sums(total[others] - gained, n) - _of_sums(total[[choice]] + gained, n)

    def exchange(swaps: Sequence[np.ndarray]) -> Advantages:
        return partial(advantages, np.tensordot(swaps[0], sums, (1, 1)))

    scores = _of_sums(total, n)
    everyone = np.arange(len(sums))
    after = partial(advantages, sums.swapaxes(0, 1))
    # The exchange of a cluster alone changes a difference; its coin contributes a quarter of the
    # squared change to the variance.
    changes = [scores - scores[i] - after(i, everyone) for i in range(len(sums))]
    errors = np.stack([np.sqrt((change**2).sum(axis=0)) / 2 for change in changes])
    units = [(np.ones(sums.shape[1], dtype=int), None)]
    sample = sample_exchanges(units, rng, CACHED // len(sums))
    p = exchange_p_values(scores, errors, sample, exchange, sums.shape[1])
    return Best(scores, p, within=p > 1 - LEVEL)


def best_threshold(values: np.ndarray, same: np.ndarray) -> float:
    """Return the threshold with the most pairs right; a pair at or above it counts as same.

    It is half-way between two values; of several equally good thresholds, it is the lowest. If no
    threshold helps, it is the lowest value (all same) or just above the highest one (none).

    >>> best_threshold(np.array([0.1, 0.3, 0.5, 0.9]), np.array([False, False, True, True]))
    0.4

    Parameters
    ----------
    values : float array of shape (n,)
    same : bool array of shape (n,)
    """
    order = np.argsort(values, kind="stable")
    values, same = values[order].astype(np.float64), same[order]
    # The number of right pairs if the first k count as different and the others as same.
    right = np.r_[0, np.cumsum(~same)] + np.r_[np.cumsum(same[::-1])[::-1], 0]
    right[1:-1][values[1:] == values[:-1]] = -1
    k = int(right.argmax())
    if k == 0:
        return float(values[0])
    above = np.nextafter(values[k - 1], np.inf)
    return float(above if k == len(values) else max((values[k - 1] + values[k]) / 2, above))


def auc(values: np.ndarray, same: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return how often a same pair has a higher value than a different one; ties count half.

    Parameters
    ----------
    values : float array of shape (n,)
    same : bool array of shape (n,)
    weights : array of shape (draws, n)
        The number of times that each pair counts.

    Returns
    -------
    array of shape (draws,)
        NaN if there are no same pairs, or no different ones.
    """
    # No stable sort, which takes a third longer: equal values are joined below.
    order = np.argsort(values)
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) > 0])
    weights, same = weights[:, order], same[order]
    of_same, of_different = (
        np.add.reduceat(weights * kind, starts, axis=1, dtype=np.float64) for kind in (same, ~same)
    )
    below = np.cumsum(of_different, axis=1) - of_different / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return (of_same * below).sum(axis=1) / (of_same.sum(axis=1) * of_different.sum(axis=1))


def accuracy(right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the share of right pairs; ``weights`` has the number of times that each counts."""
    return weights @ right / weights.sum(axis=1)
