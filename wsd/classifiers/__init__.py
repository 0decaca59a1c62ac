"""The classifiers that read senses off vectors, as scikit-learn estimators, and their registry.

All have defined behaviour where scikit-learn's own refuse: a training set of one class predicts
that class; a class with one instance is as good as any other.
"""

from collections.abc import Mapping
from typing import Any

from wsd.classifiers.centroid import NearestCentroid
from wsd.classifiers.knn import KNN
from wsd.classifiers.lda import LDA
from wsd.classifiers.logistic import Logistic
from wsd.classifiers.mixed import MixedLogistic
from wsd.errors import ConfigError

ESTIMATORS: dict[str, Any] = {
    "nearest_centroid": NearestCentroid,
    "logistic": Logistic,
    "lda": LDA,
    "knn": KNN,
    "mixed_logistic": MixedLogistic,
}


def build(estimator: str, parameters: Mapping[str, Any]) -> Any:
    """An unfitted estimator of the registry.

    Raises
    ------
    ConfigError
        For an unknown estimator or parameter.
    """
    if estimator not in ESTIMATORS:
        raise ConfigError(
            f"there is no classifier {estimator!r}",
            where="classifiers",
            fix=f"use {' or '.join(ESTIMATORS)}",
        )
    try:
        return ESTIMATORS[estimator](**parameters)
    except TypeError as error:
        raise ConfigError(f"{estimator}: {error}", where="classifiers") from None
