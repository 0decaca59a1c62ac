"""Selection from search files written by hand."""

import json
from argparse import Namespace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wsd.artifacts import cv_table
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.cv_table import Search
from wsd.classification import select
from wsd.classification.select import SELECTION_COLUMNS
from wsd.errors import ResultError

GRID = [{"C": 0.1}, {"C": 1}]
NEAR = [{"metric": "cosine"}]
Scores = dict[str, list[list[float]]]


def write(
    folder: Path,
    scores: Scores,
    *,
    layers: str = "6",
    view: str = "focal",
    classifier: str = "logistic",
    estimator: str = "logistic",
    grid: list[dict[str, Any]] = GRID,
    untuned: tuple[str, ...] = (),
    objective: str = "mean_macro_f1",
    model: str = "toy",
    train: str = "full",
    seed: int = 1,
) -> Path:
    """Write a search file with macro-F1 for each word, repeat and point; other scores are 0."""
    of_words = {
        word: np.stack([np.zeros_like(f1), f1, np.zeros_like(f1)], axis=-1)
        for word, of_word in scores.items()
        for f1 in [np.array(of_word)]
    }
    path = folder / f"{len(list(folder.glob('*.parquet')))}.parquet"
    provenance = {
        "encoder": {"model": {"name": model, "blocks": 12}},
        "train": train,
        "view": view,
        "layers": layers,
        "classifier": classifier,
        "estimator": estimator,
        "space": {"C": [0.1, 1]} if grid is GRID else {"metric": "cosine"},
        "objective": objective,
        "folds": {"k": 5, "repeats": 2, "seed": seed},
        "corpus": dict.fromkeys(scores, "its digest"),
    }
    cv_table.write_search(path, Search(grid, of_words, untuned), provenance)
    return path


def near(folder: Path, layers: str, of_words: dict[str, float], **changes: Any) -> Path:
    """Write the search of a candidate with one point and one repeat."""
    scores = {word: [[f1]] for word, f1 in of_words.items()}
    return write(folder, scores, layers=layers, classifier="near", grid=NEAR, **changes)


def run(folder: Path, files: list[Path]) -> tuple[pd.DataFrame, dict[str, Any]]:
    table, out = folder / "out" / "selection.csv", folder / "out" / "selection.json"
    select.run(Namespace(searches=files, seed=1, table=table, out=out))
    text = {"layers": str, "view": str}
    return pd.read_csv(table, dtype=text), json.loads(out.read_text())


def test_the_selection_exactly(tmp_path: Path) -> None:
    """Layer 10 wins with its second point, although layer 2 has the best score of a single word."""
    files = [
        write(tmp_path, {"mint": [[0.9, 0.5], [0.9, 0.5]], "sage": [[0.1, 0.2], [0.1, 0.2]]},
              layers="2"),
        write(tmp_path, {"mint": [[0.5, 0.7], [0.5, 0.5]], "sage": [[0.4, 0.7], [0.4, 0.6]]},
              layers="10"),
        write(tmp_path, {"mint": [[0.3], [0.7]], "sage": [[0.2], [0.6]]},
              layers="10", classifier="near", estimator="nearest_centroid", grid=NEAR),
    ]  # fmt: skip
    table, chosen = run(tmp_path, files)
    assert list(table.columns) == SELECTION_COLUMNS
    best = chosen["chosen"]["toy"]["full"]["all"]
    # (0.7 + 0.7) / 2 and (0.5 + 0.6) / 2, then their mean and their spread.
    assert best == {
        "view": "focal",
        "layers": "10",
        "classifier": "logistic",
        "estimator": "logistic",
        "parameters": {"C": 1},
        "objective": pytest.approx(0.625, abs=1e-12),
        "spread": pytest.approx(0.075, abs=1e-12),
    }
    words = chosen["chosen"]["toy"]["full"]["words"]
    assert {w: (row["layers"], row["parameters"]) for w, row in words.items()} == {
        "mint": ("2", {"C": 0.1}),
        "sage": ("10", {"C": 1}),
    }
    assert words["sage"]["objective"] == pytest.approx(0.65, abs=1e-12)
    every = table[table["scope"] == ALL_WORDS]
    assert every["objective"].round(6).tolist() == [0.625, 0.5, 0.45]
    assert every["selected"].tolist() == [True, False, False]
    # Drawn twice, mint is best at layer 2; drawn twice, sage is best at layer 10.
    assert every["share_first"].tolist() == pytest.approx([0.75, 0.25, 0], abs=0.05)
    assert every["classifier"].tolist() == ["logistic", "logistic", "near"]
    per_word = table[table["scope"] != ALL_WORDS]
    assert per_word["share_first"].isna().all()
    assert per_word["scope"].tolist() == ["mint", "sage"]
    assert per_word["layers"].tolist() == ["2", "10"]
    assert [json.loads(p) for p in per_word["parameters"]] == [{"C": 0.1}, {"C": 1}]
    assert chosen["objective"] == "mean_macro_f1"
    assert chosen["folds"] == {"full": {"k": 5, "repeats": 2, "seed": 1}}
    assert chosen["space"] == {"logistic": {"C": [0.1, 1]}, "near": {"metric": "cosine"}}
    assert chosen["candidates"] == {"toy, full": 3}


