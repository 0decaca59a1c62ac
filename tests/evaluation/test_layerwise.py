"""Every layer choice compared with the selected one: by hand, and against direct calls."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from two_words import (
    FAIR,
    FEW,
    GOOD,
    MANY,
    POOR,
    SENSES,
    SOME,
    Pair,
    Wrong,
    confusions,
    corpora,
    joints,
    pair,
    words,
)

from wsd.errors import ResultError
from wsd.evaluation import layerwise
from wsd.evaluation.layerwise import LAYER_COLUMNS, MODEL_COLUMNS, WORD_COLUMNS
from wsd.metrics import confidence_set, permutation
from wsd.metrics.confidence_intervals import mean_intervals, word_intervals
from wsd.metrics.scores import word_scores


def run(folder: Path, *pairs: Pair, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the two tables."""
    layers, of_words = folder / "out/layers.csv", folder / "out/word-layers.csv"
    call_step(
        layerwise,
        corpora(),
        predictions=[entry for entry, _ in pairs],
        searches=[other for _, other in pairs],
        seed=seed,
        layers=layers,
        word_layers=of_words,
        model_layers=folder / "out/model-layers.csv",
        peaks=folder / "out/peaks.csv",
    )
    text = {"layers": str, "reference": str}
    return pd.read_csv(layers, dtype=text), pd.read_csv(of_words, dtype=text)


def three(folder: Path, **other: Any) -> list[Pair]:
    """Layer 2 is best by cross-validation, layer 1 on the test set."""
    return [
        pair(folder, "1", FEW, FAIR, **other),
        pair(folder, "2", SOME, GOOD, **other),
        pair(folder, "mean-all", MANY, POOR, **other),
    ]


def near(values: Any) -> Any:
    """Round as in a file with six decimals."""
    return pytest.approx(values, abs=6e-7)


# Over all words


def test_the_same_predictions_have_no_interval_and_no_test(tmp_path: Path) -> None:
    pairs = [*three(tmp_path), pair(tmp_path, "sum-all", SOME, POOR)]
    layers, _ = run(tmp_path, *pairs)
    same = layers[layers["layers"] == "sum-all"].iloc[0]
    assert same["difference"] == 0 and not same["selected_by_cv"]
    assert same[["difference_low", "difference_high"]].isna().all()
    assert len(layers.dropna(subset="difference_low")) == 2


@pytest.mark.slow
def test_the_columns(tmp_path: Path) -> None:
    layers, of_words = run(tmp_path, *three(tmp_path))
    assert list(layers.columns) == LAYER_COLUMNS
    assert list(of_words.columns) == WORD_COLUMNS
    assert layers["selected_by_cv"].dtype == of_words["selected_by_cv"].dtype == bool
    assert of_words["in_confidence_set_of_word"].dtype == bool
    assert (len(layers), len(of_words)) == (3, 6)


def test_the_reference_is_selected_by_cv_and_every_other_is_compared_with_it(
    tmp_path: Path,
) -> None:
    layers, _ = run(tmp_path, *three(tmp_path))
    # The mean over repeats of the mean over words, at the best point: the first point of layer 1,
    # the second point of the others.
    assert layers["objective_cv"].tolist() == near([0.65, 0.7, 0.6])
    assert layers["selected_by_cv"].tolist() == [False, True, False]
    assert layers["reference"].tolist() == ["2"] * 3
    # bat's senses: 11 of 12 right and one error from the other 20; seal all right.
    few = ((22 / 23 + 40 / 41) / 2 + 1) / 2
    # 10 of 12 right, one error from the others; 19 of 20, two errors.
    some = ((20 / 23 + 38 / 41) / 2 + 1) / 2
    assert layers["metric"].tolist() == ["mean_macro_f1"] * 3
    assert layers["value"].tolist()[:2] == near([few, some])
    assert layers["difference"].tolist()[0] == near(few - some)
    assert layers["difference"][2] < 0
    # The reference is not compared with itself.
    comparison = ["difference", "difference_low", "difference_high"]
    assert layers.loc[1, comparison].isna().all()
    assert layers.loc[[0, 2], comparison].notna().all(axis=None)


