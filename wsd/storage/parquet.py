"""Tables as Parquet, with one JSON object of provenance in the schema's metadata, and their columns
as arrays, without a Python object per row.
"""

import json
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.storage.atomic import replacing
from wsd.storage.result_files import reading_result, require

if TYPE_CHECKING:
    import pyarrow as pa


METADATA_KEY = b"wsd"


def write_table(path: Path, table: "pa.Table", provenance: dict[str, Any]) -> None:
    """Write a Parquet table with its provenance, whole or not at all."""
    import pyarrow.parquet as pq

    packed = json.dumps(provenance, sort_keys=True).encode()
    # An opened file: Arrow takes paths that are UTF-8 alone.
    with replacing(path) as temporary, temporary.open("wb") as file:
        pq.write_table(
            table.replace_schema_metadata({METADATA_KEY: packed}), file, compression="zstd"
        )


def read_table(path: Path) -> tuple["pa.Table", dict[str, Any]]:
    """Read a Parquet table that :func:`write_table` wrote, and its provenance."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    foreign = (pa.ArrowException, OSError, KeyError, RecursionError, TypeError, ValueError)
    with reading_result(path, "not a table of this program", foreign):
        # `partitioning=None`: a folder called `a=b` above the file must not add a column.
        table = pq.read_table(path, partitioning=None)
        provenance = json.loads(table.schema.metadata[METADATA_KEY])
        if not isinstance(provenance, dict):
            raise TypeError("its provenance is no object")
    return table, provenance


def rows_by(
    column: "pa.ChunkedArray", among: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Which rows of a text column hold each of its values, in the order of first occurrence.

    One sort for all values: to look through the column for each of them takes a time that grows
    with rows times values.

    Parameters
    ----------
    column : column of text
    among : collection of str, optional
        What the provenance names: a row of anything else is a ValueError.

    Returns
    -------
    dict of value to int array, ascending
    """
    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    values = encoded.dictionary.to_pylist()
    require(among is None or set(values) <= set(among), "rows that the provenance does not name")
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
