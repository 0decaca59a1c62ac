"""A learned mix of layers, then logistic regression on the mixture."""

from typing import Any

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal

from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.scalar_mix import MixedLogistic, layer_weights

LAYERS, WIDTH = 3, 8


def layers(seed: int, *, classes: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three layers in a row; the second separates the classes, the others are noise."""
    X, y, test = clouds(seed, classes=classes, rows=60, width=WIDTH, spread=0.7)
    random = np.random.default_rng(seed + 100)
    noise = random.normal(size=(2, 2, 60, WIDTH))
    return np.hstack([noise[0, 0], X, noise[0, 1]]), y, np.hstack([noise[1, 0], test, noise[1, 1]])


def mixture(X: np.ndarray, test: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mix the standardised layers by hand, with the weights of a scalar mix fitted to X and y."""
    fitted, scaled = ((rows - X.mean(axis=0)) / X.std(axis=0) for rows in (X, test))
    weights = layer_weights(np.stack(np.hsplit(fitted, LAYERS)), y)
    return sum(w * part for w, part in zip(weights, np.hsplit(scaled, LAYERS), strict=True))


@pytest.mark.parametrize("parameters", [{}, {"C": 0.05}, {"C": 0.05, "prior_shift": 1.0}])
def test_it_is_logistic_regression_on_the_mixture(parameters: dict[str, Any]) -> None:
    X, y, test = layers(1)
    actual = MixedLogistic(layers=LAYERS, **parameters).fit(X, y)
    plain = Logistic(**parameters).fit(mixture(X, X, y), y)
    expected = plain.predict_proba(mixture(X, test, y))
    assert_allclose(actual.predict_proba(test), expected, atol=1e-6)
    assert_array_equal(actual.predict(test), actual.classes_[expected.argmax(axis=1)])


def test_the_informative_layer_has_the_weight() -> None:
    X, y, _ = layers(2)
    weights = MixedLogistic(layers=LAYERS).fit(X, y).weights_
    assert weights.argmax() == 1
    assert_allclose(weights.sum(), 1, rtol=1e-12)


def test_one_layer_is_logistic_regression() -> None:
    X, y, test = clouds(3)
    mixed, plain = MixedLogistic(layers=1, C=0.1).fit(X, y), Logistic(C=0.1).fit(X, y)
    assert_array_equal(mixed.weights_, [1])
    assert_allclose(mixed.predict_proba(test), plain.predict_proba(test), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_search_is_every_fit_on_its_own(n_classes: int) -> None:
    X, y, held = layers(4, classes=n_classes)
    grid = [{"C": C, "prior_shift": s} for C in (0.3, 0.01) for s in (0, 1)]
    actual = MixedLogistic(layers=LAYERS).search(X, y, held, grid)
    for point, of_point in zip(grid, actual, strict=True):
        alone = MixedLogistic(layers=LAYERS, **point).fit(X, y).predict_proba(held)
        assert_allclose(of_point, alone, atol=1e-4, err_msg=str(point))


def test_an_empty_point_has_the_default_parameters() -> None:
    X, y, held = layers(5)
    own = MixedLogistic(layers=LAYERS, C=0.02, prior_shift=0.5)
    (actual,) = own.search(X, y, held, [{}])
    assert_allclose(actual, own.fit(X, y).predict_proba(held), atol=1e-4)
    assert own.get_params() == {"layers": LAYERS, "C": 0.02, "prior_shift": 0.5}


def test_a_search_where_one_class_is_left() -> None:
    X, _, held = layers(6)
    actual = MixedLogistic(layers=LAYERS).search(X, np.full(60, 2), held, [{"C": 1}, {"C": 2}])
    assert_array_equal(actual, np.ones((2, 60, 1)))
