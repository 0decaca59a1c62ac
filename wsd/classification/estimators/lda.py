"""Linear discriminant analysis, the covariance shrunk; one decomposition serves a search."""

from typing import Self

import numpy as np
from scipy.linalg import eigh
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.base import Classifier, Points
from wsd.metrics.one_thread import one_thread

RANK = 1e-10  # eigenvalues below this share of the largest are rounding


class LDA(Classifier):
    """Gaussian classes with one covariance, shrunk towards a multiple of the identity.

    The features are standardised first. The covariance is (1 - shrinkage) S + shrinkage (tr S /
    d) I with S the pooled within-class covariance, as in scikit-learn's
    ``LinearDiscriminantAnalysis(shrinkage=...)``, which decomposes it anew for every value; here
    the eigenvectors of S serve them all, found in the span of the instances where these are fewer
    than the features.

    Parameters
    ----------
    shrinkage : float
        Above 0, at most 1.
    prior_exponent : float
        A class scores its log prior times this: 1 is the usual rule, 0 takes all classes as
        equally likely.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    log_prior_ : array of shape (n_classes,)
    coef_ : array of shape (n_classes, n_features)
    intercept_ : array of shape (n_classes,)
        With the weighted log prior.
    """

    def __init__(self, shrinkage: float = 0.5, prior_exponent: float = 1.0) -> None:
        self.shrinkage = shrinkage
        self.prior_exponent = prior_exponent

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Decompose the within-class covariance.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        with one_thread():
            self.coef_, offset = self._decompose(X, y).at(self.shrinkage)
        self.intercept_ = offset + self.prior_exponent * self.log_prior_
        return self

    def _decompose(self, X: np.ndarray, y: np.ndarray) -> "_Discriminants":
        X, y = self._to_fit(X, y)
        self.scaler_ = StandardScaler().fit(X)
        codes = np.searchsorted(self.classes_, y)
        return _Discriminants(self.scaler_.transform(X), codes, len(self.classes_))

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Log density of each class plus its weighted log prior, up to a constant per instance.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        with one_thread():
            return self.scaler_.transform(X) @ self.coef_.T + self.intercept_

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class: array of shape (n_samples, n_classes)."""
        return softmax(self.decision_function(X), axis=1)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search`.
        """
        points = self._filled(grid)
        with one_thread():
            linear = self._decompose(X, y)
            scaled = self.scaler_.transform(held)
            scores = {}
            for shrinkage in {point["shrinkage"] for point in points}:
                coef, offset = linear.at(shrinkage)
                scores[shrinkage] = scaled @ coef.T + offset
        weighed = [scores[p["shrinkage"]] + p["prior_exponent"] * self.log_prior_ for p in points]
        return softmax(np.stack(weighed), axis=-1)


class _Discriminants:
    """The linear discriminants for any shrinkage.

    Parameters
    ----------
    scaled : array of shape (n_samples, n_features)
    codes : int array of shape (n_samples,)
    n_classes : int
    """

    def __init__(self, scaled: np.ndarray, codes: np.ndarray, n_classes: int) -> None:
        self.means = np.stack([scaled[codes == k].mean(axis=0) for k in range(n_classes)])
        # The eigenvalues of S that are not zero, and their eigenvectors.
        self.variances, self.directions = _principal(scaled - self.means[codes])
        self.of_means = self.means @ self.directions

    def at(self, shrinkage: float) -> tuple[np.ndarray, np.ndarray]:
        """Weights of shape (n_classes, n_features), and offsets without the prior."""
        # Inverse covariance: 1/ridge everywhere, corrected in the directions of S. With no
        # spread within classes any multiple of the identity gives the same order.
        ridge = shrinkage * self.variances.sum() / self.means.shape[1] or 1.0
        inverse = 1 / ((1 - shrinkage) * self.variances + ridge) - 1 / ridge
        coef = self.means / ridge + (self.of_means * inverse) @ self.directions.T
        return coef, -(coef * self.means).sum(axis=1) / 2


def _principal(within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Non-zero eigenvalues of ``within.T @ within / n`` and their eigenvectors."""
    n, d = within.shape
    values, vectors = eigh(within.T @ within if n >= d else within @ within.T)
    kept = values > RANK * max(values[-1], 0)
    values, vectors = values[kept], vectors[:, kept]
    return values / n, vectors if n >= d else within.T @ (vectors / np.sqrt(values))