def test_intervals_and_tests_are_those_of_the_statistics(tmp_path: Path) -> None:
    layers, _ = run(tmp_path, *three(tmp_path), seed=3)
    name = "mean_macro_f1"
    for line, wrong in zip(layers.to_dict("records"), (FEW, SOME, MANY), strict=True):
        interval = mean_intervals(confusions(wrong), rng=3)[name]
        assert (line["low"], line["high"]) == near(interval)
        if wrong is SOME:
            continue
        against = joints(wrong, SOME)
        _, *interval, _, _ = permutation.compare_systems(against, rng=3)[name]
        assert [line["difference_low"], line["difference_high"]] == near(interval)


def test_another_objective_is_reported(tmp_path: Path) -> None:
    """By cross-validation, accuracy is 1 minus macro-F1, so that the order is reversed."""
    layers, of_words = run(tmp_path, *three(tmp_path, objective="mean_word_accuracy"))
    assert layers["metric"].unique().tolist() == ["mean_word_accuracy"]
    assert layers["objective_cv"].tolist() == near([1 - 0.1, 1 - 0.65, 1 - 0.35])
    assert layers["reference"].unique().tolist() == ["1"]
    assert layers["value"].tolist() == near(
        [(31 / 32 + 1) / 2, (29 / 32 + 1) / 2, (23 / 32 + 49 / 50) / 2]
    )
    # Macro-F1 of the point with the best accuracy.
    assert of_words["macro_f1_cv"].tolist()[:3] == near([0.1, 0.7, 0.4])


def test_ties_are_resolved_in_the_order_of_layer_choices(tmp_path: Path) -> None:
    pairs = [
        pair(tmp_path, layers, FEW, GOOD)
        for layers in ("mean-last-2", "10", "2", "concat-last-2", "mean-all")
    ]
    layers, of_words = run(tmp_path, *pairs)
    order = ["2", "10", "concat-last-2", "mean-last-2", "mean-all"]
    assert layers["layers"].tolist() == order
    assert layers["selected_by_cv"].tolist() == [True, False, False, False, False]
    assert layers["difference"].tolist()[1:] == [0] * 4
    assert of_words["in_confidence_set_of_word"].all()
    assert of_words["word"].tolist() == ["bat"] * 5 + ["seal"] * 5
    assert of_words["layers"].tolist() == order * 2
    assert of_words["selected_by_cv"].tolist() == [True, False, False, False, False] * 2


@pytest.mark.slow
def test_only_the_layers_of_one_classifier_are_a_family(tmp_path: Path) -> None:
    """A much better classifier, view or model changes no row."""
    alone = run(tmp_path, *three(tmp_path))
    perfect = {"bat": [[1.0, 1.0]] * 2, "seal": [[1.0, 1.0]] * 2}
    others = [
        pair(tmp_path, layers, {}, perfect, **change)
        for change in (
            {"classifier": "knn"},
            {"view": "context"},
            {"model": "n"},
        )
        for layers in ("2", "1")
    ]
    together = run(tmp_path, others[0], *three(tmp_path), *others[1:])
    for entry, of_all in zip(alone, together, strict=True):
        names = of_all[["model", "view", "classifier"]].agg(" ".join, axis=1)
        assert names.drop_duplicates().tolist() == [
            "m focal knn",
            "m focal lda",
            "m context lda",
            "n focal lda",
        ]
        own = of_all[names == "m focal lda"].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, entry)


def test_a_single_layer_choice_has_no_comparison(tmp_path: Path) -> None:
    layers, of_words = run(tmp_path, pair(tmp_path, "1", MANY, POOR))
    (line,) = layers.to_dict("records")
    assert line["selected_by_cv"] and line["reference"] == "1"
    assert np.isnan([line["difference"], line["difference_low"]]).all()
    assert line["low"] < line["value"] < line["high"]
    assert of_words["selected_by_cv"].all() and of_words["in_confidence_set_of_word"].all()


