"""Selection from search files written by hand."""

import json
from argparse import Namespace
from collections.abc import Mapping
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
NEAR = {"classifier": "near", "estimator": "nearest_centroid", "grid": [{"metric": "cosine"}]}


def write(
    folder: Path,
    layers: str,
    scores: Mapping[str, Any],
    *,
    grid: list[dict[str, Any]] = GRID,
    untuned: tuple[str, ...] = (),
    model: str = "toy",
    seed: int = 1,
    **changes: Any,
) -> Path:
    """Write a search file with macro-F1 for each word, repeat and point; other scores are 0.

    A number stands for a single repeat and point.
    """
    of_words = {}
    for word, f1 in scores.items():
        of_words[word] = np.zeros((*np.atleast_2d(f1).shape, 3))
        of_words[word][..., 1] = f1
    path = folder / f"{len(list(folder.glob('*.parquet')))}.parquet"
    provenance = {
        "encoder": {"model": {"name": model, "blocks": 12}},
        "train": "full",
        "view": "focal",
        "layers": layers,
        "classifier": "logistic",
        "estimator": "logistic",
        "space": {"C": [0.1, 1]} if grid is GRID else {"metric": "cosine"},
        "objective": "mean_macro_f1",
        "folds": {"k": 5, "repeats": 2, "seed": seed},
        "corpus": dict.fromkeys(scores, "its digest"),
        **changes,
    }
    cv_table.write_search(path, Search(grid, of_words, untuned), provenance)
    return path


def run(folder: Path, files: list[Path]) -> tuple[pd.DataFrame, dict[str, Any]]:
    table, out = folder / "out" / "selection.csv", folder / "out" / "selection.json"
    select.run(Namespace(searches=files, seed=1, table=table, out=out))
    text = {"layers": str, "view": str}
    return pd.read_csv(table, dtype=text), json.loads(out.read_text())


def test_the_selection_exactly(tmp_path: Path) -> None:
    """Layer 10 wins with its second point, although layer 2 has the best score of a single word."""
    scores = {
        "2": {"mint": [[0.9, 0.5], [0.9, 0.5]], "sage": [[0.1, 0.2], [0.1, 0.2]]},
        "10": {"mint": [[0.5, 0.7], [0.5, 0.5]], "sage": [[0.4, 0.7], [0.4, 0.6]]},
    }
    files = [write(tmp_path, layers, of_layers) for layers, of_layers in scores.items()]
    near = {"mint": [[0.3], [0.7]], "sage": [[0.2], [0.6]]}
    table, chosen = run(tmp_path, [*files, write(tmp_path, "10", near, **NEAR)])
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
    per_word = table[table["scope"] != ALL_WORDS]
    assert per_word[["scope", "layers"]].to_numpy().tolist() == [["mint", "2"], ["sage", "10"]]
    assert [json.loads(p) for p in per_word["parameters"]] == [{"C": 0.1}, {"C": 1}]
    assert chosen["folds"] == {"full": {"k": 5, "repeats": 2, "seed": 1}}
    assert chosen["space"] == {"logistic": {"C": [0.1, 1]}, "near": {"metric": "cosine"}}
    assert chosen["candidates"] == {"toy, full": 3}


def test_the_first_of_equal_candidates_wins_in_any_order_of_the_files(tmp_path: Path) -> None:
    """The last bit of a mean over repeats depends on their order, and decides nothing."""
    repeats = np.array([[0.1], [0.2], [0.3]])
    of_layers = {"mean-last-2": repeats, "10": repeats, "2": repeats[[1, 2, 0]]}
    assert of_layers["2"].mean() < repeats.mean()
    files = [
        write(tmp_path, layers, {"mint": f1}, **NEAR | {"view": view, "classifier": classifier})
        for view in ("focal", "context")
        for layers, f1 in of_layers.items()
        for classifier in ("logistic", "another")
    ]
    (table, chosen), (again, same) = run(tmp_path, files), run(tmp_path, files[::-1])
    assert table.equals(again) and chosen == same
    best = chosen["chosen"]["toy"]["full"]["all"]
    assert (best["layers"], best["classifier"]) == ("2", "another")


def test_ties_of_a_word_go_to_the_candidate_that_is_better_overall(tmp_path: Path) -> None:
    """Of three that tie on mint, layer 7 is best on all words: 0.7 to layer 8's 0.675."""
    scores = {"2": (0.5, 0.1), "5": (0.5, 0.3), "7": (0.5, 0.9), "8": (0.4, 0.95)}
    for dropped, for_mint in (("", "7"), ("7", "5")):
        files = [
            write(tmp_path, layers, {"mint": mint, "sage": sage}, **NEAR)
            for layers, (mint, sage) in scores.items()
            if layers != dropped
        ]
        _, chosen = run(tmp_path, files)
        selection = chosen["chosen"]["toy"]["full"]
        assert selection["all"]["layers"] == ("8" if dropped else "7")
        assert selection["words"]["mint"]["layers"] == for_mint


def test_an_untuned_word_gets_the_overall_choice_and_fixed_parameters(tmp_path: Path) -> None:
    grid = [{"C": 0.1, "prior_shift": 0.5}, {"C": 1, "prior_shift": 0.5}]
    files = [
        write(tmp_path, layers, {"mint": [[f1, 0.0]]}, grid=grid, untuned=("sage",))
        for layers, f1 in (("2", 0.1), ("5", 0.3))
    ]
    _, chosen = run(tmp_path, files)
    selection = chosen["chosen"]["toy"]["full"]
    assert selection["all"]["parameters"] == {"C": 0.1, "prior_shift": 0.5}
    assert selection["words"]["sage"] == {**selection["all"], "parameters": {"prior_shift": 0.5}}
    assert selection["words"]["mint"] == selection["all"]


def test_without_folds_only_a_single_candidate_is_selected(tmp_path: Path) -> None:
    only = write(tmp_path, "6", {}, untuned=("mint", "sage"), **NEAR)
    _, chosen = run(tmp_path, [only])
    selection = chosen["chosen"]["toy"]["full"]
    assert selection["words"] == {"mint": selection["all"], "sage": selection["all"]}
    with pytest.raises(ResultError, match="nothing can be selected for 'toy' among 2 candidates"):
        run(tmp_path, [only, write(tmp_path, "2", {}, untuned=("mint", "sage"), **NEAR)])


def test_models_and_training_sets_are_selected_separately(tmp_path: Path) -> None:
    """A further training set may have no folds."""
    best = {("toy", "full"): "2", ("toy", "1pct"): "5", ("big", "full"): "9"}
    files = [
        write(tmp_path, n, {"mint": 0.9 if n == own else 0.1}, model=model, train=train, **NEAR)
        for (model, train), own in best.items()
        for n in ("2", "5", "9")
    ]
    files += [write(tmp_path, n, {}, untuned=("mint",), train="5pct", **NEAR) for n in ("2", "5")]
    _, chosen = run(tmp_path, files)
    actual = {
        (model, train): of_train["all"]["layers"]
        for model, of_model in chosen["chosen"].items()
        for train, of_train in of_model.items()
    }
    assert actual == best
    assert chosen["candidates"]["toy, 1pct"] == 3


@pytest.mark.parametrize("other", [{"seed": 2}, {"objective": "mean_word_accuracy"}])
def test_searches_of_two_runs_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    scores = {"mint": [[0.1, 0.2]]}
    first, second = write(tmp_path, "2", scores), write(tmp_path, "5", scores, **other)
    with pytest.raises(ResultError, match="search of another run") as caught:
        run(tmp_path, [first, second])
    assert caught.value.where == str(second) and str(first) in caught.value.problem
