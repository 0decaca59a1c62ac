"""Classify by the k nearest training instances under cosine distance, with weighted votes."""

from typing import Self

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from wsd.classification.estimators.base import TransformedClassifier


class KNN(TransformedClassifier):
    """scikit-learn's k nearest neighbours under cosine distance, with votes weighted by 1/distance.

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
        k = min(self.k, len(self.labels_))
        model = KNeighborsClassifier(k, metric="cosine", weights="distance")
        return model.fit(self.vectors_, self.labels_).predict_proba(self._check_vectors(X))
