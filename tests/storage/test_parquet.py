"""Columns of tables as arrays."""

from pathlib import Path

import pyarrow as pa
import pytest

from wsd.errors import ResultError
from wsd.storage.parquet import read_table, rows_by


def test_rows_of_each_value_in_the_order_of_first_occurrence() -> None:
    column = pa.chunked_array([["b", "a"], ["b", "c", "b"], []], type=pa.string())
    actual = {value: rows.tolist() for value, rows in rows_by(column).items()}
    assert [*actual.items()] == [("b", [0, 2, 4]), ("a", [1]), ("c", [3])]


def test_a_folder_is_not_to_be_deleted(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="a folder in place of a file") as error:
        read_table(tmp_path)
    assert "delete" not in error.value.fix
