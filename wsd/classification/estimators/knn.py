"""Classify by the k nearest training instances under cosine distance, with weighted votes."""

from collections.abc import Collection
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

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return each class's share of the votes: array of shape (n_samples, n_classes)."""
        return self._shares(X, [self.k])[self.k]

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return shares of votes for held-out instances at every point of a search space.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search`.
        """
        points = self._complete(grid)
        shares: dict[tuple[str, int], np.ndarray] = {}
        for transform in dict.fromkeys(point["transform"] for point in points):
            fitted = self.set_params(transform=transform).fit(X, y)
            ks = {point["k"] for point in points if point["transform"] == transform}
            shares |= {(transform, k): share for k, share in fitted._shares(held, ks).items()}
        return np.stack([shares[point["transform"], point["k"]] for point in points])

    def _shares(self, X: np.ndarray, ks: Collection[int]) -> dict[int, np.ndarray]:
        """Return each class's share of the votes of the nearest k, for several k.

        Equal distances are sorted by position. Instances at distance 0 outvote all others.
        """
        X, trained = unit_vectors(self._check_vectors(X)), unit_vectors(self.vectors_)
        parts: dict[int, list[np.ndarray]] = {k: [] for k in ks}
        for block in blocks(len(X), len(trained)):
            with one_thread():
                distances = np.maximum(1 - X[block] @ trained.T, 0)
            rows = np.argsort(distances, axis=1, kind="stable")[:, : max(ks)]
            distances, labels = np.take_along_axis(distances, rows, axis=1), self.labels_[rows]
            for k in ks:
                near, same = distances[:, :k], distances[:, :k] <= SAME
                any_same = same.any(axis=1, keepdims=True)
                weights = np.where(any_same, same, 1 / np.maximum(near, SAME))
                of_class = [weights * (labels[:, :k] == label) for label in self.classes_]
                votes = np.stack([votes.sum(axis=1) for votes in of_class], axis=1)
                parts[k].append(votes / votes.sum(axis=1, keepdims=True))
        return {k: np.concatenate(part) for k, part in parts.items()}
