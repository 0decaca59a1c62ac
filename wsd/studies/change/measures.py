"""Measure how much the uses of one word differ between two groups, such as two periods.

* ``apd``: the average pairwise distance, 1 minus the mean cosine of two uses from different groups
  (Kutuzov and Giulianelli 2020). It equals 1 minus the dot product of the groups' mean unit
  vectors, so that its cost grows linearly with the number of uses.
* ``prototype``: the cosine distance of the groups' mean vectors (Martinc et al. 2020).
* ``prt``: the inverted cosine of the mean vectors (Kutuzov and Giulianelli 2020), 1 / (1 -
  prototype). It orders words as ``prototype`` does, so it has the same p-value.
* ``jsd``: the Jensen-Shannon distance (base 2) of the groups' shares of each cluster (Giulianelli
  et al. 2020), like the graded change of DWUG. The clusters come from both groups together.

All measures depend on sums over the uses of each group, so that resampled and shuffled groups need
one matrix product.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import rel_entr

from wsd.metrics import clusterings
from wsd.metrics.confidence_intervals import TAILS, Seed
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.permutation import DRAWN

APD, PROTOTYPE, PRT, JSD = MEASURES = ("apd", "prototype", "prt", "jsd")
# The measures that are computed from sums, with their largest values.
DISTANCES = {APD: 2.0, PROTOTYPE: 2.0, JSD: 1.0}
DRAWS = 1000
PERMUTATIONS = 2000
CLUSTERS = 10
# The largest number of uses whose pairwise distances the clustering holds in memory.
CLUSTERED = 2000


class Change(NamedTuple):
    """One measure of one word.

    Attributes
    ----------
    value : float
    low, high : float
        The 95% interval: uses are resampled within their groups.
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

    A resampled or shuffled distance of means is larger than the distance of the populations' means.
    Therefore, the interval is the basic one: it mirrors the resampled distances at the estimate,
    which subtracts this bias. It is extended to the estimate.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    is_second : bool array of shape (n,)
        The group of each use; both groups have at least two uses.
    clusters : int array of shape (n,)
        From :func:`cluster`.
    permutations : int
    rng : Generator or int
        The same seed draws the same uses for every layer.
    """
    columns, ends = _columns(vectors, clusters)
    total = columns.sum(axis=0)
    generator = np.random.default_rng(rng)
    first, second = columns[~is_second], columns[is_second]
    sizes = len(first), len(second)

    def measured(one: np.ndarray, other: np.ndarray) -> dict[str, np.ndarray]:
        return _distances(np.split(one, ends, axis=1), np.split(other, ends, axis=1), sizes)

    observed = measured(first.sum(axis=0)[None], second.sum(axis=0)[None])
    drawn = measured(*(_resampled_sums(group, generator) for group in (first, second)))
    shuffled_sums = np.concatenate(
        [rows @ columns for rows in _shuffled(~is_second, permutations, generator)]
    )
    shuffled = measured(shuffled_sums, total - shuffled_sums)
    changes = {}
    for name, most in DISTANCES.items():
        value = observed[name].item()
        if not np.isfinite(value):
            changes[name] = Change(*[np.nan] * 6)
            continue
        low, high = value - (np.nanquantile(drawn[name], TAILS[::-1]) - value)
        # Ties differ in their last bits.
        as_much = 1 + (shuffled[name] >= value - 1e-10).sum()
        changes[name] = Change(
            value=value,
            low=float(np.clip(low, 0, value)),
            high=float(np.clip(high, value, most)),
            null=float(np.median(shuffled[name])),
            null_high=float(np.quantile(shuffled[name], 0.95)),
            p=float(as_much / (permutations + 1)),
        )
    *distances, p = changes[PROTOTYPE]
    inverted = (1 / (1 - distance) if distance < 1 else np.nan for distance in distances)
    changes[PRT] = Change._make((*inverted, p))
    return {name: changes[name] for name in MEASURES}


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


def _resampled_sums(columns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return sums over uses that are drawn with replacement: shape (draws, columns)."""
    n = len(columns)
    shares = np.full(n, 1 / n)
    return np.concatenate(
        [rng.multinomial(n, shares, size=size) @ columns for size in _blocks(DRAWS, n)]
    )


def _shuffled(
    is_first: np.ndarray, permutations: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield arrays of shape (some permutations, n) with the shuffled first group."""
    for size in _blocks(permutations, len(is_first)):
        yield rng.permuted(np.tile(is_first.astype(np.float64), (size, 1)), axis=1)
