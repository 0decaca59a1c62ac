"""The Bayesian signed-rank test and the mixed logistic model, against independent computations."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from wsd.metrics.mixed_logistic import mixed_logistic
from wsd.metrics.signed_rank import signed_rank_posterior


def naive_signed_rank(values: list[float], draws: int) -> list[float]:
    """Count with loops, as in Benavoli et al. (2014)."""
    rng = np.random.default_rng(7)
    points = [0.0, *values]
    wins = [0, 0, 0]
    for _ in range(draws):
        gamma = [rng.gamma(0.5), *(rng.gamma(1.0) for _ in values)]
        mass = [0.0, 0.0, 0.0]
        for a, x in zip(gamma, points, strict=True):
            for b, y in zip(gamma, points, strict=True):
                mean = (x + y) / 2
                mass[0 if mean < -0.005 else 2 if mean > 0.005 else 1] += a * b
        wins[mass.index(max(mass))] += 1
    return [n / draws for n in wins]


@pytest.mark.parametrize(
    "values",
    [[0.02, -0.01, 0.03, 0.004, 0.0, 0.011], [0.002, -0.004, 0.001, 0.03, -0.001, 0.003, 0.004]],
)
def test_the_signed_rank_posterior_equals_loops(values: list[float]) -> None:
    actual = signed_rank_posterior(np.array(values))
    np.testing.assert_allclose(actual, naive_signed_rank(values, 2000), atol=0.04)
    mirrored = signed_rank_posterior(-np.array(values))
    np.testing.assert_allclose(mirrored, actual[::-1], atol=0.02)


def test_clear_cases_of_the_signed_rank_test() -> None:
    assert signed_rank_posterior(np.full(20, 0.001)).equivalent == 1
    assert signed_rank_posterior(np.full(20, 0.02)).better > 0.999
    assert signed_rank_posterior(np.full(20, -0.02)).worse > 0.999


def integrated(won: list[int], discordant: list[int]) -> tuple[np.ndarray, float]:
    """Integrate over each word's effect by Simpson's rule on a wide grid."""
    effects = np.linspace(-6, 6, 241)
    means, spreads = np.linspace(-8, 8, 161), np.linspace(1e-3, 4, 25)
    log_odds = means[:, None, None] + spreads[:, None] * effects
    posterior = stats.norm.pdf(means, 0, 2.5)[:, None] * stats.norm.pdf(spreads)
    for k, n in zip(won, discordant, strict=True):
        density = stats.binom.pmf(k, n, special.expit(log_odds)) * stats.norm.pdf(effects)
        posterior *= integrate.simpson(density, x=effects, axis=-1)
    weights = posterior.sum(axis=1) / posterior.sum()
    below = np.cumsum(weights) - weights / 2
    ends = special.expit(np.interp([0.5, 0.025, 0.975], below, means))
    return ends, 1 - float(np.interp(0, means, below))


@pytest.mark.parametrize(
    ("won", "discordant"),
    [([3, 0, 7, 2, 1], [4, 3, 8, 6, 1]), ([5, 9, 2, 4], [5, 10, 2, 5]), ([40, 2, 3], [50, 9, 3])],
)
def test_the_mixed_model_equals_numerical_integration(
    won: list[int], discordant: list[int]
) -> None:
    actual = mixed_logistic(np.array(won), np.array(discordant))
    ends, better = integrated(won, discordant)
    np.testing.assert_allclose(actual[:3], ends, atol=0.004)
    assert actual.better == pytest.approx(better, abs=0.004)


def test_equal_words_give_nearly_the_binomial_interval() -> None:
    won, discordant = np.full(200, 6), np.full(200, 10)
    actual = mixed_logistic(won, discordant)
    low, high = stats.beta.interval(0.95, 1200.5, 800.5)
    assert (actual.low, actual.high) == pytest.approx((low, high), abs=0.003)


def test_words_without_a_discordant_instance_change_little() -> None:
    few = mixed_logistic(np.array([3, 0, 7]), np.array([4, 3, 8]))
    more = mixed_logistic(np.array([3, 0, 7, 0, 0]), np.array([4, 3, 8, 0, 0]))
    np.testing.assert_allclose(more, few, atol=0.002)


def test_a_system_that_wins_every_discordant_instance() -> None:
    actual = mixed_logistic(np.full(20, 10), np.full(20, 10))
    assert 0.95 < actual.low < actual.estimate < actual.high <= 1
    assert actual.better == pytest.approx(1)
    lost = mixed_logistic(np.zeros(20, dtype=int), np.full(20, 10))
    assert (lost.low, lost.better) == pytest.approx((1 - actual.high, 0), abs=1e-6)
