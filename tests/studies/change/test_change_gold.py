"""Agreement with gold: average precision and its set, judgments, and gold that says nothing."""

import logging
from pathlib import Path

import numpy as np
import pytest
from made_change import made_corpus, write_judgments
from sklearn.metrics import average_precision_score

from wsd.errors import CorpusError
from wsd.studies.change import gold
from wsd.studies.change.gold import average_precision, precision_set


def test_average_precision_is_scikit_learns() -> None:
    random, positive = np.random.default_rng(1), np.arange(12) % 3 == 0
    values = random.integers(0, 6, size=(40, 12)).astype(float)
    weights = random.integers(0, 3, size=(40, 12)).astype(float)
    weights[:, 0] = 1
    for own, counts in ((None, np.ones_like(weights)), (weights, weights)):
        both = zip(values, counts, strict=True)
        expected = [average_precision_score(positive, row, sample_weight=n) for row, n in both]
        assert average_precision(values, positive, own) == pytest.approx(expected)


def test_the_set_of_the_best_keeps_equal_predictors_and_a_better_one_is_alone() -> None:
    positive, random = np.arange(16) < 6, np.random.default_rng(1)
    predictors = np.stack([positive + random.normal(0, 0.1, 16), random.normal(size=16)])
    assert precision_set(predictors, positive).within.tolist() == [True, False]
    assert precision_set(predictors[[1, 1]], positive).within.tolist() == [True, True]


def test_judgments_of_unknown_identifiers_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    words = {"crane": made_corpus("crane", ["1", "2"] * 3)}
    lines = ["crane\tcrane-0\tcrane-1\ta\t3", "crane\tcrane-0\tother\ta\t3", "bird\tx\ty\ta\t3"]
    write_judgments(tmp_path, lines)
    with caplog.at_level(logging.WARNING):
        judged = gold.read_judgments(tmp_path, words, "identifier")
    assert judged.to_numpy().tolist() == [["crane", 0, 1, 3.0]]
    assert "1 judgments of unknown identifiers" in caplog.text
    write_judgments(tmp_path, lines[1:])
    with pytest.raises(CorpusError, match="known identifier"):
        gold.read_judgments(tmp_path, words, "identifier")
