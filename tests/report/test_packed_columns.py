"""The extra columns as a page's script takes them."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_builder import HOSTILE_COLUMN, MODEL, make_run

from wsd.report.pages.load_report import load_report
from wsd.report.pages.render import packed_columns
from wsd.report.pages.word import word_data


def cells_of(column: dict[str, Any]) -> list[str]:
    width = "u1" if len(column["values"]) <= 256 else "<u4"
    codes = np.frombuffer(base64.b64decode(column["codes"]), width)
    return [column["values"][code] for code in codes]


def packed(cells: list[str], with_text: list[bool] | None = None) -> list[dict[str, Any]]:
    has_text = np.array(with_text or [True] * len(cells))
    return packed_columns({"c": tuple(cells)}, range(len(cells)), has_text)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["b", "a", "b"], ["a", "b"]),
        (["10", "9", "-1", "10"], ["-1", "9", "10"]),
        (["10", "9", "x"], ["10", "9", "x"]),
        (["", "2", "1.5", ""], ["1.5", "2", ""]),
        (["", "b"], ["b", ""]),
    ],
)
def test_values_are_in_order(cells: list[str], values: list[str]) -> None:
    [column] = packed(cells)
    assert column["values"] == values and cells_of(column) == cells


def test_a_long_column_has_text_with_the_sentences_alone() -> None:
    cells = [f"use {i}" for i in range(300)]
    [column] = packed(cells)
    assert cells_of(column) == cells and column["values"] == cells
    [column] = packed(cells, [i < 3 for i in range(300)])
    assert cells_of(column) == cells[:3] + [""] * 297
    assert not column["group"]
    assert packed(cells, [False] * 300) == []
    # A short one has it everywhere.
    [column] = packed(["a", "b"], [False, False])
    assert cells_of(column) == ["a", "b"]


def test_rows_are_in_the_order_of_the_page_and_empty_columns_are_left_out() -> None:
    extra = {"a": ("x", "y", "z"), "b": (" ", "", " ")}
    [column] = packed_columns(extra, np.array([2, 0]), np.array([True, True]))
    assert cells_of(column) == ["z", "x"]


@pytest.mark.parametrize(("text", "identifiers"), [(True, 48), (False, 0)])
def test_pages_without_sentences_have_no_identifiers(
    tmp_path: Path, text: bool, identifiers: int
) -> None:
    given = {**make_run(tmp_path, extra=True).arguments(tmp_path), "text": text}
    del given["out"]
    report = load_report(**given)
    columns = word_data(report, MODEL, report.words[MODEL]["bank"])["extra"]
    by_name = {column["name"]: cells_of(column) for column in columns}
    assert sum(map(bool, by_name.pop("identifier", []))) == identifiers
    assert list(by_name) == ["period", HOSTILE_COLUMN, "gold"]
    assert all(len(cells) == 48 for cells in by_name.values())
