"""What the estimators have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wsd.metrics.transforms import Transform, fitted

Points = Sequence[Mapping[str, Any]]  # of a search space: parameters and their values
Split = tuple[np.ndarray, np.ndarray]  # rows to fit on, rows held out


class Classifier(ClassifierMixin, BaseEstimator):
    """An estimator with ``decision_function`` or ``predict_proba`` over ``classes_``."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class with the highest score; of equal ones, the first in ``classes_``."""
        score = getattr(self, "decision_function", None) or self.predict_proba
        best = score(X).argmax(axis=1)
        return self.classes_[best]

    def _learn_classes(self, y: np.ndarray) -> None:
        """Set ``classes_`` and ``log_prior_``, the log of their shares."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / len(y))

    def _to_fit(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vectors to fit on, in float64, and their labels, whose classes are set."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self._learn_classes(y)
        return X, y

    def _checked(self, X: np.ndarray) -> np.ndarray:
        """Vectors to predict, in float64."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _filled(self, grid: Points) -> list[dict[str, Any]]:
        """Points of a search space with the estimator's own parameters where they say nothing."""
        own = self.get_params()
        return [{**own, **point} for point in grid]


class TransformedClassifier(Classifier):
    """An estimator with a parameter ``transform``: what is done to vectors first.

    It is fitted with the rest, so that a row that is held out has no part in it.

    Attributes
    ----------
    transform_ : Transform
    """

    transform: str
    transform_ = Transform()

    def _to_fit(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._to_fit(X, y)
        self.transform_ = fitted(self.transform, X)
        return self.transform_.apply(X), y

    def _checked(self, X: np.ndarray) -> np.ndarray:
        return self.transform_.apply(super()._checked(X))


def class_scores(classifier: Any, X: np.ndarray) -> np.ndarray:
    """Probabilities, or what else a fitted classifier decides by: shape (n, n_classes)."""
    score = getattr(classifier, "predict_proba", None) or classifier.decision_function
    return score(X)
