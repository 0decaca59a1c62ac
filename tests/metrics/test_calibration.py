"""Calibrated probabilities and their calibration error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from wsd.metrics import nearest, reliability


def drawn(temperature: float, n: int, *, senses: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return logits, and labels drawn from their probabilities after a temperature."""
    rng = np.random.default_rng(3)
    logits = rng.normal(scale=3, size=(n, senses))
    shares = softmax(logits / temperature, axis=1)
    gold = np.array([rng.choice(senses, p=row) for row in shares])
    return logits, gold


def temperature_of(logits: np.ndarray, gold: np.ndarray) -> float:
    """Return the temperature of the only word of a model."""
    return reliability.fit_temperatures({"word": (logits, gold)})["word"]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_the_temperature_is_found_again(temperature: float) -> None:
    logits, gold = drawn(temperature, 4000)
    assert temperature_of(logits, gold) == pytest.approx(temperature, rel=0.1)


def test_an_unknown_sense_changes_nothing() -> None:
    logits, gold = drawn(2.0, 500)
    wider = np.insert(logits, 1, np.nan, axis=1)
    of_wider = temperature_of(wider, np.array([0, 2, 3])[gold])
    assert of_wider == pytest.approx(temperature_of(logits, gold))
    shown = reliability.to_probabilities(wider, 2.0)
    assert_array_equal(shown[:, 1], 0)
    assert_allclose(shown.sum(axis=1), 1)
    assert_allclose(shown[:, [0, 2, 3]], reliability.to_probabilities(logits, 2.0))


def two_senses(right: int, wrong: int) -> tuple[np.ndarray, np.ndarray]:
    """Return logits (n, 2) that favour the first sense by 1, and gold senses."""
    gold = np.repeat([0, 1], [right, wrong])
    return np.tile([1.0, 0.0], (len(gold), 1)), gold


def confidence(temperature: float) -> float:
    """Return the probability of the first sense under a temperature."""
    return float(reliability.to_probabilities(np.array([[1.0, 0.0]]), temperature)[0, 0])


def test_a_word_with_many_errors_keeps_its_own_temperature() -> None:
    """The share of right answers of each word, not Platt's targets, is its confidence."""
    words = {"easy": two_senses(19000, 1000), "hard": two_senses(14000, 6000)}
    temperatures = reliability.fit_temperatures(words)
    assert confidence(temperatures["easy"]) == pytest.approx(0.95, abs=5e-4)
    assert confidence(temperatures["hard"]) == pytest.approx(0.7, abs=5e-4)


def test_the_prior_of_a_word_is_a_normal_around_the_pooled_value() -> None:
    """The derivative of the penalised likelihood is 0 at the temperature of each word."""
    words = {"few": two_senses(8, 1), "many": two_senses(900, 100)}
    temperatures = reliability.fit_temperatures(words)
    # Platt's targets: 900 + 8 right and 101 wrong of 1009, and one more that is half wrong.
    share = 1 / 1011
    target = (908 * (1 - share) + 101 * share) / 1009
    pooled = -np.log(np.log(target / (1 - target)))
    for word, (right, wrong) in {"few": (8, 1), "many": (900, 100)}.items():
        value = np.log(temperatures[word])
        p = confidence(temperatures[word])
        slope = -(right - (right + wrong) * p) / np.exp(value)
        assert slope == pytest.approx(reliability.PRECISION * (value - pooled), abs=0.02)
    assert abs(np.log(temperatures["few"]) - pooled) < 0.05


def test_a_word_without_errors_stays_near_the_pooled_temperature() -> None:
    words = {f"word {i}": two_senses(90, 10) for i in range(10)} | {"right": two_senses(20, 0)}
    temperatures = reliability.fit_temperatures(words)
    assert confidence(temperatures["word 0"]) < confidence(temperatures["right"]) < 0.96


