"""The step of pairs: known cosines, scores by hand, the selection, ratings, files and errors."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import write_vectors
from made_pairs import pairs_of
from scipy.stats import pearsonr, spearmanr

from wsd.errors import ConfigError, CorpusError, ResultError
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.transforms import fitted
from wsd.storage.csv import read_csv
from wsd.studies.pairs.pair_tables import (
    COSINES,
    OUT_OF_FOLD,
    TABLE,
    TESTS,
    Pairs,
    read_cosines,
    read_pairs,
    write_cosines,
    write_pairs,
)
from wsd.studies.pairs.pairs import measure, run, score

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


def test_six_words_are_exchanged_as_a_whole() -> None:
    """The chosen row alone gets both pairs of each word right."""
    rows = [(f"w{i}.n", "test", label) for i in range(6) for label in (0, 1)]
    pairs = pairs_of(("a.n", "train", 0), ("a.n", "train", 1), *rows)
    right, wrong = [0.1, 0.9] * 7, [0.1, 0.9] + [0.9, 0.1] * 6
    names = {("none", "0"): np.array(right), ("none", "1"): np.array(wrong)}
    test = score(pairs, names).query("split == 'test'")
    assert test["chosen"].tolist() == [True, False]
    assert test["p"].tolist()[1] == pytest.approx(2 / 2**6)  # by pairs, 2 / 2 ** 12
    assert test["accuracy_low_by_word"].notna().all()
    five = pairs_of(("a.n", "train", 0), ("a.n", "train", 1), *rows[:10])
    names = {name: values[:12] for name, values in names.items()}
    assert score(five, names)["p"].tolist()[-1] == pytest.approx(2 / 2**10)


def test_holm_corrects_over_the_rows_of_the_page() -> None:
    rng = np.random.default_rng(2)
    rows = [(f"w{i}.n", "test", i % 2) for i in range(60)]
    pairs = pairs_of(("a.n", "train", 0), ("a.n", "train", 1), *rows)
    names = {("none", f"{i}"): np.r_[0.2, 0.8, rng.random(60)] for i in range(4)}
    ordered = score(pairs, names).query("split == 'test' and not chosen").sort_values("p")
    expected = np.maximum.accumulate(ordered["p"].to_numpy() * [3, 2, 1]).clip(max=1)
    assert ordered["p_holm"].to_numpy() == pytest.approx(expected)


def test_the_test_pairs_choose_nothing() -> None:
    other = PAIRS.gold.copy()
    other[PAIRS.split == "test"] = 1 - other[PAIRS.split == "test"]
    flipped = replace(PAIRS, gold=other)
    names = {("none", "0"): BAD, ("none", "1"): GOOD}
    first, second = score(PAIRS, names), score(flipped, names)
    assert (first["chosen"] == second["chosen"]).all()
    assert (first["threshold"] == second["threshold"]).all()
    # Contradicting development pairs change the selection, whatever the training pairs are.
    other = PAIRS.gold.copy()
    other[4:6] = [1, 1]
    assert score(replace(PAIRS, gold=other), names)["chosen"].tolist()[:2] == [1, 0]
    # Without development pairs, the training pairs decide.
    other[4:6] = np.nan
    actual = score(replace(PAIRS, gold=other), names)
    assert actual["split"].unique().tolist() == ["train", "test"]
    assert actual["chosen"].tolist()[:2] == [0, 1]


def test_transformations_are_fitted_on_training_sentences_alone() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(22, 3)) * [1, 5, 0.2] + [3, 0, 1]
    names = ("none", "centre", "remove-1", "whiten")
    actual = measure(PAIRS, vectors, names)
    for name in names:
        directions = unit_vectors(fitted(name, vectors[:8]).apply(vectors))
        assert actual[name] == pytest.approx(
            (directions[::2] * directions[1::2]).sum(axis=1), abs=1e-6
        ), name
    # The test sentences do not change the others.
    moved = vectors.copy()
    moved[12:] *= 7
    moved[12:] += 2
    for name, value in measure(PAIRS, moved, names).items():
        assert value[:6] == pytest.approx(actual[name][:6]), name
        assert not np.allclose(value[6:], actual[name][6:])


def test_rounding_errors_do_not_rank_pairs_of_equal_vectors() -> None:
    rng = np.random.default_rng(0)
    vectors = np.repeat(rng.normal(size=(11, 300)).astype(np.float32), 2, axis=0)
    for name, values in measure(PAIRS, vectors, ("none", "centre")).items():
        assert set(values) == {1.0}, name


# --- pairs with ratings, and pairs without splits ----------------------------------------------

RATED, NOISE, FLAT = ("none", "1"), ("none", "0"), ("none", "2")


def rated(n_words: int, split: str = "all", seed: int = 0) -> tuple[Pairs, dict]:
    """Four rated pairs of each word; one choice follows the ratings, others do not."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 5, size=4 * n_words)
    rows = [(f"w{i // 4}", split, rating) for i, rating in enumerate(ratings.tolist())]
    good = ratings + rng.normal(size=len(rows))
    cosines = {NOISE: rng.normal(size=len(rows)), RATED: good, FLAT: np.full(len(rows), 0.5)}
    return pairs_of(*rows, graded=True), cosines


