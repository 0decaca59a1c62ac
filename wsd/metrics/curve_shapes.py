"""The peak of a mean curve over layers, and a test of whether two curves have the same shape."""

import numpy as np

from wsd.metrics.confidence_intervals import TAILS, Seed
from wsd.metrics.exchanges import DRAWN, MOST, is_undecided

# Added to variances, so that words with identical curves do not divide 0 by 0.
SMALL = 1e-12


def whole_interval(drawn: np.ndarray) -> tuple[int, int]:
    """Return the interval of a whole number with equal tails, extended to the observed number.

    Parameters
    ----------
    drawn : int array of shape (1 + draws,)
        The number as observed, then in draws.
    """
    low, high = np.quantile(drawn[1:], TAILS, method="closest_observation")
    return int(min(low, drawn[0])), int(max(high, drawn[0]))


def same_shape(
    values: np.ndarray,
    sizes: np.ndarray,
    in_second: np.ndarray,
    *,
    family: int = 1,
    permutations: int = 20_000,
    rng: Seed = 0,
) -> float:
    """Return the p-value of the interaction of group and layer.

    The curve of a group is the sum of its values divided by the sum of its sizes. The mean over
    layers is first subtracted from each word's values, so that the level of a curve does not
    matter. The statistic is the sum over layers of the squared difference of the two curves,
    divided by the sum over layers of its estimated variance (Welch's). Under the null hypothesis,
    words are exchangeable between the groups. The division keeps the test valid if one group is
    small and its curves vary more (Janssen 1997). The observed division into groups is one of the
    outcomes. The sample grows while it could decide a verdict: see
    :func:`wsd.metrics.exchanges.is_undecided`.

    Parameters
    ----------
    values : array of shape (words, layers)
        Of both groups: scores, or numbers of correct predictions.
    sizes : array of shape (words,)
        Ones, or numbers of instances.
    in_second : bool array of shape (words,)
        Which words are in the second group. Both groups have at least two words.
    family : int
        The number of tests that Holm's method will adjust together.
    permutations : int
        The size of the first sample.
    rng : Generator or int
    """
    rng = np.random.default_rng(rng)
    centred = values - values.mean(axis=1, keepdims=True)
    squares, products = (centred**2).sum(axis=1), sizes[:, None] * centred
    moments = np.column_stack([np.ones(len(sizes)), sizes, sizes**2, squares, centred, products])
    observed = _statistics(in_second[None], moments)[0]
    extreme, sampled, more, p = 1, 1, permutations, 1.0
    step = max(1, DRAWN // len(sizes))
    while more:
        for start in range(0, more, step):
            divisions = np.tile(in_second, (min(step, more - start), 1))
            drawn = _statistics(rng.permuted(divisions, axis=1), moments)
            # Exact ties differ in their last bits, because their sums have different orders.
            extreme += int((drawn >= observed * (1 - 1e-9)).sum())
        sampled += more
        p = extreme / sampled
        more = min(sampled - 1, MOST - sampled + 1) if is_undecided(p, sampled, family) else 0
    return p


def _statistics(in_second: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Return the statistic of each division of words into groups, from sums over words."""
    second = in_second.astype(float) @ moments
    curves, variances = zip(*map(_curve, (moments.sum(axis=0) - second, second)), strict=True)
    difference = ((curves[0] - curves[1]) ** 2).sum(axis=1)
    return difference / (variances[0] + variances[1] + SMALL)


def _curve(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a group's curve, and the variance of this ratio of sums, added over layers."""
    words, size, squared_size, squares = sums[:, :4].T
    of_values, of_products = np.split(sums[:, 4:], 2, axis=1)
    curve = of_values / size[:, None]
    residual = squares - 2 * (curve * of_products).sum(axis=1)
    residual += (curve**2).sum(axis=1) * squared_size
    return curve, residual.clip(0) * words / (words - 1) / size**2
