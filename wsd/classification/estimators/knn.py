"""Classify by the k nearest training instances under cosine distance, with weighted votes."""

from typing import Self

import numpy as np

from wsd.classification.estimators.base import Points, TransformedClassifier
from wsd.metrics.nearest import blocks, unit_vectors
from wsd.metrics.single_thread import one_thread

SAME = 1e-12  # a cosine distance up to this is rounding error


class KNN(TransformedClassifier):
    """k nearest neighbours under cosine distance, with votes weighted by 1/distance.

    It predicts the same as scikit-learn's ``KNeighborsClassifier(metric="cosine",
    weights="distance")``, but one neighbour search serves every k of a search space.

    Parameters
    ----------
    k : int
        Number of neighbours; a smaller training set votes as a whole.
    transform : str
        A name of :mod:`wsd.metrics.transforms`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    vectors_ : array of shape (n_samples, n_features)
        The transformed training vectors.
    labels_ : array of shape (n_samples,)
    """

    def __init__(self, k: int = 5, transform: str = "none") -> None:
        self.k = k
        self.transform = transform

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Store the transformed training instances.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        self.vectors_, self.labels_ = self._check_training(X, y)
        return self

    def _nearest(self, X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and class codes of the k nearest, as :func:`_nearest` orders them."""
        X = unit_vectors(self._check_vectors(X))
        distances, rows = _nearest(X, unit_vectors(self.vectors_), k)
        return distances, np.searchsorted(self.classes_, self.labels_)[rows]

    def _votes(self, distances: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
        """Return each class's share of the votes of the first k: array (n_samples, n_classes).

        Instances at distance 0 outvote all others.
        """
        distances, codes = distances[:, :k], codes[:, :k]
        same = distances <= SAME
        weights = np.where(same.any(axis=1, keepdims=True), same, 1 / np.maximum(distances, SAME))
        votes = np.stack(
            [(weights * (codes == code)).sum(axis=1) for code in range(len(self.classes_))], axis=1
        )
        return votes / votes.sum(axis=1, keepdims=True)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return each class's share of the votes: array of shape (n_samples, n_classes)."""
        return self._votes(*self._nearest(X, self.k), self.k)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return shares of votes for held-out instances at every point of a search space.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search`.
        """
        points = self._complete(grid)
        votes: dict[tuple[str, int], np.ndarray] = {}
        for transform in dict.fromkeys(point["transform"] for point in points):
            ks = {point["k"] for point in points if point["transform"] == transform}
            fitted = self.set_params(transform=transform).fit(X, y)
            distances, codes = fitted._nearest(held, max(ks))
            votes |= {(transform, k): fitted._votes(distances, codes, k) for k in ks}
        return np.stack([votes[point["transform"], point["k"]] for point in points])


def _nearest(X: np.ndarray, trained: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distances and rows of the k nearest unit vectors: arrays (len(X), k).

    They are sorted by distance; equal distances are sorted by position.
    """
    parts = []
    for block in blocks(len(X), len(trained)):
        with one_thread():
            distances = np.maximum(1 - X[block] @ trained.T, 0)
        rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
        parts.append((np.take_along_axis(distances, rows, axis=1), rows))
    distances, nearest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return distances, nearest