def test_words_without_any_error_are_not_certain() -> None:
    """Platt's targets: after n right instances, the next is wrong with p of about 1 / (n + 2)."""
    words = {f"word {i}": two_senses(20, 0) for i in range(5)}
    for temperature in reliability.fit_temperatures(words).values():
        assert 101 / 102 < confidence(temperature) < 0.998


def test_data_without_a_temperature() -> None:
    empty = np.zeros(0, dtype=int)
    assert reliability.fit_temperatures({}) == {}
    assert reliability.fit_temperatures({"a": (np.ones((3, 1)), np.zeros(3, dtype=int))}) == {}
    assert reliability.fit_temperatures({"a": (np.ones((0, 2)), empty)}) == {}
    unknown = np.array([[0.0, np.nan]])
    assert reliability.fit_temperatures({"a": (unknown, np.array([1]))}) == {}


def test_a_word_without_folds_gets_the_pooled_temperature() -> None:
    words = {"a": two_senses(80, 20), "b": two_senses(90, 10)}
    no_folds = {"c": (np.ones((0, 4)), np.zeros(0, dtype=int))}
    temperatures = reliability.fit_temperatures(words | no_folds)
    assert temperatures["a"] > temperatures["c"] > temperatures["b"]
    assert reliability.fit_temperatures(words) == {word: temperatures[word] for word in words}


def test_log_loss_and_brier_score_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import brier_score_loss, log_loss

    rng = np.random.default_rng(5)
    shares, gold = rng.dirichlet(np.ones(3), size=40), rng.integers(3, size=40)
    actual = reliability.log_loss(shares, gold).mean()
    assert actual == pytest.approx(log_loss(gold, shares, labels=[0, 1, 2]))
    actual = reliability.brier_score(shares, gold).mean()
    options = {"labels": [0, 1, 2], "scale_by_half": False}
    assert actual == pytest.approx(brier_score_loss(gold, shares, **options))
    impossible = np.array([[1.0, 0.0]])
    assert reliability.log_loss(impossible, np.array([1])) == pytest.approx(36.04, abs=0.01)
    assert reliability.brier_score(impossible, np.array([1])) == 2


def test_logits_of_each_kind_of_score() -> None:
    cosines = np.array([[0.4, -0.1]])
    assert_array_equal(reliability.to_logits(cosines, "nearest_centroid", {}), cosines)
    shares = np.array([[0.8, 0.2], [1.0, 0.0]])
    of_logistic = reliability.to_logits(shares, "logistic", {})
    assert_allclose(of_logistic[0], np.log([0.8, 0.2]))
    assert np.isfinite(of_logistic).all()
    votes = reliability.to_logits(shares, "knn", {"k": 5})
    assert_allclose(np.exp(votes), [[4.5 / 6, 1.5 / 6], [5.5 / 6, 0.5 / 6]])


def test_the_error_by_hand() -> None:
    """Two bins: 3 of 4 right at 0.95, 1 of 2 right at 0.55."""
    confidence = np.array([0.95] * 4 + [0.55] * 2)
    correct = np.array([1, 1, 1, 0, 1, 0.0])
    expected = (4 * abs(0.95 - 0.75) + 2 * abs(0.55 - 0.5)) / 6
    assert reliability.calibration_error(confidence, correct) == pytest.approx(expected)
    bins = reliability.reliability(confidence, correct)
    assert [(entry["high"], entry["n"], entry["accuracy"]) for entry in bins] == [
        (0.6, 2, 0.5),
        (1.0, 4, 0.75),
    ]
    assert bins[1]["confidence"] == pytest.approx(0.95)


def test_the_ends_of_the_bins() -> None:
    bins = reliability.reliability(np.array([0, 0.1, 0.10001, 1.0]), np.ones(4))
    assert [(entry["high"], entry["n"]) for entry in bins] == [(0.1, 2), (0.2, 1), (1.0, 1)]


