"""Intervals and tests over words, against scipy and naive enumeration."""

import itertools

import numpy as np
import pytest
from scipy import stats

from wsd.metrics.over_words import ByWord, scores_by_word


def drawn(seed: int, words: int = 9, mean: float = 0.02) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 0.035, words).round(3)


def equal(values: np.ndarray) -> ByWord:
    return ByWord(values, np.ones(len(values)))


def naive_sign_flip(values: np.ndarray) -> float:
    signs = itertools.product((-1, 1), repeat=len(values))
    sums = [abs(sum(s * v for s, v in zip(flip, values, strict=True))) for flip in signs]
    return float(np.mean([total >= abs(values.sum()) - 1e-9 for total in sums]))


@pytest.mark.parametrize("words", [5, 40])
def test_the_interval_is_the_t_interval(words: int) -> None:
    values = drawn(words, words)
    expected = stats.ttest_1samp(values, 0)
    by_word = equal(values)
    np.testing.assert_allclose(by_word.interval(), expected.confidence_interval(0.95))
    assert by_word.mean / by_word.error == pytest.approx(expected.statistic)
    # Bonferroni: four intervals of 98.75% hold together with 95%.
    together = by_word.interval(family=4)
    np.testing.assert_allclose(together, expected.confidence_interval(0.9875))


def test_micro_accuracy_is_a_ratio_with_linearised_residuals() -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(60, 140, 40)
    right = rng.binomial(sizes, 0.9)
    matrices = [np.array([[r, n - r], [0, 0]]) for r, n in zip(right, sizes, strict=True)]
    by_word = scores_by_word(matrices)["micro_accuracy"]
    ratio = right.sum() / sizes.sum()
    assert by_word.mean == pytest.approx(ratio)
    residuals = (right - ratio * sizes) / sizes.mean()
    assert by_word.error == pytest.approx(np.sqrt(residuals @ residuals / 39 / 40))


def test_sign_flips_equal_naive_enumeration() -> None:
    ties = np.array([0.01, 0.01, 0.01, -0.01, 0, 0.02, 0, 0.03])
    for values in (drawn(1, 1), drawn(1, 2), drawn(1, 11), ties):
        assert equal(values).sign_flip_p() == pytest.approx(naive_sign_flip(values))
    by_word = ByWord(ties, np.array([3, 0.5, 0.5, 0.6, 0.4, 1, 1, 1]))
    assert by_word.sign_flip_p() == pytest.approx(naive_sign_flip(by_word.values * by_word.weights))
    # All of six words favour one system: 2 of 64 outcomes are as extreme.
    assert equal(np.arange(1.0, 7)).sign_flip_p() == 2 / 64
