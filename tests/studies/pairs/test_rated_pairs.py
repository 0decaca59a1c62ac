"""Pairs with ratings: scores by hand and against scipy, selection, out-of-fold scores, tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_pairs import pairs_of
from scipy.stats import pearsonr, spearmanr

from wsd.cli import main
from wsd.errors import CorpusError
from wsd.storage.csv import write_csv
from wsd.studies.pairs.pair_tables import (
    COSINES,
    OUT_OF_FOLD,
    TABLE,
    Pairs,
    columns_of,
    read_cosines,
    read_pairs,
    write_cosines,
    write_pairs,
)
from wsd.studies.pairs.pairs import score
from wsd.studies.pairs.pairs_page import main_result, page, scatter

SAID = {"model": "toy", "view": "focal"}
GOOD, NOISE, FLAT = ("none", "1"), ("none", "0"), ("none", "2")


def made(n_words: int, split: str = "all", seed: int = 0) -> tuple[Pairs, dict]:
    """Four rated pairs of each word; one choice follows the ratings, another does not."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 5, size=4 * n_words)
    rows = [(f"w{i // 4}", split, rating) for i, rating in enumerate(ratings.tolist())]
    good = ratings + rng.normal(size=len(rows))
    cosines = {NOISE: rng.normal(size=len(rows)), GOOD: good, FLAT: np.full(len(rows), 0.5)}
    return pairs_of(*rows, graded=True), cosines


def test_correlations_are_scipys_and_the_planted_layer_is_selected() -> None:
    pairs, cosines = made(30)
    table = score(pairs, cosines)
    assert table["split"].tolist() == [OUT_OF_FOLD, "all", "all", "all"]
    rows = table[table["split"] == "all"].set_index("layers")
    for name in (NOISE, GOOD):
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
    """Of choices that know nothing, the best one looks good on the pairs that select it."""
    inside, outside = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows = [(f"w{i // 3}", "all", rating) for i, rating in enumerate(rng.random(60).tolist())]
        cosines = {("none", str(i)): rng.random(60) for i in range(20)}
        table = score(pairs_of(*rows, graded=True), cosines).query("chosen")
        outside.append(table["spearman"].iloc[0])
        inside.append(table["spearman"].iloc[1])
    assert np.mean(inside) > 0.2 and np.mean(outside) < 0.1


def test_labels_without_splits_have_thresholds_of_the_other_folds() -> None:
    rows = [(f"w{i // 2}", "all", i % 2) for i in range(24)]
    accuracies = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        good = np.arange(24) % 2 + 0.6 * rng.random(24)
        cosines = {("none", "0"): rng.random(24), ("none", "1"): good}
        table = score(pairs_of(*rows), cosines).set_index(["split", "layers"])
        assert table.loc[("all", "1"), "accuracy"] == table.loc[(OUT_OF_FOLD, "1"), "accuracy"] == 1
        assert table.loc[("all", "0"), "p_holm"] < 0.05
        accuracies.append(table.loc[("all", "0"), "accuracy"])
    # Thresholds that had seen the pairs would be right for 62% of the pairs with random cosines.
    assert np.mean(accuracies) < 0.55
    assert table["in_confidence_set"].tolist() == [False, False, True]


def test_splits_select_on_development_pairs_and_test_on_test_pairs() -> None:
    parts = [made(10, split, seed) for seed, split in enumerate(("train", "dev", "test"))]
    rows = [
        row for pairs, _ in parts for row in zip(pairs.word, pairs.split, pairs.gold, strict=True)
    ]
    pairs = pairs_of(*rows, graded=True)
    cosines = {name: np.concatenate([own[name] for _, own in parts]) for name in (NOISE, GOOD)}
    # The development pairs alone follow the first choice.
    dev = pairs.split == "dev"
    cosines[NOISE][dev], cosines[GOOD][dev] = cosines[GOOD][dev].copy(), cosines[NOISE][dev].copy()
    table = score(pairs, cosines)
    assert table["split"].tolist() == ["train"] * 2 + ["dev"] * 2 + ["test"] * 2
    assert table["chosen"].tolist() == [True, False] * 3
    tested = table["p"].notna()
    assert table.loc[tested, ["split", "layers"]].to_numpy().tolist() == [["test", "1"]]
    assert table["p_largest_advantage"].notna().tolist() == [False] * 4 + [True] * 2


