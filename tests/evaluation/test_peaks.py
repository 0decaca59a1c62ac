"""The peak of a curve over layers, and its interval over words."""

import numpy as np
import pytest

from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layerwise import PEAK_COLUMNS, Group, find_peaks
from wsd.metrics.confidence_intervals import resampled

SEED = 3
LAYERS = ("0", "1", "2", "mean-last-2")
NUMBERS = ("peak", "low", "high", "share_of_draws")


def predictions(i: int, best: str, layers: str) -> WordPredictions:
    """At the word's best layer one or two instances are wrong, elsewhere more."""
    gold = np.arange(8) % 2
    wrong = 2 if layers == best else 3 + LAYERS.index(layers) % 3
    predicted = gold.copy()
    predicted[: wrong - (i % 3 == 0)] ^= 1
    scores = np.eye(2)[predicted]
    return WordPredictions(f"w{i}", ("a", "b"), 10, np.arange(8), gold, predicted, scores, "test")


def group(best: str, layers: tuple[str, ...] = LAYERS) -> Group:
    """Return layer choices, given the best layer of each word."""
    source = {"encoder": {"model": {"blocks": 2}}}
    rows = [
        ComparisonRow(
            "candidate", "m", "focal", name, "lda",
            [predictions(i, layer, name) for i, layer in enumerate(best)],
            source=source,
        )
        for name in layers
    ]  # fmt: skip
    return Group(rows, [], "mean_macro_f1", [None] * len(rows), "1", {})


@pytest.mark.parametrize(("best", "peak"), [("2" * 14, 2), ("1" * 12, 1)])
def test_words_that_agree_have_one_peak(best: str, peak: int) -> None:
    for line in find_peaks(group(best), SEED):
        assert list(line) == PEAK_COLUMNS
        assert [line[name] for name in NUMBERS] == [peak, peak, peak, 1]


def test_the_interval_is_of_words_drawn_with_replacement() -> None:
    rows = group("22222211111").rows
    right = np.array([[np.trace(matrix) for matrix in row.confusions] for row in rows[:3]])
    drawn = resampled(np.arange(11), rng=np.random.default_rng([SEED, 0]))
    peaks = [np.argmax(right @ weights) for weights in drawn]
    line = find_peaks(group("22222211111"), SEED)[1]
    low, high = np.quantile(peaks, [0.025, 0.975], method="closest_observation")
    peak = int(np.argmax(right.sum(axis=1)))
    expected = [peak, low, high, np.mean(np.array(peaks) == peak)]
    assert line["metric"] == "micro_accuracy"
    assert [line[name] for name in NUMBERS] == pytest.approx(expected)
    assert low < high


def test_few_words_and_combinations_have_no_peak() -> None:
    assert find_peaks(group("2222"), SEED) == []
    assert find_peaks(group("222222", ("mean-last-2",)), SEED) == []
