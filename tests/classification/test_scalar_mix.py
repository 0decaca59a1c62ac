"""The scalar mix: its gradient, its loss against scikit-learn's, and the layer that it finds."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from wsd.classification.estimators.scalar_mix import ScalarMix, loss_and_gradient
from wsd.errors import ConfigError, WsdError


def layered(
    n: int = 120, layers: int = 4, width: int = 6, classes: int = 3, informative: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Noise in every layer but one, where each class has a mean of its own."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, layers, width)) * np.linspace(0.5, 5, width) + 7
    X[:, informative] += 4 * rng.normal(size=(classes, width))[y]
    return X.reshape(n, layers * width), y


def stacked(X: np.ndarray, layers: int) -> np.ndarray:
    scaled = StandardScaler().fit_transform(X)
    return np.ascontiguousarray(scaled.reshape(len(X), layers, -1).swapaxes(0, 1))


def stacked_by(mix: ScalarMix, X: np.ndarray) -> np.ndarray:
    return mix.scaler_.transform(X).reshape(len(X), mix.layers, -1).swapaxes(0, 1)


def spread_of(stack: np.ndarray) -> np.ndarray:
    return np.einsum("lnw,mnw->lmw", stack, stack) / stack.shape[1]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(classes: int) -> None:
    X, y = layered(classes=classes)
    stack = stacked(X, 4)
    n_logits = 1 if classes == 2 else classes
    theta = np.random.default_rng(0).normal(size=4 + n_logits * 7) / 2
    spread = spread_of(stack)
    _, gradient = loss_and_gradient(theta, stack, y, 0.3, spread)
    numeric = approx_fprime(
        theta, lambda at: loss_and_gradient(at, stack, y, 0.3, spread)[0], epsilon=1e-7
    )
    assert gradient == pytest.approx(numeric, abs=1e-6)
    assert (np.abs(gradient) > 1e-4).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_with_equal_weights_the_loss_is_scikit_learns(classes: int) -> None:
    """Logistic regression on the mean of the standardised layers, standardised again."""
    X, y = layered(classes=classes)
    stack, C = stacked(X, 4), 0.2
    mean = stack.mean(axis=0)
    scale = mean.std(axis=0)
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(mean / scale, y)
    coef = model.coef_ / scale
    theta = np.concatenate([np.zeros(4), coef.ravel(), model.intercept_])
    loss, gradient = loss_and_gradient(theta, stack, y, 1 / (C * len(y)), spread_of(stack))
    likelihood = np.log(model.predict_proba(mean / scale)[np.arange(len(y)), y])
    expected = -likelihood.mean() + np.sum(model.coef_**2) / (2 * C * len(y))
    assert loss == pytest.approx(expected, rel=1e-12)
    # Its minimum is ours too, but for the mixture, which is not at rest there.
    assert gradient[4:] == pytest.approx(np.zeros(len(theta) - 4), abs=1e-8)
    assert np.abs(gradient[:4]).max() > 1e-4


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("layers", [1, 3])
def test_copies_of_one_layer_are_logistic_regression(classes: int, layers: int) -> None:
    X, y = layered(classes=classes)
    one = X[:80, 12:18]
    scaler = StandardScaler().fit(one)
    expected = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000)
    expected.fit(scaler.transform(one), y[:80])
    mix = ScalarMix(layers, C=0.5, tol=1e-9).fit(np.tile(one, layers), y[:80])
    assert mix.weights_ == pytest.approx(np.full(layers, 1 / layers))
    assert mix.coef_ == pytest.approx(expected.coef_, abs=1e-6)
    assert mix.intercept_ == pytest.approx(expected.intercept_, abs=1e-6)


@pytest.mark.parametrize("informative", [0, 2, 3])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_informative_layer_is_found(informative: int, classes: int) -> None:
    X, y = layered(n=300, informative=informative, classes=classes)
    mix = ScalarMix(4).fit(X[:200], y[:200])
    assert mix.weights_.argmax() == informative
    assert mix.weights_[informative] > 0.9
    assert mix.weights_.sum() == pytest.approx(1)
    mixed = np.tensordot(mix.weights_, stacked_by(mix, X[200:]), axes=1)
    logits = mixed @ mix.coef_.T + mix.intercept_
    predicted = logits.argmax(axis=1) if classes > 2 else logits[:, 0] > 0
    assert (predicted == y[200:]).mean() > 0.95


def test_two_layers_that_each_know_a_half_share_the_weight() -> None:
    """One layer tells one bit of four classes, another the other bit, and one tells nothing."""
    rng = np.random.default_rng(5)
    y = rng.integers(4, size=400)
    X = rng.normal(size=(400, 3, 8))
    X[:, 0, :4] += 2.0 * (2 * (y % 2) - 1)[:, None]
    X[:, 2, 4:] += 2.0 * (2 * (y // 2) - 1)[:, None]
    mix = ScalarMix(3).fit(X.reshape(400, -1), y)
    assert min(mix.weights_[[0, 2]]) > 0.4
    assert mix.weights_[1] < 0.1


def test_layers_that_know_the_same_share_the_weight() -> None:
    """The same signal in noise of their own; a strong penalty on many features."""
    rng = np.random.default_rng(5)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 3, 300)) + 0.2 * (2 * y - 1)[:, None, None] * rng.normal(size=300)
    weights = ScalarMix(3, C=0.01).fit(X.reshape(200, -1), y).weights_
    assert weights == pytest.approx(np.full(3, 1 / 3), abs=0.02)


def test_the_scale_of_a_layer_is_nothing() -> None:
    X, y = layered()
    scaled = X.copy()
    scaled[:, 6:12] *= 1000
    one, two = (ScalarMix(4, tol=1e-9).fit(features, y) for features in (X, scaled))
    assert one.weights_ == pytest.approx(two.weights_, abs=1e-5)


def test_layers_lie_side_by_side() -> None:
    """`concat` of wsd.artifacts.layer_choice, not the layers' features interleaved."""
    X, y = layered(informative=1)
    order = [1, 0, 2, 3]
    swapped = X.reshape(len(X), 4, 6)[:, order].reshape(len(X), 24)
    one, two = (ScalarMix(4, tol=1e-9).fit(features, y) for features in (X, swapped))
    assert two.weights_ == pytest.approx(one.weights_[order], abs=1e-5)


