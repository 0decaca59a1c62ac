"""How well clusters agree with senses: two partitions of the same instances.

The measures of the shared tasks on sense induction: V-measure and paired F (SemEval-2010 task 14,
Manandhar et al.), B-cubed (SemEval-2013 task 13, Jurgens and Klapaftis; here with one sense per
instance), and the adjusted Rand index (Hubert and Arabie 1985), the only one that chance leaves
at 0: one cluster for all has a high paired F, and a cluster for each a high V-measure.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from sklearn.metrics import (
    adjusted_rand_score,
    homogeneity_completeness_v_measure,
    normalized_mutual_info_score,
)

# What :func:`agreement` gives, in its order.
MEASURES = (
    "ari", "v_measure", "homogeneity", "completeness",
    "bcubed_f", "bcubed_precision", "bcubed_recall",
    "paired_f", "paired_precision", "paired_recall",
)  # fmt: skip


def agreement(gold: np.ndarray, found: np.ndarray) -> dict[str, float]:
    """Every measure of how well a partition agrees with the gold one.

    Parameters
    ----------
    gold, found : int arrays of shape (n,)
        Numbers of senses and of clusters, from 0.

    Returns
    -------
    dict of measure to float
        Pairs that are not there have a precision or recall of 0.
    """
    homogeneity, completeness, v_measure = homogeneity_completeness_v_measure(gold, found)
    bcubed = bcubed_scores(gold, found)
    paired = paired_scores(gold, found)
    values = (
        adjusted_rand_score(gold, found), v_measure, homogeneity, completeness,
        harmonic_mean(*bcubed), *bcubed, harmonic_mean(*paired), *paired,
    )  # fmt: skip
    return {name: float(value) for name, value in zip(MEASURES, values, strict=True)}


def normalised_information(one: Sequence[Hashable], other: np.ndarray) -> float | None:
    """Return the normalised mutual information of two partitions of the same instances.

    It is normalised by the mean of the two entropies: 1 if each partition follows from the other.

    Parameters
    ----------
    one : sequence of length n
        Such as the form of each instance.
    other : array of shape (n,)

    Returns
    -------
    float from 0 to 1, or None
        None if either partition has a single group, of which nothing can follow.
    """
    if len(set(one)) < 2 or len(set(other.tolist())) < 2:
        return None
    # Rounding can exceed 1 in the last digit.
    return min(1.0, float(normalized_mutual_info_score(one, other)))


def contingency(gold: np.ndarray, found: np.ndarray) -> np.ndarray:
    """How many instances of each sense are in each cluster: int array (senses, clusters)."""
    table = np.zeros((gold.max() + 1, found.max() + 1), dtype=np.int64)
    np.add.at(table, (gold, found), 1)
    return table


def bcubed_scores(gold: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """B-cubed precision and recall (Bagga and Baldwin 1998).

    Of each instance, the share of its cluster that has its sense, and the share of its sense that
    is in its cluster, itself counted; then the mean over instances.
    """
    table = contingency(gold, found)
    both = table.astype(float) ** 2
    in_cluster, of_sense = table.sum(axis=0), table.sum(axis=1)
    precision = (both.sum(axis=0) / np.maximum(in_cluster, 1)).sum() / len(gold)
    recall = (both.sum(axis=1) / np.maximum(of_sense, 1)).sum() / len(gold)
    return float(precision), float(recall)


def paired_scores(gold: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """Precision and recall of the pairs of instances that a partition puts together."""
    table = contingency(gold, found)
    both, in_cluster, of_sense = (
        _pairs(counts) for counts in (table, table.sum(axis=0), table.sum(axis=1))
    )
    return both / in_cluster if in_cluster else 0.0, both / of_sense if of_sense else 0.0


def _pairs(counts: np.ndarray) -> int:
    return int((counts * (counts - 1) // 2).sum())


def harmonic_mean(precision: float, recall: float) -> float:
    """F of precision and recall; 0 where both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
