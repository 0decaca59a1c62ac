"""The scores that systems are compared by, from confusion matrices, many at a time.

A confusion matrix has a row per gold sense and a column per predicted sense. The joint confusion
of two systems, in which a word of K senses has K cubed cells, is held as the kinds of instance
that occur. All scores are fractions.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

# Per word, and over words.
WORD_SCORES = ("accuracy", "macro_f1", "balanced_accuracy")
MEAN_SCORES = ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1", "mean_balanced_accuracy")

# Per sense what is right, what is gold and what is predicted, of shape (..., K): all that the
# scores need.
Margins = tuple[np.ndarray, np.ndarray, np.ndarray]


class Counts(NamedTuple):
    """How many instances of a word there are of each kind.

    Attributes
    ----------
    kinds : int array of shape (kinds, 1 + systems)
        Gold, and what each system predicts; each kind once, in lexicographic order.
    numbers : array of shape (kinds,)
    n_senses : int
    """

    kinds: np.ndarray
    numbers: np.ndarray
    n_senses: int

    def margins(self, numbers: np.ndarray) -> list[Margins]:
        """The margins of each system, with other numbers of the kinds: shape (..., kinds)."""
        gold, *systems = (np.eye(self.n_senses)[column] for column in self.kinds.T)
        of_gold = numbers @ gold
        return [(numbers @ (gold * of), of_gold, numbers @ of) for of in systems]


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
    cells = _cells([gold, predicted], n_senses)
    return np.bincount(cells, minlength=n_senses**2).reshape(n_senses, n_senses)


def joint_confusion(gold: np.ndarray, a: np.ndarray, b: np.ndarray, n_senses: int) -> Counts:
    """Count the triples of gold and two systems' predictions for the same instances.

    Parameters
    ----------
    gold, a, b : int arrays of shape (n,)
        Indices of senses.
    n_senses : int
    """
    cells, numbers = np.unique(_cells([gold, a, b], n_senses), return_counts=True)
    return Counts(np.stack(np.unravel_index(cells, (n_senses,) * 3), axis=1), numbers, n_senses)


def _cells(columns: Sequence[np.ndarray], n_senses: int) -> np.ndarray:
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"lengths differ: {[len(column) for column in columns]}")
    shape = (n_senses,) * len(columns)
    return np.ravel_multi_index([np.asarray(column, dtype=np.intp) for column in columns], shape)


def word_scores(confusion: np.ndarray) -> dict[str, np.ndarray]:
    """The scores of :mod:`wsd.evaluation.evaluate`, from confusion matrices.

    A sense counts for macro-F1 if it has mass in its row or its column, for balanced accuracy if
    it has mass in its row: sense by sense and matrix by matrix.

    Parameters
    ----------
    confusion : array of shape (..., K, K)
        Counts, or expected counts.

    Returns
    -------
    dict of metric to array of shape (...); NaN where a matrix is empty
    """
    return scores_of_margins(*margins(confusion))


def mean_scores(confusions: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """The scores over all words, from their confusion matrices.

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


def mean_differences(words: Iterable[Sequence[Margins]]) -> dict[str, np.ndarray]:
    """The scores over all words of the first system less those of the second.

    Parameters
    ----------
    words : iterable over words of the margins of both systems
        From :meth:`Counts.margins`.

    Returns
    -------
    dict of mean to array of shape (...)
    """
    scores, sizes = [], []
    for word in words:
        scores.append([scores_of_margins(*of) for of in word])
        sizes.append(word[0][1].sum(axis=-1))
    first, second = (over_words(of, sizes) for of in zip(*scores, strict=True))
    return subtract(first, second)


def subtract(
    first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Metric by metric, the first less the second."""
    return {name: first[name] - second[name] for name in first}


def margins(confusion: np.ndarray) -> Margins:
    """The margins of confusion matrices of shape (..., K, K)."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    return right, confusion.sum(axis=-1), confusion.sum(axis=-2)


def scores_of_margins(
    right: np.ndarray, gold: np.ndarray, predicted: np.ndarray, labels: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """The scores from arrays of shape (..., K); macro-F1 over ``labels`` where they are given."""
    both = gold + predicted
    counted = (both > 0) if labels is None else labels
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = np.where(counted & (both > 0), 2 * right / both, 0)
        recall = np.where(gold > 0, right / gold, 0)
        return {
            "accuracy": _total(right) / _total(gold),
            "macro_f1": _total(f1) / _total(counted),
            "balanced_accuracy": _total(recall) / _total(gold > 0),
        }


def _total(of: np.ndarray) -> np.ndarray:
    """Sum over the last axis, which numpy takes ten times as long for where it has few entries.

    It adds fewer than eight in their order too: to the last bit the sum is the same.
    """
    if not 0 < of.shape[-1] < 8:
        return of.sum(axis=-1)
    first, *others = np.moveaxis(of if of.dtype != bool else of.astype(np.int64), -1, 0)
    return sum(others, first)


def over_words(
    words: Sequence[Mapping[str, np.ndarray]], sizes: Sequence[float] | Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """The scores over all words from those of each word and its number of instances."""
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
