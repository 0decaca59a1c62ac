"""The figures that systems are compared by, from confusion matrices, many at a time.

A confusion matrix has a row per gold sense and a column per predicted sense; the joint confusion
of two systems has, per gold sense, a row per prediction of the first and a column per prediction
of the second. All figures are fractions.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

# Per word, and over words.
WORD_SCORES = ("accuracy", "macro_f1", "balanced_accuracy")
MEAN_SCORES = ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy")


def confusion(gold: np.ndarray, predicted: np.ndarray, n_senses: int) -> np.ndarray:
    """Count the pairs of gold and predicted.

    Parameters
    ----------
    gold, predicted : int arrays of shape (n,)
        Indices of senses.
    n_senses : int

    Returns
    -------
    int array of shape (n_senses, n_senses), with a row per gold sense
    """
    return _count([gold, predicted], n_senses)


def joint_confusion(gold: np.ndarray, a: np.ndarray, b: np.ndarray, n_senses: int) -> np.ndarray:
    """Count the triples of gold and two systems' predictions for the same instances.

    Parameters
    ----------
    gold, a, b : int arrays of shape (n,)
        Indices of senses.
    n_senses : int

    Returns
    -------
    int array of shape (n_senses, n_senses, n_senses): gold, first system, second system
    """
    return _count([gold, a, b], n_senses)


def _count(columns: Sequence[np.ndarray], n_senses: int) -> np.ndarray:
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"lengths differ: {[len(column) for column in columns]}")
    shape = (n_senses,) * len(columns)
    cells = np.ravel_multi_index([np.asarray(column, dtype=np.intp) for column in columns], shape)
    return np.bincount(cells, minlength=n_senses ** len(columns)).reshape(shape)


def word_scores(confusion: np.ndarray) -> dict[str, np.ndarray]:
    """The figures of :mod:`wsd.evaluation.evaluate`, from confusion matrices.

    A sense counts for macro-F1 if it has mass in its row or its column, for balanced accuracy if
    it has mass in its row: sense by sense and matrix by matrix.

    Parameters
    ----------
    confusion : array of shape (..., K, K)
        Counts, or expected counts.

    Returns
    -------
    dict of figure to array of shape (...); NaN where a matrix is empty
    """
    return scores_of_margins(*margins(confusion))


def mean_scores(confusions: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """The figures over all words, from their confusion matrices.

    Parameters
    ----------
    confusions : sequence over words of arrays of shape (..., K, K)
        The leading axes are the same for all words, K need not be.

    Returns
    -------
    dict of mean to array of shape (...)
    """
    sizes = [matrix.sum(axis=(-2, -1)) for matrix in confusions]
    return over_words([word_scores(matrix) for matrix in confusions], sizes)


def mean_differences(joints: Iterable[np.ndarray]) -> dict[str, np.ndarray]:
    """The figures over all words of the first system less those of the second.

    Parameters
    ----------
    joints : iterable over words of arrays of shape (..., K, K, K)
        Joint confusions, with leading axes as in :func:`mean_scores`.

    Returns
    -------
    dict of mean to array of shape (...)
    """
    first, second = zip(*map(both_systems, joints), strict=True)
    return subtract(mean_scores(first), mean_scores(second))


def both_systems(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The confusion matrices of the two systems of a joint confusion."""
    return joint.sum(axis=-1), joint.sum(axis=-2)


def subtract(
    first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Figure by figure, the first less the second."""
    return {name: first[name] - second[name] for name in first}


def margins(confusion: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per sense what is right, what is gold and what is predicted: all that the figures need."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    return right, confusion.sum(axis=-1), confusion.sum(axis=-2)


def scores_of_margins(
    right: np.ndarray, gold: np.ndarray, predicted: np.ndarray, labels: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """The figures from arrays of shape (..., K); macro-F1 over ``labels`` where they are given."""
    both = gold + predicted
    counted = (both > 0) if labels is None else labels
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = np.where(counted & (both > 0), 2 * right / both, 0)
        recall = np.where(gold > 0, right / gold, 0)
        return {
            "accuracy": right.sum(axis=-1) / gold.sum(axis=-1),
            "macro_f1": f1.sum(axis=-1) / counted.sum(axis=-1),
            "balanced_accuracy": recall.sum(axis=-1) / (gold > 0).sum(axis=-1),
        }


def over_words(
    words: Sequence[Mapping[str, np.ndarray]], sizes: Sequence[float] | Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """The figures over all words from those of each word and its number of instances."""
    if not words:
        raise ValueError("no word to take the mean of")
    over = {name: sum(word[name] for word in words) / len(words) for name in WORD_SCORES}
    weighted = sum(word["accuracy"] * n for word, n in zip(words, sizes, strict=True))
    return {
        "micro_accuracy": weighted / sum(sizes),
        "mean_word_accuracy": over["accuracy"],
        "mean_macro_f1": over["macro_f1"],
        "mean_balanced_accuracy": over["balanced_accuracy"],
    }
