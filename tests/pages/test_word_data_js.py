"""word-data.js: unpacks a word's data."""

from typing import Any

import pytest
from browser import Browser
from word_pages import encoded, evaluate, made_data


def of_data(browser: Browser, expression: str, **changes: Any) -> Any:
    return evaluate(
        browser,
        ("page.js", "extra-columns.js", "word-data.js"),
        f"const data = wsd.wordData(arguments[0]); return {expression};",
        made_data(**changes),
    )


def test_rows_have_names_and_an_order(chromium: Browser) -> None:
    ids = ["train 1", "test 0", "train 0", "test 2", "test 1"]
    assert of_data(chromium, "data.rows.map(data.id)") == ids
    assert of_data(chromium, "data.inOrder.map(data.id)") == sorted(ids)
    assert of_data(chromium, "data.rowOf.get('test-2')") == 3
    assert of_data(chromium, "Array.from(data.gold)") == [0, 1, 1, 0, 1]


@pytest.mark.parametrize(("text", "has"), [(True, [True] * 5), (False, [False] * 5)])
def test_which_instances_have_text(chromium: Browser, text: bool, has: list[bool]) -> None:
    assert of_data(chromium, "data.rows.map(data.hasText)", text=text) == has
    lower = of_data(chromium, "data.lowerCase()", text=text)
    wanted = ["the bank ", "a bank of sand", " bank there", "a b bank ", "x bank y"]
    assert lower == [line if there else "" for line, there in zip(wanted, has, strict=True)]


def test_predictions_are_of_test_rows(chromium: Browser) -> None:
    wrong = "data.rows.map((row) => data.isWrong(row, arguments[1], arguments[2]))"
    for classifier, choice, rows in ((0, 0, {1, 4}), (0, 1, {4}), (0, 2, {4}), (1, 0, {1, 4})):
        asked = wrong.replace("arguments[1]", str(classifier)).replace("arguments[2]", str(choice))
        assert {row for row, is_wrong in enumerate(of_data(chromium, asked)) if is_wrong} == rows
    assert of_data(chromium, "data.predicted(1, 0, 1)") == 1
    assert of_data(chromium, "[1, 3, 4].map((row) => data.confidence(row, 1, 0))") == [0, 1, 2]
    assert of_data(chromium, "[1, 3, 4].map((row) => data.layersCorrect(row, 0))") == [1, 2, 0]
    # Single layers count, the mean of two does not.
    assert of_data(chromium, "[0, 1].map((c) => [...data.alwaysWrong(c)])") == [[4], [1, 4]]
    assert of_data(chromium, "[...data.alwaysWrong(0)]", choices=[
        {**choice, "single": False} for choice in made_data()["choices"]]) == []  # fmt: skip


def test_confidence_has_a_range_of_its_kind(chromium: Browser) -> None:
    assert of_data(chromium, "data.confidenceRange(0, 0)") == [0.5, 1]
    assert of_data(chromium, "data.confidenceRange(1, 0)") == [0, pytest.approx(2.55)]


def test_points_are_all_x_before_all_y(chromium: Browser) -> None:
    for axis, values in (("x", [-2, 1, 0, 3, 0.5]), ("y", [0, 0.5, 1, 1.5, 2])):
        assert of_data(chromium, f"[...data.places(0, 'pca').{axis}]") == values


def test_missing_neighbours_are_skipped(chromium: Browser) -> None:
    near = "data.rows.map((row) => data.neighbours(row, 0).map((of) => [of.row, of.similarity]))"
    shown = [
        [[1, 1], [2, 0]],
        [[0, -1]],
        [],
        [[0, 1], [1, 1]],
        [[4, pytest.approx(63 / 127)], [3, 0]],
    ]
    assert of_data(chromium, near) == shown
    nowhere = 2**32 - 1
    rows = [1, 2, 0, *[nowhere] * 3, 0, 65535, 4, 3]
    choices = [{**choice, "near": encoded(rows, "<u4")} for choice in made_data()["choices"]]
    wide = of_data(chromium, near, wide=True, choices=choices)
    assert wide == [*shown[:3], [[0, 1], [65535, 1]], shown[4]]
