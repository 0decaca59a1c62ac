"""The comparison: its rows, and the content of each table."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from call_step import call_step
from two_words import GOLD, corpora, words

from wsd.artifacts import predictions
from wsd.artifacts.column_names import (
    BASELINE,
    BEST,
    CANDIDATE,
    CONTROL_VIEW,
    FINE_TUNED,
    FINE_TUNED_LAYER,
    PUBLISHED,
    RANDOM_CONTROL,
    SELECTED,
    ZERO_SHOT,
)
from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ResultError
from wsd.evaluation import compare, comparison_rows
from wsd.evaluation.comparison_rows import (
    ComparisonRow,
    assemble,
    count_rows,
    number_documents,
    read_rows,
)
from wsd.evaluation.comparison_tables import (
    best_set,
    differences,
    learning,
    rare_senses,
    with_intervals,
)
from wsd.metrics import permutation
from wsd.metrics.scores import MEAN_SCORES


def row(
    kind: str, layers: str, wrong: dict[str, list[int]], model: str = "m", **other: str
) -> ComparisonRow:
    names = {"view": "focal", "classifier": "lda", **other}
    return ComparisonRow(kind, model, names["view"], layers, names["classifier"], words(wrong))


FEW, SOME, MANY = {"bat": [0]}, {"bat": [0, 1, 20]}, {"bat": [*range(9)], "seal": [*range(25)]}


def selection(layers: str) -> tuple[dict[str, object], pd.DataFrame]:
    names = {"view": "focal", "layers": layers, "classifier": "lda"}
    table = pd.DataFrame(
        [
            {"model": "m", "train": "full", "scope": "all words", **names, "objective": 0.875},
            {"model": "m", "train": "full", "scope": "bat", **names, "objective": 0.5},
        ]
    )
    return {"m": {"full": {"all": names}}}, table


def systems(selected: str = "2") -> comparison_rows.ModelComparison:
    chosen, table = selection(selected)
    result = assemble(
        [
            row(CANDIDATE, "1", FEW),
            row(CANDIDATE, "2", SOME),
            row(CANDIDATE, "3", MANY),
            row(BASELINE, "-", MANY, model="no encoder"),
            row(CONTROL_VIEW, "0", MANY, view="context"),
            row(CONTROL_VIEW, "1", SOME, view="context"),
            row(CONTROL_VIEW, "2", MANY, view="context"),
            row(RANDOM_CONTROL, "1", FEW, model="other-random-1"),
            row(PUBLISHED, "sum-last-4", SOME, model="published"),
        ],
        chosen,
        "mean_macro_f1",
        table,
    )
    (only,) = result
    return only


def test_zero_shot_is_shown_with_its_last_layer() -> None:
    chosen, table = selection("2")
    of_glosses = [("1", FEW), ("10", MANY), ("9", FEW), ("mean-last-2", FEW)]
    rows = [row(ZERO_SHOT, name, wrong, classifier="gloss") for name, wrong in of_glosses]
    (actual,) = assemble(
        [
            row(CANDIDATE, "2", SOME),
            *rows,
            row(ZERO_SHOT, "1", FEW, classifier="gloss-mean"),
        ],
        chosen,
        "mean_macro_f1",
        table,
    )
    shown = [(r.classifier, r.layers) for r in actual.others if r.kind == ZERO_SHOT]
    assert shown == [("gloss", "10"), ("gloss-mean", "1")]
    assert actual.candidates == [actual.candidates[0]] and actual.reference.classifier == "lda"


def test_fine_tuned_seeds_are_compared_with_their_own_model() -> None:
    chosen, table = selection("2")
    both = {**chosen, "n": chosen["m"]}
    tuned = [row(FINE_TUNED, "finetuned", FEW, classifier=f"finetuned-{n}") for n in (1, 2)]
    actual = assemble(
        [
            row(CANDIDATE, "2", SOME),
            row(CANDIDATE, "2", MANY, model="n"),
            *tuned,
        ],
        both,
        "mean_macro_f1",
        table,
    )
    shown = [
        [r.classifier for r in comparison.others if r.kind == FINE_TUNED] for comparison in actual
    ]
    assert shown == [["finetuned-1", "finetuned-2"], []]
    assert [len(comparison.candidates) for comparison in actual] == [1, 1]


def test_the_best_fine_tuned_layer_is_compared_with_its_base() -> None:
    chosen, table = selection("2")
    made = {"encoder": {"model": {"finetuned_from": "m"}}}
    layers = [
        replace(row(FINE_TUNED_LAYER, layer, wrong, model="anything", classifier=name), source=made)
        for name in ("lda", "knn")
        for layer, wrong in (("0", MANY), ("1", FEW), ("2", SOME))
    ]
    actual = assemble(
        [
            row(CANDIDATE, "2", SOME),
            row(CANDIDATE, "2", MANY, model="n"),
            *layers,
        ],
        {**chosen, "n": chosen["m"]},
        "mean_macro_f1",
        table,
    )
    shown = [
        [(r.classifier, r.layers) for r in comparison.others if r.kind == FINE_TUNED_LAYER]
        for comparison in actual
    ]
    assert shown == [[("lda", "1"), ("knn", "1")], []]
    assert [[r.model for r in comparison.candidates] for comparison in actual] == [["m"], ["n"]]


def test_the_reference_is_the_selection_not_the_best() -> None:
    actual = systems()
    assert (actual.reference.kind, actual.reference.layers) == (SELECTED, "2")
    assert [(r.kind, r.layers) for r in actual.others if r.kind == BEST] == [(BEST, "1")]
    assert actual.objective == {("m", "focal", "2", "lda"): 0.875}


def test_the_best_layer_of_each_control_is_shown_and_no_foreign_control() -> None:
    actual = systems()
    assert [r.layers for r in actual.others if r.kind == CONTROL_VIEW] == ["1"]
    assert not [r for r in actual.others if r.kind == RANDOM_CONTROL]


@pytest.mark.slow
def test_models_are_compared_by_their_selections() -> None:
    chosen, table = selection("2")
    of_n, table_of_n = selection("1")
    table = pd.concat([table, table_of_n.assign(model="n", objective=0.5)])
    rows = [row(CANDIDATE, layers, wrong, model=model)
            for model in "mn" for layers, wrong in (("1", FEW), ("2", SOME))]  # fmt: skip
    of_first, of_second = assemble(
        [
            *rows,
        ],
        {**chosen, "n": of_n["m"]},
        "mean_macro_f1",
        table,
    )
    for systems, other, layers in ((of_first, "n", "1"), (of_second, "m", "2")):
        actual = [r for r in systems.others if r.kind == SELECTED]
        assert [(r.model, r.layers) for r in actual] == [(other, layers)]
    # A row's cross-validation score belongs to its own model.
    unlike = {word: np.ones(len(gold), dtype=bool) for word, gold in GOLD.items()}
    shown = [of_first.reference, *of_first.others]
    lines = with_intervals(shown, unlike, of_first.objective, seed=1)
    assert [(x["kind"], x["model"], x["objective_cv"]) for x in lines] == [
        (SELECTED, "m", 0.875),
        (BEST, "m", None),
        (SELECTED, "n", 0.5),
    ]
    clusters = {word: np.arange(len(gold)) for word, gold in GOLD.items()}
    against = pd.DataFrame(differences(of_second, clusters, seed=1))
    line = against[(against["kind"] == SELECTED) & (against["metric"] == "mean_macro_f1")].iloc[0]
    assert (line["reference_model"], line["model"]) == ("n", "m")
    assert line["difference"] == pytest.approx(
        rows[2].mean("mean_macro_f1") - rows[1].mean("mean_macro_f1")
    )


def test_a_random_control_belongs_to_its_model_alone() -> None:
    """A model may have the name of another model's control, and its own controls."""
    controls = [row(RANDOM_CONTROL, "1", FEW, model=name) for name in
             ("a-random-1", "a-random-x-random-1", "a.b-random-2", "aXb-random-2")]  # fmt: skip
    actual = [
        comparison_rows.models_of(control, ["a", "a-random-x", "a.b"]) for control in controls
    ]
    assert actual == [["a"], ["a-random-x"], ["a.b"], []]


