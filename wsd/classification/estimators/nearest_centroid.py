"""Nearest centroid: nothing to tune, the published systems' own classifier."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from wsd.classification.estimators.base import (
    Points,
    Split,
    TransformedClassifier,
    class_scores,
)
from wsd.errors import ConfigError
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread

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
        self.centroids_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return cosine similarity or negative distance.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return _scores(self.metric, self._checked(X), self.centroids_)

    def search_folds(
        self, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Points
    ) -> list[np.ndarray]:
        """Return scores of held-out instances at every point of a search space, on many splits.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search_folds`. One product
        gives the sums of all folds' classes; a transform is fitted on each fold.
        """
        points = self._filled(grid)
        if any(point["transform"] != "none" for point in points):
            return [self._each(X[fit], y[fit], X[held], grid) for fit, held in splits]
        X = np.asarray(X, dtype=np.float64)
        codes = np.unique(y, return_inverse=True)[1]
        members = np.zeros((len(splits), codes.max() + 1, len(y)))
        for of_fold, (fit, _) in zip(members, splits, strict=True):
            of_fold[codes[fit], fit] = 1
        counts = members.sum(axis=2)
        with one_thread():
            sums = (members.reshape(-1, len(y)) @ X).reshape(*counts.shape, -1)
            results = []
            for (_, held), of_fold, n in zip(splits, sums, counts, strict=True):
                centroids = of_fold[n > 0] / n[n > 0, None]
                rows = X[held]
                results.append(np.stack([_scores(p["metric"], rows, centroids) for p in points]))
        return results

    def _each(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        return np.stack([class_scores(self.set_params(**p).fit(X, y), held) for p in grid])


def _scores(metric: str, X: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    if metric == "cosine":
        return unit_vectors(X) @ unit_vectors(centroids).T
    return -cdist(X, centroids)