def test_the_share_of_samples_of_words_against_every_sample(tmp_path: Path) -> None:
    """The best point may differ between samples, so that a candidate wins with either point."""
    scores = np.random.default_rng(31).random((3, 4, 2, 2))  # candidate, word, repeat, point
    words = ["mint", "sage", "thyme", "dill"]
    files = [
        write(tmp_path, {w: f1.tolist() for w, f1 in zip(words, each, strict=True)}, layers=layers)
        for each, layers in zip(scores, ("2", "5", "7"), strict=True)
    ]
    table, _ = run(tmp_path, files)
    every = [
        scores.mean(axis=2)[:, list(sample)].mean(axis=1).max(axis=1).argmax()
        for sample in product(range(4), repeat=4)
    ]
    expected = np.bincount(every, minlength=3) / 4**4
    actual = table[table["scope"] == ALL_WORDS].set_index("layers")["share_first"]
    assert (expected > 0.05).all() and actual.sum() == pytest.approx(1)
    assert actual.loc[["2", "5", "7"]].to_numpy() == pytest.approx(expected, abs=0.06)


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    files = [
        write(tmp_path, {"mint": [[0.5, 0.5]]}, layers=layers, view=view, classifier=classifier)
        for view in ("focal", "context")
        for layers in ("mean-last-2", "10", "2")
        for classifier in ("logistic", "another")
    ]
    first = run(tmp_path, files)
    second = run(tmp_path, files[::-1])
    assert first[0].equals(second[0])
    assert first[1] == second[1]
    # All are equal: the first layer, view and classifier win, in any order of the files.
    assert first[1]["chosen"]["toy"]["full"]["all"]["layers"] == "2"
    assert first[1]["chosen"]["toy"]["full"]["all"]["classifier"] == "another"


def test_the_simpler_of_equal_candidates_wins_despite_rounding(tmp_path: Path) -> None:
    thirds = [[[0.1]], [[0.2]], [[0.3]]]
    for last, (a, b) in enumerate([((0, 1, 2), (2, 1, 0)), ((2, 0, 1), (0, 2, 1))]):
        folder = tmp_path / str(last)
        folder.mkdir()
        files = [
            write(folder, {"mint": [thirds[i][0] for i in order]}, layers=layers,
                  classifier="near", grid=NEAR)
            for layers, order in (("mean-last-2", a), ("7", b))
        ]  # fmt: skip
        table, chosen = run(folder, files)
        assert chosen["chosen"]["toy"]["full"]["all"]["layers"] == "7"
        assert table["share_first"].isna().all()  # of a single word


@pytest.mark.parametrize(
    ("scores", "for_all", "for_mint"),
    [
        # Of three that tie on mint, layer 7 is best on all words: 0.7 to layer 8's 0.675.
        ({"2": (0.5, 0.1), "5": (0.5, 0.3), "7": (0.5, 0.9), "8": (0.4, 0.95)}, "7", "7"),
        # The best on all words is not in the tie; the better of the tied ones wins.
        ({"2": (0.5, 0.1), "5": (0.5, 0.3), "7": (0.4, 0.9)}, "7", "5"),
    ],
)
def test_ties_of_a_word_go_to_the_candidate_that_is_better_overall(
    tmp_path: Path, scores: dict[str, tuple[float, float]], for_all: str, for_mint: str
) -> None:
    files = [
        near(tmp_path, layers, {"mint": mint, "sage": sage})
        for layers, (mint, sage) in scores.items()
    ]
    _, chosen = run(tmp_path, files)
    selection = chosen["chosen"]["toy"]["full"]
    assert selection["all"]["layers"] == for_all
    assert selection["words"]["mint"]["layers"] == for_mint


