"""Classify by linear discriminant analysis (LDA) with a shrunk covariance."""

from typing import Self

import numpy as np
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.base import Classifier, Points
from wsd.metrics.covariance import Classes, Covariance, classes_of
from wsd.metrics.single_thread import one_thread


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
