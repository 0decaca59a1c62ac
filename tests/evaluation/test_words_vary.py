"""The columns over words, the table of methods, and the best row on test."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from wsd.evaluation.sensitivity import sensitivity

from wsd.artifacts.column_names import BASELINE, BEST, CANDIDATE, PUBLISHED, SELECTED, SYSTEM
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation import layerwise
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.comparison_tables import differences, with_intervals
from wsd.evaluation.layer_groups import Group
from wsd.evaluation.model_comparison import ModelComparison
from wsd.metrics import exchanges
from wsd.metrics.over_words import ByWord, detectable
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchanges, "MOST", 20_000)
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
    quantiles = stats.t.ppf(0.975, 7) + stats.t.ppf(0.8, 7)
    assert line["detectable_over_words"] == pytest.approx(quantiles * stats.sem(expected))
    assert 2 / 2**8 <= line["p_over_words"] <= 1


def test_both_p_values_are_adjusted_in_the_same_family(apart: pd.DataFrame) -> None:
    for metric in MEAN_SCORES:
        family = apart.xs(metric, level="metric").loc[[BASELINE, PUBLISHED]]
        for name in ("p", "p_over_words"):
            np.testing.assert_allclose(family[f"{name}_holm"], holm(family[name].tolist()))
        np.testing.assert_allclose(family["detectable"], detectable(1) * family["error"])
        in_family = detectable(1, family=2) * family["error"]
        np.testing.assert_allclose(family["detectable_in_family"], in_family)


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
    methods = [line["method"] for line in sensitivity(systems, clusters(), METRIC, seed=1)]
    assert "t-interval" not in methods and "sign-flip test" in methods
    (line, *_) = differences(systems, clusters(), seed=1)
    assert line["low_over_words"] is None and line["d_over_words"] is None
    assert line["p_over_words"] == pytest.approx(2 / 2**8)


def test_the_tests_over_words_know_the_size_of_their_family(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sampling of a p-value goes on near the levels of Holm's method."""
    families = []

    def p_value(_: ByWord, *, family: int = 1, rng: int = 0) -> float:
        families.append(family)
        return 0.5

    monkeypatch.setattr(ByWord, "sign_flip_p", p_value)
    others = [row(PUBLISHED, THEIRS, "b"), row(PUBLISHED, BASE, "c"), row(BASELINE, BASE)]
    sensitivity(compared(*others), clusters(), METRIC, seed=1)
    differences(compared(*others), clusters(), seed=1)
    assert set(families) == {3}
    families.clear()
    layerwise.of_layers(four_layers(), family=9, seed=1)
    assert families == [3, 3]


def four_layers() -> Group:
    """Return four layer choices; the first is selected, the last has the same predictions."""
    rows = [row(CANDIDATE, wrong, str(i)) for i, wrong in enumerate((OURS, THEIRS, BASE, OURS))]
    source = {"encoder": {"model": {"blocks": 12}}}
    rows = [replace(r, model="m", layers=r.model, source=source) for r in rows]
    return Group(rows, [], METRIC, [0.5] * 4, "0", {})


def test_layers_have_intervals_and_tests_over_words() -> None:
    first, second, third, same = layerwise.of_layers(four_layers(), family=9, seed=1)
    test = stats.ttest_1samp(values("macro_f1", OURS), 0).confidence_interval()
    assert first["low_over_words"] == pytest.approx(test.low)
    apart = stats.ttest_1samp(values("macro_f1", THEIRS) - values("macro_f1", OURS), 0)
    ends = [second[f"difference_{end}_over_words"] for end in ("low", "high")]
    assert ends == pytest.approx(list(apart.confidence_interval()))
    adjusted = [line["p_over_words_holm"] for line in (second, third)]
    np.testing.assert_allclose(adjusted, holm([second["p_over_words"], third["p_over_words"]]))
    assert second["detectable"] == pytest.approx(detectable(second["error"]))
    assert second["detectable_in_family"] == pytest.approx(detectable(second["error"], family=9))
    for line in (first, same):
        assert "p_over_words" not in line and "detectable" not in line


def test_every_method_has_a_verdict_on_the_strongest_rivals() -> None:
    weak = row(PUBLISHED, BASE, "weak")
    systems = compared(row(BASELINE, BASE), weak, row(SYSTEM, THEIRS, "strong"))
    table = pd.DataFrame(sensitivity(systems, clusters(), METRIC, seed=1))
    assert table["kind"].drop_duplicates().tolist() == [BASELINE, SYSTEM]
    assert set(table["model"]) == {"m", "strong"}
    of_baseline = table[table["kind"] == BASELINE]
    assert of_baseline["verdict"].tolist() == ["selected better"] * 6
    assert of_baseline["method"].tolist() == [
        *["paired permutation"] * 2,
        *("t-interval", "sign-flip test", "Bayesian signed-rank test", "mixed logistic model"),
    ]
    of_rival = table[table["kind"] == SYSTEM].set_index("method")
    expected = stats.ttest_1samp(values("macro_f1", OURS) - values("macro_f1", THEIRS), 0)
    ends = tuple(expected.confidence_interval())
    assert tuple(of_rival.loc["t-interval", ["low", "high"]]) == pytest.approx(ends)
    assert of_rival.loc["mixed logistic model", "scale"] == "probability"
    regions = of_rival.loc["Bayesian signed-rank test", ["worse", "equivalent", "better"]]
    assert sum(regions) == pytest.approx(1)


def test_near_duplicates_are_exchanged_together() -> None:
    """One cluster per word leaves the sign-flip test of the words."""
    systems = compared(row(BASELINE, BASE))
    alone = {word: np.full(n, i) for i, (word, n) in enumerate(zip(WORDS, SIZES, strict=True))}
    table = pd.DataFrame(sensitivity(systems, alone, "mean_word_accuracy", seed=1))
    documents = replace(systems.reference, documents=alone)
    of_documents = ModelComparison(documents, [], systems.others, {})
    (_, line, *_) = sensitivity(of_documents, clusters(), "mean_word_accuracy", seed=1)
    assert (line["varies"], line["p"]) == ("documents", pytest.approx(2 / 2**8))
    p = table.set_index(["method", "varies"])["p"]
    assert p["paired permutation", "near-duplicates"] == pytest.approx(2 / 2**8)
    assert p["sign-flip test", "words"] == pytest.approx(2 / 2**8)


def test_the_table_is_empty_without_rivals_and_short_with_few_words() -> None:
    assert sensitivity(compared(row(BEST, BASE)), clusters(), METRIC, seed=1) == []
    assert sensitivity(compared(row(BASELINE, OURS)), clusters(), METRIC, seed=1) == []
    few = ModelComparison(row(SELECTED, OURS[:4]), [], [row(BASELINE, BASE[:4])], {})
    five = ModelComparison(row(SELECTED, OURS[:5]), [], [row(BASELINE, BASE[:5])], {})
    methods = [line["method"] for line in sensitivity(five, clusters(), METRIC, seed=1)]
    assert "t-interval" in methods and "sign-flip test" not in methods
    lines = sensitivity(few, clusters(), METRIC, seed=1)
    assert [line["varies"] for line in lines] == ["sentences", "near-duplicates"]
