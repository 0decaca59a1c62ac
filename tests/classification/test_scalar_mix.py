"""The scalar mix: its minimum, and the layer that it finds."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.scalar_mix import MixedLogistic, Mixtures, layer_weights


def layered(
    n: int = 120, layers: int = 4, width: int = 6, classes: int = 3, informative: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Return noise in every layer but one, where each class has its own mean."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, layers, width)) * np.linspace(0.5, 5, width) + 7
    X[:, informative] += 4 * rng.normal(size=(classes, width))[y]
    return X.reshape(n, layers * width), y


def stacked(X: np.ndarray, layers: int) -> np.ndarray:
    scaled = StandardScaler().fit_transform(X)
    return np.ascontiguousarray(scaled.reshape(len(X), layers, -1).swapaxes(0, 1))


def joint_loss(theta: np.ndarray, stack: np.ndarray, y: np.ndarray, C: float) -> float:
    """Compute the loss of mixture and classifier by its definition."""
    layers, n, width = stack.shape
    mixed = np.tensordot(softmax(theta[:layers]), stack, 1)
    mixed = mixed / mixed.std(axis=0)
    weights, intercepts = np.split(theta[layers:].reshape(-1, width + 1), [width], axis=1)
    logits = mixed @ weights.T + intercepts.T
    if logits.shape[1] == 1:
        logits = np.column_stack([np.zeros(n), logits])
    losses = logsumexp(logits, axis=1) - logits[np.arange(n), y]
    return float(losses.mean() + (weights**2).sum() / (2 * C * n))


@pytest.mark.parametrize("classes", [2, 3])
def test_mixture_and_classifier_are_at_a_joint_minimum(classes: int) -> None:
    """A search over all parameters, by finite differences, finds no lower loss."""
    rng, y = np.random.default_rng(8), np.arange(60) % classes
    X = rng.normal(size=(60, 3, 3))
    X[:, 0, 0] += 2 * (y == 0)
    X[:, 2, 1] += 2 * (y == 1)
    stack = stacked(X.reshape(60, 9), 3)
    of_all = np.zeros(3 + (1 if classes == 2 else classes) * 4)
    actual = minimize(joint_loss, of_all, args=(stack, y, 0.05), tol=1e-10)
    weights = layer_weights(stack, y, C=0.05, tol=1e-9)
    assert weights == pytest.approx(softmax(actual.x[:3]), abs=1e-4)
    assert weights.max() < 0.99  # nothing at a bound
    lowest, _ = Mixtures(stack, y, 0.05, 1e-9).lowest(np.log(weights))
    assert lowest == pytest.approx(actual.fun, abs=1e-8)


def test_layers_are_concatenated_and_their_scale_has_no_effect() -> None:
    """Concatenated as `concat` of wsd.artifacts.feature_set, not interleaved."""
    X, y = layered(informative=1)
    order = [1, 0, 2, 3]
    swapped = X.reshape(len(X), 4, 6)[:, order].reshape(len(X), 24).copy()
    swapped[:, 6:12] *= 1000
    original, reordered = (MixedLogistic(4).fit(features, y) for features in (X, swapped))
    assert reordered.weights_ == pytest.approx(original.weights_[order], abs=1e-5)
    assert original.weights_.argmax() == 1 and original.weights_[1] > 0.9


def test_the_number_of_threads_changes_no_bit() -> None:
    X, y = layered(n=400, width=64)
    fits = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            fits.append(MixedLogistic(4).fit(X.astype(np.float32), y).weights_)
    assert all(np.array_equal(fits[0], other) for other in fits[1:])
    assert fits[0].dtype == np.float64


@pytest.mark.parametrize("parameters", [{}, {"C": 0.05, "prior_shift": 1.0}])
def test_it_is_logistic_regression_on_the_mixture(parameters: dict[str, Any]) -> None:
    X, y = layered()
    X, y, test = X[:80], y[:80], X[80:]
    actual = MixedLogistic(4, **parameters).fit(X, y)
    fitted, scaled = ((rows - X.mean(axis=0)) / X.std(axis=0) for rows in (X, test))
    weights = layer_weights(np.stack(np.hsplit(fitted, 4)), y)
    own, other = (
        sum(w * part for w, part in zip(weights, np.hsplit(rows, 4), strict=True))
        for rows in (fitted, scaled)
    )
    expected = Logistic(**parameters).fit(own, y).predict_proba(other)
    assert actual.predict_proba(test) == pytest.approx(expected, abs=1e-6)
    single, plain = MixedLogistic(1, C=0.1).fit(X, y), Logistic(C=0.1).fit(X, y)
    assert single.predict_proba(test) == pytest.approx(plain.predict_proba(test), abs=1e-6)
