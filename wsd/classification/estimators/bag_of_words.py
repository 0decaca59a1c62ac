"""Logistic regression on the sentence's other words, wherever they stand."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from wsd.classification.estimators.design_matrices import Sparse
from wsd.classification.estimators.logistic import Logistic


class BagOfWords(Logistic):
    """TF-IDF vectors of unit length and multinomial logistic regression with an L2 penalty.

    The vocabulary is the training set's, punctuation included. A sentence of none of its words
    is the zero vector. BLAS runs on one thread. ``X`` is an array of tuples of str.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty.
    prior_shift : float
        As in :class:`wsd.classification.estimators.logistic.Logistic`.
    tol : float
        The solver stops when no component of the gradient exceeds it. Measured on six words of
        CoarseWSD-20 and C from 10 to 10,000: at 1e-8 no prediction differs from those at 1e-10;
        at 1e-5 up to 21 of a word's 1,391 do, for TF-IDF's features are small.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    log_prior_ : array of shape (n_classes,)
    vectorizer_ : TfidfVectorizer, or None if the training set has no words
    coef_, intercept_
        As in ``Logistic``.
    """

    search_tol = 1e-8

    def __init__(self, C: float = 100.0, prior_shift: float = 0.0, tol: float = 1e-8) -> None:
        super().__init__(C, prior_shift, tol)

    def _design(self, X: np.ndarray, y: np.ndarray) -> Sparse:
        self._learn_classes(y)
        self.vectorizer_ = TfidfVectorizer(analyzer=_as_it_is).fit(X) if any(X) else None
        features = self._features(X)
        return Sparse(features, np.ones((1, features.shape[1])), np.ones((1, len(X))))

    def _features(self, X: np.ndarray) -> sparse.csr_array:
        if self.vectorizer_ is None:
            return sparse.csr_array((len(X), 1))
        return sparse.csr_array(self.vectorizer_.transform(X))

    def _shared_design(self, X: np.ndarray, counts: np.ndarray) -> tuple[Sparse, np.ndarray]:
        """Words counted once; what they weigh, and the sentences' lengths, are each fold's own."""
        if not any(X):
            return super()._shared_design(np.zeros((len(X), 1)), counts)
        words = sparse.csr_array(CountVectorizer(analyzer=_as_it_is).fit_transform(X), dtype=float)
        known = counts @ (words > 0)
        # As TfidfVectorizer weighs them: a word that the fold's own sentences lack is no feature.
        weights = np.log((1 + counts.sum(axis=1, keepdims=True)) / (1 + known)) + 1
        weights[known == 0] = 0
        lengths = np.sqrt(weights**2 @ words.power(2).T)
        return Sparse(words, weights, 1 / np.where(lengths > 0, lengths, 1)), np.full(
            len(counts), True
        )


def _as_it_is(words: Sequence[str]) -> Sequence[str]:
    return words
