"""Columns of a table as arrays, without a Python object per row."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


def rows_by(column: "pa.ChunkedArray") -> dict[str, np.ndarray]:
    """Which rows of a text column hold each of its values, in the order of first occurrence.

    One sort for all values: to look through the column for each of them takes a time that grows
    with rows times values.

    Returns
    -------
    dict of value to int array, ascending
    """
    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    values = encoded.dictionary.to_pylist()
    ends = np.cumsum(np.bincount(codes, minlength=len(values)))
    parts = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    return dict(zip(values, parts, strict=False))


def tuples_of(column: "pa.ChunkedArray") -> tuple[tuple[str, ...], ...]:
    """A column of lists of strings as tuples, in which equal strings are one object."""
    lists = column.combine_chunks()
    encoded = lists.flatten().dictionary_encode()
    strings = np.array(encoded.dictionary.to_pylist(), dtype=object)
    flat = strings[encoded.indices.to_numpy()].tolist()
    bounds = [0, *np.cumsum(lists.value_lengths().to_numpy()).tolist()]
    return tuple(tuple(flat[a:b]) for a, b in pairwise(bounds))
