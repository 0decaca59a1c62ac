"""Classify sentences by their words in any order, with logistic regression."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from wsd.classification.estimators.design_matrices import Design, Sparse
from wsd.classification.estimators.logistic import Logistic


class BagOfWords(Logistic):
    """TF-IDF vectors of unit length and multinomial logistic regression with an L2 penalty.

    The vocabulary has all tokens of the training set, punctuation included. A sentence without any
    of them is the zero vector. BLAS runs on one thread. ``X`` is an array of tuples of str.

    Parameters
    ----------
    C : float
        Inverse of the penalty.
    prior_shift : float
        As in :class:`wsd.classification.estimators.logistic.Logistic`.
    tol : float
        The solver stops when no component of the gradient exceeds it. TF-IDF features are small,
        so it has to be small too. Measured on six words of CoarseWSD-20 with C from 10 to 10,000:
        at 1e-5, up to 21 of a word's 1,391 predictions differ from those at 1e-10; at 1e-8, none.

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
        self.vectorizer_ = TfidfVectorizer(analyzer=_tokens).fit(X) if any(X) else None
        features = self._features(X)
        return Sparse(features, np.ones((1, features.shape[1])), np.ones((1, len(X))))

    def _features(self, X: np.ndarray) -> sparse.csr_array:
        if self.vectorizer_ is None:
            return sparse.csr_array((len(X), 1))
        return sparse.csr_array(self.vectorizer_.transform(X))

    def _shared_design(self, X: np.ndarray, counts: np.ndarray) -> tuple[Design, np.ndarray]:
        """Count the words once for all folds; each fold has its own TF-IDF weights and norms."""
        if not any(X):
            return super()._shared_design(np.zeros((len(X), 1)), counts)
        words = sparse.csr_array(CountVectorizer(analyzer=_tokens).fit_transform(X), dtype=float)
        known = counts @ (words > 0)
        # The weights of TfidfVectorizer; a word that is not in the fold's training rows has 0.
        weights = np.log((1 + counts.sum(axis=1, keepdims=True)) / (1 + known)) + 1
        weights[known == 0] = 0
        lengths = np.sqrt(weights**2 @ words.power(2).T)
        design = Sparse(words, weights, 1 / np.where(lengths > 0, lengths, 1))
        return design, np.full(len(counts), True)


def _tokens(words: Sequence[str]) -> Sequence[str]:
    return words
