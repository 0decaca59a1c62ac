"""F1 over all instances: by hand, with any of several keys, and errors for other predictions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wsd.artifacts.predictions import WordPredictions, write_predictions
from wsd.cli import main
from wsd.errors import ResultError
from wsd.studies.all_words import all_words as step
from wsd.studies.all_words import instance_table
from wsd.studies.all_words.instance_table import (
    NO_SENSE,
    NO_WORD,
    NOT_TRAINED,
    TESTED,
    CountedInstance,
)

INSTANCES = [
    CountedInstance("b:1", "cell.n", "noun", "c9\tc2", TESTED, 0, "c2"),
    CountedInstance("b:2", "cell.n", "noun", "c1", TESTED, 1, "c2"),
    CountedInstance("b:3", "cell.n", "noun", "c9", NO_SENSE, -1, "c2"),
    CountedInstance("b:4", "go.v", "verb", "g1", NOT_TRAINED, -1, "g1"),
    CountedInstance("b:5", "go.v", "verb", "g2", NOT_TRAINED, -1, "g1"),
    CountedInstance("b:6", "never.n", "noun", "n1", NO_WORD, -1, ""),
    CountedInstance("b:7", "cell.n", "noun", "c1\tc2", TESTED, 2, "c2"),
]


def write(folder: Path, predicted: list[int], gold: list[int]) -> Path:
    n = len(gold)
    word = WordPredictions(
        "cell.n", ("c1", "c2"), 3, np.arange(n), np.array(gold), np.array(predicted),
        np.zeros((n, 2)),
    )  # fmt: skip
    source = {"view": "focal", "layers": "6", "classifier": "knn"}
    path = folder / "p.parquet"
    write_predictions(path, [word], {**source, "encoder": {"model": {"name": "tiny"}}})
    (folder / instance_table.FILE).write_text("\n".join(instance_table.lines(INSTANCES)) + "\n")
    return path


def test_figures_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The corpus has the first key that training knows; the last row is right by its other key.
    path = write(tmp_path, predicted=[1, 1, 1], gold=[1, 0, 0])
    out = tmp_path / "all.csv"
    arguments = ["--corpus", str(tmp_path), "--predictions", str(path), "--out", str(out)]
    assert main(["all-words", *arguments]) == 0
    actual = pd.read_csv(out).set_index(["answered_by", "part"])
    counts = actual[["instances", "answered", "right"]]
    assert counts.loc[step.FREQUENT, "all"].tolist() == [7, 6, 3]
    assert counts.loc[step.TRAINED, "all"].tolist() == [7, 4, 2]
    assert counts.loc[step.BACKED, "all"].tolist() == [7, 6, 3]
    assert counts.loc[step.TRAINED, "noun"].tolist() == [5, 4, 2]
    assert counts.loc[step.TRAINED, "verb"].tolist() == [2, 0, 0]
    whole = actual.loc[step.TRAINED, "all"]
    assert (whole["precision"], whole["recall"]) == pytest.approx((2 / 4, 2 / 7), abs=1e-6)
    harmonic = 2 * whole["precision"] * whole["recall"] / (whole["precision"] + whole["recall"])
    assert whole["f1"] == pytest.approx(harmonic, abs=1e-5)
    assert actual.loc[step.TRAINED, "verb"]["f1"] == 0
    assert "tiny focal 6 knn, trained words: F1 36.4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("predicted", "gold"), [([1, 1], [1, 0]), ([1, 1, 1], [1, 1, 0]), ([1], [1])]
)
def test_predictions_of_other_instances(
    tmp_path: Path, predicted: list[int], gold: list[int]
) -> None:
    path = write(tmp_path, predicted, gold)
    with pytest.raises(ResultError, match=r"the instance of 'cell\.n' in b:"):
        step.read_answers(INSTANCES, path)


@pytest.mark.parametrize("change", ["no rows", "status", "columns", "number"])
def test_an_invalid_table(tmp_path: Path, change: str) -> None:
    lines = list(instance_table.lines(INSTANCES))
    changed = {
        "no rows": lines[:1],
        "status": [lines[0], lines[1].replace(TESTED, "x")],
        "columns": lines[1:],
        "number": [lines[0], lines[1].replace(",0,", ",x,")],
    }
    path = tmp_path / instance_table.FILE
    path.write_text("\n".join(changed[change]))
    with pytest.raises(ResultError, match="does not have the expected content"):
        instance_table.read(path)
    path.write_text("\n".join(lines))
    assert instance_table.read(path) == INSTANCES
