"""All folds of a search at once: each equals scikit-learn's fit, and bad folds affect no other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wsd.classification.estimators import logistic, newton
from wsd.classification.estimators.logistic import BagOfWords, Logistic
from wsd.classification.estimators.vector_classifiers import Split
from wsd.errors import WsdError

CS = [0.003, 0.03, 0.3]
GRID = [{"C": C, "prior_shift": 0} for C in CS]


def drawn(n: int, k: int = 4, repeats: int = 2, seed: int = 5) -> list[Split]:
    """Return splits in the form of tuning."""
    random, rows = np.random.default_rng(seed), np.arange(n)
    held = [random.permutation(rows % k) for _ in range(repeats)]
    return [
        (np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))
        for folds in held
        for fold in range(k)
    ]


def theirs(C: float) -> Any:
    model = LogisticRegression(C=C, tol=1e-9, solver="newton-cholesky", max_iter=1000)
    return make_pipeline(StandardScaler(), model)


def check(X: np.ndarray, y: np.ndarray, splits: Sequence[Split], Cs: Sequence[float] = CS) -> None:
    """Check that every fold and penalty equals scikit-learn's answer."""
    result = Logistic().search_folds(X, y, splits, [{"C": C} for C in Cs])
    assert len(result) == len(splits)
    for (fit, held), of_split in zip(splits, result, strict=True):
        for C, of_point in zip(Cs, of_split, strict=True):
            exact = theirs(C).fit(X[fit], y[fit]).predict_proba(X[held])
            assert_allclose(of_point, exact, atol=2e-4, err_msg=str(C))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the numbers of rows of the folds that are fitted alone."""
    seen: list[int] = []
    search = Logistic.search

    def watched(self: Logistic, X: Any, y: Any, held: Any, grid: Any) -> np.ndarray:
        seen.append(len(X))
        return search(self, X, y, held, grid)

    monkeypatch.setattr(Logistic, "search", watched)
    return seen


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("rows", "width"), [(400, 5), (120, 60), (60, 200)])
def test_every_fold_is_scikit_learns_fit(
    rows: int, width: int, n_classes: int, alone: list[int]
) -> None:
    X, y, _ = clouds(rows + n_classes, classes=n_classes, rows=rows, width=width, spread=3.0)
    check(X * np.logspace(-3, 3, width) + 7, y, drawn(rows))
    assert not alone


def test_many_senses_without_their_own_preconditioner(alone: list[int]) -> None:
    X, y, _ = clouds(31, classes=15, rows=240, width=10, spread=1.0)
    y[:60] = np.arange(60) % 15
    check(X, y, drawn(240, 3, 1))
    assert not alone


def random_problem(seed: int) -> tuple[np.ndarray, np.ndarray, list[Split], list[float]]:
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
    return X, y, drawn(len(y), int(random.integers(2, 6)), 1, seed), Cs


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_any_shape_is_scikit_learns_fit(seed: int) -> None:
    """The rows have heavy tails, constant features and duplicates."""
    X, y, splits, Cs = random_problem(seed)
    actual = Logistic().search_folds(X, y, splits, [{"C": C} for C in Cs])
    for (fit, held), of_split in zip(splits, actual, strict=True):
        for C, of_point in zip(Cs, of_split, strict=True):
            exact = theirs(C).fit(X[fit], y[fit])
            # The weaker the penalty, the more a gradient of 1e-6 changes a probability.
            atol = 1e-3 * max(1, C / 30)
            assert_allclose(of_point, exact.predict_proba(X[held]), atol=atol, err_msg=f"{C}")


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("width", [6, 200])
def test_the_gradient_of_each_fold(n_classes: int, width: int) -> None:
    X, y, _ = clouds(3, classes=n_classes, rows=100, width=width, spread=2.0)
    counts = np.ones((5, 100))
    for fold in range(5):
        counts[fold, fold::5] = 0
    design, alike = Logistic()._shared_design(X, counts)
    assert alike.all()
    scaled = StandardScaler().fit_transform(X)
    for C, weights, logits, _ in newton.fit_all(design, y, counts, CS, 1e-6):
        for fold in range(5):
            fit = counts[fold] == 1
            of_fold, intercept = weights[:, fold, :-1], weights[:, fold, -1]
            assert_allclose(logits[:, fold], of_fold @ scaled.T + intercept[:, None], atol=1e-9)
            own = StandardScaler().fit(scaled[fit])
            residual = softmax(logits[:, fold], axis=0) - (y == np.arange(n_classes)[:, None])
            w = of_fold * own.scale_
            gradient = residual[:, fit] @ own.transform(scaled[fit])
            gradient += w / C * (2 if n_classes == 2 else 1)
            assert np.abs(gradient).max() / fit.sum() <= 1.1e-6
            assert np.abs(residual[:, fit].sum(axis=1)).max() / fit.sum() <= 1e-6


def test_the_points_of_a_penalty_differ_by_the_shift_alone() -> None:
    X, y, _ = clouds(10, classes=3, shares=(0.7, 0.2, 0.1), spread=2.0)
    splits, grid = drawn(150, repeats=1), [{"C": 0.1, "prior_shift": s} for s in (0, 0.5, 1)]
    for (fit, held), of_split in zip(
        splits, Logistic().search_folds(X, y, splits, grid), strict=True
    ):
        alone = Logistic().search(X[fit], y[fit], X[held], grid)
        assert_allclose(of_split, alone, atol=1e-4)


# Folds that differ from the others


def test_a_fold_without_a_sense(alone: list[int]) -> None:
    X, y, _ = clouds(21, classes=3, rows=90)
    y = np.where(y == 1, 2, y)
    y[:6] = 1
    rows = np.arange(90)
    splits = [(rows[6:], rows[:6]), *drawn(90, repeats=1)]
    check(X, y, splits)
    assert alone == [84]
    actual = Logistic().search_folds(X, y, splits, GRID)
    assert actual[0].shape == (3, 6, 2) and actual[1].shape[2] == 3


def test_folds_of_one_sense() -> None:
    X, y, _ = clouds(22, classes=2, rows=20)
    first, second = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    actual = Logistic().search_folds(X, y, [(first, second), (second, first)], GRID)
    assert_array_equal(actual[0], np.ones((3, len(second), 1)))
    assert_array_equal(actual[1], np.ones((3, len(first), 1)))


@pytest.mark.filterwarnings("error")
def test_a_feature_that_is_constant_in_one_fold(alone: list[int]) -> None:
    X, y, _ = clouds(23, rows=80, spread=2.0)
    X[:, 3] = 5.0
    splits = drawn(80, repeats=1)
    X[splits[0][1], 3] = np.linspace(0, 1, len(splits[0][1]))
    check(X, y, splits)
    assert 60 in alone


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_vectors_of_any_size(size: float) -> None:
    X, y, _ = clouds(24, rows=80, spread=2.0)
    splits = drawn(80, repeats=1)
    usual, sized = (Logistic().search_folds(x, y, splits, GRID) for x in (X, X * size))
    assert_allclose(np.concatenate(sized, axis=1), np.concatenate(usual, axis=1), atol=1e-6)
    mixed = X.copy()
    mixed[:5] *= size
    check(mixed, y, splits)


@pytest.mark.parametrize(("rows", "width"), [(60, 4), (40, 100)])
def test_labels_that_a_plane_separates_with_hardly_any_penalty(rows: int, width: int) -> None:
    X, y, _ = clouds(25, classes=2, rows=rows, width=width, spread=0.1)
    splits = drawn(rows, repeats=1)
    for (fit, held), of_split in zip(
        splits, Logistic().search_folds(X, y, splits, [{"C": 1e6}, {"C": 1e3}]), strict=True
    ):
        assert np.isfinite(of_split).all()
        exact = theirs(1e3).fit(X[fit], y[fit]).predict(X[held])
        assert_array_equal(of_split.argmax(axis=2), [exact, exact])
    fitted = Logistic(C=1e6).fit(X, y)
    assert (fitted.predict(X) == y).all()


def test_folds_that_do_not_converge_together_are_fitted_alone(
    monkeypatch: pytest.MonkeyPatch, alone: list[int]
) -> None:
    X, y, _ = clouds(26, rows=80)
    splits, fit_all = drawn(80, repeats=1), newton.fit_all

    def stubborn(design: Any, codes: Any, counts: np.ndarray, *args: Any) -> Any:
        if len(counts) == 4:
            raise newton.NotConvergedError(np.array([1]))
        return fit_all(design, codes, counts, *args)

    monkeypatch.setattr(logistic, "fit_all", stubborn)
    check(X, y, splits)
    assert alone == [60]


def test_a_fold_that_never_converges_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = clouds(27)
    monkeypatch.setattr(newton, "STEPS", 1)
    with pytest.raises(WsdError, match="did not converge"):
        Logistic().search_folds(X, y, drawn(len(y)), GRID)


def test_a_number_that_is_not_finite_is_an_error() -> None:
    X, y, _ = clouds(28)
    X[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Logistic().search_folds(X, y, drawn(len(y)), GRID)


def test_the_number_of_threads_changes_no_byte() -> None:
    X, y, _ = clouds(29, rows=300, width=200, spread=3.0)
    actual = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            actual.append(Logistic().search_folds(X, y, drawn(300), GRID))
    for first, second in zip(*actual, strict=True):
        assert first.tobytes() == second.tobytes()


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
    splits, Cs = drawn(90), [0.1, 10.0, 1000.0]
    actual = BagOfWords().search_folds(X, y, splits, [{"C": C, "prior_shift": 0} for C in Cs])
    for (fit, held), of_split in zip(splits, actual, strict=True):
        words = TfidfVectorizer(analyzer=lambda words: words).fit(X[fit])
        for C, of_point in zip(Cs, of_split, strict=True):
            model = LogisticRegression(C=C, tol=1e-10, max_iter=100_000)
            model.fit(words.transform(X[fit]), y[fit])
            assert_allclose(of_point, model.predict_proba(words.transform(X[held])), atol=1e-4)


def test_a_bag_without_any_words() -> None:
    X, y = np.empty(12, dtype=object), np.arange(12) % 2
    X[:] = [()] * 12
    (actual, _) = BagOfWords().search_folds(X, y, drawn(12, 2, 1), GRID)
    assert_allclose(actual, 0.5, atol=1e-9)
