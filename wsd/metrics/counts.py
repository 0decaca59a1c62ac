"""Count the instances of a word by gold sense and by the predictions of some systems.

The joint confusion of two systems would have K cubed cells for K senses. It is stored as the kinds
of instances that occur.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wsd.metrics.scores import Margins, first_minus_second, scores_of_margins


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

    def scores(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """Return the scores of one system, or of the first minus the second, for such numbers."""
        return first_minus_second([scores_of_margins(*system) for system in self.margins(numbers)])


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