def test_an_untuned_word_gets_the_overall_choice_and_fixed_parameters(tmp_path: Path) -> None:
    grid = [{"C": 0.1, "prior_shift": 0.5}, {"C": 1, "prior_shift": 0.5}]
    files = [
        write(tmp_path, {"mint": [[f1, 0.0]]}, layers=layers, grid=grid, untuned=("sage",))
        for layers, f1 in (("2", 0.1), ("5", 0.3))
    ]
    table, chosen = run(tmp_path, files)
    selection = chosen["chosen"]["toy"]["full"]
    assert selection["all"]["parameters"] == {"C": 0.1, "prior_shift": 0.5}
    assert selection["words"]["sage"] == {**selection["all"], "parameters": {"prior_shift": 0.5}}
    assert selection["words"]["mint"] == selection["all"]
    # The table only has words whose own folds selected a candidate.
    assert set(table["scope"]) == {ALL_WORDS, "mint"}


def test_without_folds_several_candidates_are_an_error(tmp_path: Path) -> None:
    files = [write(tmp_path, {}, untuned=("mint",))]
    with pytest.raises(ResultError, match=r"nothing can be selected for 'toy'.* 5 folds") as error:
        run(tmp_path, files)
    assert "fewer folds" in str(error.value)
    assert not list(tmp_path.glob("selection.*"))


def test_without_folds_a_single_candidate_is_selected(tmp_path: Path) -> None:
    only = write(tmp_path, {}, untuned=("mint", "sage"), grid=NEAR, classifier="near")
    table, chosen = run(tmp_path, [only])
    assert len(table) == 1 and table.loc[0, "selected"]
    assert table[["objective", "spread", "share_first"]].isna().all(axis=None)
    selection = chosen["chosen"]["toy"]["full"]
    assert selection["words"] == {"mint": selection["all"], "sage": selection["all"]}
    assert selection["all"]["parameters"] == NEAR[0] and selection["all"]["objective"] is None
    another = write(tmp_path, {}, untuned=("mint", "sage"), grid=NEAR, layers="2")
    with pytest.raises(ResultError, match="nothing can be selected for 'toy' among 2 candidates"):
        run(tmp_path, [only, another])


def test_models_and_training_sets_are_selected_separately(tmp_path: Path) -> None:
    """A further training set may have no folds."""
    best = {("toy", "full"): "2", ("toy", "1pct"): "5", ("big", "full"): "9"}
    files = [
        near(
            tmp_path, layers, {"mint": 0.9 if layers == of_best else 0.1}, model=model, train=train
        )
        for (model, train), of_best in best.items()
        for layers in ("2", "5", "9")
    ]
    files += [near(tmp_path, layers, {}, untuned=("mint",), train="5pct") for layers in ("2", "5")]
    _, chosen = run(tmp_path, files)
    actual = {
        (model, train): of_train["all"]["layers"]
        for model, of_model in chosen["chosen"].items()
        for train, of_train in of_model.items()
    }
    assert actual == best
    assert chosen["candidates"]["toy, 1pct"] == 3


@pytest.mark.parametrize(
    "other", [{"seed": 2}, {"scores": {"sage": [[0.1, 0.2]]}}, {"objective": "mean_word_accuracy"}]
)
def test_searches_of_two_runs_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    scores = {"mint": [[0.1, 0.2]]}
    files = [
        write(tmp_path, scores, layers="2"),
        write(tmp_path, **{"scores": scores, **other}, layers="5"),
    ]
    with pytest.raises(ResultError, match="search of another run") as caught:
        run(tmp_path, files)
    assert caught.value.where == str(files[1]) and str(files[0]) in caught.value.problem
    assert not (tmp_path / "out").exists()


def test_the_requested_objective_is_read(tmp_path: Path) -> None:
    """Only macro-F1 is not 0 in these files: by accuracy, all tie, and the first layer wins."""
    for objective, layers in (("mean_macro_f1", "5"), ("mean_word_accuracy", "2")):
        folder = tmp_path / objective
        folder.mkdir()
        files = [near(folder, n, {"mint": int(n) / 10}, objective=objective) for n in ("2", "5")]
        _, chosen = run(folder, files)
        assert chosen["chosen"]["toy"]["full"]["all"]["layers"] == layers
        assert chosen["objective"] == objective
