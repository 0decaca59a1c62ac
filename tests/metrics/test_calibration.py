"""Calibrated probabilities and their calibration error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from wsd.metrics import out_of_distribution, reliability


def drawn(temperature: float, n: int, *, senses: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return logits, and labels drawn from their probabilities after a temperature."""
    rng = np.random.default_rng(3)
    logits = rng.normal(scale=3, size=(n, senses))
    shares = softmax(logits / temperature, axis=1)
    gold = np.array([rng.choice(senses, p=row) for row in shares])
    return logits, gold


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_the_temperature_is_found_again(temperature: float) -> None:
    logits, gold = drawn(temperature, 4000)
    assert reliability.fit_temperature(logits, gold) == pytest.approx(temperature, rel=0.1)


def test_an_unknown_sense_changes_nothing() -> None:
    logits, gold = drawn(2.0, 500)
    wider = np.insert(logits, 1, np.nan, axis=1)
    assert reliability.fit_temperature(wider, np.array([0, 2, 3])[gold]) == pytest.approx(
        reliability.fit_temperature(logits, gold)
    )
    shown = reliability.to_probabilities(wider, 2.0)
    assert_array_equal(shown[:, 1], 0)
    assert_allclose(shown.sum(axis=1), 1)
    assert_allclose(shown[:, [0, 2, 3]], reliability.to_probabilities(logits, 2.0))


def test_few_right_instances_are_not_certain() -> None:
    """Platt's targets: after n right instances, the next is wrong with p of about 1 / (n + 2)."""
    logits = np.array([[1.0, 0.0]] * 10 + [[0.0, 1.0]] * 10)
    actual = reliability.fit_temperature(logits, np.repeat([0, 1], 10))
    assert actual is not None
    assert reliability.to_probabilities(logits, actual)[0, 0] == pytest.approx(21 / 22, rel=1e-3)


def test_data_without_a_temperature() -> None:
    assert reliability.fit_temperature(np.ones((3, 1)), np.zeros(3, dtype=int)) is None
    assert reliability.fit_temperature(np.ones((0, 2)), np.zeros(0, dtype=int)) is None
    unknown = np.array([[0.0, np.nan]])
    assert reliability.fit_temperature(unknown, np.array([1])) is None


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


def test_the_interval_covers_the_true_error() -> None:
    """Every bin is overconfident by 10 points; the interval covers 0.1 in most samples of 400."""
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        confidence = rng.uniform(0.3, 1, size=400)
        correct = (rng.random(400) < confidence - 0.1).astype(float)
        low, high = reliability.calibration_interval(confidence, correct, seed=seed, draws=300)
        assert low <= high
        covered += low <= 0.1 <= high
    assert covered >= 50


def test_calibrated_probabilities_have_an_interval_that_starts_at_zero() -> None:
    rng = np.random.default_rng(1)
    confidence = rng.uniform(0.3, 1, size=3000)
    correct = (rng.random(3000) < confidence).astype(float)
    low, high = reliability.calibration_interval(confidence, correct, seed=1)
    assert low == 0
    assert high < 0.03


# Out-of-distribution flags


def test_the_threshold_ignores_near_duplicates() -> None:
    angles = np.deg2rad([0, 10, 30, 31])
    train = out_of_distribution.unit(np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(
        np.float32
    )
    alone = out_of_distribution.threshold(train, np.arange(4))
    assert alone == pytest.approx(1 - np.cos(np.deg2rad(10)), rel=0.05)
    # The last two are near-duplicates, so the second row is the nearest of both.
    grouped = out_of_distribution.threshold(train, np.array([0, 1, 2, 2]))
    assert grouped == pytest.approx(1 - np.cos(np.deg2rad(21)), rel=0.05)
    assert out_of_distribution.threshold(train, np.zeros(4, dtype=int)) is None


def test_the_rounding_of_kept_vectors_is_no_distance() -> None:
    """In the static view all vectors of a word are equal, and their cosine may exceed 1."""
    rows = np.tile(np.random.default_rng(3).normal(size=384), (5, 1))
    train = out_of_distribution.unit(rows).astype(np.float16).astype(np.float32)
    limit = out_of_distribution.threshold(train, np.arange(5))
    _, similarity = out_of_distribution.nearest(rows, train)
    assert limit is not None and (np.clip(1 - similarity[:, 0], 0, None) <= limit).all()


def test_about_one_percent_of_similar_rows_are_flagged() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(3000, 20)) + 3
    train = out_of_distribution.unit(rows[:1500]).astype(np.float32)
    limit = out_of_distribution.threshold(train, np.arange(1500))
    _, similarity = out_of_distribution.nearest(rows[1500:], train)
    assert 0.003 < (1 - similarity[:, 0] > limit).mean() < 0.025
    _, other = out_of_distribution.nearest(rng.normal(size=(200, 20)) - 3, train)
    assert (1 - other[:, 0] > limit).all()


def test_the_nearest_come_first_whatever_the_length() -> None:
    train = out_of_distribution.unit(np.eye(3)).astype(np.float32)
    rows, similarity = out_of_distribution.nearest(np.array([[0.1, 5.0, 3.0], [0, 0, 0]]), train)
    assert rows.tolist() == [[1, 2, 0, -1, -1], [0, 1, 2, -1, -1]]
    assert similarity[0, 0] == pytest.approx(5 / np.sqrt(34.01), abs=1e-3)
    assert similarity[1, :3].tolist() == [0, 0, 0]
