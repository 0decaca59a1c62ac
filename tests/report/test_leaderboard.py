"""The leaderboard as text: selected rows first, scores in percent, one message for other files."""

import re
from pathlib import Path

import pytest

from wsd.errors import ResultError
from wsd.report.leaderboard import leaderboard

HEAD = (
    "model,train,draw,test,view,layers,classifier,"
    "micro_accuracy,mean_word_accuracy,mean_macro_f1,mean_balanced_accuracy"
)
ROWS = [
    "toy,full,,test,focal,0,near,0.9,0.8,0.500000,0.7",
    "toy,full,,test,focal,mean-last-4,near,0.95,0.85,0.905,0.75",
    "larger-toy,full,,test,context,6,logistic,1.000000,0.99996,0.905,0.123456",
    "toy,full,,test,focal,10,near,0,0,0.0999,0",
    # Best of all, but it is no candidate on the full training set.
    "toy,full,,outofdomain,focal,0,near,1,1,,1",
    "toy,balanced,,test,focal,0,near,1,1,0.999,1",
    "toy,nshot-3,2,test,focal,0,near,1,1,0.999,1",
    "toy-random-1,full,,test,focal,0,near,1,1,0.999,1",
    "toy,full,,test,cls,0,near,1,1,0.999,1",
    "toy,full,,test,per-word,per-word,per-word,0.9,0.9,0.9,0.9",
]
SELECTION_HEAD = (
    "model,train,scope,view,layers,classifier,parameters,objective,spread,share_first,selected"
)
SELECTION = [
    "larger-toy,full,all words,context,6,logistic,{},0.7,0,1,True",
    "toy,full,all words,focal,10,near,{},0.8,0,1,True",
    "toy,full,all words,focal,0,near,{},0.6,0,0,False",
    "toy,full,all words,focal,mean-last-4,near,{},0.5,0,0,False",
    "toy,full,mint,focal,0,near,{},0.99,0,1,True",
    "toy,1pct,all words,focal,0,near,{},0.98,0,1,True",
]
SELECTED = "Selected by cross-validation on the training set, for all words and per word:"
BEST = "Best on the test set, for reference only (the test set determines this order):"
NOTE = "Percent, over all words; `CV` is the objective of the selection, on training data."


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    path = tmp_path / "summary.csv"
    path.write_text("\n".join([HEAD, *ROWS, ""]))
    (tmp_path / "selection.csv").write_text("\n".join([SELECTION_HEAD, *SELECTION, ""]))
    return path


def test_the_table_exactly(summary: Path) -> None:
    """Best first; equal rows keep the order of the file."""
    context = "larger-toy  context   6            logistic    70.00     90.50"
    tenth = "toy         focal     10           near        80.00      9.99"
    lines = leaderboard(summary).splitlines()
    head = re.split(" {2,}", lines.pop(1))
    assert re.split(" {2,}", lines.pop(6)) == head
    assert head == ["model", "view", "layers", "classifier", "CV", "macro-F1", "balanced accuracy",
                    "word accuracy", "micro accuracy"]  # fmt: skip
    assert lines == [
        SELECTED,
        f"{context}              12.35         100.00          100.00",
        "toy         per-word  per-word     per-word              90.00"
        "              90.00          90.00           90.00",
        f"{tenth}               0.00           0.00            0.00",
        "",
        BEST,
        "toy         focal     mean-last-4  near        50.00     90.50"
        "              75.00          85.00           95.00",
        f"{context}              12.35         100.00          100.00",
        "toy         focal     0            near        60.00     50.00"
        "              70.00          80.00           90.00",
        f"{tenth}               0.00           0.00            0.00",
        NOTE,
    ]


def test_without_folds_nothing_was_selected(summary: Path) -> None:
    """All rows for the full training set and the test split appear."""
    summary.with_name("selection.csv").write_text(SELECTION_HEAD + "\n")
    summary.write_text("\n".join([HEAD, *(row for row in ROWS if "per-word" not in row), ""]))
    lines = leaderboard(summary).splitlines()
    assert lines[0] == BEST
    assert len(lines[2:-1]) == 6


@pytest.mark.parametrize("name", ["summary.csv", "selection.csv"])
@pytest.mark.parametrize("row", ["toy,full,,test,focal,0,near,0.9,0.8,high,0.7", "\xff"])
def test_a_file_of_another_kind_is_named(summary: Path, name: str, row: str) -> None:
    path = summary.with_name(name)
    path.write_text(f"{HEAD}\n{row}\n", encoding="latin-1")
    with pytest.raises(ResultError, match=path.stem) as caught:
        leaderboard(summary)
    assert caught.value.where == str(path)
