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

SKIPPED = "".join((*INVISIBLE, *CONTROLS))


def begins_a_formula(text: str) -> bool:
    return text.startswith(CONTROLS) or text.lstrip(SKIPPED).startswith(OPERATORS)


@given(st.text(alphabet=[*OPERATORS, *CONTROLS, *INVISIBLE, "'", "a"], max_size=4))
@example("'=1+1")
@example("-")
@example("")
def test_formula_cells_are_guarded_and_others_stay(text: str) -> None:
    assert not begins_a_formula(guarded(text)) or text == "-"
    assert unguarded(guarded(text)) == text
    if not begins_a_formula(text.lstrip("'")):
        assert guarded(text) == text


def test_any_text_comes_back_from_a_file(tmp_path: Path) -> None:
    plain = [*NO_FORMULAS, "nan", "007", "a,b", 'said , " mint ! "']
    words = [*FORMULAS, *plain]
    table = pd.DataFrame({"word": words, "n": -0.5})
    table.loc[0, "n"] = np.nan
    write_csv(tmp_path / "t.csv", table)
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = [*csv.reader(file)]
    assert [row[0] for row in rows] == ["word", *(f"'{cell}" for cell in FORMULAS), *plain]
    assert [row[1] for row in rows] == ["n", "", *["-0.500000"] * (len(words) - 1)]
    assert read_csv(tmp_path / "t.csv")["word"].tolist() == words


def test_names_stay_text(tmp_path: Path) -> None:
    text = "share,chosen,word,about,first\n1,True,007,,1990\n,False,nan,'=x,\n"
    (tmp_path / "t.csv").write_text(text)
    table = read_csv(tmp_path / "t.csv", ["first"])
    assert table["word"].tolist() == ["007", "nan"] and table["about"].tolist() == ["", "=x"]
    assert table["first"].tolist() == ["1990", ""]
    assert table["chosen"].tolist() == [True, False]
    np.testing.assert_array_equal(table["share"].to_numpy(), [1.0, np.nan])
    write_csv(tmp_path / "none.csv", table.head(0))
    assert list(read_csv(tmp_path / "none.csv").columns) == list(table.columns)


def test_a_file_without_a_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n")
    with pytest.raises(ResultError, match="content") as caught:
        read_csv(path)
    assert caught.value.where == str(path) and caught.value.fix
