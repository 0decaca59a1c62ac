"""Count predictions, and compute scores from confusion matrices, many at a time.

A confusion matrix has a row per gold sense and a column per predicted sense. All scores are
fractions.

The joint confusion of two systems would have K cubed cells for K senses. It is stored as the kinds
of instances that occur.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

# Per word, and over words.
WORD_SCORES = ("accuracy", "macro_f1", "balanced_accuracy")
# Each score over words, and the score of a word that it is a mean of.
OF_WORD = {
    "micro_accuracy": "accuracy",
    "mean_word_accuracy": "accuracy",
    "mean_macro_f1": "macro_f1",
    "mean_balanced_accuracy": "balanced_accuracy",
}
MEAN_SCORES = tuple(OF_WORD)

# The number of right, gold and predicted instances of each sense, of shape (..., K). They determine
# all scores.
Margins = tuple[np.ndarray, np.ndarray, np.ndarray]


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
    if len(gold) != len(predicted):
        raise ValueError(f"lengths differ: {[len(gold), len(predicted)]}")
    cells = np.ravel_multi_index((gold, predicted), (n_senses, n_senses))
    return np.bincount(cells, minlength=n_senses**2).reshape(n_senses, n_senses)


def word_scores(confusion: np.ndarray) -> dict[str, np.ndarray]:
    """Return a word's scores from its confusion matrices.

    A sense counts for macro-F1 if its row or its column is not empty, and for balanced accuracy if
    its row is not empty, in each matrix by itself.

    Parameters
    ----------
    confusion : array of shape (..., K, K)
        Counts, or expected counts.

    Returns
    -------
    dict of metric to array of shape (...); NaN where a matrix is empty
    """
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    return scores_of_margins(right, confusion.sum(axis=-1), confusion.sum(axis=-2))


def mean_scores(confusions: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the scores over all words, from their confusion matrices.

    Parameters
    ----------
    confusions : sequence over words of arrays of shape (..., K, K)
        All words have the same leading axes; K may differ.

    Returns
    -------
    dict of mean to array of shape (...)
    """
    sizes = [matrix.sum(axis=(-2, -1)) for matrix in confusions]
    return over_words([word_scores(matrix) for matrix in confusions], sizes)


def subtract(
    first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the first minus the second, metric by metric."""
    return {name: first[name] - second[name] for name in first}


def first_minus_second(systems: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the scores of one system, or the difference of two."""
    return systems[0] if len(systems) == 1 else subtract(*systems)


def scores_of_margins(
    right: np.ndarray,
    gold: np.ndarray,
    predicted: np.ndarray,
    labels: np.ndarray | None = None,
    names: Sequence[str] = WORD_SCORES,
) -> dict[str, np.ndarray]:
    """Return scores from arrays of shape (..., K); macro-F1 is over ``labels``, if given."""
    return {name: score_of_margins(name, right, gold, predicted, labels) for name in names}


def score_of_margins(
    name: str,
    right: np.ndarray,
    gold: np.ndarray,
    predicted: np.ndarray,
    labels: np.ndarray | None = None,
) -> np.ndarray:
    """Return one score, as :func:`scores_of_margins`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if name == "accuracy":
            values, counted = right, gold
        elif name == "macro_f1":
            both = gold + predicted
            counted = (both > 0) if labels is None else labels
            values = np.where(counted & (both > 0), 2 * right / both, 0)
        else:
            counted = gold > 0
            values = np.where(counted, right / gold, 0)
        return np.asarray(values.sum(axis=-1) / counted.sum(axis=-1))


def over_words(
    words: Sequence[Mapping[str, np.ndarray]], sizes: Sequence[float] | Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the scores over all words, from some scores and the number of instances of each."""
    return {
        mean: mean_over_words(mean, [word[name] for word in words], sizes)
        for mean, name in OF_WORD.items()
        if all(name in word for word in words)
    }


def mean_over_words(
    mean: str, words: Sequence[np.ndarray], sizes: Sequence[float] | Sequence[np.ndarray]
) -> np.ndarray:
    """Return one score over all words; micro accuracy weighs them by their size."""
    if not words:
        raise ValueError("no word to take the mean of")
    if mean == "micro_accuracy":
        return np.asarray(sum(v * n for v, n in zip(words, sizes, strict=True)) / sum(sizes))
    return np.asarray(sum(words) / len(words))


class Documents(NamedTuple):
    """The documents of a word's instances.

    Attributes
    ----------
    names : int array of shape (documents,)
        The number of each document, ascending; all words count the documents alike.
    numbers : int array of shape (documents, kinds)
        How many instances of each kind each document has.
    """

    names: np.ndarray
    numbers: np.ndarray


class Counts(NamedTuple):
    """The number of a word's instances of each kind.

    Attributes
    ----------
    kinds : int array of shape (kinds, 1 + systems)
        Gold and the predictions of each system; each kind once, in lexicographic order.
    numbers : array of shape (kinds,)
    n_senses : int
    documents : Documents, or None
        None if the instances are independent.
    """

    kinds: np.ndarray
    numbers: np.ndarray
    n_senses: int
    documents: Documents | None = None

    def select(self, rows: np.ndarray) -> "Counts":
        """Return the counts of some kinds: a bool array of shape (kinds,)."""
        documents = self.documents
        if documents is not None:
            kept = documents.numbers[:, rows].any(axis=1)
            documents = Documents(documents.names[kept], documents.numbers[np.ix_(kept, rows)])
        return Counts(self.kinds[rows], self.numbers[rows], self.n_senses, documents)

    def margins(self, numbers: np.ndarray) -> list[Margins]:
        """Return the margins of each system, for numbers of the kinds of shape (..., kinds)."""
        gold, *systems = (np.eye(self.n_senses)[column] for column in self.kinds.T)
        of_gold = numbers @ gold
        return [
            (numbers @ (gold * predicted), of_gold, numbers @ predicted) for predicted in systems
        ]

    def scores(
        self, numbers: np.ndarray, names: Sequence[str] = WORD_SCORES
    ) -> dict[str, np.ndarray]:
        """Return scores of one system, or of the first minus the second, for such numbers."""
        systems = self.margins(numbers)
        return first_minus_second([scores_of_margins(*system, names=names) for system in systems])


def count_kinds(
    columns: Sequence[np.ndarray], n_senses: int, documents: np.ndarray | None = None
) -> Counts:
    """Count the instances of each kind: gold, and the predictions of one system or several.

    Parameters
    ----------
    columns : sequence of int arrays of shape (n,)
        Gold, then the predictions of each system, as indices of senses.
    n_senses : int
    documents : int array of shape (n,), optional
        The number of each instance's document; all words count the documents alike.
    """
    kinds, kind, numbers = np.unique(
        np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    if documents is None:
        return Counts(kinds, numbers, n_senses)
    names, document = np.unique(documents, return_inverse=True)
    by_document = np.zeros((len(names), len(kinds)), dtype=int)
    np.add.at(by_document, (document, kind), 1)
    return Counts(kinds, numbers, n_senses, Documents(names, by_document))
