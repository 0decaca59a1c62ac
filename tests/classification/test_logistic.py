"""Logistic regression equals scikit-learn's, even where it takes a shortcut."""

import ctypes
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wsd.classification.estimators import design_matrices, newton
from wsd.classification.estimators.logistic import Logistic, shifted
from wsd.errors import WsdError

SCALES = np.logspace(-2, 2, 12)


def theirs(C: float) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, tol=1e-10, max_iter=100_000))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_logistic_is_the_pipeline_of_scikit_learn(n_classes: int, C: float) -> None:
    X, y, test = clouds(7, classes=n_classes)
    X, test = X * SCALES + 5, test * SCALES + 5
    ours, exact = Logistic(C=C).fit(X, y), theirs(C).fit(X, y)
    assert_array_equal(ours.classes_, exact.classes_)
    assert_allclose(ours.predict_proba(test), exact.predict_proba(test), atol=1e-5)
    assert_array_equal(ours.predict(test), exact.predict(test))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("C", [0.003, 0.3, 10.0])
def test_fewer_instances_than_features_give_the_same_answer(n_classes: int, C: float) -> None:
    """The weights lie in the span of the training instances; test vectors do not."""
    X, y, test = clouds(8, classes=n_classes, rows=40, width=150, spread=3.0)
    ours, exact = Logistic(C=C).fit(X, y), theirs(C).fit(X, y)
    assert_allclose(ours.predict_proba(test), exact.predict_proba(test), atol=1e-5)
    assert_array_equal(ours.predict(test), exact.predict(test))


def test_a_basis_of_instances_that_repeat() -> None:
    """Equal rows make the triangle of the QR decomposition singular."""
    X, y, test = clouds(9, rows=20, width=60, spread=2.0)
    X, y = np.vstack([X, X[:8]]), np.concatenate([y, y[:8]])
    ours, exact = Logistic(C=0.1).fit(X, y), theirs(0.1).fit(X, y)
    assert_allclose(ours.predict_proba(test), exact.predict_proba(test), atol=1e-5)


# The prior


def test_a_prior_shift_takes_the_log_prior_off_and_normalises() -> None:
    X, y, test = clouds(10, classes=3, shares=(0.7, 0.2, 0.1), spread=2.0)
    plain = Logistic(C=0.1).fit(X, y).predict_proba(test)
    log_prior = np.log(np.bincount(y) / len(y))
    for shift in (0.25, 0.5, 1.0):
        actual = Logistic(C=0.1, prior_shift=shift).fit(X, y).predict_proba(test)
        assert_allclose(actual, softmax(np.log(plain) - shift * log_prior, axis=1), rtol=1e-12)
        assert_allclose(actual.sum(axis=1), 1, rtol=1e-12)


def test_a_shift_by_hand() -> None:
    odds, prior = np.array([[4.0, 1.0], [1.0, 1.0]]), np.array([0.8, 0.2])
    # A shift of 1 divides each probability by its prior: 1 to 1, then 1/0.8 to 1/0.2.
    actual = shifted(np.log(odds), np.log(prior), 1.0)
    assert_allclose(actual, [[0.5, 0.5], [0.2, 0.8]], rtol=1e-12)
    # A shift of 1/2 divides by its root: 0.8/√0.8 to 0.2/√0.2 is 2 to 1.
    half = shifted(np.log(odds), np.log(prior), 0.5)
    assert_allclose(half, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]], rtol=1e-12)
    # A probability of one stays one.
    assert_allclose(shifted(np.array([[800.0, 0]]), np.log(prior), 1.0), [[1, 0]])


def test_a_shift_moves_intercepts_alone() -> None:
    """The log odds of two classes change by the same amount at every instance."""
    X, y, test = clouds(11, classes=2, shares=(0.8, 0.2), spread=2.0)
    odds = [
        np.diff(np.log(Logistic(C=0.1, prior_shift=shift).fit(X, y).predict_proba(test)), axis=1)
        for shift in (0.0, 0.75)
    ]
    prior = np.bincount(y) / len(y)
    assert_allclose(odds[1] - odds[0], -0.75 * np.log(prior[1] / prior[0]), rtol=1e-9)


# Searching


GRID = [{"C": C, "prior_shift": s} for C in (0.3, 0.003, 0.03) for s in (0, 0.5, 1)]


