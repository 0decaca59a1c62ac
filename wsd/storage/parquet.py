"""Read and write Parquet tables, with provenance as a JSON object in the schema's metadata.

Columns are turned into arrays without a Python object per row.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsd.errors import wrong_file
from wsd.storage.atomic import replacing
from wsd.storage.result_files import reading_result

if TYPE_CHECKING:
    import pyarrow as pa


METADATA_KEY = b"wsd"


def write_table(path: Path, table: "pa.Table", provenance: dict[str, Any]) -> None:
    """Write a Parquet table atomically, with its provenance."""
    import pyarrow.parquet as pq

    packed = json.dumps(provenance, sort_keys=True).encode()
    # An open file, because Arrow accepts only paths in UTF-8.
    with replacing(path) as temporary, temporary.open("wb") as file:
        table = table.replace_schema_metadata({METADATA_KEY: packed})
        pq.write_table(table, file, compression="zstd")


def read_table(path: Path, *columns: str) -> tuple["pa.Table", dict[str, Any]]:
    """Return a Parquet table that :func:`write_table` wrote, and its provenance.

    Parameters
    ----------
    path : Path
    *columns : str
        Columns that distinguish this kind of table from others.

    Raises
    ------
    DamageError
        If the file does not match its checksum.
    ResultError
        If the file is missing, or has another table.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    foreign = (pa.ArrowException, OSError, KeyError, RecursionError, TypeError, ValueError)
    with reading_result(path, "not a table of this program", foreign):
        # pq.read_table takes a third of a second to import pyarrow.dataset.
        with pq.ParquetFile(path) as file:
            table = file.read()
        provenance = json.loads(table.schema.metadata[METADATA_KEY])
    if lacking := [name for name in columns if name not in table.column_names]:
        raise wrong_file(f"a table of another kind: it has no column {lacking[0]!r}", path)
    return table, provenance


def rows_by(column: "pa.ChunkedArray") -> dict[str, np.ndarray]:
    """Return the ascending rows of each value of a text column, in the order of first occurrence.

    All rows are sorted once, because a search for each value would read all rows again.
    """
    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    values = encoded.dictionary.to_pylist()
    ends = np.cumsum(np.bincount(codes, minlength=len(values)))
    parts = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    return dict(zip(values, parts, strict=False))


def as_tuples(column: "pa.ChunkedArray") -> tuple[tuple[Any, ...], ...]:
    """Return a column of lists as tuples that share equal values."""
    lists = column.combine_chunks()
    encoded = lists.flatten().dictionary_encode()
    values = np.array(encoded.dictionary.to_pylist(), dtype=object)
    flat = values[encoded.indices.to_numpy()].tolist()
    bounds = [0, *np.cumsum(lists.value_lengths().to_numpy()).tolist()]
    return tuple(tuple(flat[a:b]) for a, b in pairwise(bounds))