def test_correlations_are_scipys_and_the_planted_layer_is_selected() -> None:
    pairs, cosines = rated(30)
    table = score(pairs, cosines)
    assert table["split"].tolist() == [OUT_OF_FOLD, "all", "all", "all"]
    rows = table[table["split"] == "all"].set_index("layers")
    for name in (NOISE, RATED):
        row = rows.loc[name[1]]
        assert row["spearman"] == pytest.approx(spearmanr(cosines[name], pairs.gold).statistic)
        assert row["pearson"] == pytest.approx(pearsonr(cosines[name], pairs.gold).statistic)
        for by in ("", "_by_word"):
            assert row[f"spearman_low{by}"] < row["spearman"] < row[f"spearman_high{by}"]
    assert rows["chosen"].to_dict() == {"0": False, "1": True, "2": False}
    assert rows["in_confidence_set"].to_dict() == {"0": False, "1": True, "2": False}
    # Cosines that do not vary have no correlation, and are worse than the selection.
    assert np.isnan(rows.loc["2", "spearman"]) and rows.loc["2", "p_holm"] < 0.05
    # All folds select the same layer: the selection has no other ranks.
    assert table.loc[0, "spearman"] == pytest.approx(rows.loc["1", "spearman"])
    assert rows.loc["0", "p_holm"] < 0.05 and rows.loc["0", "difference"] < -0.3


def test_the_selection_out_of_fold_is_not_optimistic() -> None:
    """Of choices that know nothing, the best one looks good on the pairs that select it.

    For labels, the thresholds are of the other folds too.
    """
    inside, outside = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = [(f"w{i}", "all", rating) for i, rating in enumerate(rng.random(24).tolist())]
        cosines = {("none", str(i)): rng.random(24) for i in range(10)}
        table = score(pairs_of(*rows, graded=True), cosines).query("chosen")
        outside.append(table["spearman"].iloc[0])
        inside.append(table["spearman"].iloc[1])
    assert np.mean(inside) > 0.2 and np.mean(outside) < 0.1
    accuracies = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cosines = {("none", "0"): rng.random(24), ("none", "1"): np.arange(24) % 2 + rng.random(24)}
        table = score(pairs_of(*((f"w{i // 2}", "all", i % 2) for i in range(24))), cosines)
        table = table.set_index(["split", "layers"])
        assert table.loc[("all", "1"), "accuracy"] == table.loc[(OUT_OF_FOLD, "1"), "accuracy"]
        accuracies.append(table.loc[("all", "0"), "accuracy"])
    # Thresholds that had seen the pairs would be right for 62% of the pairs with random cosines.
    assert np.mean(accuracies) < 0.55


@pytest.mark.parametrize(("split", "says"), [("all", "no pair has a rating"), ("train", "label")])
def test_pairs_without_labels_or_ratings(split: str, says: str) -> None:
    unknown = pairs_of(("a", split, -1), ("a", split, -1), graded=split == "all")
    with pytest.raises(CorpusError, match=says):
        score(unknown, {NOISE: np.zeros(2)})


# --- the files ----------------------------------------------------------------------------------


def test_tables_keep_ratings_and_extra_columns(tmp_path: Path) -> None:
    pairs, cosines = rated(3)
    extra = {"id": tuple(f"p{i}" for i in range(12)), "line": ("x",) * 12, "none/0": ("y",) * 12}
    pairs = replace(pairs, extra=extra)
    pairs.gold[3] = np.nan
    write_pairs(tmp_path, pairs)
    read = read_pairs(tmp_path)
    assert read.is_graded and read.extra == extra
    assert read.gold == pytest.approx(pairs.gold, nan_ok=True)
    write_cosines(tmp_path / COSINES, pairs, cosines, {"model": "toy", "view": "focal"})
    table = pd.read_parquet(tmp_path / COSINES)
    assert table["id"].tolist() == list(extra["id"]) and table["word"].tolist() == list(pairs.word)
    assert table["rating"].to_numpy() == pytest.approx(pairs.gold, nan_ok=True)
    # Names that the table has already.
    assert table["line (extra)"].tolist() == ["x"] * 12
    assert table["none/0 (extra)"].tolist() == ["y"] * 12
    assert list(read_cosines(tmp_path / COSINES, read)[0]) == list(cosines)


def laid_out(folder: Path, layers: list[str]) -> SimpleNamespace:
    write_pairs(folder / "pairs", PAIRS)
    rng = np.random.default_rng(0)
    at = folder / "vectors" / "sentences" / "focal.safetensors"
    vectors = rng.normal(size=(3, len(PAIRS.sentences), 4)).astype(np.float32)
    write_vectors(at, PAIRS.sentences, vectors)
    return SimpleNamespace(
        pairs=folder / "pairs",
        embeddings=folder / "vectors",
        view="focal",
        layers=layers,
        transforms=["none", "centre", "whiten"],
        seed=1,
        out=folder / "out",
    )


def test_the_step(tmp_path: Path) -> None:
    args = laid_out(tmp_path, ["all", "mean-all"])
    run(args)
    read = read_pairs(args.pairs)
    assert read.about == PAIRS.about and (read.rows == PAIRS.rows).all()
    cosines, provenance = read_cosines(args.out / COSINES, read)
    names = ["0", "1", "2", "mean-all"]
    assert list(cosines) == [(t, n) for t in ("none", "centre", "whiten") for n in names]
    assert provenance["model"] == "toy"
    table = read_csv(args.out / TABLE)
    assert len(table) == 3 * len(names) * 3
    assert table["chosen"].sum() == 3
    before = (args.out / TABLE).read_bytes()
    run(args)
    assert (args.out / TABLE).read_bytes() == before


def test_vectors_and_cosines_of_other_sentences_are_refused(tmp_path: Path) -> None:
    args = laid_out(tmp_path, ["0"])
    run(args)
    other = pairs_of(("a.n", "train", 0), ("a.n", "train", 1))
    with pytest.raises(ResultError, match="belong to other pairs"):
        read_cosines(args.out / COSINES, other)
    write_pairs(args.pairs, other)
    with pytest.raises(ResultError, match="belong to another table"):
        run(args)


def test_a_mix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a mix needs training"):
        run(laid_out(tmp_path, ["mix-all"]))
