"""Calibrated probabilities and their calibration error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss, log_loss

from wsd.metrics import reliability
from wsd.metrics.reliability import fit_temperatures, noise_floor, to_logits, to_probabilities


def two_senses(right: int, wrong: int) -> tuple[np.ndarray, np.ndarray]:
    """Return logits (n, 2) that favour the first sense by 1, and gold senses."""
    gold = np.repeat([0, 1], [right, wrong])
    return np.tile([1.0, 0.0], (len(gold), 1)), gold


def confidence(temperature: float) -> float:
    """Return the probability of the first sense under a temperature."""
    return float(to_probabilities(np.array([[1.0, 0.0]]), temperature)[0, 0])


def test_an_unknown_sense_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    logits, gold = rng.normal(scale=3, size=(500, 3)), rng.integers(3, size=500)
    wider = np.insert(logits, 1, np.nan, axis=1)
    known = fit_temperatures({"word": (logits, gold)})["word"]
    unknown = fit_temperatures({"word": (wider, np.array([0, 2, 3])[gold])})["word"]
    assert known == pytest.approx(unknown)
    shown = to_probabilities(wider, 2.0)
    assert not shown[:, 1].any()
    assert_allclose(shown[:, [0, 2, 3]], to_probabilities(logits, 2.0))
    assert_allclose(shown.sum(axis=1), 1)


def test_the_prior_of_a_word_is_a_normal_around_the_pooled_value() -> None:
    """The derivative of the penalised likelihood is 0 at the temperature of each word."""
    words = {"few": (8, 1), "many": (900, 100)}
    temperatures = fit_temperatures({word: two_senses(*n) for word, n in words.items()})
    # Platt's targets: 900 + 8 right and 101 wrong of 1009, and one more that is half wrong.
    share = 1 / 1011
    target = (908 * (1 - share) + 101 * share) / 1009
    pooled = -np.log(np.log(target / (1 - target)))
    for word, (right, wrong) in words.items():
        value, p = np.log(temperatures[word]), confidence(temperatures[word])
        slope = -(right - (right + wrong) * p) / np.exp(value)
        assert slope == pytest.approx(reliability.PRECISION * (value - pooled), abs=0.02)
    assert abs(np.log(temperatures["few"]) - pooled) < 0.05


def test_words_with_many_errors_with_none_and_without_folds() -> None:
    """The share of right answers of a large word is its confidence; few say little."""
    words = {"easy": two_senses(19000, 1000), "hard": two_senses(14000, 6000)}
    none = {"right": two_senses(20, 0), "no folds": (np.ones((0, 4)), np.zeros(0, dtype=int))}
    actual = {word: confidence(t) for word, t in fit_temperatures(words | none).items()}
    assert actual["easy"] == pytest.approx(0.95, abs=5e-4)
    assert actual["hard"] == pytest.approx(0.7, abs=5e-4)
    assert actual["hard"] < actual["no folds"] < actual["right"] < actual["easy"]


def test_log_loss_and_brier_score_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    shares, gold = rng.dirichlet(np.ones(3), size=40), rng.integers(3, size=40)
    actual = reliability.log_loss(shares, gold).mean()
    assert actual == pytest.approx(log_loss(gold, shares, labels=[0, 1, 2]))
    actual = reliability.brier_score(shares, gold).mean()
    options = {"labels": [0, 1, 2], "scale_by_half": False}
    assert actual == pytest.approx(brier_score_loss(gold, shares, **options))
    impossible = np.array([[1.0, 0.0]])
    assert reliability.log_loss(impossible, np.array([1])) == pytest.approx(36.04, abs=0.01)


def test_logits_of_each_kind_of_score() -> None:
    cosines, shares = np.array([[0.4, -0.1]]), np.array([[0.8, 0.2], [1.0, 0.0]])
    assert to_logits(cosines, "nearest_centroid", {}) is cosines
    of_logistic = to_logits(shares, "logistic", {})
    assert_allclose(of_logistic[0], np.log([0.8, 0.2]))
    assert np.isfinite(of_logistic).all()
    for k in (5, 3):
        expected = (k * shares + 0.5) / (k + 1)
        assert_allclose(np.exp(to_logits(shares, "knn", {"k": k})), expected)


def test_the_error_and_its_bins_by_hand() -> None:
    """Two bins: 3 of 4 right at 0.95, 1 of 2 right at 0.55."""
    shares, correct = np.array([0.95] * 4 + [0.55] * 2), np.array([1, 1, 1, 0, 1, 0.0])
    expected = (4 * abs(0.95 - 0.75) + 2 * abs(0.55 - 0.5)) / 6
    assert reliability.calibration_error(shares, correct) == pytest.approx(expected)
    bins = reliability.reliability(shares, correct)
    rows = [tuple(entry.values()) for entry in bins]
    assert rows[0] == pytest.approx((0.5, 0.6, 2, 0.55, 0.5))
    assert rows[1] == pytest.approx((0.9, 1.0, 4, 0.95, 0.75))


def test_the_noise_floor_by_hand() -> None:
    """Two instances in one bin at 0.95: both right 0.9025, one right 0.095, none 0.0025."""
    mean, high = noise_floor(np.array([0.95, 0.95]), seed=1, draws=10_000)
    assert mean == pytest.approx(0.9025 * 0.05 + 0.095 * 0.45 + 0.0025 * 0.95, abs=4e-3)
    assert high == pytest.approx(0.45)
    same, again, other = (
        noise_floor(np.linspace(0.5, 1, 40), seed=seed, draws=50) for seed in (1, 1, 2)
    )
    assert same == again != other