def test_nothing_selected_is_an_error() -> None:
    with pytest.raises(ResultError, match="nothing was selected"):
        assemble(
            [
                row(CANDIDATE, "1", FEW),
            ],
            {},
            "mean_macro_f1",
            selection("1")[1],
        )


def test_a_selection_of_other_candidates_is_an_error() -> None:
    chosen, table = selection("9")
    with pytest.raises(ResultError, match="not among the candidates: m, focal, 9, lda") as caught:
        assemble(
            [
                row(CANDIDATE, "1", FEW),
            ],
            chosen,
            "mean_macro_f1",
            table,
        )
    assert caught.value.fix == "give the selection and the candidates of one run"


@pytest.mark.slow
def test_differences_use_the_same_instances_and_are_adjusted_per_metric() -> None:
    actual = systems()
    clusters = {word: np.arange(len(gold)) for word, gold in GOLD.items()}
    table = pd.DataFrame(differences(actual, clusters, seed=1))
    assert len(table) == len(MEAN_SCORES) * len(actual.others)
    same = table[table["kind"] == PUBLISHED]
    assert (same["difference"] == 0).all()
    # Equal predictions: the difference is zero, and there is no test.
    assert same[["low", "high", "p", "p_holm"]].isna().all(axis=None)
    baseline = table[(table["kind"] == BASELINE) & (table["metric"] == "mean_macro_f1")].iloc[0]
    other = row(BASELINE, "-", MANY)
    assert baseline["difference"] == pytest.approx(
        actual.reference.mean("mean_macro_f1") - other.mean("mean_macro_f1")
    )
    assert baseline["low"] < baseline["difference"] < baseline["high"]
    for name in MEAN_SCORES:
        family = table[table["metric"] == name]
        tested = family.dropna(subset="p")
        # Neither the best row on test nor the same predictions.
        assert sorted(tested["kind"]) == [BASELINE]
        np.testing.assert_allclose(tested["p_holm"], permutation.holm(tested["p"].to_numpy()))


