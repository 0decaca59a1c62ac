"""Logistic regression on a learned weighting of layers."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wsd.classifiers.logistic import Logistic
from wsd.mix import ScalarMix


class MixedLogistic(ClassifierMixin, BaseEstimator):
    """Softmax weights over layers, then :class:`Logistic` on the weighted mean of the layers.

    The weights are those of :class:`wsd.mix.ScalarMix`, which learns them together with a
    classifier of its own at its default penalty. That is the expensive part, so it is done once
    per fold; penalty and prior shift are then tuned as on any other vector.

    Parameters
    ----------
    layers : int
        How many layers lie side by side in a row of ``X``.
    C, prior_shift
        As of :class:`Logistic`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    weights_ : array of shape (layers,)
        Sums to 1.
    """

    def __init__(self, layers: int = 1, C: float = 1.0, prior_shift: float = 0.0) -> None:
        self.layers = layers
        self.C = C
        self.prior_shift = prior_shift

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Learn the weights of the layers, then the classifier.

        Parameters
        ----------
        X : array of shape (n_samples, layers * width)
        y : array of shape (n_samples,)
        """
        X, y = self._learn_weights(X, y)
        self.logistic_ = Logistic(C=self.C, prior_shift=self.prior_shift).fit(self._mixed(X), y)
        self.classes_ = self.logistic_.classes_
        return self

    def _learn_weights(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.mix_ = ScalarMix(layers=self.layers).fit(X, y)
        self.weights_ = self.mix_.weights_
        return X, y

    def _mixed(self, X: np.ndarray) -> np.ndarray:
        scaled = self.mix_.scaler_.transform(X).reshape(len(X), self.layers, -1)
        return np.einsum("nlw,l->nw", scaled, self.weights_)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class: array of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.logistic_.predict_proba(self._mixed(X))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class; of equally probable ones, the first in ``classes_``."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def search(
        self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Sequence[Mapping[str, Any]]
    ) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`Logistic.search`.
        """
        X, y = self._learn_weights(X, y)
        points = [
            {k: v for k, v in {**self.get_params(), **p}.items() if k != "layers"} for p in grid
        ]
        return Logistic().search(self._mixed(X), y, self._mixed(held), points)