def test_relative_depth(tmp_path: Path) -> None:
    """A combination has no depth."""
    names = ("1", "6", "mean-all")
    layers, _ = run(tmp_path, *(pair(tmp_path, name, FEW, FAIR) for name in names))
    assert layers["relative_depth"].dropna().tolist() == near([1 / 12, 0.5])
    assert layers["relative_depth"].isna().tolist() == [False, False, True]


@pytest.mark.slow
def test_models_are_compared_at_the_same_layer_choice(tmp_path: Path) -> None:
    encoders = {"n": {"name": "n", "blocks": 12}, "short": {"name": "short", "blocks": 6}}
    others = [
        pair(tmp_path, layers, wrong, FAIR, encoder={"model": model})
        for model in encoders.values()
        # The first model has no layer 3.
        for layers, wrong in (("1", MANY), ("2", SOME), ("3", FEW))
    ]
    run(tmp_path, *three(tmp_path), *others, seed=3)
    table = pd.read_csv(tmp_path / "out/model-layers.csv", dtype={"layers": str})
    assert list(table.columns) == MODEL_COLUMNS
    assert table[["model", "layers"]].to_numpy().tolist() == [["n", "1"], ["n", "2"]]
    assert table["reference_model"].unique().tolist() == ["m"]
    assert table["relative_depth"].tolist() == near([1 / 12, 2 / 12])
    name = "mean_macro_f1"
    first, second = table.to_dict("records")
    against = joints(MANY, FEW)
    assert first["difference"] == near(first["value"] - first["reference_value"])
    assert first["difference"] < 0 == second["difference"]
    _, *interval, p, _ = permutation.compare_systems(against, rng=3)[name]
    assert [first["difference_low"], first["difference_high"]] == near(interval)
    assert first["p"] == near(p)
    # The second pair has equal predictions: no test, and it is not in the family.
    assert first["p_holm"] == near(first["p"])
    assert np.isnan(second["p"]) and np.isnan(second["p_holm"])


def test_one_model_has_no_comparison(tmp_path: Path) -> None:
    run(tmp_path, *three(tmp_path))
    table = pd.read_csv(tmp_path / "out/model-layers.csv")
    assert (list(table.columns), len(table)) == (MODEL_COLUMNS, 0)


# Word by word


def test_the_scores_of_a_word(tmp_path: Path) -> None:
    _, of_words = run(tmp_path, *three(tmp_path), seed=3)
    assert of_words["n_test"].tolist() == [32] * 3 + [50] * 3
    assert of_words["errors"].tolist() == [1, 3, 9, 0, 0, 1]
    lines = of_words.set_index(["word", "layers"])
    for layers, wrong in (("1", FEW), ("2", SOME), ("mean-all", MANY)):
        for word, matrix in zip(SENSES, confusions(wrong), strict=True):
            intervals = word_intervals(matrix, rng=3)
            for metric in ("macro_f1", "accuracy"):
                line = lines.loc[(word, layers)]
                assert line[metric] == near(float(word_scores(matrix)[metric]))
                assert (line[f"{metric}_low"], line[f"{metric}_high"]) == near(intervals[metric])


def test_a_words_choice_is_selected_by_its_own_folds(tmp_path: Path) -> None:
    _, of_words = run(tmp_path, *three(tmp_path))
    lines = of_words.set_index("word")
    # At the best point for this word: the first point of layer 2 on bat, although the second point
    # is better on both words together.
    assert lines.loc["bat", "macro_f1_cv"].tolist() == near([0.8, 0.8, 0.4])
    assert lines.loc["seal", "macro_f1_cv"].tolist() == near([0.5, 0.7, 0.8])
    # Layers 1 and 2 are equal on bat; the one that is better on all words wins.
    assert lines.loc["bat", "selected_by_cv"].tolist() == [False, True, False]
    assert lines.loc["seal", "selected_by_cv"].tolist() == [False, False, True]
    assert of_words["selected_by"].unique().tolist() == ["word"]


