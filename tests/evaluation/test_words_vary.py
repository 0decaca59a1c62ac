"""The columns over words, the table of methods, and the best row on test."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from wsd.artifacts.column_names import BASELINE, BEST, CANDIDATE, PUBLISHED, SELECTED, SYSTEM
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation import layerwise
from wsd.evaluation.comparison_rows import ComparisonRow, ModelComparison
from wsd.evaluation.comparison_tables import differences, with_intervals
from wsd.evaluation.layerwise import Group
from wsd.metrics.permutation import holm
from wsd.metrics.scores import MEAN_SCORES, word_scores

WORDS = tuple("abcdefgh")
SIZES = (20, 30, 12, 50, 25, 40, 16, 36)
METRIC = "mean_macro_f1"


def predictions(wrong: Sequence[int]) -> list[WordPredictions]:
    """Return predictions of eight words, with a number of errors each."""
    words = []
    for word, n, errors in zip(WORDS, SIZES, wrong, strict=False):
        gold = (np.arange(n) % 3 == 0).astype(np.int32)
        predicted = np.where(np.arange(n) < errors, 1 - gold, gold).astype(np.int32)
        index, scores = np.arange(n, dtype=np.int32), np.eye(2)[predicted]
        words.append(WordPredictions(word, ("x", "y"), 9, index, gold, predicted, scores))
    return words


def row(kind: str, wrong: Sequence[int], model: str = "m") -> ComparisonRow:
    return ComparisonRow(kind, model, "focal", "1", "lda", predictions(wrong))


OURS = (1, 2, 0, 3, 1, 2, 1, 0)
BASE = (8, 9, 5, 20, 9, 12, 7, 11)
THEIRS = (2, 2, 1, 3, 0, 3, 1, 1)


def compared(*others: ComparisonRow) -> ModelComparison:
    reference = row(SELECTED, OURS)
    return ModelComparison(reference, [], list(others), {})


def clusters(words: Sequence[str] = WORDS) -> dict[str, np.ndarray]:
    pairs = zip(words, SIZES, strict=False)
    return {word: 100 * i + np.arange(n) // 2 for i, (word, n) in enumerate(pairs)}


def values(name: str, wrong: Sequence[int]) -> np.ndarray:
    return np.array([float(word_scores(m)[name]) for m in row(CANDIDATE, wrong).confusions])


@pytest.fixture(scope="module")
def apart() -> pd.DataFrame:
    systems = compared(
        row(BASELINE, BASE), row(BEST, (0,) * 8), row(PUBLISHED, THEIRS), row(SYSTEM, OURS, "same")
    )
    return pd.DataFrame(differences(systems, clusters(), seed=1)).set_index(["kind", "metric"])


def test_differences_over_words_are_those_of_a_t_test(apart: pd.DataFrame) -> None:
    line = apart.loc[PUBLISHED, METRIC]
    expected = values("macro_f1", OURS) - values("macro_f1", THEIRS)
    test = stats.ttest_1samp(expected, 0)
    assert (line["low_over_words"], line["high_over_words"]) == pytest.approx(
        tuple(test.confidence_interval())
    )
    assert line["d_over_words"] == pytest.approx(expected.mean() / expected.std(ddof=1))
    assert line["words_won"] == pytest.approx((expected > 0).mean() + (expected == 0).mean() / 2)
    assert 2 / 2**8 <= line["p_over_words"] <= 1


def test_both_p_values_are_adjusted_in_the_same_family(apart: pd.DataFrame) -> None:
    for metric in MEAN_SCORES:
        family = apart.xs(metric, level="metric").loc[[BASELINE, PUBLISHED]]
        for name in ("p", "p_over_words"):
            np.testing.assert_allclose(family[f"{name}_holm"], holm(family[name].tolist()))


def test_the_best_row_on_test_has_no_interval_no_test_and_no_family(apart: pd.DataFrame) -> None:
    for kind in (BEST, SYSTEM):
        for metric in MEAN_SCORES:
            line = apart.loc[kind, metric].drop(["reference_model", "difference"])
            numbers = pd.to_numeric(line, errors="coerce").drop(
                [name for name in line.index if "layers" in name]
            )
            assert numbers.isna().all()
    assert apart.loc[BEST, METRIC]["difference"] < 0 == apart.loc[SYSTEM, METRIC]["difference"]
    unlike = {word: np.ones(n, dtype=bool) for word, n in zip(WORDS, SIZES, strict=True)}
    ours, best = with_intervals([row(SELECTED, OURS), row(BEST, OURS)], unlike, {}, seed=1)
    for metric in MEAN_SCORES:
        assert best[metric] == ours[metric]
        for end in ("low", "high", "low_over_words", "high_over_words"):
            assert best[f"{metric}_{end}"] is None
            assert ours[f"{metric}_{end}"] is not None


def test_scores_have_intervals_over_words() -> None:
    unlike = {word: np.ones(n, dtype=bool) for word, n in zip(WORDS, SIZES, strict=True)}
    (line,) = with_intervals([row(SELECTED, BASE)], unlike, {}, seed=1)
    test = stats.ttest_1samp(values("accuracy", BASE), 0).confidence_interval()
    ends = [line[f"mean_word_accuracy_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx(list(test))
    # Four words are too few.
    few = [row(SELECTED, BASE[:4])]
    (line,) = with_intervals(few, unlike, {}, seed=1)
    assert line["mean_macro_f1_low_over_words"] is None
    assert line["mean_macro_f1_low"] is not None


def test_equal_words_have_no_interval_over_words() -> None:
    unlike = {word: np.ones(n, dtype=bool) for word, n in zip(WORDS, SIZES, strict=True)}
    (line,) = with_intervals([row(SELECTED, [0] * 8)], unlike, {}, seed=1)
    assert line["mean_macro_f1_low"] is not None and line["mean_macro_f1"] == 1
    assert line["mean_macro_f1_low_over_words"] is None


def test_equal_differences_have_no_interval_over_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SIZES", (20,) * 8)
    systems = ModelComparison(row(SELECTED, [0] * 8), [], [row(BASELINE, [2] * 8)], {})
    (line, *_) = differences(systems, clusters(), seed=1)
    assert line["low_over_words"] is None and line["d_over_words"] is None
    assert line["p_over_words"] == pytest.approx(2 / 2**8)


def four_layers() -> Group:
    """Return four layer choices; the first is selected, the last has the same predictions."""
    rows = [row(CANDIDATE, wrong, str(i)) for i, wrong in enumerate((OURS, THEIRS, BASE, OURS))]
    source = {"encoder": {"model": {"blocks": 12}}}
    rows = [replace(r, model="m", layers=r.model, source=source) for r in rows]
    return Group(rows, [], METRIC, [0.5] * 4, "0", {})


def test_layers_have_intervals_and_tests_over_words() -> None:
    first, second, third, same = layerwise.of_layers(four_layers(), seed=1)
    test = stats.ttest_1samp(values("macro_f1", OURS), 0).confidence_interval()
    assert first["low_over_words"] == pytest.approx(test.low)
    apart = stats.ttest_1samp(values("macro_f1", THEIRS) - values("macro_f1", OURS), 0)
    ends = [second[f"difference_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx(list(apart.confidence_interval()))
    adjusted = [line["p_over_words_holm"] for line in (second, third)]
    np.testing.assert_allclose(adjusted, holm([second["p_over_words"], third["p_over_words"]]))
    for line in (first, same):
        assert "p_over_words" not in line
