"""Columns of tables as arrays."""

import pyarrow as pa

from wsd.storage.parquet import rows_by


def test_rows_of_each_value_in_the_order_of_first_occurrence() -> None:
    column = pa.chunked_array([["b", "a"], ["b", "c", "b"], []], type=pa.string())
    actual = {value: rows.tolist() for value, rows in rows_by(column).items()}
    assert [*actual.items()] == [("b", [0, 2, 4]), ("a", [1]), ("c", [3])]
