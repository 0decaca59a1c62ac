"""The search of logistic regression before it fitted all folds at once, for `fitting.py`.

Each fold and penalty is one fit with scikit-learn's L-BFGS, which starts at the solution of the
next stronger penalty. If a fold has fewer rows than features, the fit uses the span of the rows.
"""

import warnings
from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler


def search_before(X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: list[Any]) -> np.ndarray:
    """Return probabilities of shape (len(grid), n_held, n_classes)."""
    X, held = X.astype(np.float64), held.astype(np.float64)
    classes, counts = np.unique(y, return_counts=True)
    log_prior = np.log(counts / len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        scaler = StandardScaler().fit(X)
        features, tested = scaler.transform(X), scaler.transform(held)
        if len(features) < features.shape[1]:
            basis, triangle = np.linalg.qr(features.T)
            features, tested = triangle.T, tested @ basis
        if len(classes) == 1:
            return np.ones((len(grid), len(held), 1))
        result = np.empty((len(grid), len(held), len(classes)))
        model = LogisticRegression(tol=1e-6, max_iter=100_000, warm_start=True)
        for C in sorted({point["C"] for point in grid}):
            probabilities = model.set_params(C=C).fit(features, y).predict_proba(tested)
            for i, point in enumerate(grid):
                if point["C"] == C:
                    result[i] = _shifted(probabilities, log_prior, point["prior_shift"])
    return result


def _shifted(probabilities: np.ndarray, log_prior: np.ndarray, shift: float) -> np.ndarray:
    if shift == 0:
        return probabilities
    with np.errstate(divide="ignore"):
        scores = np.log(probabilities) - shift * log_prior
    return np.exp(log_softmax(scores, axis=1))
