"""Linear discriminant analysis, the covariance shrunk; one decomposition serves a search."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

RANK = 1e-10  # eigenvalues below this share of the largest are rounding


class LDA(ClassifierMixin, BaseEstimator):
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
    means_ : array of shape (n_classes, n_features)
    log_prior_ : array of shape (n_classes,)
    variances_, directions_ : arrays of shape (r,) and (n_features, r)
        The eigenvalues of S that are not zero, and their eigenvectors.
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
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        self.log_prior_ = np.log(counts / len(y))
        self.scaler_ = StandardScaler().fit(X)
        scaled = self.scaler_.transform(X)
        self.means_ = np.stack([scaled[codes == k].mean(axis=0) for k in range(len(counts))])
        within = scaled - self.means_[codes]
        with threadpool_limits(1):
            self.variances_, self.directions_ = _principal(within)
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Log density of each class plus its weighted log prior, up to a constant per instance.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._scores(X, [self.shrinkage])[0] + self.prior_exponent * self.log_prior_

    def _scores(self, X: np.ndarray, shrinkages: Sequence[float]) -> list[np.ndarray]:
        """For each shrinkage, the discriminants without prior."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        with threadpool_limits(1):
            scaled = self.scaler_.transform(X)
            across, of_means = scaled @ self.directions_, self.means_ @ self.directions_
            products, squares = scaled @ self.means_.T, (self.means_**2).sum(axis=1)
            mean_variance = self.variances_.sum() / X.shape[1]
            found = []
            for shrinkage in shrinkages:
                # Inverse covariance: 1/ridge everywhere, corrected in the directions of S. With
                # no spread within classes any multiple of the identity gives the same order.
                ridge = shrinkage * mean_variance or 1.0
                inverse = 1 / ((1 - shrinkage) * self.variances_ + ridge) - 1 / ridge
                linear = products / ridge + (across * inverse) @ of_means.T
                quadratic = squares / ridge + (of_means**2 * inverse).sum(axis=1)
                found.append(linear - quadratic / 2)
        return found

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class: array of shape (n_samples, n_classes)."""
        return softmax(self.decision_function(X), axis=1)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class; of equally probable ones, the first in ``classes_``."""
        best = self.decision_function(X).argmax(axis=1)
        return self.classes_[best]

    def search(
        self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Sequence[Mapping[str, Any]]
    ) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`wsd.classifiers.logistic.Logistic.search`.
        """
        points = [{**self.get_params(), **point} for point in grid]
        shrinkages = sorted({point["shrinkage"] for point in points})
        self.fit(X, y)
        scores = dict(zip(shrinkages, self._scores(held, shrinkages), strict=True))
        return np.stack(
            [
                softmax(scores[p["shrinkage"]] + p["prior_exponent"] * self.log_prior_, axis=1)
                for p in points
            ]
        )


def _principal(within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Non-zero eigenvalues of ``within.T @ within / n`` and their eigenvectors."""
    n, d = within.shape
    if n >= d:
        values, vectors = eigh(within.T @ within)
        kept = values > RANK * max(values[-1], 0)
        return values[kept] / n, vectors[:, kept]
    values, vectors = eigh(within @ within.T)
    kept = values > RANK * max(values[-1], 0)
    return values[kept] / n, within.T @ (vectors[:, kept] / np.sqrt(values[kept]))
