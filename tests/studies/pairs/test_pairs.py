"""The step of pairs: known cosines, scores by hand, the selection, ratings, files and errors."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import write_vectors
from call_step import call_step
from made_pairs import pairs_of
from scipy.stats import pearsonr, spearmanr

from wsd.errors import ConfigError, ResultError
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.transforms import fitted
from wsd.storage.csv import read_csv
from wsd.studies.pairs import pairs as step
from wsd.studies.pairs.pair_tables import (
    COSINES,
    OUT_OF_FOLD,
    TABLE,
    TESTS,
    read_cosines,
    read_pairs,
    write_cosines,
    write_pairs,
)
from wsd.studies.pairs.pairs import measure, score

PAIRS = pairs_of(
    *(("a.n", "train", 0), ("a.n", "train", 0), ("b.v", "train", 1), ("b.v", "train", 1)),
    *(("c.n", "dev", 0), ("c.n", "dev", 1)),
    *(("d.n", "test", 0), ("d.n", "test", 1), ("e.v", "test", 1), ("e.v", "test", 0)),
    ("e.v", "test", -1),
)
# 0.5 separates training and development pairs; one test pair is wrong.
GOOD = np.array([0.1, 0.2, 0.8, 0.9, 0.3, 0.7, 0.4, 0.6, 0.7, 0.9, 0.0])
# The threshold is 0.25: one training pair and all test pairs are wrong.
BAD = np.array([0.1, 0.6, 0.4, 0.9, 0.3, 0.7, 0.6, 0.1, 0.1, 0.9, 0.0])


def test_the_figures_by_hand() -> None:
    table = score(PAIRS, {("none", "0"): BAD, ("none", "1"): GOOD, ("centre", "1"): GOOD})
    assert table["split"].tolist() == ["train"] * 3 + ["dev"] * 3 + ["test"] * 3
    test = table[table["split"] == "test"].set_index(["transform", "layers"])
    # The simplest of the best candidates on development pairs.
    assert test.index[test["chosen"]].tolist() == [("none", "1")]
    assert test["threshold"].tolist() == pytest.approx([0.25, 0.5, 0.5])
    assert (test["n"] == 4).all() and (test["words"] == 2).all()  # the last pair has no label
    assert test["accuracy"].tolist() == [0, 0.75, 0.75]
    assert test["called_same"].tolist() == [0.5, 0.75, 0.75]
    # Same ones have 0.6 and 0.7, the others 0.4 and 0.9; of BAD none is in order.
    assert test["auc"].tolist() == [0, 0.5, 0.5]
    assert test["difference"].tolist() == [-0.75, 0, 0]
    # Three that the chosen one alone gets right: 2 / 2 ** 3. The other row has the same decisions.
    assert test["p"].tolist()[0] == test["p_holm"].tolist()[0] == 0.25
    assert np.isnan(test[[*TESTS]].to_numpy()[1:]).all()
    assert table.loc[table["split"] != "test", TESTS].isna().all(axis=None)
    # The sum of three signs is 3 in a quarter of all exchanges. No difference is below -1.
    ends = test.loc[("none", "0"), ["difference_low", "difference_high"]]
    assert ends.tolist() == pytest.approx([-1, -0.75 + 0.75])
    good = test.loc["none", "1"]
    assert good["accuracy_low"] < 0.25 and good["accuracy_high"] == 1
    # Two words are too few for an interval by words.
    assert np.isnan([good["accuracy_low_by_word"], good["accuracy_high_by_word"]]).all()


@pytest.mark.parametrize(("words", "p"), [(6, 2 / 2**6), (5, 2 / 2**10)])
def test_six_words_are_exchanged_as_a_whole(words: int, p: float) -> None:
    """The chosen row alone gets both pairs of each word right."""
    rows = [(f"w{i}.n", "test", label) for i in range(words) for label in (0, 1)]
    right = np.array([0.1, 0.9] * (words + 1))
    wrong = np.r_[right[:2], 1 - right[2:]]
    pairs = pairs_of(("a.n", "train", 0), ("a.n", "train", 1), *rows)
    test = score(pairs, {("none", "0"): right, ("none", "1"): wrong}).query("split == 'test'")
    assert test["chosen"].tolist() == [True, False]
    assert test["p"].tolist()[1] == pytest.approx(p)
    assert test["accuracy_low_by_word"].notna().all() == (words == 6)


def test_the_test_pairs_choose_nothing() -> None:
    def scored(**labels: Any) -> pd.DataFrame:
        gold = PAIRS.gold.copy()
        for split, own in labels.items():
            gold[PAIRS.split == split] = own
        return score(replace(PAIRS, gold=gold), {("none", "0"): BAD, ("none", "1"): GOOD})

    first, second = scored(), scored(test=1 - PAIRS.gold[6:])
    assert (first[["chosen", "threshold"]] == second[["chosen", "threshold"]]).all(axis=None)
    # Contradicting development pairs change the selection, whatever the training pairs are.
    assert scored(dev=[1, 1])["chosen"].tolist()[:2] == [1, 0]
    # Without development pairs, the training pairs decide.
    without = scored(dev=np.nan)
    assert without["split"].unique().tolist() == ["train", "test"]
    assert without["chosen"].tolist()[:2] == [0, 1]


def test_transformations_are_fitted_on_training_sentences_alone() -> None:
    vectors = np.random.default_rng(0).normal(size=(22, 3)) * [1, 5, 0.2] + [3, 0, 1]
    actual = measure(PAIRS, vectors, ["none", "centre", "whiten"])
    for name, cosines in actual.items():
        directions = unit_vectors(fitted(name, vectors[:8]).apply(vectors))
        expected = (directions[::2] * directions[1::2]).sum(axis=1)
        assert cosines == pytest.approx(expected, abs=1e-6), name


def test_rounding_errors_do_not_rank_pairs_of_equal_vectors() -> None:
    vectors = np.random.default_rng(0).normal(size=(11, 300)).astype(np.float32).repeat(2, axis=0)
    for name, values in measure(PAIRS, vectors, ("none", "centre")).items():
        assert set(values) == {1.0}, name


# --- pairs with ratings, and pairs without splits ----------------------------------------------


def test_correlations_are_scipys_and_the_planted_layer_is_selected() -> None:
    """Four rated pairs of each word; layer 1 follows the ratings, the cosines of 2 do not vary."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 5, size=120)
    pairs = pairs_of(*((f"w{i // 4}", "all", r) for i, r in enumerate(ratings)), graded=True)
    layers = [rng.normal(size=120), ratings + rng.normal(size=120), np.full(120, 0.5)]
    table = score(pairs, {("none", str(i)): values for i, values in enumerate(layers)})
    assert table["split"].tolist() == [OUT_OF_FOLD, "all", "all", "all"]
    rows = table[table["split"] == "all"].set_index("layers")
    for layer in (0, 1):
        row = rows.loc[str(layer)]
        assert row["spearman"] == pytest.approx(spearmanr(layers[layer], pairs.gold).statistic)
        assert row["pearson"] == pytest.approx(pearsonr(layers[layer], pairs.gold).statistic)
        for by in ("", "_by_word"):
            assert row[f"spearman_low{by}"] < row["spearman"] < row[f"spearman_high{by}"]
    assert rows["chosen"].tolist() == rows["in_confidence_set"].tolist() == [False, True, False]
    # Cosines that do not vary have no correlation, and are worse than the selection.
    assert np.isnan(rows.loc["2", "spearman"]) and rows.loc["2", "p_holm"] < 0.05
    # All folds select the same layer: the selection has no other ranks.
    assert table.loc[0, "spearman"] == pytest.approx(rows.loc["1", "spearman"])
    assert rows.loc["0", "difference"] < -0.3
    # The page tests three rows, of which that of the selection's own ranks has the highest p.
    p, holm = (rows.sort_values("p")[name].to_numpy() for name in ("p", "p_holm"))
    assert holm == pytest.approx(np.maximum.accumulate(p * [3, 2, 1]).clip(max=1))


