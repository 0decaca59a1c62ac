"""Classify by the nearest class mean, as the published systems of CoarseWSD-20 do."""

from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from wsd.classification.estimators.base import TransformedClassifier
from wsd.metrics.nearest import unit_vectors

METRICS = ("cosine", "euclidean")


class NearestCentroid(TransformedClassifier):
    """Predict the class whose mean training vector is nearest.

    This is the 1-nearest-neighbour sense classifier of Loureiro and Jorge (2019): the vector of a
    sense is the mean over its training instances. scikit-learn's ``NearestCentroid`` has no cosine.

    Parameters
    ----------
    metric : {"cosine", "euclidean"}
        With ``cosine``, vectors keep their lengths in the mean, and only directions are compared.
        A zero vector has similarity 0 to everything.
    transform : str
        A name of :mod:`wsd.metrics.transforms`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    centroids_ : array of shape (n_classes, n_features)
        Means of transformed vectors.
    """

    def __init__(self, metric: str = "cosine", transform: str = "none") -> None:
        self.metric = metric
        self.transform = transform

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Average the vectors of each class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        X, y = self._check_training(X, y)
        self.centroids_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the cosine similarity to each centroid, or minus the distance.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        X = self._check_vectors(X)
        if self.metric == "cosine":
            return unit_vectors(X) @ unit_vectors(self.centroids_).T
        return -cdist(X, self.centroids_)
