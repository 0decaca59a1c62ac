"""Tables that a spreadsheet takes for nothing but text and numbers."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from wsd.sheets import guarded, write_csv


@given(st.text(alphabet="=+-@\t\r'a ", max_size=4))
@example("=1+1")
@example("")
def test_a_guarded_cell_begins_no_formula_and_others_stay_as_they_are(text: str) -> None:
    signs = tuple("=+-@\t\r")
    assert not guarded(text).startswith(signs)
    assert guarded(text).removeprefix("'") == text.removeprefix("'")
    assert (guarded(text) == text) != text.startswith(signs)


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
