"""Store a fitted classifier as arrays, and load it without pickle.

The estimators have the registry's names. Their parameters do not include all that they learned.
Loading makes the estimator and sets its learned attributes, so that it predicts with the code of
the evaluation.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from wsd.artifacts.transform_names import CENTRE, NONE
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.estimators.vector_classifiers import TransformedClassifier
from wsd.metrics.transforms import Transform
from wsd.storage.result_files import require

Arrays = dict[str, np.ndarray]
Attributes = dict[str, tuple[str, str]]


def _linear(logits: str) -> Attributes:
    return {
        "mean": ("scaler_.mean_", "features"),
        "scale": ("scaler_.scale_", "features"),
        "coef": ("coef_", f"{logits} features"),
        "intercept": ("intercept_", logits),
    }


# The arrays that an estimator predicts with: the learned attribute, and the sizes of its axes. Axes
# with the same name have the same size.
ATTRIBUTES: dict[str, Attributes] = {
    "nearest_centroid": {"centroids": ("centroids_", "classes features")},
    "knn": {"vectors": ("vectors_", "neighbours features"), "labels": ("labels_", "neighbours")},
    "lda": _linear("classes"),
    "logistic": {**_linear("logits"), "log_prior": ("log_prior_", "classes")},
}
ATTRIBUTES["mixed_logistic"] = {
    "weights": ("weights_", "layers"),
    "mix_mean": ("scaler_.mean_", "features"),
    "mix_scale": ("scaler_.scale_", "features"),
    **{
        name: (f"logistic_.{attribute}", axes.replace("features", "width"))
        for name, (attribute, axes) in ATTRIBUTES["logistic"].items()
    },
}
TRANSFORM = {"mean": "features", "directions": "directions features", "factors": "directions"}


def arrays_of(name: str, fitted: Any) -> Arrays:
    """Return the arrays that a fitted estimator predicts with: ``classes`` and learned attributes.

    Parameters
    ----------
    name : str
        Its name in :mod:`wsd.classification.estimators.registry`.
    fitted : the fitted estimator
    """
    learned = {key: attrgetter(path)(fitted) for key, (path, _) in ATTRIBUTES[name].items()}
    if isinstance(fitted, TransformedClassifier):
        transform = fitted.transform_._asdict().items()
        learned |= {f"transform_{key}": array for key, array in transform if array is not None}
    if name == "knn" and fitted.transform == NONE:
        # Untransformed vectors were float32 before, so that nothing is lost.
        learned["vectors"] = learned["vectors"].astype(np.float32)
    learned["classes"] = fitted.classes_
    return {key: np.ascontiguousarray(array) for key, array in learned.items()}


def restored(name: str, parameters: Mapping[str, Any], learned: Mapping[str, np.ndarray]) -> Any:
    """Return the estimator that :func:`arrays_of` stored.

    Raises
    ------
    KeyError, ValueError
        For arrays that are missing or do not match.
    ConfigError
        For an unknown estimator or parameter.
    """
    estimator = make_estimator(name, parameters)
    estimator.classes_ = classes = learned["classes"]
    sizes = {"classes": len(classes), "logits": len(classes) - (len(classes) <= 2)}
    if name == "mixed_logistic":
        estimator.logistic_ = Logistic(C=estimator.C, prior_shift=estimator.prior_shift)
        estimator.logistic_.classes_ = classes
        sizes["layers"] = estimator.layers
    for key, (path, axes) in ATTRIBUTES[name].items():
        array = _checked(learned[key], axes, sizes, "i" if key == "labels" else "f")
        *owners, attribute = path.split(".")
        owner = estimator
        for part in owners:
            if not hasattr(owner, part):
                setattr(owner, part, StandardScaler())
            owner = getattr(owner, part)
        setattr(owner, attribute, array)
        if axes.endswith(("features", "width")):
            owner.n_features_in_ = array.shape[-1]
        require("scale" not in key or (array > 0).all(), "a scale that is not above 0")
    estimator.n_features_in_ = sizes["features"]
    if name == "mixed_logistic":
        complete = sizes["features"] == sizes["layers"] * sizes["width"]
        require(complete, "a mix of layers of another width")
    if name == "knn":
        require(sizes["neighbours"], "no neighbours")
        require(np.isin(estimator.labels_, classes).all(), "neighbours of another class")
        estimator.vectors_ = estimator.vectors_.astype(np.float64)
    if getattr(estimator, "transform", NONE) != NONE:
        fields = ["mean"] if estimator.transform == CENTRE else list(TRANSFORM)
        arrays = {k: _checked(learned[f"transform_{k}"], TRANSFORM[k], sizes, "f") for k in fields}
        estimator.transform_ = Transform(**arrays)
    return estimator


def _checked(array: np.ndarray, axes: str, sizes: dict[str, int], kind: str) -> np.ndarray:
    """Return an array; refuse one of other sizes or numbers. New names of axes get their sizes."""
    names = axes.split()
    same = [sizes.setdefault(*axis) == axis[1] for axis in zip(names, array.shape, strict=False)]
    require(array.ndim == len(names) and all(same), f"an array of shape {array.shape}, not {axes}")
    require(array.dtype.kind == kind, f"an array of {array.dtype}")
    require(np.isfinite(array).all(), "a number that is not finite")
    return array
