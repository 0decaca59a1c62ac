"""Measure how much the uses of one word differ between two groups, such as two periods.

* ``apd``: the average pairwise distance, 1 minus the mean cosine of two uses from different groups
  (Kutuzov and Giulianelli 2020). It equals 1 minus the dot product of the groups' mean unit
  vectors, so that its cost grows linearly with the number of uses.
* ``prototype``: the cosine distance of the groups' mean vectors (Martinc et al. 2020).
* ``prt``: the inverted cosine of the mean vectors (Kutuzov and Giulianelli 2020), 1 / (1 -
  prototype). It orders words as ``prototype`` does, so it has the same p-value.
* ``jsd``: the Jensen-Shannon distance (base 2) of the groups' shares of each cluster (Giulianelli
  et al. 2020), like the graded change of DWUG. The clusters come from both groups together.

All measures depend on sums over the uses of each group, so that shuffled groups need one matrix
product.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import rel_entr
from scipy.stats import t

from wsd.metrics import clusterings
from wsd.metrics.confidence_intervals import LEVEL, TAILS, Interval, Seed
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.permutation import DRAWN

APD, PROTOTYPE, PRT, JSD = MEASURES = ("apd", "prototype", "prt", "jsd")
# The measures that are computed from sums, with their largest values.
DISTANCES = {APD: 2.0, PROTOTYPE: 2.0, JSD: 1.0}
PERMUTATIONS = 2000
# The steps that find the end of an interval: each one halves the search.
HALVINGS = 30
CLUSTERS = 10
# The largest number of uses whose pairwise distances the clustering holds in memory.
CLUSTERED = 2000


class Change(NamedTuple):
    """One measure of one word.

    Attributes
    ----------
    value : float
    low, high : float
        The 95% interval for new uses. For ``prototype`` and ``jsd``, whose smallest value 0 means
        no change, it excludes 0 if and only if p is at most 0.05.
    null, null_high : float
        The median and the 95% quantile if the groups are shuffled.
    p : float
        How often shuffled groups differ at least as much.
    """

    value: float
    low: float
    high: float
    null: float
    null_high: float
    p: float


def measure(
    vectors: np.ndarray,
    is_second: np.ndarray,
    clusters: np.ndarray,
    *,
    permutations: int = PERMUTATIONS,
    rng: Seed = 0,
) -> dict[str, Change]:
    """Return every measure of one word, with intervals and permutation tests.

    The jackknife, which leaves out one use at a time, estimates the standard error (Efron and Stein
    1981). ``apd`` has no bias, so its interval is a t-interval; :func:`interval_from_zero` has the
    others. The smaller group gives the degrees of freedom.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    is_second : bool array of shape (n,)
        The group of each use; both groups have at least two uses.
    clusters : int array of shape (n,)
        From :func:`cluster`.
    permutations : int
    rng : Generator or int
        The same seed draws the same shuffles for every layer.
    """
    columns, ends = _columns(vectors, clusters)
    total = columns.sum(axis=0)
    generator = np.random.default_rng(rng)
    groups = columns[~is_second], columns[is_second]
    first, second = (group.sum(axis=0, keepdims=True) for group in groups)
    n, m = map(len, groups)

    def measured(one: np.ndarray, other: np.ndarray, n: int, m: int) -> dict[str, np.ndarray]:
        return _distances(np.split(one, ends, axis=1), np.split(other, ends, axis=1), (n, m))

    observed = measured(first, second, n, m)
    without_one = (
        measured(first - groups[0], np.tile(second, (n, 1)), n - 1, m),
        measured(np.tile(first, (m, 1)), second - groups[1], n, m - 1),
    )
    shuffled_sums = np.concatenate(
        [rows @ columns for rows in _shuffled(~is_second, permutations, generator)]
    )
    shuffled = measured(shuffled_sums, total - shuffled_sums, n, m)
    quantiles = (generator.permutation(permutations) + 0.5) / permutations
    noise = t.ppf(quantiles, min(n, m) - 1)
    changes = {}
    for name, most in DISTANCES.items():
        value = observed[name].item()
        if not np.isfinite(value):
            changes[name] = Change(*[np.nan] * 6)
            continue
        # The variance of a distance with a square root has no simple form.
        power = 2 if name == JSD else 1
        parts = [part[name] ** power for part in without_one]
        error = np.sqrt(sum((len(part) - 1) * np.nanvar(part) for part in parts))
        # Vectors that add up to 0 have no direction.
        null = np.nan_to_num(shuffled[name])
        if name == APD:
            low, high = np.clip(value + error * t.ppf(TAILS, min(n, m) - 1), 0, most)
        else:
            ends_of_power = interval_from_zero(value**power, error, null**power, noise, most)
            low, high = np.array(ends_of_power) ** (1 / power)
        changes[name] = Change(
            value=value,
            low=float(low),
            high=float(high),
            null=float(np.median(null)),
            null_high=float(np.quantile(null, 0.95)),
            p=p_value(null, value),
        )
    *distances, p = changes[PROTOTYPE]
    inverted = (1 / (1 - distance) if distance < 1 else np.nan for distance in distances)
    changes[PRT] = Change._make((*inverted, p))
    return {name: changes[name] for name in MEASURES}


def p_value(null: np.ndarray, value: float) -> float:
    """Return how often drawn values are at least the observed one, which counts as drawn too."""
    # Ties differ in their last bits.
    return float((1 + (null >= value - 1e-10).sum()) / (len(null) + 1))


def interval_from_zero(
    value: float, error: float, null: np.ndarray, noise: np.ndarray, most: float
) -> Interval:
    """Return the 95% interval of a squared distance, which chance can only enlarge near 0.

    It has every true distance that a test at 5% does not reject. Around a true distance *d*,
    observed ones are *d*, plus the distances of shuffled groups times 1 - *d*, plus noise whose
    standard error is proportional to sqrt(*d* (``most`` - *d*)). The likelihood ratio of Feldman
    and Cousins (1998, Physical Review D 57) tells which of them are most unlike *d*. At *d* = 0,
    the largest ones are, so that this test is the permutation test. The interval is extended to the
    value.

    Parameters
    ----------
    value : float
        From 0 to ``most``.
    error : float
        Its standard error without the bias.
    null, noise : float arrays of shape (draws,)
        The distances of shuffled groups, and draws of noise with the scale 1.
    most : float
        The largest possible distance.
    """
    bias, spread = np.median(null), value * (most - value)
    scale = error / np.sqrt(spread) if spread > 0 else 0.0

    def unlikely(observed: np.ndarray, true: float) -> np.ndarray:
        excess = observed - bias * (1 - true)
        below = np.sqrt(true * (true - 2 * np.minimum(excess, 0)))
        return np.where(excess > 0, np.abs(excess - true), below)

    def is_inside(true: float) -> bool:
        drawn = true + (1 - true) * null + scale * np.sqrt(true * (most - true)) * noise
        return p_value(unlikely(drawn, true), unlikely(np.array(value), true).item()) > 1 - LEVEL

    best = np.clip((value - bias) / (1 - bias), 0, most) if bias < 1 else 0.0

    def end(outside: float) -> float:
        inside = outside if is_inside(outside) else best
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if is_inside(middle) else (inside, middle)
        return float(inside)

    return min(end(0.0), value), max(end(most), value)


def cluster(units: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return the clusters of one word's uses, without looking at the groups.

    Ward's method builds a tree, and the mean silhouette selects 2 to ``CLUSTERS`` clusters. If a
    word has more than ``CLUSTERED`` uses, a sample is clustered, and every use gets the cluster
    with the nearest centre.

    Parameters
    ----------
    units : float array of shape (n, features)
        With rows of length 1.
    seed : int
        The seed of the sample.

    Returns
    -------
    int array of shape (n,)
    """
    rows = np.arange(len(units))
    if len(units) > CLUSTERED:
        rows = np.sort(np.random.default_rng(seed).choice(rows, CLUSTERED, replace=False))
    sample = units[rows].astype(np.float64)
    numbers = clusterings.numbers_of_clusters(sample, CLUSTERS)
    partitions = clusterings.clusterings(sample, numbers, seed, [clusterings.TREE])
    labels = clusterings.best_by_silhouette(partitions, clusterings.TREE).labels
    if len(rows) == len(units):
        return labels
    centres = np.stack([sample[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    return cdist(units, centres).argmin(axis=1)


def jensen_shannon(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the Jensen-Shannon distances (base 2) of two distributions, given as counts.

    Parameters
    ----------
    first, second : float arrays of shape (draws, classes)

    Returns
    -------
    array of shape (draws,)
        From 0, the same shares, to 1, no common class.
    """
    one, other = (counts / counts.sum(axis=1, keepdims=True) for counts in (first, second))
    middle = (one + other) / 2
    divergence = (rel_entr(one, middle) + rel_entr(other, middle)).sum(axis=1) / np.log(4)
    distance: np.ndarray = np.sqrt(np.clip(divergence, 0, 1))
    return distance


def _columns(vectors: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return unit vectors, vectors and indicators of clusters, and where the parts end."""
    vectors = vectors.astype(np.float64)
    if len(vectors) < vectors.shape[1]:
        # The same lengths and angles in fewer dimensions.
        vectors = np.linalg.qr(vectors.T).R.T
    indicators = np.eye(clusters.max() + 1)[clusters]
    width = vectors.shape[1]
    return np.hstack([unit_vectors(vectors), vectors, indicators]), [width, 2 * width]


def _distances(
    first: list[np.ndarray], second: list[np.ndarray], sizes: tuple[int, int]
) -> dict[str, np.ndarray]:
    """Return the measures of sums over two groups: arrays of shape (draws,)."""
    products = np.einsum("ij,ij->i", first[0], second[0])
    lengths = np.linalg.norm(first[1], axis=1) * np.linalg.norm(second[1], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = np.einsum("ij,ij->i", first[1], second[1]) / lengths
    return {
        APD: np.clip(1 - products / (sizes[0] * sizes[1]), 0, 2),
        PROTOTYPE: np.clip(1 - cosines, 0, 2),
        JSD: jensen_shannon(first[2], second[2]),
    }


def _blocks(draws: int, n: int) -> Iterator[int]:
    """Yield how many draws of n uses fit into memory at once."""
    step = max(1, DRAWN // n)
    return (min(step, draws - start) for start in range(0, draws, step))


def _shuffled(
    is_first: np.ndarray, permutations: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield arrays of shape (some permutations, n) with the shuffled first group."""
    for size in _blocks(permutations, len(is_first)):
        yield rng.permuted(np.tile(is_first.astype(np.float64), (size, 1)), axis=1)
