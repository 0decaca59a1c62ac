"""Every layer choice compared with the selected one, word by word, and the peak of a curve."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from scipy.stats import ttest_1samp, ttest_rel
from two_words import (
    FAIR,
    FEW,
    GOOD,
    MANY,
    POOR,
    SENSES,
    SOME,
    Pair,
    confusions,
    corpora,
    joints,
    pair,
    words,
)

from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ResultError
from wsd.evaluation import layerwise
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layerwise import Group, find_peaks, of_layers
from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals, resampled, word_intervals
from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.permutation import compare_systems, holm
from wsd.metrics.scores import word_scores

Tables = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]


@pytest.fixture(autouse=True)
def _few_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 999)


def run(folder: Path, *pairs: Pair) -> Tables:
    """Return the tables of layers, of words and of models."""
    names = ("layers", "word_layers", "model_layers", "peaks")
    outputs = {name: folder / f"out/{name}.csv" for name in names}
    predictions, searches = map(list, zip(*pairs, strict=True))
    files = {"predictions": predictions, "searches": searches, **outputs}
    call_step(layerwise, corpora(), seed=3, **files)
    text = {"layers": str, "reference": str}
    tables = [pd.read_csv(path, dtype=text) for path in outputs.values()]
    return tables[0], tables[1], tables[2]


def three(folder: Path, **other: Any) -> list[Pair]:
    """Layer 2 is best by cross-validation, layer 1 on the test set."""
    return [
        pair(folder, "1", FEW, FAIR, **other),
        pair(folder, "2", SOME, GOOD, **other),
        pair(folder, "mean-all", MANY, POOR, **other),
    ]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutation, "PERMUTATIONS", 999)
        return run(folder, *three(folder))


def near(values: Any) -> Any:
    """Round as in a file with six decimals."""
    return pytest.approx(values, abs=6e-7)


# Over all words


def test_the_reference_is_selected_by_cv_and_every_other_is_compared_with_it(
    tables: Tables,
) -> None:
    layers = tables[0]
    # The mean over repeats of the mean over words, at the best point: the first point of layer 1,
    # the second point of the others.
    assert layers["objective_cv"].tolist() == near([0.65, 0.7, 0.6])
    assert layers["selected_by_cv"].tolist() == [False, True, False]
    assert layers["reference"].tolist() == ["2"] * 3
    # bat's senses: 11 of 12 right and one error from the other 20; seal all right.
    few = ((22 / 23 + 40 / 41) / 2 + 1) / 2
    # 10 of 12 right, one error from the others; 19 of 20, two errors.
    some = ((20 / 23 + 38 / 41) / 2 + 1) / 2
    assert layers["value"].tolist()[:2] == near([few, some])
    assert layers["difference"].tolist()[0] == near(few - some)
    # A combination has no depth.
    assert layers["relative_depth"].fillna(-1).tolist() == near([1 / 12, 2 / 12, -1])
    for line, wrong in zip(layers.to_dict("records"), (FEW, SOME, MANY), strict=True):
        interval = mean_intervals(confusions(wrong), rng=3)["mean_macro_f1"]
        assert (line["low"], line["high"]) == near(interval)
        if wrong is not SOME:
            _, *interval, _, _ = compare_systems(joints(wrong, SOME), rng=3)["mean_macro_f1"]
            assert [line["difference_low"], line["difference_high"]] == near(interval)


def test_another_objective_is_reported(tmp_path: Path) -> None:
    """By cross-validation, accuracy is 1 minus macro-F1, so that the order is reversed."""
    layers, of_words, _ = run(tmp_path, *three(tmp_path, objective="mean_word_accuracy"))
    assert layers["metric"].unique().tolist() == ["mean_word_accuracy"]
    assert layers["objective_cv"].tolist() == near([1 - 0.1, 1 - 0.65, 1 - 0.35])
    assert layers["reference"].unique().tolist() == ["1"]
    # Macro-F1 of the point with the best accuracy.
    assert of_words["macro_f1_cv"].tolist()[:3] == near([0.1, 0.7, 0.4])


def test_only_the_layers_of_one_classifier_are_a_family(tmp_path: Path, tables: Tables) -> None:
    """A much better classifier, view or model changes no row."""
    perfect = {"bat": [[1.0, 1.0]] * 2, "seal": [[1.0, 1.0]] * 2}
    others = [
        pair(tmp_path, layers, {}, perfect, **change)
        for change in ({"classifier": "knn"}, {"view": "context"}, {"model": "n"})
        for layers in ("2", "1")
    ]
    together = run(tmp_path, others[0], *three(tmp_path), *others[1:])
    for entry, of_all in zip(tables[:2], together, strict=False):
        names = of_all[["model", "view", "classifier"]].agg(" ".join, axis=1)
        order = ["m focal knn", "m focal lda", "m context lda", "n focal lda"]
        assert names.drop_duplicates().tolist() == order
        own = of_all[names == "m focal lda"].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, entry)


def test_models_of_as_many_blocks_are_compared_at_the_same_layer_choice(tmp_path: Path) -> None:
    others = [
        pair(tmp_path, layers, wrong, FAIR, encoder={"model": {"name": name, "blocks": blocks}})
        for name, blocks in (("n", 12), ("short", 6))
        # The first model has no layer 3.
        for layers, wrong in (("1", MANY), ("2", SOME), ("3", FEW))
    ]
    *_, table = run(tmp_path, *three(tmp_path), *others)
    assert table[["model", "layers"]].to_numpy().tolist() == [["n", "1"], ["n", "2"]]
    assert table["reference_model"].unique().tolist() == ["m"]
    assert table["relative_depth"].tolist() == near([1 / 12, 2 / 12])
    first, second = table.to_dict("records")
    assert first["difference"] == near(first["value"] - first["reference_value"])
    assert first["difference"] < 0 == second["difference"]
    _, *interval, p, _ = compare_systems(joints(MANY, FEW), rng=3)["mean_macro_f1"]
    assert [first["difference_low"], first["difference_high"]] == near(interval)
    # The second pair has equal predictions: no test, and it is not in the family.
    assert first["p"] == first["p_holm"] == near(p)
    assert np.isnan(second["p"]) and np.isnan(second["p_holm"])


# Word by word


def test_the_scores_of_a_word(tables: Tables) -> None:
    of_words = tables[1]
    assert of_words["errors"].tolist() == [1, 3, 9, 0, 0, 1]
    lines = of_words.set_index(["word", "layers"])
    for layers, wrong in (("1", FEW), ("2", SOME), ("mean-all", MANY)):
        for word, matrix in zip(SENSES, confusions(wrong), strict=True):
            line, intervals = lines.loc[(word, layers)], word_intervals(matrix, rng=3)
            for metric in ("macro_f1", "accuracy"):
                assert line[metric] == near(float(word_scores(matrix)[metric]))
                assert (line[f"{metric}_low"], line[f"{metric}_high"]) == near(intervals[metric])
    # At the best point for this word: the first point of layer 2 on bat, although the second point
    # is better on both words together.
    lines = of_words.set_index("word")
    assert lines.loc["bat", "macro_f1_cv"].tolist() == near([0.8, 0.8, 0.4])
    assert lines.loc["seal", "macro_f1_cv"].tolist() == near([0.5, 0.7, 0.8])
    # Layers 1 and 2 are equal on bat; the one that is better on all words wins.
    assert lines.loc["bat", "selected_by_cv"].tolist() == [False, True, False]
    assert lines.loc["seal", "selected_by_cv"].tolist() == [False, False, True]
    assert of_words["selected_by"].unique().tolist() == ["word"]


def test_each_word_has_its_own_confidence_set(tmp_path: Path) -> None:
    systems = [{"seal": [46, 47, 48, 49]}, {"bat": [*range(10)]}, {"seal": [*range(9)]}]
    pairs = [pair(tmp_path, str(i), wrong, FAIR) for i, wrong in enumerate(systems)]
    _, of_words, _ = run(tmp_path, *pairs)
    predicted = [np.stack([words(wrong)[i].predicted for wrong in systems]) for i in (0, 1)]
    gold = [word.gold for word in words({})]
    bat, seal = (
        confidence_set([gold[i]], [predicted[i]], "mean_macro_f1", rng=3).within.tolist()
        for i in (0, 1)
    )
    assert of_words["in_confidence_set_of_word"].tolist() == [*bat, *seal]
    assert (bat, seal) == ([True, False, True], [True, True, False])


def test_a_word_without_folds_has_the_choice_for_all_words(tmp_path: Path) -> None:
    pairs = [
        pair(tmp_path, layers, wrong, {"bat": folds["bat"]}, untuned=("seal",))
        for layers, wrong, folds in (("1", FEW, POOR), ("2", SOME, GOOD))
    ]
    layers, of_words, _ = run(tmp_path, *pairs)
    assert layers["objective_cv"].tolist() == near([0.4, 0.8])
    assert of_words["selected_by"].tolist() == ["word"] * 2 + ["all words"] * 2
    assert of_words["selected_by_cv"].tolist() == [False, True] * 2
    assert of_words["macro_f1_cv"].isna().tolist() == [False] * 2 + [True] * 2


# Files that do not belong together


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    """The layers are the same, but the training set differs."""
    first, balanced = (pair(tmp_path, "1", FEW, FAIR, train=name) for name in ("full", "balanced"))
    for pairs, problem in (([(balanced[0], first[1])], "no search"), ([first, balanced], "full")):
        with pytest.raises(ResultError, match=problem):
            run(tmp_path, *pairs)


# Over words: intervals, tests and the peak


def group(right: dict[str, list[int]], blocks: int = 9) -> Group:
    """Return layer choices, given how many of eight instances of each word are right."""
    gold = np.arange(8) % 2
    rows = []
    for layers, numbers in right.items():
        of_words = []
        for i, n in enumerate(numbers):
            predicted = np.where(np.arange(8) < n, gold, 1 - gold)
            scores = np.eye(2)[predicted]
            of_words.append(
                WordPredictions(f"w{i}", ("a", "b"), 9, np.arange(8), gold, predicted, scores)
            )
        source = {"encoder": {"model": {"blocks": blocks}}}
        rows.append(ComparisonRow("candidate", "m", "focal", layers, "lda", of_words, "", source))
    return Group(rows, [], "mean_macro_f1", [None] * len(rows), next(iter(right)), {})


def test_layers_have_intervals_and_tests_over_words() -> None:
    right = {"1": [8, 7, 8, 6, 7, 8], "2": [8, 6, 7, 7, 6, 6], "4": [3, 5, 4, 6, 4, 2]}
    first, second, third, same = of_layers(group(right | {"5": right["1"]}), seed=1)
    own, other = (
        np.array([float(word_scores(m)["macro_f1"]) for m in row.confusions])
        for row in group(right).rows[:2]
    )
    assert first["low_over_words"] == near(ttest_1samp(own, 0).confidence_interval().low)
    interval = ttest_rel(other, own).confidence_interval()
    assert [second[f"difference_{end}_over_words"] for end in ("low", "high")] == near([*interval])
    adjusted = [line["p_over_words_holm"] for line in (second, third)]
    np.testing.assert_allclose(adjusted, holm([second["p_over_words"], third["p_over_words"]]))
    assert "p_over_words" not in first and "p_over_words" not in same


# Layers 3, 5 and 9 ran; a combination is no single layer.
CURVE = {"3": [4] * 11, "5": [6] * 4 + [5] * 7, "9": [5] * 4 + [6] * 7, "mean-last-2": [8] * 11}


def test_the_peak_is_a_layer_and_its_interval_is_of_words_drawn_with_replacement() -> None:
    lines = find_peaks(group(CURVE), 3)
    right = np.array([CURVE[layer] for layer in ("3", "5", "9")])
    drawn = resampled(np.arange(11), rng=np.random.default_rng([3, 0]))
    peaks = np.array([3, 5, 9])[(right @ drawn.T).argmax(axis=0)]
    low, high = np.quantile(peaks, [0.025, 0.975], method="closest_observation")
    assert [line["metric"] for line in lines] == ["mean_macro_f1", "micro_accuracy"]
    assert lines[1]["peak"] == 9 and (low, high) == (5, 9)
    assert (lines[1]["low"], lines[1]["high"]) == (low, high)
    assert lines[1]["share_of_draws"] == pytest.approx(np.mean(peaks == 9))


def test_words_that_agree_have_one_peak_and_few_words_none() -> None:
    sure = {"0": [3] * 6, "2": [7] * 6, "4": [5] * 6}
    for line in find_peaks(group(sure), 3):
        numbers = [line[name] for name in ("n_words", "peak", "low", "high", "share_of_draws")]
        assert numbers == [6, 2, 2, 2, 1]
    assert find_peaks(group({layer: right[:4] for layer, right in sure.items()}), 3) == []