def test_out_of_fold_neither_thresholds_nor_the_selection_see_the_held_out_pairs() -> None:
    """Five words, a fold each."""
    pairs = pairs_of(*((f"w{i}", "all", i > 1) for i in range(5)))
    # Without w1 or w2, the middle of the others is on the wrong side of it: 0.175 and 0.3.
    rows = score(pairs, {("none", "0"): np.array([0.1, 0.2, 0.25, 0.4, 0.5])}).set_index("split")
    assert rows.loc["all", "accuracy"] == rows.loc[OUT_OF_FOLD, "accuracy"] == 3 / 5
    assert rows.loc["all", "threshold"] == pytest.approx(0.225)
    # Of layers, each word's is the best for the other words.
    rng, rest = np.random.default_rng(2), ~np.eye(5, dtype=bool)
    ratings, layers = rng.random(5), rng.random((3, 5))
    best = [np.argmax([spearmanr(own[i], ratings[i]).statistic for own in layers]) for i in rest]
    assert len({*best}) > 1
    units = (layers - layers.mean(axis=1)[:, None]) / layers.std(axis=1)[:, None]
    pairs = pairs_of(*((f"w{i}", "all", rating) for i, rating in enumerate(ratings)), graded=True)
    table = score(pairs, {("none", str(i)): own for i, own in enumerate(layers)})
    expected = spearmanr(units[best, range(5)], ratings).statistic
    assert table["spearman"][0] == pytest.approx(expected) != table["spearman"][1:].max()