@pytest.mark.parametrize(("rows", "width"), [(150, 12), (40, 150)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_search_is_every_fit_on_its_own(rows: int, width: int, n_classes: int) -> None:
    """Other warm starts and one fit per penalty give the same answers."""
    X, y, held = clouds(12, classes=n_classes, rows=rows, width=width, spread=2.0)
    actual = Logistic().search(X, y, held, GRID)
    for point, of_point in zip(GRID, actual, strict=True):
        alone = Logistic(tol=1e-10, **point).fit(X, y).predict_proba(held)
        assert_allclose(of_point, alone, atol=1e-4, err_msg=str(point))
        assert_array_equal(of_point.argmax(axis=1), alone.argmax(axis=1))


def test_warm_starts_change_the_answer_by_no_more_than_the_tolerance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y, held = clouds(13, classes=4, rows=60, width=100, spread=3.0)
    monkeypatch.setattr(Logistic, "search_tol", 1e-10)
    warm = Logistic().search(X, y, held, GRID)
    cold = [Logistic(tol=1e-10, **point).fit(X, y).predict_proba(held) for point in GRID]
    assert_allclose(warm, cold, atol=1e-6)


def test_missing_parameters_are_the_estimators_defaults() -> None:
    X, y, held = clouds(14, shares=(0.6, 0.3, 0.1))
    own = Logistic(C=0.02, prior_shift=0.5)
    by_c, by_shift, nothing = own.search(X, y, held, [{"C": 0.2}, {"prior_shift": 1}, {}])
    for actual, parameters in ((by_c, (0.2, 0.5)), (by_shift, (0.02, 1)), (nothing, (0.02, 0.5))):
        alone = Logistic(*parameters).fit(X, y).predict_proba(held)
        assert_allclose(actual, alone, atol=1e-4)


def test_a_search_scales_by_the_rows_that_are_fitted() -> None:
    X, y, held = clouds(15)
    moved = held.copy()
    moved[-1] = 1e6
    before, after = (Logistic().search(X, y, h, GRID)[:, :-1] for h in (held, moved))
    assert_allclose(before, after, rtol=1e-12)


def test_a_search_where_one_class_is_left() -> None:
    actual = Logistic().search(np.ones((3, 2)), np.array([4, 4, 4]), np.ones((2, 2)), GRID)
    assert_array_equal(actual, np.ones((9, 2, 1)))


# How it converges


@pytest.mark.parametrize("seed", range(3))
def test_a_tighter_tolerance_changes_no_prediction(seed: int) -> None:
    X, y, test = clouds(seed, classes=4, rows=200, width=100, spread=4.0)
    usual = Logistic().fit(X, y)
    tight = Logistic(tol=usual.tol / 10).fit(X, y)
    assert_array_equal(usual.predict(test), tight.predict(test))
    # The data is hard enough: a loose tolerance changes predictions.
    loose = Logistic(tol=0.1).fit(X, y)
    assert (loose.predict(test) != tight.predict(test)).any()


def test_the_features_are_scaled_by_the_training_set_alone() -> None:
    X, y, test = clouds(3)
    outlier = np.full((1, X.shape[1]), 1e6)
    fitted = Logistic().fit(X, y)
    assert_allclose(fitted.scaler_.mean_, X.mean(axis=0), rtol=1e-12)
    assert_allclose(fitted.scaler_.scale_, X.std(axis=0), rtol=1e-12)
    alone = fitted.predict_proba(test)
    beside = fitted.predict_proba(np.vstack([outlier, test]))[1:]
    assert_allclose(alone, beside, rtol=1e-12)


@pytest.mark.skipif(sys.platform != "linux", reason="mallopt is of glibc")
def test_a_fit_reads_no_memory_that_nothing_has_written() -> None:
    """0x7f fills the memory with numbers whose squares overflow; the answer must not change."""
    X, y, test = clouds(8, classes=3, rows=40, width=150, spread=3.0)
    splits = [(np.arange(40) != i, np.array([i])) for i in range(6)]
    splits = [(np.flatnonzero(fit), held) for fit, held in splits]
    library, M_PERTURB = ctypes.CDLL(None), -6
    if not hasattr(library, "mallopt"):
        pytest.skip("another C library")
    actual = []
    try:
        for fill in (0, 0x80, 0x01):  # allocated memory gets the complement
            assert library.mallopt(M_PERTURB, fill) == 1
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                fitted = Logistic(C=0.3).fit(X, y)
                folds = Logistic().search_folds(X, y, splits, [{"C": 0.03}, {"C": 3.0}])
            actual.append([fitted.predict_proba(test), *folds])
    finally:
        library.mallopt(M_PERTURB, 0)
    for again in actual[1:]:
        for first, second in zip(actual[0], again, strict=True):
            assert_array_equal(first, second)


def test_a_product_is_not_judged_by_the_flags_of_the_processor() -> None:
    """BLAS may raise them by chance; the solver itself refuses numbers that are not finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        product = design_matrices._product(np.array([[[np.inf, 1.0]]]), np.array([[0.0], [1.0]]))
    assert np.isnan(product).all()
    X, y, _ = clouds(7, classes=2)
    X[0, 0] = np.inf
    with np.errstate(all="ignore"), pytest.raises(WsdError, match="did not converge"):
        design = design_matrices.Dense(X, np.ones((1, X.shape[1])))
        list(newton.fit_all(design, y, np.ones((1, len(y))), [1.0], 1e-6))


def test_a_solver_that_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, held = clouds(4)
    monkeypatch.setattr(newton, "STEPS", 2)
    for work in (lambda: Logistic().fit(X, y), lambda: Logistic().search(X, y, held, GRID)):
        with pytest.raises(WsdError, match="did not converge") as caught:
            work()
        assert caught.value.fix == "use a smaller C in the config"
