"""Fitted classifiers as plain arrays, and back: what a model file holds.

No pickle and no list of trusted types: a file names one of the registry's estimators, its
parameters and arrays of numbers, and nothing of it is ever run. What comes back is the estimator
itself, so that a prediction goes through the very code that the evaluation used. Where logistic
regression was fitted in the span of few instances, its weights are stored in the features' own
coordinates, which is the same product in another order.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from wsd.classifiers import build
from wsd.mix import ScalarMix

Arrays = dict[str, np.ndarray]


def arrays_of(name: str, fitted: Any) -> Arrays:
    """What an estimator has learned.

    Parameters
    ----------
    name : str
        As in the registry of :mod:`wsd.classifiers`.
    fitted : classifier of that name

    Returns
    -------
    dict of name to array: ``classes``, and what the estimator predicts with
    """
    learned: Arrays = {"classes": np.asarray(fitted.classes_, dtype=np.int64)}
    if name == "nearest_centroid":
        learned["centroids"] = fitted.centroids_
    elif name == "knn":
        # They came as float32, so that nothing is lost.
        learned["vectors"] = fitted.vectors_.astype(np.float32)
        learned["labels"] = np.asarray(fitted.labels_, dtype=np.int64)
    elif name == "lda":
        learned |= _of_scaler(fitted.scaler_)
        learned |= {"coef": fitted.coef_, "intercept": fitted.intercept_}
    elif name == "logistic":
        learned |= _of_logistic(fitted)
    elif name == "mixed_logistic":
        learned["weights"] = fitted.weights_
        learned |= {f"mix_{key}": a for key, a in _of_scaler(fitted.mix_.scaler_).items()}
        learned |= _of_logistic(fitted.logistic_)
    else:
        raise ValueError(f"no estimator {name!r}")
    return {key: np.ascontiguousarray(array) for key, array in learned.items()}


def restored(name: str, parameters: Mapping[str, Any], learned: Mapping[str, np.ndarray]) -> Any:
    """The estimator that :func:`arrays_of` was called with, ready to predict.

    Raises
    ------
    KeyError, ValueError
        If an array is missing, or its shape does not belong to the others.
    ConfigError
        For an unknown estimator or parameter.
    """
    made = build(name, parameters)
    made.classes_ = classes = learned["classes"]
    if name == "nearest_centroid":
        made.centroids_ = _checked(learned["centroids"], len(classes), None)
        made.n_features_in_ = made.centroids_.shape[1]
    elif name == "knn":
        made.labels_ = learned["labels"]
        if not np.isin(made.labels_, classes).all() or made.k < 1:
            raise ValueError("neighbours of another class, or none")
        made.vectors_ = _checked(learned["vectors"], len(made.labels_), None).astype(np.float64)
        made.n_features_in_ = made.vectors_.shape[1]
    elif name == "lda":
        made.scaler_ = _scaler(learned, "")
        made.n_features_in_ = width = made.scaler_.n_features_in_
        made.coef_ = _checked(learned["coef"], len(classes), width)
        made.intercept_ = _checked(learned["intercept"], len(classes))
    elif name == "logistic":
        _fill_logistic(made, learned)
    elif name == "mixed_logistic":
        made.weights_ = _checked(learned["weights"], made.layers)
        made.mix_ = ScalarMix(layers=made.layers)
        made.mix_.scaler_ = _scaler(learned, "mix_")
        made.n_features_in_ = made.mix_.scaler_.n_features_in_
        made.logistic_ = build(
            "logistic", {"C": parameters["C"], "prior_shift": parameters["prior_shift"]}
        )
        made.logistic_.classes_ = classes
        _fill_logistic(made.logistic_, learned)
    return made


def _of_scaler(scaler: StandardScaler) -> Arrays:
    return {"mean": scaler.mean_, "scale": scaler.scale_}


def _scaler(learned: Mapping[str, np.ndarray], prefix: str) -> StandardScaler:
    scaler = StandardScaler()
    scaler.mean_ = _checked(learned[f"{prefix}mean"], None)
    scaler.scale_ = _checked(learned[f"{prefix}scale"], len(scaler.mean_))
    if (scaler.scale_ <= 0).any():
        raise ValueError("a scale that is not above 0")
    scaler.n_features_in_ = len(scaler.mean_)
    return scaler


def _of_logistic(fitted: Any) -> Arrays:
    learned = {**_of_scaler(fitted.scaler_), "log_prior": fitted.log_prior_}
    if fitted.model_ is not None:
        coef = fitted.model_.coef_
        learned["coef"] = coef if fitted.basis_ is None else coef @ fitted.basis_.T
        learned["intercept"] = fitted.model_.intercept_
    return learned


def _fill_logistic(made: Any, learned: Mapping[str, np.ndarray]) -> None:
    classes = made.classes_
    made.scaler_ = _scaler(learned, "")
    made.n_features_in_ = width = made.scaler_.n_features_in_
    made.log_prior_ = _checked(learned["log_prior"], len(classes))
    made.basis_, made.model_ = None, None
    if len(classes) > 1:
        logits = len(classes) if len(classes) > 2 else 1
        made.model_ = LogisticRegression()
        made.model_.classes_ = classes
        made.model_.coef_ = _checked(learned["coef"], logits, width)
        made.model_.intercept_ = _checked(learned["intercept"], logits)
        made.model_.n_features_in_ = width


def _checked(array: np.ndarray, *shape: int | None) -> np.ndarray:
    """An array of finite numbers of this shape; None stands for any length."""
    right = array.ndim == len(shape) and all(
        wanted in (None, came) for wanted, came in zip(shape, array.shape, strict=True)
    )
    if not right:
        raise ValueError(f"an array of shape {array.shape} where {shape} belongs")
    if not np.isfinite(array).all():
        raise ValueError("a number that is not finite")
    return array
