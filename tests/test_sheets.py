"""Tables that a spreadsheet takes for nothing but text and numbers."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from wsd.sheets import guarded, plain, unguarded, write_csv

SIGNS = tuple("=+-@\t\r")


@given(st.text(alphabet="=+-@\t\r'a ", max_size=4))
@example("=1+1")
@example("'=1+1")
@example("-")
@example("")
def test_a_guarded_cell_begins_no_formula_and_others_stay_as_they_are(text: str) -> None:
    assert not guarded(text).startswith(SIGNS) or text == "-"
    assert plain(guarded(text)) == text
    if not text.lstrip("'").startswith(SIGNS):
        assert guarded(text) == text


def test_hostile_text_comes_back_from_a_table_as_it_was(tmp_path: Path) -> None:
    words = ["=cmd|' /C calc'!A0", "-rf", "'@x", "nan", "crane", "-", "a,b"]
    write_csv(tmp_path / "t.csv", pd.DataFrame({"word": words, "n": range(7)}))
    with (tmp_path / "t.csv").open(newline="") as file:
        cells = [row["word"] for row in csv.DictReader(file)]
    assert not any(cell.startswith(SIGNS) for cell in cells if cell != "-")
    read = unguarded(pd.read_csv(tmp_path / "t.csv", keep_default_na=False))
    assert read["word"].tolist() == words


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
