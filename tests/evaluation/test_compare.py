"""The command `compare` writes every table."""

import json
from pathlib import Path

import pandas as pd
import pytest
from call_step import call_step
from two_words import FEW, GOLD, GOOD, MANY, SOME, corpora, pair

from wsd.artifacts.column_names import BEST, CANDIDATE, PUBLISHED, SELECTED
from wsd.evaluation import compare
from wsd.metrics import permutation


def test_compare_writes_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 199)
    names = {"view": "focal", "layers": "1", "classifier": "lda"}
    chosen = {"m": {"full": {"all": names}}}
    selection = {"objective": "mean_macro_f1", "folds": {}, "chosen": chosen}
    (tmp_path / "selection.json").write_text(json.dumps(selection))
    scope = {"train": "full", "scope": "all words", "objective": 0.875}
    pd.DataFrame([{"model": "m", **names, **scope}]).to_csv(tmp_path / "selection.csv", index=False)
    # A published system has the name of the model.
    base = {"model": "m", **names, "test": "test", "train": "full", "draw": "", "n_train": 9}
    lines = [
        {**base, **changes, "word": word}
        for word in GOLD
        for changes in ({"macro_f1": 0.5}, {"macro_f1": 0.9, "classifier": "published-1nn"})
    ]
    pd.DataFrame(lines).to_csv(tmp_path / "scores.csv", index=False)
    theirs = {
        "encoder": {
            "model": {"name": "m", "blocks": 12},
            "published": {"source": "a paper", "protocol": "nearest neighbour"},
        },
        "classifier": "published-1nn",
    }
    out = tmp_path / "out"
    call_step(
        compare,
        corpora(),
        candidates=[pair(tmp_path, "1", SOME, GOOD)[0]],
        control=[pair(tmp_path, "1", MANY, GOOD, task="control")[0]],
        published=[pair(tmp_path, "1", FEW, GOOD, **theirs)[0]],
        selection=tmp_path / "selection.json",
        selection_table=tmp_path / "selection.csv",
        scores=tmp_path / "scores.csv",
        seed=1,
        table=tmp_path / "comparison.csv",
        out=out,
    )
    table = pd.read_csv(tmp_path / "comparison.csv", dtype={"layers": str})
    assert table["kind"].tolist() == [SELECTED, BEST, PUBLISHED, CANDIDATE]
    assert table["objective_cv"].dropna().tolist() == [0.875] * 3
    assert table["about"].dropna().tolist() == ["a paper: nearest neighbour"]
    learned = pd.read_csv(out / "learning.csv")
    assert learned[["classifier", "n_train"]].to_numpy().tolist() == [["lda", 9 * len(GOLD)]]
    assert len(pd.read_csv(out / "selectivity.csv")) == 1
    # A table without rows has a header.
    controls = pd.read_csv(out / "controls.csv")
    assert controls.empty and "mean_macro_f1_low_over_words" in controls
    for name in ("comparison.md", "comparison.tex"):
        assert "96.34" in (out / name).read_text()
