"""The summary as text: best first, in percent, and one line for what is no summary."""

from pathlib import Path

import pytest

from wsd.errors import ResultError
from wsd.leaderboard import leaderboard

HEAD = (
    "model,train,view,layers,classifier,"
    "micro_accuracy,mean_word_accuracy,mean_macro_f1,mean_balanced_accuracy"
)
ROWS = [
    "toy,full,focal,0,near,0.9,0.8,0.500000,0.7",
    "toy,full,focal,mean-last-4,near,0.95,0.85,0.905,0.75",
    "larger-toy,full,context,6,logistic,1.000000,0.99996,0.905,0.123456",
    "toy,full,focal,10,near,0,0,0.0999,0",
]
NOTE = "Percent, over the words; ordered by mean macro-F1 on the test set."


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    path = tmp_path / "summary.csv"
    path.write_text("\n".join([HEAD, *ROWS, ""]))
    return path


def test_the_table_exactly(summary: Path) -> None:
    """Best first; of equal rows the one that stands first in the file."""
    assert leaderboard(summary).splitlines() == [
        "model       view     layers       classifier  macro-F1  balanced  accuracy   micro",
        "toy         focal    mean-last-4  near           90.50     75.00     85.00   95.00",
        "larger-toy  context  6            logistic       90.50     12.35    100.00  100.00",
        "toy         focal    0            near           50.00     70.00     80.00   90.00",
        "toy         focal    10           near            9.99      0.00      0.00    0.00",
        NOTE,
    ]


@pytest.mark.parametrize(("top", "rows"), [(None, 4), (1, 1), (3, 3), (4, 4), (9, 4)])
def test_only_the_best(summary: Path, top: int | None, rows: int) -> None:
    lines = leaderboard(summary, top=top).splitlines()
    assert len(lines) == rows + 2
    assert lines[1].startswith("toy         focal    mean-last-4" if rows > 1 else "toy")
    assert lines[-1] == NOTE


def test_the_order_of_the_columns_does_not_matter(summary: Path) -> None:
    before = leaderboard(summary)
    lines = [line.split(",") for line in summary.read_text().splitlines()]
    summary.write_text("\n".join(",".join(reversed(line)) for line in lines))
    assert leaderboard(summary) == before


def test_there_is_no_summary_yet(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="no summary yet") as caught:
        leaderboard(tmp_path / "summary.csv")
    assert caught.value.where == str(tmp_path / "summary.csv")
    assert caught.value.fix == "run snakemake"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\ntoy,full,focal,0,near,0.9,0.8,high,0.7\n",
        f"{HEAD}\ntoy,full,focal,0,near,0.9,0.8\n",
        f"{HEAD}\ntoy,full,focal,0,near,0.9,0.8,0.5,\n",
        f"{HEAD.replace('mean_macro_f1', 'f1')}\n{ROWS[0]}\n",
        f"{HEAD.replace('layers', 'layer')}\n{ROWS[0]}\n",
        "some words\nand more\n",
    ],
)
def test_what_is_no_summary(summary: Path, text: str) -> None:
    summary.write_text(text)
    with pytest.raises(ResultError, match="not a summary table") as caught:
        leaderboard(summary)
    assert caught.value.where == str(summary)
