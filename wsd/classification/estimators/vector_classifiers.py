"""Classify vectors by the nearest class mean, by the nearest neighbours, or by LDA.

The base classes of all estimators are here too.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from wsd.metrics.covariance import Classes, Covariance, classes_of
from wsd.metrics.nearest import blocks, unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import Transform, fitted

METRICS = ("cosine", "euclidean")
SAME = 1e-12  # a cosine distance up to this is rounding error
Points = Sequence[Mapping[str, Any]]  # a search space: parameter values of each point
Split = tuple[np.ndarray, np.ndarray]  # rows to fit on, rows held out


class Classifier(ClassifierMixin, BaseEstimator):
    """Base of estimators with ``decision_function`` or ``predict_proba`` over ``classes_``."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class with the highest score per row; the first in ``classes_`` wins a tie."""
        score = getattr(self, "decision_function", None) or self.predict_proba
        best = score(X).argmax(axis=1)
        return self.classes_[best]

    def _learn_classes(self, y: np.ndarray) -> None:
        """Set ``classes_``, and ``log_prior_``, the log of each class's share of ``y``."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / len(y))

    def _check_training(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return checked training vectors in float64 and their labels; set the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self._learn_classes(y)
        return X, y

    def _check_vectors(self, X: np.ndarray) -> np.ndarray:
        """Return checked vectors to predict, in float64."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _complete(self, grid: Points) -> list[dict[str, Any]]:
        """Return the points of a search space, completed by the estimator's own parameters."""
        return [{**self.get_params(), **point} for point in grid]


class TransformedClassifier(Classifier):
    """Base of estimators with a parameter ``transform``, applied to all vectors first.

    The transform is fitted on the training rows alone, never on held-out rows.

    Attributes
    ----------
    transform_ : Transform
    """

    transform: str
    transform_ = Transform()

    def _check_training(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._check_training(X, y)
        self.transform_ = fitted(self.transform, X)
        return self.transform_.apply(X), y

    def _check_vectors(self, X: np.ndarray) -> np.ndarray:
        return self.transform_.apply(super()._check_vectors(X))


def class_scores(classifier: Any, X: np.ndarray) -> np.ndarray:
    """Return probabilities, or else decision values: array of shape (n, n_classes)."""
    score = getattr(classifier, "predict_proba", None) or classifier.decision_function
    return score(X)


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


class LDA(Classifier):
    """Gaussian classes that share a covariance, shrunk towards a multiple of the identity.

    The features are standardised first. The covariance is (1 - shrinkage) S + shrinkage (tr S / d)
    I, where S is the pooled within-class covariance of d features, as in scikit-learn's
    ``LinearDiscriminantAnalysis(shrinkage=...)``. With fewer instances than features, it is
    computed in the span of the instances.

    Parameters
    ----------
    shrinkage : float
        Above 0, at most 1.
    prior_exponent : float
        The factor of the log prior in the score of a class: 1 is the usual rule, 0 ignores the
        frequencies of the classes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    log_prior_ : array of shape (n_classes,)
    coef_ : array of shape (n_classes, n_features)
    intercept_ : array of shape (n_classes,)
        It includes the weighted log prior.
    """

    def __init__(self, shrinkage: float = 0.5, prior_exponent: float = 1.0) -> None:
        self.shrinkage = shrinkage
        self.prior_exponent = prior_exponent

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Compute the weights and the intercept of each class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        with one_thread():
            classes = self._classes(X, y)
            columns = Covariance(classes, self.shrinkage).solve(classes.means.T)
        self.coef_ = columns.T
        self.intercept_ = _offset(classes, columns) + self.prior_exponent * self.log_prior_
        return self

    def _classes(self, X: np.ndarray, y: np.ndarray) -> Classes:
        X, y = self._check_training(X, y)
        self.scaler_ = StandardScaler().fit(X)
        return classes_of(self.scaler_.transform(X), np.searchsorted(self.classes_, y))

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the log density of each class plus its weighted log prior.

        A constant per instance is left out.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        X = self._check_vectors(X)
        with one_thread():
            return self.scaler_.transform(X) @ self.coef_.T + self.intercept_

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class: array of shape (n_samples, n_classes)."""
        return softmax(self.decision_function(X), axis=1)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return probabilities of held-out instances at every point of a search space.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search`.
        """
        points = self._complete(grid)
        with one_thread():
            classes = self._classes(X, y)
            scaled = self.scaler_.transform(held.astype(np.float64))
            scores = {}
            for shrinkage in dict.fromkeys(point["shrinkage"] for point in points):
                columns = Covariance(classes, shrinkage).solve(classes.means.T)
                scores[shrinkage] = scaled @ columns + _offset(classes, columns)
        weighted = [scores[p["shrinkage"]] + p["prior_exponent"] * self.log_prior_ for p in points]
        return softmax(np.stack(weighted), axis=-1)


def _offset(classes: Classes, columns: np.ndarray) -> np.ndarray:
    """Return each class's intercept without the prior, from weights (n_features, n_classes)."""
    return -(columns * classes.means.T).sum(axis=0) / 2
