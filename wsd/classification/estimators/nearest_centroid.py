"""Nearest centroid: nothing to tune, the published systems' own classifier."""

from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from wsd.classification.estimators.base import TransformedClassifier
from wsd.errors import ConfigError
from wsd.metrics.nearest import unit_vectors

METRICS = ("cosine", "euclidean")


class NearestCentroid(TransformedClassifier):
    """The class whose mean training vector is nearest.

    The 1-nearest-neighbour sense classifier of Loureiro and Jorge (2019), where a sense's vector
    is the mean over its training instances. scikit-learn's estimator of this name has no cosine.

    Parameters
    ----------
    metric : {"cosine", "euclidean"}
        ``cosine`` compares directions: the mean is taken of the vectors as they are. A zero
        vector has similarity 0 to everything.
    transform : str
        What is done to the vectors first, of :mod:`wsd.metrics.transforms`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    centroids_ : array of shape (n_classes, n_features)
        Of transformed vectors.
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
        if self.metric not in METRICS:
            raise ConfigError(f"metric {self.metric!r}", fix=f"use {' or '.join(METRICS)}")
        X, y = self._to_fit(X, y)
        self.centroids_ = np.stack([X[y == of].mean(axis=0) for of in self.classes_])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Cosine similarity, or negative distance: the higher, the nearer.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        if self.metric == "cosine":
            return unit_vectors(X) @ unit_vectors(self.centroids_).T
        return -cdist(X, self.centroids_)
