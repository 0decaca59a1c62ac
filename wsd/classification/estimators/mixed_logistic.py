"""Logistic regression on a learned weighting of layers."""

from typing import Self

import numpy as np
from sklearn.utils.validation import validate_data

from wsd.classification.estimators.base import Classifier, Points
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.scalar_mix import ScalarMix


class MixedLogistic(Classifier):
    """Softmax weights over layers, then :class:`Logistic` on the weighted mean of the layers.

    The weights are those of :class:`wsd.classification.estimators.scalar_mix.ScalarMix`, which
    learns them together with a classifier of its own at its default penalty. That is the expensive
    part, so it is done once per fold; penalty and prior shift are then tuned as on any other
    vector.

    Parameters
    ----------
    layers : int
        How many layers lie side by side in a row of ``X``.
    C, prior_shift
        As of :class:`Logistic`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    scaler_ : StandardScaler
    weights_ : array of shape (layers,)
        Sums to 1.
    logistic_ : Logistic
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
        self.logistic_ = self._unfitted().fit(self._learn_mixture(X, y), y)
        self.classes_ = self.logistic_.classes_
        return self

    def _unfitted(self) -> Logistic:
        return Logistic(C=self.C, prior_shift=self.prior_shift)

    def _learn_mixture(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        X, y = validate_data(self, X, y, dtype=np.float64)
        mix = ScalarMix(layers=self.layers).fit(X, y)
        self.scaler_, self.weights_ = mix.scaler_, mix.weights_
        return self._mixed(X)

    def _mixed(self, X: np.ndarray) -> np.ndarray:
        scaled = self.scaler_.transform(X).reshape(len(X), self.layers, -1)
        return np.einsum("nlw,l->nw", scaled, self.weights_)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of each class: array of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return self.logistic_.predict_proba(self._mixed(X))

    def search(self, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Points) -> np.ndarray:
        """Probabilities of held-out instances under every point of a search space.

        As :meth:`Logistic.search`.
        """
        mixed = self._learn_mixture(X, y)
        return self._unfitted().search(mixed, y, self._mixed(held), grid)
