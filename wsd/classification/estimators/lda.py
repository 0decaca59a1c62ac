"""Linear discriminant analysis, the covariance shrunk; folds share one product of the features."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.base import Classifier, Points, Split
from wsd.metrics.single_thread import one_thread
from wsd.metrics.within_class_covariance import Classes, Covariance, Scatter, of_rows, solve_all


class LDA(Classifier):
    """Gaussian classes with one covariance, shrunk towards a multiple of the identity.

    The features are standardised first. The covariance is (1 - shrinkage) S + shrinkage (tr S /
    d) I with S the pooled within-class covariance, as in scikit-learn's
    ``LinearDiscriminantAnalysis(shrinkage=...)``; in the span of the instances where these are
    fewer than the features.

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
            classes = self._classes(X, y)
            columns = Covariance(classes, self.shrinkage).solve(classes.means.T)
        self.coef_ = columns.T
        self.intercept_ = _offset(classes, columns) + self.prior_exponent * self.log_prior_
        return self

    def _classes(self, X: np.ndarray, y: np.ndarray) -> Classes:
        X, y = self._to_fit(X, y)
        self.scaler_ = StandardScaler().fit(X)
        return Scatter(self.scaler_.transform(X), np.searchsorted(self.classes_, y)).classes

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

    def search_folds(
        self, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Points
    ) -> list[np.ndarray]:
        """Probabilities of held-out instances under every point of a search space, on many splits.

        As :meth:`wsd.classification.estimators.logistic.Logistic.search_folds`.
        """
        found = []
        with one_thread():
            X = np.asarray(X, dtype=np.float64)
            scaled = StandardScaler().fit_transform(X)
            scatter = Scatter(scaled.copy(), np.unique(y, return_inverse=True)[1])
            for fit, held in splits:
                classes = scatter.without(np.setdiff1d(np.arange(len(y)), fit))
                rows = scaled
                if classes is None:
                    # As they are: in units of a row far away, which it lacks, little is left.
                    rows, codes = X, np.unique(y[fit], return_inverse=True)[1]
                    classes = of_rows(rows[fit], codes)
                placed = (rows[held] - classes.centre) / classes.scale
                found.append(self._at_points(grid, classes, placed))
        return found

    def _at_points(self, grid: Points, classes: Classes, placed: np.ndarray) -> np.ndarray:
        """Probabilities of instances in the units of the classes, under every point."""
        points = self._filled(grid)
        log_prior = np.log(classes.counts / classes.counts.sum())
        shrinkages = list(dict.fromkeys(point["shrinkage"] for point in points))
        solved = solve_all(classes, shrinkages, classes.means.T)
        scores = {}
        for shrinkage, columns in zip(shrinkages, solved, strict=True):
            scores[shrinkage] = placed @ columns + _offset(classes, columns)
        weighed = [scores[p["shrinkage"]] + p["prior_exponent"] * log_prior for p in points]
        return softmax(np.stack(weighed), axis=-1)


def _offset(classes: Classes, columns: np.ndarray) -> np.ndarray:
    """Of each class, without the prior; the columns are the classes' weights."""
    return -(columns * classes.means.T).sum(axis=0) / 2
