"""Classify by the nearest class mean, as the published systems of CoarseWSD-20 do."""

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
        if self.metric not in METRICS:
            raise ConfigError(f"metric {self.metric!r}", fix=f"use {' or '.join(METRICS)}")
        X, y = self._check_training(X, y)
        self.centroids_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the cosine similarity to each centroid, or minus the distance.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return _scores(self.metric, self._check_vectors(X), self.centroids_)

    def search_folds(
        self, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Points
    ) -> list[np.ndarray]:
        """Return scores of held-out instances at every point of a search space, on many splits.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search_folds`. One product
        gives the sums of all classes of all folds. With a transform, each fold is fitted alone.
        """
        points = self._complete(grid)
        if any(point["transform"] != "none" for point in points):
            return [
                np.stack(
                    [class_scores(self.set_params(**p).fit(X[fit], y[fit]), X[held]) for p in grid]
                )
                for fit, held in splits
            ]
        X = np.asarray(X, dtype=np.float64)
        codes = np.unique(y, return_inverse=True)[1]
        members = np.zeros((len(splits), codes.max() + 1, len(y)))
        for members_of_fold, (fit, _) in zip(members, splits, strict=True):
            members_of_fold[codes[fit], fit] = 1
        counts = members.sum(axis=2)
        with one_thread():
            sums = (members.reshape(-1, len(y)) @ X).reshape(*counts.shape, -1)
            results = []
            for (_, held), sums_of_fold, n in zip(splits, sums, counts, strict=True):
                centroids = sums_of_fold[n > 0] / n[n > 0, None]
                rows = X[held]
                results.append(np.stack([_scores(p["metric"], rows, centroids) for p in points]))
        return results


def _scores(metric: str, X: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    if metric == "cosine":
        return unit_vectors(X) @ unit_vectors(centroids).T
    return -cdist(X, centroids)
