"""Convert fitted classifiers to plain arrays, for a model file, and back.

A file names an estimator of the registry, its parameters and arrays of numbers. It holds no code
and no pickle. Converting back gives the same estimator, so that predictions use the same code as
the evaluation.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators.base import TransformedClassifier
from wsd.classification.estimators.registry import make_estimator
from wsd.metrics.transforms import Transform
from wsd.storage.result_files import require

Arrays = dict[str, np.ndarray]
SCALER = {"mean": "scaler_.mean_", "scale": "scaler_.scale_"}
LINEAR = {"coef": "coef_", "intercept": "intercept_"}
# The learned attributes of each estimator, by the names of their arrays.
ATTRIBUTES: dict[str, dict[str, str]] = {
    "nearest_centroid": {"centroids": "centroids_"},
    "knn": {"vectors": "vectors_", "labels": "labels_"},
    "lda": {**SCALER, **LINEAR},
    "logistic": {**SCALER, **LINEAR, "log_prior": "log_prior_"},
}


def arrays_of(name: str, fitted: Any) -> Arrays:
    """Return the arrays that a fitted estimator predicts with; ``classes``, and those it learned."""
    learned = {key: attrgetter(path)(fitted) for key, path in ATTRIBUTES[name].items()}
    if isinstance(fitted, TransformedClassifier):
        transform = fitted.transform_._asdict().items()
        learned |= {f"transform_{key}": a for key, a in transform if a is not None}
    return {k: np.ascontiguousarray(a) for k, a in {**learned, "classes": fitted.classes_}.items()}


def restored(name: str, parameters: Mapping[str, Any], learned: Mapping[str, np.ndarray]) -> Any:
    """Return the fitted estimator whose arrays :func:`arrays_of` returned.

    Raises
    ------
    KeyError, ValueError
        If an array is missing, or its shape does not match the others.
    ConfigError
        For an unknown estimator or parameter.
    """
    for array in learned.values():
        require(array.dtype.kind in "if" and np.isfinite(array).all(), "not finite numbers")
    estimator = make_estimator(name, parameters)
    estimator.classes_ = learned["classes"]
    for key, path in ATTRIBUTES[name].items():
        owner, _, attribute = path.rpartition(".")
        if owner and not hasattr(estimator, owner):
            setattr(estimator, owner, StandardScaler())
        setattr(attrgetter(owner)(estimator) if owner else estimator, attribute, learned[key])
    first = next(iter(ATTRIBUTES[name]))
    estimator.n_features_in_ = width = learned[first].shape[-1]
    if "mean" in learned:
        estimator.scaler_.n_features_in_ = width
    fields = {
        k: learned[f"transform_{k}"] for k in Transform._fields if f"transform_{k}" in learned
    }
    if fields:
        estimator.transform_ = Transform(**fields)
    require(_predicts(estimator, width), "its arrays do not belong together")
    return estimator


def _predicts(estimator: Any, width: int) -> bool:
    """Return whether an estimator can predict a vector: its arrays have matching shapes."""
    try:
        return bool(np.isin(estimator.predict(np.zeros((1, width))), estimator.classes_).all())
    except (IndexError, ValueError):
        return False
