"""Selectivity: the scores on the senses minus the scores on the control task."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.comparison_tables import selectivity

SIZES = {"bat": 60, "seal": 90, "crane": 40, "bank": 120, "mole": 80, "bow": 50}


def row(
    kind: str, share_right: float, seed: int, layers: str = "1", documents: bool = False
) -> ComparisonRow:
    """Return predictions for labels of two senses; the control task has its own labels."""
    rng = np.random.default_rng(seed)
    words = []
    for word, n in SIZES.items():
        gold = rng.integers(2, size=n)
        predicted = np.where(rng.random(n) < share_right, gold, 1 - gold)
        index = np.arange(n, dtype=np.int32)
        scores = np.eye(2)[predicted]
        words.append(WordPredictions(word, ("a", "b"), 10, index, gold, predicted, scores))
    numbers = {word: np.arange(n) // 10 for word, n in SIZES.items()} if documents else {}
    return ComparisonRow(kind, "m", "focal", layers, "lda", words, documents=numbers)


def right(each: ComparisonRow) -> list[np.ndarray]:
    return [word.gold == word.predicted for word in each.words]


TASK, CONTROL = row("candidate", 0.95, seed=0), row("control", 0.8, seed=1)


def test_selectivity_is_task_minus_control() -> None:
    other = row("candidate", 0.9, seed=2, layers="2")
    (line,) = selectivity([TASK, other], [CONTROL, row("control", 0.9, seed=3, layers="3")], 1)
    assert line["layers"] == "1"
    pooled = [np.concatenate(right(each)).mean() for each in (TASK, CONTROL)]
    assert line["micro_accuracy"] == pytest.approx(pooled[0])
    assert line["micro_accuracy_control"] == pytest.approx(pooled[1])
    assert line["micro_accuracy_selectivity"] == pytest.approx(pooled[0] - pooled[1])
    for name in ("mean_macro_f1", "mean_balanced_accuracy"):
        gap = TASK.mean(name) - CONTROL.mean(name)
        assert line[f"{name}_selectivity"] == pytest.approx(gap)
        assert f"{name}_selectivity_low" not in line


def test_the_interval_over_words_is_a_paired_t_interval() -> None:
    (line,) = selectivity([TASK], [CONTROL], 1)
    by_word = [[answers.mean() for answers in right(each)] for each in (TASK, CONTROL)]
    expected = ttest_rel(*by_word).confidence_interval()
    ends = [line[f"mean_word_accuracy_selectivity_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx([expected.low, expected.high])


def test_the_interval_over_sentences_draws_both_answers_of_an_instance() -> None:
    """Tasks with the same answers have no interval; other tasks, as a bootstrap."""
    (line,) = selectivity([TASK], [CONTROL], 1)
    gaps = np.concatenate(right(TASK)) * 1.0 - np.concatenate(right(CONTROL))
    width = line["micro_accuracy_selectivity_high"] - line["micro_accuracy_selectivity_low"]
    assert width == pytest.approx(2 * 1.96 * gaps.std() / np.sqrt(len(gaps)), rel=0.1)
    same = row("control", 0.95, seed=0)
    (line,) = selectivity([TASK], [same], 1)
    assert line["micro_accuracy_selectivity"] == 0
    assert line["micro_accuracy_selectivity_low"] is None


def test_documents_are_resampled() -> None:
    """Ten instances of a document are all right, or all wrong, in both tasks."""
    rows = []
    for kind, share, seed in (("candidate", 0.9, 4), ("control", 0.7, 5)):
        tied = row(kind, 1, seed, documents=True)
        rng = np.random.default_rng(seed)
        for word in tied.words:
            wrong = rng.random(len(word.gold) // 10 + 1)[np.arange(len(word.gold)) // 10] > share
            word.predicted[wrong] = 1 - word.gold[wrong]
        rows.append(tied)
    (line,) = selectivity([rows[0]], [rows[1]], 1)
    alone = [ComparisonRow(*(getattr(each, name) for name in NAMES)) for each in rows]
    (independent,) = selectivity([alone[0]], [alone[1]], 1)
    widths = [
        each["micro_accuracy_selectivity_high"] - each["micro_accuracy_selectivity_low"]
        for each in (line, independent)
    ]
    assert widths[0] > 2 * widths[1]


NAMES = ("kind", "model", "view", "layers", "classifier", "words")