def test_pairs_without_ratings() -> None:
    unknown = pairs_of(("a", "all", -1), ("a", "all", -1), graded=True)
    with pytest.raises(CorpusError, match="no pair has a rating"):
        score(unknown, {NOISE: np.zeros(2)})


def test_tables_keep_ratings_and_extra_columns(tmp_path: Path) -> None:
    pairs, cosines = made(3)
    extra = {"id": tuple(f"p{i}" for i in range(12)), "line": ("x",) * 12, "none/0": ("y",) * 12}
    pairs = Pairs(**{**vars(pairs), "extra": extra})
    pairs.gold[3] = np.nan
    write_pairs(tmp_path, pairs)
    read = read_pairs(tmp_path)
    assert read.is_graded and read.extra == extra
    assert read.gold == pytest.approx(pairs.gold, nan_ok=True)
    write_cosines(tmp_path / COSINES, pairs, cosines, SAID)
    table = pd.read_parquet(tmp_path / COSINES)
    assert table["id"].tolist() == list(extra["id"]) and table["word"].tolist() == list(pairs.word)
    assert table["rating"].to_numpy() == pytest.approx(pairs.gold, nan_ok=True)
    # Names that the table has already.
    assert table["line (extra)"].tolist() == ["x"] * 12
    assert table["none/0 (extra)"].tolist() == ["y"] * 12
    assert list(read_cosines(tmp_path / COSINES, read)[0]) == list(cosines)


def text_of(pairs: Pairs, cosines: dict) -> str:
    table = score(pairs, cosines).assign(model="toy", view="focal")
    return " ".join(page(pairs, table, cosines, SAID).split())


def test_the_page(tmp_path: Path) -> None:
    pairs, cosines = made(30)
    # In every choice, the cosine of the first pair is the lowest, and its rating the highest.
    pairs.gold[0] = 9
    cosines = {name: np.r_[-9, values[1:]] for name, values in cosines.items() if name != FLAT}
    pairs = Pairs(**{**vars(pairs), "extra": {"id": ("<b>key", *[""] * 119)}})
    table = score(pairs, cosines).assign(model="toy", view="focal")
    text = text_of(pairs, cosines)
    selected = table.query("chosen").set_index("split")["spearman"]
    assert "How alike are both uses?" in text
    assert f"correlation of <strong>{selected['all']:.2f}</strong> with the ratings of 120" in text
    assert f"Out of fold, the selection scores <strong>{selected[OUT_OF_FOLD]:.2f}</strong>" in text
    assert "so that correlation is optimistic" in text
    assert text.count("<circle cx=") == 120
    assert "1 of 120 pairs have a rank by cosine" in text and "&lt;b&gt;key" in text
    body = text.partition("<header>")[2].partition("</main>")[0]
    assert all(word not in body for word in ("threshold", "accuracy", "nan"))
    columns = columns_of(is_graded=True)
    write_pairs(tmp_path / "pairs", pairs)
    write_cosines(tmp_path / COSINES, pairs, cosines, SAID)
    write_csv(tmp_path / TABLE, table[columns])
    call = ["pairs-page", "--pairs", str(tmp_path / "pairs"), "--scores", str(tmp_path)]
    assert main([*call, "--out", str(tmp_path / "a.html")]) == 0
    assert " ".join((tmp_path / "a.html").read_text().split()) == text
    # The list of all reports has the score out of fold.
    table.loc[0, "spearman"] = 0.123
    write_csv(tmp_path / TABLE, table[columns])
    result = main_result(tmp_path / TABLE)
    assert result is not None and "Spearman" in result.classifier
    assert result.score == 0.123


def test_the_page_of_labels_without_splits() -> None:
    rows = [(f"w{i // 2}", "all", i % 2) for i in range(24)]
    cosines = {("none", "0"): np.arange(24) % 2 + np.arange(24) / 100}
    text = text_of(pairs_of(*rows), cosines)
    assert "classifies <strong>100.00</strong>% of 24 pairs correctly" in text
    assert "Out of fold, the selection scores <strong>100.00</strong>" in text
    assert "the scores use thresholds of the other folds" in text


def test_a_scatter_plot_of_many_pairs() -> None:
    cosines = np.linspace(0, 1, 5000)
    drawn = scatter(cosines, cosines**2)
    assert len(drawn["dots"]) == 2000
    (x, y), (right, top) = drawn["dots"][0], drawn["dots"][-1]
    assert x < right and top < y
