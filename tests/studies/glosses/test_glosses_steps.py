"""Glosses and the other steps: rows in tables and on pages."""

from pathlib import Path

import pytest
from steps import Refused, assert_one_error, changed, rows


def test_zero_shot_rows_are_in_the_tables_and_on_the_page(every_step: Path) -> None:
    compared = [r for r in rows(every_step / "comparison.csv") if r["kind"] == "zero-shot"]
    assert [(r["classifier"], r["layers"]) for r in compared] == [
        ("gloss", "1"),
        ("gloss-mean", "1"),
    ]
    tested = {r["classifier"] for r in rows(every_step / "comparison/differences.csv")}
    assert {"gloss", "gloss-mean"} <= tested
    # They are not candidates for selection.
    assert not {r["classifier"] for r in rows(every_step / "selection.csv")} & tested & {"gloss"}
    summary = rows(every_step / "summary.csv")
    keys = {(r["train"], r["test"], r["view"], r["layers"], r["classifier"]) for r in summary}
    assert ("none", "test", "focal", "1", "gloss") in keys


def test_the_pages_show_zero_shot(every_step: Path) -> None:
    assert "zero-shot, gloss-mean" in (every_step / "report/layers.html").read_text()


BAD: dict[str, Refused] = {
    "glosses that are no table": (
        changed("glosses", "--glosses", "tiny.json"), 3, "tiny.json"),
    "glosses that were not embedded": (
        changed("zero-shot", "--glosses", "corpus"), 6, "belong to another table"),
    "one output of two": (changed("zero-shot", "--out", "o"), 2, "1 outputs"),
    "a layer that glosses do not have": (
        changed("zero-shot", "--layers", "7"), 2, "no such layer"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_error(
    every_step: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    assert_one_error(every_step, capsys, *BAD[case])
