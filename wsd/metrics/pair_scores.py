"""Score pairs that have one number each, such as a cosine: threshold, accuracy, AUC, resampling."""

import numpy as np

from wsd.metrics.confidence_intervals import TAILS, Interval, Seed, bounded

DRAWS = 1000


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


def resampled(clusters: np.ndarray, rng: Seed = 0) -> np.ndarray:
    """Return the number of times that each pair counts in draws of clusters with replacement.

    Parameters
    ----------
    clusters : array of shape (n,)
        Pairs with the same value are drawn together.
    rng : Generator or int

    Returns
    -------
    float32 array of shape (DRAWS, n)
    """
    names, cluster = np.unique(clusters, return_inverse=True)
    shares = np.full(len(names), 1 / len(names))
    drawn = np.random.default_rng(rng).multinomial(len(names), shares, size=DRAWS)
    return drawn.astype(np.float32)[:, cluster.ravel()]


def percentiles(
    drawn: np.ndarray, estimate: float, clusters: int | None = None, floor: int = 0
) -> Interval:
    """Return the interval with equal tails of the draws, extended to the estimate.

    Parameters
    ----------
    drawn : array of shape (draws,)
    estimate : float
    clusters : int, optional
        The number of clusters that were drawn. The interval is as much wider as a t-interval of so
        many values: a bootstrap of few clusters is too narrow. A single cluster shows nothing.
    floor : int
        The lowest value of the score.
    """
    from scipy.stats import norm, t

    if np.isnan(estimate):
        return np.nan, np.nan
    if clusters == 1:
        return float(floor), 1.0
    low, high = np.nanquantile(drawn, TAILS)
    if clusters:
        wider = t.ppf(TAILS[1], clusters - 1) / norm.ppf(TAILS[1])
        wider *= np.sqrt(clusters / (clusters - 1))
        low, high = (estimate + (end - estimate) * wider for end in (low, high))
    return bounded(low, high, estimate, floor)
