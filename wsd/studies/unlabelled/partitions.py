"""Measure how well clusters agree with senses: two partitions of the same instances.

The measures are those of the shared tasks on sense induction: V-measure and paired F (SemEval-2010
task 14, Manandhar et al.), B-cubed (SemEval-2013 task 13, Jurgens and Klapaftis; here with one
sense per instance), and the adjusted Rand index (Hubert and Arabie 1985). Only the last is 0 by
chance: a single cluster has a high paired F, and a cluster per instance a high V-measure.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from sklearn import metrics

# The measures of :func:`agreement`, in this order.
MEASURES = (
    "ari", "v_measure", "homogeneity", "completeness",
    "bcubed_f", "bcubed_precision", "bcubed_recall",
    "paired_f", "paired_precision", "paired_recall",
)  # fmt: skip


def agreement(gold: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    """Return every measure of how well a partition agrees with the gold one.

    Parameters
    ----------
    gold, clusters : int arrays of shape (n,)
        The sense and the cluster of each instance, from 0.

    Returns
    -------
    dict of measure to float
        If there are no pairs, paired precision or recall is 0.
    """
    homogeneity, completeness, v_measure = metrics.homogeneity_completeness_v_measure(
        gold, clusters
    )
    bcubed = bcubed_scores(gold, clusters)
    paired = paired_scores(gold, clusters)
    values = (
        metrics.adjusted_rand_score(gold, clusters), v_measure, homogeneity, completeness,
        harmonic_mean(*bcubed), *bcubed, harmonic_mean(*paired), *paired,
    )  # fmt: skip
    return {name: float(value) for name, value in zip(MEASURES, values, strict=True)}


def normalised_information(groups: Sequence[Hashable], clusters: np.ndarray) -> float | None:
    """Return the normalised mutual information of two partitions of the same instances.

    It is normalised by the mean of the two entropies: 1 if each partition follows from the other.

    Parameters
    ----------
    groups : sequence of length n
        For example, the form of each instance.
    clusters : array of shape (n,)

    Returns
    -------
    float from 0 to 1, or None
        None if either partition has a single group.
    """
    if len(set(groups)) < 2 or len(set(clusters.tolist())) < 2:
        return None
    # Rounding can exceed 1 in the last digit.
    return min(1.0, float(metrics.normalized_mutual_info_score(groups, clusters)))


def bcubed_scores(gold: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return B-cubed precision and recall (Bagga and Baldwin 1998).

    For each instance, precision is the share of its cluster that has its sense, and recall is the
    share of its sense that is in its cluster, including itself. Both are means over instances.
    """
    table = metrics.cluster.contingency_matrix(gold, clusters).astype(float)
    precision = ((table**2).sum(axis=0) / table.sum(axis=0)).sum() / len(gold)
    recall = ((table**2).sum(axis=1) / table.sum(axis=1)).sum() / len(gold)
    return float(precision), float(recall)


def paired_scores(gold: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return precision and recall of the pairs of instances that are in the same cluster."""
    (_, in_cluster), (in_sense, in_both) = metrics.cluster.pair_confusion_matrix(
        gold, clusters
    ).tolist()
    return in_both / max(in_cluster + in_both, 1), in_both / max(in_sense + in_both, 1)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the F-score of precision and recall; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
