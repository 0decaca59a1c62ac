"""The test of whether two groups of words have curves of the same shape."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from wsd.metrics.curve_shapes import same_shape, whole_interval

LAYERS = 5


@pytest.mark.parametrize(
    ("observed", "expected"), [(500, (24, 974)), (3, (3, 974)), (990, (24, 990))]
)
def test_the_interval_of_a_whole_number(observed: int, expected: tuple[int, int]) -> None:
    """It has the middle 95% of the draws, and the observed number."""
    drawn = np.random.default_rng(1).permutation(1000)
    assert whole_interval(np.append(observed, drawn)) == expected


def curves(words: int, peak: float, noise: float, seed: int) -> np.ndarray:
    """Return curves with a peak, shape (words, layers); words differ in their level too."""
    rng = np.random.default_rng(seed)
    curve = 0.8 - 0.01 * (np.arange(LAYERS) - peak) ** 2
    return curve + rng.normal(0, 0.1, (words, 1)) + rng.normal(0, noise, (words, LAYERS))


def both(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = np.vstack([first, second])
    return values, np.ones(len(values)), np.arange(len(values)) >= len(first)


def test_two_layers_give_welchs_t() -> None:
    """With two layers, the statistic is the square of Welch's t on the words' differences."""
    values, sizes, in_second = both(curves(6, 2, 0.02, 1), curves(9, 1.5, 0.04, 2))
    differences = values[:, 1] - values[:, 0]
    expected = stats.permutation_test(
        (differences[~in_second], differences[in_second]),
        lambda a, b, axis: abs(stats.ttest_ind(a, b, axis=axis, equal_var=False).statistic),
        alternative="greater",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert 0.1 < expected.pvalue < 0.9
    actual = same_shape(values[:, :2], sizes, in_second)
    assert actual == pytest.approx(expected.pvalue, abs=4 * 0.5 / np.sqrt(20_000))


def statistic(values: np.ndarray, sizes: np.ndarray, chosen: list[int]) -> float:
    """Return the statistic from residuals, without sums over words."""
    curve, variance = [], 0.0
    for group in (chosen, [i for i in range(len(sizes)) if i not in chosen]):
        centred = values[group] - values[group].mean(axis=1, keepdims=True)
        curve.append(centred.sum(axis=0) / sizes[group].sum())
        residuals = (centred - sizes[group][:, None] * curve[-1]) / sizes[group].mean()
        variance += (residuals**2).sum() / (len(group) - 1) / len(group)
    return float(((curve[0] - curve[1]) ** 2).sum() / variance)


def test_groups_of_instances_against_all_divisions() -> None:
    """Values are numbers of correct predictions, and sizes are numbers of instances."""
    rng = np.random.default_rng(3)
    sizes = np.array([20, 35, 50, 22, 41, 33, 60, 28])
    values = rng.binomial(sizes[:, None], curves(8, 2, 0.03, 4).clip(0, 1)).astype(float)
    every = [statistic(values, sizes, list(chosen)) for chosen in combinations(range(8), 3)]
    expected = np.mean(np.array(every) >= every[-1] - 1e-9)
    assert 0.1 < expected < 0.9
    actual = same_shape(values, sizes, np.arange(8) >= 5)
    assert actual == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20_000))


def test_the_level_of_a_word_does_not_matter() -> None:
    values, sizes, in_second = both(curves(12, 2, 0.02, 5), curves(12, 2.3, 0.02, 6))
    level = np.where(in_second, 0.3, 0.0)[:, None]
    assert same_shape(values, sizes, in_second) == same_shape(values + level, sizes, in_second)


def test_the_observed_division_is_one_of_the_outcomes() -> None:
    arguments = both(curves(30, 3, 0.01, 7), curves(30, 1, 0.01, 8))
    assert same_shape(*arguments, permutations=999) == 1 / 1000


def test_equal_curves_have_p_1() -> None:
    curve = np.tile(curves(1, 2, 0.01, 9), (10, 1))
    assert same_shape(*both(curve, curve + 0.2)) == 1


def test_the_sample_grows_while_chance_could_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    values, sizes, in_second = both(curves(15, 2, 0.03, 10), curves(15, 2.55, 0.03, 11))
    p = same_shape(values, sizes, in_second, permutations=100_000)
    assert 0.04 < p < 0.047
    seeds = [same_shape(values, sizes, in_second, permutations=100, rng=i) for i in range(20)]
    assert {value < 0.05 for value in seeds} == {p < 0.05}
    monkeypatch.setattr("wsd.metrics.curve_shapes.MOST", 400)
    few = same_shape(values, sizes, in_second, permutations=100)
    assert few * 401 == pytest.approx(round(few * 401))


@pytest.mark.parametrize(("noises", "words"), [((0.01, 0.01), (40, 10)), ((0.01, 0.03), (40, 10))])
def test_a_small_noisy_group_keeps_the_level(
    noises: tuple[float, float], words: tuple[int, int]
) -> None:
    """Without the division by the variance, the second case rejects in about half of the cases."""
    p = [
        same_shape(
            *both(curves(words[0], 2, noises[0], i), curves(words[1], 2, noises[1], 1000 + i)),
            permutations=99,
            rng=i,
        )
        for i in range(200)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.1