def test_one_class_leaves_the_weights_equal() -> None:
    X, _ = layered()
    mix = ScalarMix(4).fit(X, np.full(len(X), 5))
    assert mix.coef_.shape == (0, 6) and mix.intercept_.shape == (0,)
    assert mix.weights_.tolist() == [0.25] * 4


def test_a_class_of_one_instance_and_constant_features() -> None:
    X, y = layered()
    X[:, 3] = 1.0
    X[:, 18:] = 0.0  # a whole layer
    y[:] = y % 2
    y[0] = 9
    mix = ScalarMix(4).fit(X, y)
    assert mix.coef_.shape == (3, 6) and np.isfinite(mix.coef_).all()
    assert mix.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("layers", [0, 5])
def test_features_that_are_not_so_many_layers_are_refused(layers: int) -> None:
    X, y = layered()
    with pytest.raises(ConfigError, match="layers of one width"):
        ScalarMix(layers).fit(X, y)


def test_what_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.optimize import OptimizeResult

    def failing(fun, x0, **options):
        return OptimizeResult(
            x=x0, fun=1.0, jac=np.full(len(x0), np.nan), nit=1, success=False, message="ABNORMAL"
        )

    monkeypatch.setattr("wsd.classification.estimators.scalar_mix.minimize", failing)
    X, y = layered()
    with pytest.raises(WsdError, match="did not converge: ABNORMAL"):
        ScalarMix(4).fit(X, y)


def test_the_fit_is_the_same_bit_for_bit_on_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: set[int] = set()

    def watched(*args, **options):
        used.update(pool["num_threads"] for pool in threadpool_info())
        return minimize(*args, **options)

    monkeypatch.setattr("wsd.classification.estimators.scalar_mix.minimize", watched)
    X, y = layered(n=400, width=64)
    fits = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            fits.append(ScalarMix(4).fit(X.astype(np.float32), y))
    assert used == {1}
    for other in fits[1:]:
        assert np.array_equal(fits[0].weights_, other.weights_)
        assert np.array_equal(fits[0].coef_, other.coef_)
    assert fits[0].coef_.dtype == np.float64


def test_it_is_a_scikit_learn_estimator() -> None:
    mix = ScalarMix(3, C=0.1, tol=1e-5)
    assert clone(mix).get_params() == {"layers": 3, "C": 0.1, "tol": 1e-5}