# --- the files ----------------------------------------------------------------------------------


def test_tables_keep_ratings_and_extra_columns(tmp_path: Path) -> None:
    pairs = pairs_of(("w0", "all", 1), ("w1", "all", 2.5), ("w2", "all", -1), graded=True)
    extra = {"id": ("p0", "p1", "p2"), "line": ("x",) * 3}
    pairs = replace(pairs, extra=extra)
    write_pairs(tmp_path, pairs)
    read = read_pairs(tmp_path)
    assert read.is_graded and read.extra == extra
    assert read.gold == pytest.approx(pairs.gold, nan_ok=True)
    cosines = {("none", "0"): np.zeros(3), ("none", "1"): np.ones(3)}
    write_cosines(tmp_path / COSINES, pairs, cosines, {"model": "toy", "view": "focal"})
    table = pd.read_parquet(tmp_path / COSINES)
    assert table["id"].tolist() == list(extra["id"]) and table["word"].tolist() == list(pairs.word)
    # A name that the table has already.
    assert table["line (extra)"].tolist() == ["x"] * 3
    assert list(read_cosines(tmp_path / COSINES, read)[0]) == list(cosines)


def test_the_step_and_its_inputs(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs", PAIRS)
    vectors = np.random.default_rng(0).normal(size=(3, 22, 4)).astype(np.float32)
    write_vectors(tmp_path / "v/sentences/focal.safetensors", PAIRS.sentences, vectors)
    how = {"pairs": tmp_path / "pairs", "embeddings": tmp_path / "v", "out": tmp_path}
    with pytest.raises(ConfigError, match="a mix needs training"):
        call_step(step, layers=["mix-all"], **how)
    call_step(step, layers=["all", "mean-all"], transforms=["none", "centre"], **how)
    read = read_pairs(tmp_path / "pairs")
    assert read.about == PAIRS.about and (read.rows == PAIRS.rows).all()
    cosines, provenance = read_cosines(tmp_path / COSINES, read)
    names = [(t, n) for t in ("none", "centre") for n in ("0", "1", "2", "mean-all")]
    assert list(cosines) == names and provenance["model"] == "toy"
    assert cosines["none", "1"] == pytest.approx(measure(PAIRS, vectors[1], ["none"])["none"])
    table = read_csv(tmp_path / TABLE)
    assert len(table) == 3 * len(names) and table["chosen"].sum() == 3
    other = pairs_of(("a.n", "train", 0), ("a.n", "train", 1))
    with pytest.raises(ResultError, match="belong to other pairs"):
        read_cosines(tmp_path / COSINES, other)
    write_pairs(tmp_path / "pairs", other)
    with pytest.raises(ResultError, match="belong to another table"):
        call_step(step, layers=["0"], **how)