def test_near_duplicates_widen_intervals_beyond_documents() -> None:
    pairs = {"bat": np.arange(32) // 2, "seal": 100 + np.arange(50) // 2}
    plain = systems()
    known = replace(plain, reference=replace(plain.reference, documents=pairs))
    by_pairs, by_documents = (
        pd.DataFrame(differences(both, pairs, seed=1)).query("kind == 'baseline'").iloc[0]
        for both in (plain, known)
    )
    # Eight of nine errors are in pairs, so that a pair counts as about one instance.
    assert 1.2 < by_pairs["inflation_by_clusters"] < 1.5
    # The interval by documents has the pairs already.
    assert by_documents["inflation_by_clusters"] == 1
    assert by_documents["low"] < by_pairs["low"]


def test_the_table_leaves_out_near_duplicates_of_training_sentences() -> None:
    unlike = {word: np.ones(len(gold), dtype=bool) for word, gold in GOLD.items()}
    unlike["bat"][[0, 1, 20]] = False
    (line,) = with_intervals([row(SELECTED, "2", SOME)], unlike, {}, seed=1)
    assert line["micro_accuracy"] == pytest.approx(1 - 3 / 82)
    assert line["micro_accuracy_without_duplicates"] == 1
    assert line["micro_accuracy_low"] < line["micro_accuracy"] < line["micro_accuracy_high"]


def test_rare_senses_have_separate_rows() -> None:
    lines = rare_senses([row(SELECTED, "2", {"bat": [0, 1, 2], "seal": [46]})])
    assert [(x["word"], x["sense"], x["right"], x["n_test"]) for x in lines] == [
        ("bat", "animal", 9, 12),
        ("seal", "ring", 3, 4),
    ]
    assert all(x["low"] < x["recall"] < x["high"] for x in lines)


def test_the_confidence_set_has_the_best_and_not_the_worst() -> None:
    lines = {line["layers"]: line for line in best_set(systems(), "mean_macro_f1", seed=1)}
    assert lines["1"]["in_confidence_set"]
    assert not lines["3"]["in_confidence_set"]


def test_the_confidence_set_exchanges_whole_documents() -> None:
    rows = systems().candidates
    # Each word is one document, so that an advantage on two words has a probability of 1/4.
    documents = {w.word: np.full(len(w.gold), i) for i, w in enumerate(rows[0].words)}
    candidates = [replace(row, documents=documents) for row in rows]
    lines = best_set(replace(systems(), candidates=candidates), "mean_macro_f1", seed=1)
    assert min(line["p_largest_advantage"] for line in lines) >= 0.25
    assert all(line["in_confidence_set"] for line in lines)


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


def written(
    path: Path, word_predictions: list[WordPredictions], task: str = "sense", **other: object
) -> Path:
    source = {
        "view": "focal",
        "layers": "1",
        "classifier": "lda",
        "train": "full",
        "task": task,
        "encoder": {"model": {"name": "m", "blocks": 2}},
        "corpus": {word: corpus.digest for word, corpus in corpora().items()},
        **other,
    }
    predictions.write_predictions(path, word_predictions, source)
    return path


def test_predictions_of_other_instances_are_refused(tmp_path: Path) -> None:
    good = written(tmp_path / "good.parquet", words(FEW))
    (actual,) = read_rows([good], CANDIDATE, corpora())
    assert actual.mean("micro_accuracy") == pytest.approx(81 / 82)
    foreign = written(tmp_path / "foreign.parquet", words(FEW), corpus={"bat": "x", "seal": "y"})
    with pytest.raises(ResultError, match="other instances of 'bat'"):
        read_rows([foreign], CANDIDATE, corpora())
    lacking = written(tmp_path / "lacking.parquet", words(FEW)[:1])
    (there, absent) = [prediction.word for prediction in words(FEW)]
    with pytest.raises(ResultError, match=f"lacks the word '{absent}'; it has {there}"):
        read_rows([lacking], CANDIDATE, corpora())
    fewer = written(tmp_path / "fewer.parquet", words(FEW)[:1])
    with pytest.raises(ResultError, match="'seal'"):
        read_rows([fewer], CANDIDATE, corpora())


def test_rows_count_the_documents_of_all_words_alike(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{i}.parquet", words(w)) for i, w in enumerate((FEW, SOME))]
    one, other = read_rows(paths, CANDIDATE, corpora())
    assert all(counts.documents is None for counts in [*count_rows(one), *count_rows(one, other)])
    # Training rows have documents too. The last four test rows of bat have none.
    names = {"bat": ["t", "u", *["a"] * 12, *["b"] * 16, *[""] * 4]}
    named = corpora()
    for word, documents in names.items():
        named[word] = replace(named[word], document=np.array(documents))
    numbers = number_documents(named)
    assert numbers["bat"][:28].tolist() == [numbers["bat"][0]] * 12 + [numbers["bat"][12]] * 16
    # Every instance without a document is a document by itself, in words without any document too.
    assert len(np.unique(np.concatenate(list(numbers.values())))) == 2 + 4 + 50
    named["seal"] = replace(named["seal"], document=np.array(["x"] * 3 + ["b"] * 25 + ["c"] * 25))
    one, other = read_rows(paths, CANDIDATE, named)
    bat, seal = (joint.documents for joint in count_rows(one, other))
    assert (
        bat is not None and seal is not None and seal.names[0] == number_documents(named)["bat"][12]
    )
    assert bat.numbers.sum(axis=1).tolist() == [12, 16, 1, 1, 1, 1]
    assert seal.numbers.sum(axis=1).tolist() == [25, 25]
    for counts, joint in zip(count_rows(one), count_rows(one, other), strict=True):
        assert counts.documents is not None and joint.documents is not None
        assert counts.kinds.shape[1] == 2 and counts.numbers.sum() == joint.numbers.sum()
        np.testing.assert_array_equal(counts.documents.names, joint.documents.names)
        np.testing.assert_array_equal(counts.documents.numbers.sum(axis=0), counts.numbers)


@pytest.mark.slow
def test_compare_writes_every_table(tmp_path: Path) -> None:
    chosen, table = selection("1")
    (tmp_path / "selection.json").write_text(
        json.dumps({"objective": "mean_macro_f1", "folds": {}, "chosen": chosen})
    )
    table.to_csv(tmp_path / "selection.csv", index=False)
    base = {"model": "m", "view": "focal", "layers": "1", "classifier": "lda", "test": "test"}
    # A published system has the name of the model.
    lines = [
        {**base, **changes, "train": "full", "draw": "", "word": word, "n_train": 9}
        for word in GOLD
        for changes in ({"macro_f1": 0.5}, {"macro_f1": 0.9, "classifier": "published-1nn"})
    ]
    theirs = {
        "encoder": {
            "model": {"name": "m", "blocks": 12},
            "published": {"source": "a paper", "protocol": "nearest neighbour"},
        },
        "classifier": "published-1nn",
    }
    pd.DataFrame(lines).to_csv(tmp_path / "scores.csv", index=False)
    call_step(
        compare,
        corpora(),
        candidates=[written(tmp_path / "1.parquet", words(SOME))],
        control=[written(tmp_path / "c.parquet", words(MANY), task="control")],
        published=[written(tmp_path / "p.parquet", words(FEW), **theirs)],
        selection=tmp_path / "selection.json",
        selection_table=tmp_path / "selection.csv",
        scores=tmp_path / "scores.csv",
        seed=1,
        table=tmp_path / "comparison.csv",
        out=tmp_path / "out",
    )
    written_table = pd.read_csv(tmp_path / "comparison.csv", dtype={"layers": str})
    assert written_table["kind"].tolist() == [SELECTED, BEST, PUBLISHED, CANDIDATE]
    assert written_table["objective_cv"].dropna().tolist() == [0.875] * 3
    learned = pd.read_csv(tmp_path / "out/learning.csv")
    assert learned[["classifier", "n_train"]].to_numpy().tolist() == [["lda", 9 * len(GOLD)]]
    # The only candidate is also the best on the test set, with the same predictions.
    apart = pd.read_csv(tmp_path / "out/differences.csv")
    best = apart[apart["kind"] == BEST]
    assert (best["difference"] == 0).all() and best[["low", "p_holm"]].isna().all(axis=None)
    assert "the same predictions" in (tmp_path / "out/comparison.md").read_text()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        ".sums",
        "words.csv",
        "rare-senses.csv",
        "differences.csv",
        "best-set.csv",
        "controls.csv",
        "selectivity.csv",
        "learning.csv",
        "comparison.md",
        "comparison.tex",
    }
    # A table without rows has a header.
    controls = pd.read_csv(tmp_path / "out/controls.csv")
    assert controls.empty and "mean_macro_f1_low_over_words" in controls
    assert "96.34" in (tmp_path / "out/comparison.md").read_text()