def test_the_noise_floor_by_hand() -> None:
    """Two instances in one bin at 0.95: both right 0.9025, one right 0.095, none 0.0025."""
    mean, high = reliability.noise_floor(np.array([0.95, 0.95]), seed=1, draws=20_000)
    assert mean == pytest.approx(0.9025 * 0.05 + 0.095 * 0.45 + 0.0025 * 0.95, abs=2e-3)
    assert high == pytest.approx(0.45)
    # Instances in two bins: errors of single instances add up.
    mean, _ = reliability.noise_floor(np.array([0.95, 0.55]), seed=1, draws=20_000)
    expected = (2 * 0.95 * 0.05 + 2 * 0.55 * 0.45) / 2
    assert mean == pytest.approx(expected, abs=3e-3)


def test_certain_answers_have_no_noise() -> None:
    assert reliability.noise_floor(np.ones(4), seed=1, draws=10) == (0, 0)


def test_a_calibrated_classifier_exceeds_the_quantile_in_about_five_percent() -> None:
    above, errors, means, rng = 0, [], [], np.random.default_rng(2)
    for seed in range(400):
        shares = rng.beta(8, 1, size=150)
        error = reliability.calibration_error(shares, (rng.random(150) < shares).astype(float))
        mean, high = reliability.noise_floor(shares, seed=seed, draws=200)
        above += error > high
        errors.append(error)
        means.append(mean)
    assert 8 <= above <= 34  # 20 expected, 99.9% of binomial draws
    assert np.mean(means) == pytest.approx(np.mean(errors), rel=0.05)


# Out-of-distribution flags


def test_the_threshold_ignores_near_duplicates() -> None:
    angles = np.deg2rad([0, 10, 30, 31])
    train = nearest.half_units(np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(
        np.float32
    )
    alone = nearest.ood_threshold(train, np.arange(4))
    assert alone == pytest.approx(1 - np.cos(np.deg2rad(10)), rel=0.05)
    # The last two are near-duplicates, so the second row is the nearest of both.
    grouped = nearest.ood_threshold(train, np.array([0, 1, 2, 2]))
    assert grouped == pytest.approx(1 - np.cos(np.deg2rad(21)), rel=0.05)
    assert nearest.ood_threshold(train, np.zeros(4, dtype=int)) is None


def test_the_rounding_of_kept_vectors_is_no_distance() -> None:
    """In the static view all vectors of a word are equal, and their cosine may exceed 1."""
    rows = np.tile(np.random.default_rng(3).normal(size=384), (5, 1))
    train = nearest.half_units(rows).astype(np.float16).astype(np.float32)
    limit = nearest.ood_threshold(train, np.arange(5))
    _, similarity = nearest.nearest_trained(rows, train)
    assert limit is not None and (np.clip(1 - similarity[:, 0], 0, None) <= limit).all()


def test_about_one_percent_of_similar_rows_are_flagged() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(3000, 20)) + 3
    train = nearest.half_units(rows[:1500]).astype(np.float32)
    limit = nearest.ood_threshold(train, np.arange(1500))
    _, similarity = nearest.nearest_trained(rows[1500:], train)
    assert 0.003 < (1 - similarity[:, 0] > limit).mean() < 0.025
    _, other = nearest.nearest_trained(rng.normal(size=(200, 20)) - 3, train)
    assert (1 - other[:, 0] > limit).all()


def test_the_nearest_come_first_whatever_the_length() -> None:
    train = nearest.half_units(np.eye(3)).astype(np.float32)
    rows, similarity = nearest.nearest_trained(np.array([[0.1, 5.0, 3.0], [0, 0, 0]]), train)
    assert rows.tolist() == [[1, 2, 0, -1, -1], [0, 1, 2, -1, -1]]
    assert similarity[0, 0] == pytest.approx(5 / np.sqrt(34.01), abs=1e-3)
    assert similarity[1, :3].tolist() == [0, 0, 0]
