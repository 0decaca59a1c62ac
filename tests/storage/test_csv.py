"""CSV tables in which a spreadsheet finds only text and numbers."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from formula_cells import CONTROLS, FORMULAS, INVISIBLE, NO_FORMULAS, OPERATORS
from hypothesis import example, given
from hypothesis import strategies as st

from wsd.errors import ResultError
from wsd.storage.csv import guarded, read_csv, unguarded, write_csv

SIGNS = (*OPERATORS, *CONTROLS)
SKIPPED = "".join((*INVISIBLE, *CONTROLS))


def begins_a_formula(text: str) -> bool:
    return text.startswith(CONTROLS) or text.lstrip(SKIPPED).startswith(OPERATORS)


@given(st.text(alphabet=[*SIGNS, *INVISIBLE, "'", "a"], max_size=4))
@example("=1+1")
@example("'=1+1")
@example("-")
@example("")
def test_formula_cells_are_guarded_and_others_stay(text: str) -> None:
    assert not begins_a_formula(guarded(text)) or text == "-"
    assert unguarded(guarded(text)) == text
    if not begins_a_formula(text.lstrip("'")):
        assert guarded(text) == text


def test_the_cells_that_are_guarded() -> None:
    assert [cell for cell in FORMULAS if guarded(cell) != f"'{cell}"] == []
    assert [cell for cell in NO_FORMULAS if guarded(cell) != cell] == []


def test_guarded_cells_come_back_from_a_file(tmp_path: Path) -> None:
    cells = [*FORMULAS, *NO_FORMULAS]
    write_csv(tmp_path / "t.csv", pd.DataFrame({"word": cells, "n": range(len(cells))}))
    assert read_csv(tmp_path / "t.csv")["word"].tolist() == cells


def test_hostile_text_survives_a_round_trip(tmp_path: Path) -> None:
    words = ["=cmd|' /C calc'!A0", "-rf", "'@x", "nan", "crane", "-", "a,b"]
    write_csv(tmp_path / "t.csv", pd.DataFrame({"word": words, "n": range(7)}))
    with (tmp_path / "t.csv").open(newline="") as file:
        cells = [row["word"] for row in csv.DictReader(file)]
    assert not any(cell.startswith(SIGNS) for cell in cells if cell != "-")
    assert read_csv(tmp_path / "t.csv")["word"].tolist() == words


def test_every_cell_of_text_is_guarded_and_numbers_are_not(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"a": ["=HYPERLINK(1)", "x"], "b": [-1, 2], "c": [-0.5, np.nan], "d": ["@me", None]}
    )
    write_csv(tmp_path / "t.csv", table)
    expected = "a,b,c,d\n'=HYPERLINK(1),-1,-0.500000,'@me\nx,2,,\n"
    assert (tmp_path / "t.csv").read_bytes().decode() == expected


def test_a_sentence_with_commas_and_quotes_is_one_cell(tmp_path: Path) -> None:
    text = 'she said , " mint ! "'
    write_csv(tmp_path / "t.csv", pd.DataFrame({"left": [text], "right": ["."]}))
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [{"left": text, "right": "."}]


def test_names_stay_text(tmp_path: Path) -> None:
    text = "share,chosen,word,about,first\n1,True,007,,1990\n,False,nan,'=x,\n"
    (tmp_path / "t.csv").write_text(text)
    table = read_csv(tmp_path / "t.csv", ["first"])
    assert list(table.columns) == ["share", "chosen", "word", "about", "first"]
    assert table["word"].tolist() == ["007", "nan"] and table["about"].tolist() == ["", "=x"]
    assert table["first"].tolist() == ["1990", ""]
    assert table["chosen"].tolist() == [True, False]
    np.testing.assert_array_equal(table["share"].to_numpy(), [1.0, np.nan])


@pytest.mark.parametrize("text", ["", "\n"])
def test_a_file_without_a_table_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ResultError, match="does not have the expected content") as caught:
        read_csv(path)
    assert caught.value.where == str(path) and caught.value.fix
    path.unlink()
    with pytest.raises(ResultError, match="a file of an earlier step is missing"):
        read_csv(path)


def test_a_table_without_rows_keeps_its_columns(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", pd.DataFrame([], columns=["word", "share"]))
    table = read_csv(tmp_path / "t.csv")
    assert table.empty and list(table.columns) == ["word", "share"]
