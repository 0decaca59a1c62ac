"""Estimate how much wider an interval is if whole clusters of instances vary.

Clusters are documents, or groups of near-duplicates. The estimate linearises the scores, as in the
analysis of surveys: Binder 1983, International Statistical Review 51; Särndal, Swensson and Wretman
1992, Model Assisted Survey Sampling, section 5.5; Cochran 1977, Sampling Techniques, chapter 9.
"""

from collections.abc import Sequence

import numpy as np

from wsd.metrics.counts import Counts, Documents
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES

# The step of the numerical derivatives, in instances.
STEP = 1e-4
# The quantile at the upper end of a 95% interval.
TAIL = 0.975


def inflations(words: Sequence[Counts]) -> dict[str, float]:
    """Return how many times as wide clusters make the 95% interval of each score over all words.

    The influence of an instance is the derivative of the score with respect to the number of
    instances of its kind, minus its mean over the instances of the same word and gold sense. The
    inflation is the square root of a ratio: the sum of squares of the clusters' total influences,
    divided by the sum of squares of the instances' influences. Each sense with m clusters and n
    instances gets the factors m / (m - 1) and n / (n - 1) of stratified samples. A sense in a
    single cluster shows nothing, and is left out. A quantile of the t-distribution replaces the
    normal one. Its degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2) minus 1, at
    the intraclass correlation that the ratio shows. For clusters of equal size, they are the number
    of clusters minus 1.

    Parameters
    ----------
    words : sequence of Counts
        The counts of one system, or the joint confusion of two, with clusters as ``documents``.

    Returns
    -------
    dict of mean to float
        At least 1; 1 if there are no clusters. For two systems, it is for first minus second.
    """
    from scipy.stats import norm, t

    clusters = [counts.documents for counts in words if counts.documents is not None]
    names = np.unique(np.concatenate([[], *(documents.names for documents in clusters)]))
    size = sum(counts.numbers.sum() for counts in words)
    if len(clusters) < len(words) or len(names) == size:
        return dict.fromkeys(MEAN_SCORES, 1.0)
    by_cluster = np.zeros((len(MEAN_SCORES), len(names)))
    by_instance, sizes = np.zeros(len(MEAN_SCORES)), np.zeros(len(names))
    for counts, documents in zip(words, clusters, strict=True):
        shares = np.full(len(MEAN_SCORES), 1 / len(words))
        shares[0] = counts.numbers.sum() / size
        of_clusters, of_instances, instances = _influences(counts, documents)
        places = np.searchsorted(names, documents.names)
        by_cluster[:, places] += shares[:, None] * of_clusters
        sizes[places] += instances
        by_instance += shares**2 * of_instances
    if not sizes.any():
        return dict.fromkeys(MEAN_SCORES, 1.0)
    ratios = np.divide(
        (by_cluster**2).sum(axis=1), by_instance, out=np.ones(len(shares)), where=by_instance > 0
    )
    pairs = sizes * (sizes - 1)
    correlation = np.maximum(ratios - 1, 0) * sizes.sum() / max(pairs.sum(), 1)
    variances = sizes + np.outer(correlation, pairs)
    freedom = variances.sum(axis=1) ** 2 / (variances**2).sum(axis=1) - 1
    few = t.ppf(TAIL, np.maximum(freedom, 1)) / norm.ppf(TAIL)
    factors = np.where(ratios > 1, np.sqrt(ratios) * few, 1)
    return dict(zip(MEAN_SCORES, factors.tolist(), strict=True))


def _influences(counts: Counts, clusters: Documents) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a word's influences, of senses in several clusters.

    Returns
    -------
    float array of shape (means, clusters)
        Each cluster's total.
    float array of shape (means,)
        The sum of squares over instances.
    int array of shape (clusters,)
        The number of instances of such senses in each cluster.
    """
    gold = np.eye(counts.n_senses)[counts.kinds[:, 0]]
    in_cluster = clusters.numbers @ gold
    n, m = in_cluster.sum(axis=0), (in_cluster > 0).sum(axis=0)
    steps = STEP * np.eye(len(counts.numbers))
    up, down = (counts.scores(counts.numbers + side) for side in (steps, -steps))
    by_word = np.stack([up[name] - down[name] for name in WORD_SCORES]) / (2 * STEP)
    influence = by_word[[0, *range(len(WORD_SCORES))]]
    influence -= (influence * counts.numbers @ gold / np.maximum(n, 1)) @ gold.T
    # m / (m - 1) for clusters and n / (n - 1) for instances; 0 for a sense in a single cluster.
    of_clusters, of_instances = (gold @ ((m > 1) * k / np.maximum(k - 1, 1)) for k in (m, n))
    totals = (influence * np.sqrt(of_clusters)) @ clusters.numbers.T
    squares = influence**2 @ (counts.numbers * of_instances)
    return totals, squares, clusters.numbers @ (of_clusters > 0)
