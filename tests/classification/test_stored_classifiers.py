"""A classifier that is stored as arrays and loaded predicts as before."""

import json
from typing import Any

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal

from wsd.classification.estimators.registry import make_estimator
from wsd.classification.estimators.stored_classifiers import arrays_of, restored
from wsd.classification.estimators.vector_classifiers import class_scores
from wsd.errors import ConfigError

KINDS = [
    ("nearest_centroid", {"metric": "cosine"}),
    ("nearest_centroid", {"metric": "euclidean"}),
    ("nearest_centroid", {"transform": "whiten"}),
    ("nearest_centroid", {"transform": "remove-2"}),
    ("logistic", {"C": 0.3, "prior_shift": 0.75}),
    ("lda", {"shrinkage": 0.4, "prior_exponent": 0.25}),
    ("knn", {"k": 3}),
    ("knn", {"k": 3, "transform": "centre"}),
    ("knn", {"k": 3, "transform": "whiten"}),
    ("mixed_logistic", {"layers": 3, "C": 0.3, "prior_shift": 0.5}),
]


@pytest.mark.parametrize(("name", "parameters"), KINDS, ids=lambda value: str(value))
@pytest.mark.parametrize(("rows", "classes"), [(80, 3), (20, 2), (20, 1)])
def test_it_predicts_the_same(
    name: str, parameters: dict[str, Any], rows: int, classes: int
) -> None:
    """The data has more and fewer instances than features, and class numbers with a gap."""
    X, y, test = clouds(7, classes=classes, rows=rows, width=30, spread=2.0)
    X, test = X.astype(np.float32), test.astype(np.float32)
    fitted = make_estimator(name, parameters).fit(X, 2 * y + 1)
    again = restored(name, json.loads(json.dumps(parameters)), arrays_of(name, fitted))
    assert type(again) is type(fitted)
    assert_array_equal(again.predict(test), fitted.predict(test))
    assert_allclose(class_scores(again, test), class_scores(fitted, test), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "parameters"), KINDS, ids=lambda value: str(value))
def test_arrays_that_do_not_belong_together_are_refused(
    name: str, parameters: dict[str, Any]
) -> None:
    X, y, _ = clouds(7, classes=3, rows=40, width=30)
    learned = arrays_of(name, make_estimator(name, parameters).fit(X, y))
    for key in learned:
        with pytest.raises(KeyError):
            restored(name, parameters, {k: v for k, v in learned.items() if k != key})
    for key in set(learned) - {"classes", "labels"}:
        nan = {**learned, key: np.full_like(learned[key], np.nan)}
        short = {**learned, key: learned[key][:-1]}
        foreign = [{**learned, key: learned[key].astype(kind)} for kind in (np.complex64, bool)]
        for wrong in (nan, short, *foreign):
            with pytest.raises(ValueError):
                restored(name, parameters, wrong)


def test_only_estimators_of_the_registry_are_made() -> None:
    with pytest.raises(ConfigError, match="there is no classifier"):
        restored("os.system", {}, {"classes": np.arange(2)})
    with pytest.raises(ConfigError, match="nearest_centroid"):
        restored("nearest_centroid", {"__class__": "x"}, {"classes": np.arange(2)})
