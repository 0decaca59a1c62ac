"""The lines of each table of the comparison, against scipy and by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from wsd.artifacts.column_names import BASELINE, BEST, CANDIDATE, PUBLISHED, SELECTED, SYSTEM
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow, ModelComparison
from wsd.evaluation.comparison_tables import (
    best_set,
    differences,
    learning,
    rare_senses,
    selectivity,
    with_intervals,
    word_rows,
)
from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals, word_intervals
from wsd.metrics.permutation import holm
from wsd.metrics.scores import MEAN_SCORES, word_scores

WORDS = tuple("abcdefgh")
SIZES = (20, 30, 12, 50, 25, 40, 16, 36)
METRIC = "mean_macro_f1"
# The number of wrong predictions in each word.
OURS = (1, 2, 0, 3, 1, 2, 1, 0)
BASE = (8, 9, 5, 20, 9, 12, 7, 11)
THEIRS = (2, 2, 1, 3, 0, 3, 1, 1)
SIZE_OF = dict(zip(WORDS, SIZES, strict=True))
UNLIKE = {word: np.ones(n, dtype=bool) for word, n in SIZE_OF.items()}
# Two neighbouring instances are near-duplicates, or a document.
PAIRS = {word: 100 * i + np.arange(n) // 2 for i, (word, n) in enumerate(SIZE_OF.items())}


def row(kind: str, wrong: Sequence[int], model: str = "m", layers: str = "1") -> ComparisonRow:
    """Return predictions whose first instances are wrong; a third has the first sense."""
    words = []
    for word, n, errors in zip(WORDS, SIZES, wrong, strict=False):
        gold = (np.arange(n) % 3 > 0).astype(np.int32)
        predicted = np.where(np.arange(n) < errors, 1 - gold, gold).astype(np.int32)
        index, scores = np.arange(n, dtype=np.int32), np.eye(2)[predicted]
        words.append(WordPredictions(word, ("y", "x"), 9, index, gold, predicted, scores))
    return ComparisonRow(kind, model, "focal", layers, "lda", words)


def values(name: str, wrong: Sequence[int]) -> np.ndarray:
    return np.array([float(word_scores(m)[name]) for m in row(CANDIDATE, wrong).confusions])


def compared(*others: ComparisonRow, **changes: object) -> pd.DataFrame:
    """Return the differences of the selected row and others, without permutations."""
    reference = replace(row(SELECTED, OURS), **changes)
    systems = ModelComparison(reference, [], list(others), {})
    table = pd.DataFrame(differences(systems, PAIRS, seed=1))
    return table.set_index(["kind", "metric"], drop=False)


@pytest.fixture(autouse=True, scope="module")
def _few_permutations() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutation, "PERMUTATIONS", 999)
        yield


@pytest.fixture(scope="module")
def apart() -> pd.DataFrame:
    best, same = row(BEST, (0,) * 8), row(SYSTEM, OURS, "same")
    return compared(row(BASELINE, BASE), best, row(PUBLISHED, THEIRS), same)


def test_a_difference_is_the_reference_minus_the_other(apart: pd.DataFrame) -> None:
    assert len(apart) == 4 * len(MEAN_SCORES)
    ours = row(SELECTED, OURS)
    for kind, other in ((BASELINE, row(BASELINE, BASE)), (PUBLISHED, row(PUBLISHED, THEIRS))):
        for name in MEAN_SCORES:
            line = apart.loc[kind, name]
            assert line["difference"] == pytest.approx(ours.mean(name) - other.mean(name))
            assert line["low"] <= line["difference"] <= line["high"]
            assert (line["low"] > 0 or line["high"] < 0) == (line["p"] <= 0.05)
    assert (apart["reference_kind"] == SELECTED).all()


def test_differences_over_words_are_those_of_a_t_test(apart: pd.DataFrame) -> None:
    line = apart.loc[PUBLISHED, METRIC]
    expected = values("macro_f1", OURS) - values("macro_f1", THEIRS)
    interval = stats.ttest_1samp(expected, 0).confidence_interval()
    assert (line["low_over_words"], line["high_over_words"]) == pytest.approx(tuple(interval))
    assert line["d_over_words"] == pytest.approx(expected.mean() / expected.std(ddof=1))
    # A tie counts half.
    assert line["words_won"] == pytest.approx((expected > 0).mean() + (expected == 0).mean() / 2)
    assert 2 / 2**8 <= line["p_over_words"] <= 1


def test_both_p_values_are_adjusted_in_a_family_per_metric(apart: pd.DataFrame) -> None:
    for metric in MEAN_SCORES:
        family = apart.xs(metric, level="metric").loc[[BASELINE, PUBLISHED]]
        for name in ("p", "p_over_words"):
            np.testing.assert_allclose(family[f"{name}_holm"], holm(family[name].tolist()))


def test_the_best_on_test_and_the_same_predictions_have_no_test(apart: pd.DataFrame) -> None:
    for kind in (BEST, SYSTEM):
        tests = apart.loc[kind].filter(regex=r"^(low|high|p$|p_|d_|words_won|error|inflation)")
        assert tests.isna().all(axis=None) and len(tests.columns) >= 10
    assert apart.loc[BEST, METRIC]["difference"] < 0 == apart.loc[SYSTEM, METRIC]["difference"]
    ours, best = with_intervals([row(SELECTED, OURS), row(BEST, OURS)], UNLIKE, {}, seed=1)
    for metric in MEAN_SCORES:
        assert best[metric] == ours[metric]
        for end in ("low", "high", "low_over_words", "high_over_words"):
            assert best[f"{metric}_{end}"] is None
            assert ours[f"{metric}_{end}"] is not None


def test_near_duplicates_widen_intervals_beyond_documents(apart: pd.DataFrame) -> None:
    """The errors are in pairs, so that a pair counts as about one instance."""
    inflation = apart.loc[BASELINE, "micro_accuracy"]["inflation_by_clusters"]
    assert 1.2 < inflation < 1.6
    # The interval by documents has the pairs already.
    documents = compared(row(BASELINE, BASE), documents=PAIRS).loc[BASELINE, "micro_accuracy"]
    assert documents["inflation_by_clusters"] == 1
    assert documents["error"] > 1.2 * apart.loc[BASELINE, "micro_accuracy"]["error"]


def test_scores_have_intervals_and_two_checks() -> None:
    rows = [row(SELECTED, BASE), row(PUBLISHED, OURS, "theirs")]
    unlike = {**UNLIKE, "a": np.arange(20) >= 8, "b": np.zeros(30, dtype=bool)}
    objective = {row.configuration: 0.5 for row in rows}
    line, theirs = with_intervals(rows, unlike, objective, seed=1)
    for name, (low, high) in mean_intervals(rows[0].confusions, rng=1).items():
        assert line[name] == pytest.approx(rows[0].mean(name))
        assert (line[f"{name}_low"], line[f"{name}_high"]) == (low, high)
    expected = stats.ttest_1samp(values("accuracy", BASE), 0).confidence_interval()
    ends = [line[f"mean_word_accuracy_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx(list(expected))
    # Only a candidate has a score on folds.
    assert (line["objective_cv"], theirs["objective_cv"]) == (0.5, None)
    # Without the wrong instances of the first word, and without the second word.
    assert (line["n_words"], line["n_test"], line["n_words_without_duplicates"]) == (8, 229, 7)
    right = sum(SIZES) - sum(BASE) - (30 - 9)
    expected_micro = right / (sum(SIZES) - 30 - 8)
    assert line["micro_accuracy_without_duplicates"] == pytest.approx(expected_micro)
    assert line["n_test_without_duplicates"] == sum(SIZES) - 30 - 8
    names = ("n_test_without_duplicates", "macro_f1_without_duplicates")
    by_word = [[of_word[name] for name in names] for of_word in word_rows(rows[:1], 1, unlike)]
    assert by_word[:2] == [[12, 1], [0, None]]


def test_every_word_and_every_rare_sense_has_a_line() -> None:
    rows = [row(SELECTED, BASE)]
    for line, word, matrix in zip(word_rows(rows, 1), WORDS, rows[0].confusions, strict=True):
        assert (line["word"], line["n_test"]) == (word, matrix.sum())
        assert line["errors"] == matrix.sum() - np.trace(matrix)
        for name, ends in word_intervals(matrix, rng=1).items():
            assert (line[f"{name}_low"], line[f"{name}_high"]) == ends
            assert line[name] == float(word_scores(matrix)[name])
    # A third of the instances has the first sense, whose name is the last in the alphabet.
    lines = rare_senses(rows)
    rare = "a y 4 7|a x 8 13|b y 7 10|c y 2 4|c x 5 8|e y 6 9|f y 10 14|g y 3 6|g x 6 10|h y 8 12"
    keys = ("word", "sense", "right", "n_test")
    assert "|".join(" ".join(str(line[key]) for key in keys) for line in lines) == rare
    for line in lines:
        ends = proportion_confint(line["right"], line["n_test"], method="jeffreys")
        assert (line["low"], line["high"]) == pytest.approx(ends)
        assert line["recall"] == line["right"] / line["n_test"]


def test_the_confidence_set_has_the_best_and_exchanges_whole_documents() -> None:
    rows = [row(CANDIDATE, wrong, layers=str(i)) for i, wrong in enumerate((OURS, THEIRS, BASE))]
    systems = ModelComparison(rows[0], rows, [], {})
    lines = best_set(systems, METRIC, seed=1)
    assert [line["layers"] for line in lines] == ["0", "1", "2"]
    assert [line["estimate"] for line in lines] == pytest.approx([r.mean(METRIC) for r in rows])
    assert lines[0]["in_confidence_set"] and not lines[2]["in_confidence_set"]
    # Two documents in all, so that no advantage has a probability below 1/4.
    documents = {word: np.full(n, i % 2) for i, (word, n) in enumerate(SIZE_OF.items())}
    tied = [replace(row, documents=documents) for row in rows]
    lines = best_set(replace(systems, candidates=tied), METRIC, seed=1)
    assert min(line["p_largest_advantage"] for line in lines) >= 0.25


def test_learning_curves_average_draws_and_words_in_common() -> None:
    base = {"model": "m", "view": "focal", "layers": "1", "classifier": "lda", "test": "test"}
    rows = [
        {**base, "train": train, "draw": draw, "word": word, "n_train": n, "macro_f1": value}
        for train, draw, word, n, value in [
            ("full", "", "bat", 10, 0.9),
            ("full", "", "seal", 20, 0.7),
            ("nshot-1", "1", "bat", 2, 0.5),
            ("nshot-1", "2", "bat", 2, 0.7),
        ]
    ]
    rows.append({**rows[0], "test": "outofdomain", "macro_f1": 0.0})
    full, shots = learning(pd.DataFrame(rows))
    assert full["mean_macro_f1"] == pytest.approx(0.8)
    assert full["mean_macro_f1_in_common"] == pytest.approx(0.9)
    assert (full["draws"], full["lowest_draw"], full["n_train"]) == (1, None, 30)
    assert (shots["draws"], shots["lowest_draw"], shots["highest_draw"]) == (2, 0.5, 0.7)
    assert shots["mean_macro_f1"] == pytest.approx(0.6)


# Selectivity: the scores on the senses minus the scores on the control task


def answers(kind: str, share_right: float, seed: int, alike: int = 1) -> ComparisonRow:
    """Return predictions for random labels of two senses; instances in a row are wrong together."""
    rng, words = np.random.default_rng(seed), []
    for word, n in zip(WORDS, 2 * np.array(SIZES), strict=True):
        gold = rng.integers(2, size=n)
        is_right = rng.random(n)[np.arange(n) // alike] < share_right
        predicted = np.where(is_right, gold, 1 - gold)
        index = np.arange(n, dtype=np.int32)
        words.append(WordPredictions(word, ("y", "x"), 9, index, gold, predicted, np.eye(2)[gold]))
    return ComparisonRow(kind, "m", "focal", "1", "lda", words)


def test_selectivity_is_task_minus_control() -> None:
    task, control = answers(CANDIDATE, 0.95, 0), answers("control", 0.8, 1)
    # Layer 2 has no control task.
    (line,) = selectivity([task, replace(task, layers="2")], [control], 1)
    assert line["layers"] == "1"
    right = [[word.gold == word.predicted for word in each.words] for each in (task, control)]
    for name in MEAN_SCORES:
        assert line[name] == pytest.approx(task.mean(name))
        assert line[f"{name}_control"] == pytest.approx(control.mean(name))
        gap = task.mean(name) - control.mean(name)
        assert line[f"{name}_selectivity"] == pytest.approx(gap)
    assert f"{METRIC}_selectivity_low" not in line
    # Over words, a paired t-interval; over sentences, the same instances in both tasks.
    by_word = ([answer.mean() for answer in each] for each in right)
    expected = stats.ttest_rel(*by_word).confidence_interval()
    ends = [line[f"mean_word_accuracy_selectivity_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx([expected.low, expected.high])
    gaps = np.subtract(*(np.concatenate(each) * 1.0 for each in right))
    width = line["micro_accuracy_selectivity_high"] - line["micro_accuracy_selectivity_low"]
    assert width == pytest.approx(2 * 1.96 * gaps.std() / np.sqrt(len(gaps)), rel=0.15)


def test_selectivity_resamples_documents() -> None:
    """The instances of a document are all right, or all wrong, in each task."""
    rows = answers(CANDIDATE, 0.9, 4, alike=10), answers("control", 0.7, 5, alike=10)
    documents = {word.word: np.arange(len(word.gold)) // 10 for word in rows[0].words}
    widths = []
    for numbers in ({}, documents):
        (line,) = selectivity(*([replace(each, documents=numbers)] for each in rows), 1)
        ends = (line[f"micro_accuracy_selectivity_{end}"] for end in ("low", "high"))
        widths.append(np.ptp([*ends]))
    assert widths[1] > 2 * widths[0]
