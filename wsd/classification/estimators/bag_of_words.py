"""Classify sentences by their words in any order, with logistic regression."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from wsd.classification.estimators.base import Classifier, Points


class BagOfWords(Classifier):
    """TF-IDF vectors of unit length and scikit-learn's logistic regression.

    ``X`` is an array of tuples of str. A training set of one class, or without any words, gives
    every sentence the frequencies of the classes.

    Parameters
    ----------
    C : float
        Inverse of the penalty.
    prior_shift : float
        As in :class:`wsd.classification.estimators.logistic.Logistic`.
    """

    def __init__(self, C: float = 100.0, prior_shift: float = 0.0) -> None:
        self.C = C
        self.prior_shift = prior_shift

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Count the words and fit the weights."""
        self._learn_classes(y)
        self.pipeline_ = None
        if len(self.classes_) > 1 and any(X):
            solver = LogisticRegression(C=self.C, tol=1e-8, solver="newton-cg", max_iter=1000)
            self.pipeline_ = make_pipeline(TfidfVectorizer(analyzer=_tokens), solver).fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each class, after the prior shift."""
        logits = np.tile(self.log_prior_, (len(X), 1))
        if self.pipeline_ is not None:
            logits = self.pipeline_.predict_log_proba(X)
        return softmax(logits - self.prior_shift * self.log_prior_, axis=1)

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Return probabilities of held-out instances at every point: one fit serves every shift."""
        points = self._complete(grid)
        fits = {C: BagOfWords(C).fit(X, y) for C in {point["C"] for point in points}}
        return np.stack(
            [
                fits[p["C"]].set_params(prior_shift=p["prior_shift"]).predict_proba(held)
                for p in points
            ]
        )


def _tokens(words: Sequence[str]) -> Sequence[str]:
    return words
