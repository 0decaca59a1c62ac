"""Logistic regression equals scikit-learn's, in single fits, searches and all folds at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wsd.classification.estimators import newton
from wsd.classification.estimators.logistic import BagOfWords, Logistic, shifted
from wsd.classification.estimators.vector_classifiers import Split
from wsd.errors import WsdError

CS = [0.003, 0.03, 0.3]
GRID = [{"C": C, "prior_shift": s} for C in (0.3, 0.003, 0.03) for s in (0, 0.5, 1)]


def theirs(C: float) -> Any:
    model = LogisticRegression(C=C, tol=1e-9, solver="newton-cholesky", max_iter=1000)
    return make_pipeline(StandardScaler(), model)


# Single fits


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("C", [0.003, 10.0])
@pytest.mark.parametrize(("rows", "width"), [(150, 12), (40, 150), (30, 60)])
def test_a_fit_is_the_pipeline_of_scikit_learn(
    n_classes: int, C: float, rows: int, width: int
) -> None:
    """With fewer instances than features, the weights lie in the span of the training instances."""
    X, y, test = clouds(7, classes=n_classes, rows=rows, width=width, spread=3.0)
    X, test = X * np.logspace(-2, 2, width) + 5, test * np.logspace(-2, 2, width) + 5
    if rows == 30:  # equal rows make the triangle of the QR decomposition singular
        X, y = np.vstack([X, X[:8]]), np.concatenate([y, y[:8]])
    ours, exact = Logistic(C=C).fit(X, y), theirs(C).fit(X, y)
    assert_array_equal(ours.classes_, exact.classes_)
    assert_allclose(ours.predict_proba(test), exact.predict_proba(test), atol=1e-5)
    assert_array_equal(ours.predict(test), exact.predict(test))


def test_a_prior_shift_divides_by_powers_of_the_prior() -> None:
    X, y, test = clouds(10, classes=3, shares=(0.7, 0.2, 0.1), spread=2.0)
    plain = Logistic(C=0.1).fit(X, y).predict_proba(test)
    prior = np.bincount(y) / len(y)
    for shift in (0.25, 1.0):
        actual = Logistic(C=0.1, prior_shift=shift).fit(X, y).predict_proba(test)
        expected = plain / prior**shift
        assert_allclose(actual, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)
    # A probability of one stays one.
    assert_allclose(shifted(np.array([[800.0, 0, 0]]), np.log(prior), 1.0), [[1, 0, 0]])


# Searches


@pytest.mark.parametrize(("rows", "width"), [(150, 12), (40, 150)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_search_is_every_fit_on_its_own(rows: int, width: int, n_classes: int) -> None:
    """Other warm starts and one fit per penalty give the same answers."""
    X, y, held = clouds(12, classes=n_classes, rows=rows, width=width, spread=2.0)
    grid = [*GRID, {"C": 0.2}, {"prior_shift": 1}, {}]
    actual = Logistic(C=0.02, prior_shift=0.5).search(X, y, held, grid)
    for point, of_point in zip(grid, actual, strict=True):
        alone = Logistic(tol=1e-10, **{"C": 0.02, "prior_shift": 0.5, **point}).fit(X, y)
        assert_allclose(of_point, alone.predict_proba(held), atol=1e-4, err_msg=str(point))


# All folds at once


def drawn(n: int, k: int = 4, repeats: int = 2, seed: int = 5) -> list[Split]:
    """Return splits in the form of tuning."""
    random, rows = np.random.default_rng(seed), np.arange(n)
    held = [random.permutation(rows % k) for _ in range(repeats)]
    return [
        (np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))
        for folds in held
        for fold in range(k)
    ]


def check(X: np.ndarray, y: np.ndarray, splits: Sequence[Split], Cs: Sequence[float] = CS) -> None:
    """Check that every fold and penalty equals scikit-learn's answer."""
    result = Logistic().search_folds(X, y, splits, [{"C": C} for C in Cs])
    assert len(result) == len(splits)
    for (fit, held), of_split in zip(splits, result, strict=True):
        for C, of_point in zip(Cs, of_split, strict=True):
            exact = theirs(C).fit(X[fit], y[fit]).predict_proba(X[held])
            # The weaker the penalty, the more a gradient of 1e-6 changes a probability.
            assert_allclose(of_point, exact, atol=2e-4 * max(1, C), err_msg=str(C))


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[pytest.mark.slow] * (seed not in (1, 3))) for seed in range(12)],
)
def test_any_shape_is_scikit_learns_fit(seed: int) -> None:
    """Rows with heavy tails, constant features or duplicates."""
    random = np.random.default_rng(seed)
    classes, width = int(random.integers(2, 6)), int(random.integers(1, 80))
    rows = int(random.integers(8 * classes, 150))
    y = np.concatenate([np.arange(classes).repeat(4), random.integers(classes, size=rows)])
    X = random.standard_t(5, size=(len(y), width)) * 10 ** random.uniform(-3, 3, size=width)
    X += random.normal(size=(classes, width))[y] * random.uniform(0, 3)
    if seed % 3 == 0:
        X[:, 0] = 4.2
    if seed % 3 == 1:
        X[len(X) // 2 :] = X[: len(X) - len(X) // 2]
    Cs = sorted(10 ** random.uniform(-4, 2, size=3))
    check(X, y, drawn(len(y), int(random.integers(2, 6)), 1, seed), Cs)


def test_a_fold_may_lack_a_sense() -> None:
    X, y, _ = clouds(21, classes=3, rows=90)
    y = np.where(y == 1, 2, y)
    y[:6] = 1
    rows = np.arange(90)
    check(X, y, [(rows[6:], rows[:6]), *drawn(90, repeats=1)])
    first, second = np.flatnonzero(y == 0), np.flatnonzero(y == 2)
    one, _ = Logistic().search_folds(X, y, [(first, second), (second, first)], [{"C": 1}])
    assert_array_equal(one, np.ones((1, len(second), 1)))


@pytest.mark.filterwarnings("error")
def test_a_feature_that_is_constant_in_one_fold() -> None:
    X, y, _ = clouds(23, rows=80, spread=2.0)
    X[:, 3] = 5.0
    splits = drawn(80, repeats=1)
    X[splits[0][1], 3] = np.linspace(0, 1, len(splits[0][1]))
    check(X, y, splits)


def test_the_number_of_threads_changes_no_byte() -> None:
    X, y, _ = clouds(29, rows=300, width=200, spread=3.0)
    actual, splits = [], drawn(300, repeats=1)
    for threads in (1, 2):
        with threadpool_limits(threads):
            actual.append(Logistic().search_folds(X, y, splits, [{"C": C} for C in CS]))
    assert_array_equal(*actual)


def test_folds_that_do_not_converge_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = clouds(26, rows=80)
    monkeypatch.setattr(newton, "STEPS", 1)
    with pytest.raises(WsdError, match="did not converge"):
        check(X, y, drawn(80, repeats=1))


# Words in place of vectors


def test_every_fold_of_a_bag_of_words_is_scikit_learns_fit() -> None:
    """Each fold has its own vocabulary, weights and lengths."""
    random = np.random.default_rng(30)
    y = random.integers(3, size=90)
    X = np.empty(90, dtype=object)
    X[:] = [
        tuple(str(word) for word in random.poisson(3 + 2 * label, size=random.integers(0, 9)))
        for label in y
    ]
    X[7] = ("only", "here")
    splits, Cs = drawn(90, repeats=1), [0.1, 1000.0]
    actual = BagOfWords().search_folds(X, y, splits, [{"C": C, "prior_shift": 0} for C in Cs])
    for (fit, held), of_split in zip(splits, actual, strict=True):
        words = TfidfVectorizer(analyzer=lambda words: words).fit(X[fit])
        for C, of_point in zip(Cs, of_split, strict=True):
            model = LogisticRegression(C=C, tol=1e-10, max_iter=100_000)
            model.fit(words.transform(X[fit]), y[fit])
            assert_allclose(of_point, model.predict_proba(words.transform(X[held])), atol=1e-4)