def test_each_word_has_its_own_confidence_set(tmp_path: Path) -> None:
    systems: list[Wrong] = [
        {"seal": [46, 47, 48, 49]},
        {"bat": [*range(10)]},
        {"seal": [*range(9)]},
    ]
    pairs = [
        pair(tmp_path, layers, wrong, FAIR)
        for layers, wrong in zip(("0", "1", "2"), systems, strict=True)
    ]
    _, of_words = run(tmp_path, *pairs, seed=3)
    predicted = [np.stack([words(wrong)[i].predicted for wrong in systems]) for i in (0, 1)]
    gold = [w.gold for w in words({})]

    def best(rows: slice) -> list[bool]:
        data = gold[rows], predicted[rows]
        return confidence_set.confidence_set(*data, "mean_macro_f1", rng=3).within.tolist()

    over_all, bat, seal = best(slice(None)), best(slice(1)), best(slice(1, None))
    assert of_words["in_confidence_set_of_word"].tolist() == [*bat, *seal]
    # The three sets differ from each other.
    assert (over_all, bat, seal) == ([True, False, True], [True, False, True], [True, True, False])


def test_a_word_without_folds_has_the_choice_for_all_words(tmp_path: Path) -> None:
    pairs = [
        pair(tmp_path, layers, wrong, {"bat": folds["bat"]}, untuned=("seal",))
        for layers, wrong, folds in (("1", FEW, POOR), ("2", SOME, GOOD))
    ]
    layers, of_words = run(tmp_path, *pairs)
    assert layers["objective_cv"].tolist() == near([0.4, 0.8])
    assert of_words["selected_by"].tolist() == ["word"] * 2 + ["all words"] * 2
    assert of_words["selected_by_cv"].tolist() == [False, True] * 2
    assert of_words["macro_f1_cv"].isna().tolist() == [False] * 2 + [True] * 2


# Files that do not belong together


def refused(folder: Path, *pairs: Pair, problem: str, where: Path) -> None:
    with pytest.raises(ResultError, match=re.escape(problem)) as caught:
        run(folder, *pairs)
    assert caught.value.where == str(where)
    assert not (folder / "out").exists()


def test_a_search_of_other_predictions(tmp_path: Path) -> None:
    (predictions_file, _), (_, of_other), _ = three(tmp_path)
    problem = "no search of these predictions"
    refused(tmp_path, (predictions_file, of_other), problem=problem, where=predictions_file)
    # The layers are the same, but the training set differs.
    balanced, _ = pair(tmp_path, "1", FEW, FAIR, train="balanced")
    _, search = pair(tmp_path, "1", FEW, FAIR)
    refused(tmp_path, (balanced, search), problem=problem, where=balanced)


def test_the_order_of_the_searches_does_not_matter(tmp_path: Path) -> None:
    first, second, third = three(tmp_path)
    expected = run(tmp_path, first, second, third)
    mixed = (first[0], third[1]), (second[0], first[1]), (third[0], second[1])
    for table, same in zip(run(tmp_path, *mixed), expected, strict=True):
        pd.testing.assert_frame_equal(table, same)


@pytest.mark.parametrize(
    "change",
    [{"folds": {"k": 4, "repeats": 2, "seed": 1}}, {"objective": "mean_word_accuracy"}],
)
def test_files_of_different_runs(tmp_path: Path, change: dict[str, Any]) -> None:
    first, *_ = three(tmp_path)
    other = pair(tmp_path, "2", SOME, GOOD, **change)
    refused(tmp_path, first, other, problem="the search of another run", where=other[1])


def test_files_of_two_training_sets(tmp_path: Path) -> None:
    first, *_ = three(tmp_path)
    other = pair(tmp_path, "2", SOME, GOOD, train="balanced")
    with pytest.raises(ResultError, match="several training sets: balanced, full"):
        run(tmp_path, first, other)


def test_no_word_has_folds(tmp_path: Path) -> None:
    only = pair(tmp_path, "1", FEW, {}, untuned=("bat", "seal"))
    with pytest.raises(ResultError, match="nothing was selected for 'm'"):
        run(tmp_path, only)


def test_predictions_given_as_searches(tmp_path: Path) -> None:
    predictions_file, _ = pair(tmp_path, "1", FEW, FAIR)
    refused(
        tmp_path,
        (predictions_file, predictions_file),
        problem="a table of another kind",
        where=predictions_file,
    )
