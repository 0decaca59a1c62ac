"""Read the rows of Parquet and Arrow files, as pandas and the library ``datasets`` write them.

Values become JSON values: a date is text, and a missing value is empty. ``datasets`` stores
the names of a ``ClassLabel`` in the file's metadata; its numbers become these names. A column of
bytes, such as an image, is left out, and so is an index without a name that pandas wrote.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wsd.errors import CorpusError
from wsd.logs import log

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET, ARROW = ".parquet", ".arrow"
KINDS = (PARQUET, ARROW)
# The key under which `datasets` describes the columns in a schema's metadata.
_DATASETS = b"huggingface"
_INDEX = re.compile(r"__index_level_\d+__")
FIX = "save it again, or convert it to a table such as .csv or .jsonl"


def is_arrow(path: Path) -> bool:
    """Return whether a file is a Parquet or Arrow file, by its name."""
    return path.suffix.lower() in KINDS


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the values of each row.

    Parameters
    ----------
    path : Path

    Yields
    ------
    where : str
        File and row, from 1.
    values : dict of str to str, int, float, bool, list or dict
        By column.

    Raises
    ------
    CorpusError
        If the file is missing, cannot be read, or has two columns of one name.
    """
    import pyarrow as pa

    number = 0
    try:
        with path.open("rb") as file:
            schema, batches = _open(path, file)
            names, labels = _kept_columns(path, schema), _class_labels(schema)
            for batch in batches:
                batch.validate(full=True)  # a damaged Arrow file may point outside its own memory
                columns = [batch.column(name).to_pylist() for name in names]
                for row in zip(*columns, strict=True):
                    number += 1
                    where = f"{path}:{number}"
                    yield (
                        where,
                        {
                            name: _value(value, labels.get(name), where)
                            for name, value in zip(names, row, strict=True)
                        },
                    )
    except FileNotFoundError:
        fix = "name an existing file or folder"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    except (pa.ArrowException, EOFError, MemoryError, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = f"not a whole {path.suffix} file: {_first_line(error)}"
        raise CorpusError(problem, where=str(path), fix=FIX) from None


def _first_line(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    return (str(error) or type(error).__name__).splitlines()[0]


def _open(path: Path, file: BinaryIO) -> tuple["pa.Schema", Iterator["pa.RecordBatch"]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix.lower() == PARQUET:
        table = pq.ParquetFile(file)
        return table.schema_arrow, table.iter_batches()
    with suppress(pa.ArrowInvalid):  # `datasets` writes streams
        stream = pa.ipc.open_stream(file)
        return stream.schema, iter(stream)
    file.seek(0)
    whole = pa.ipc.open_file(file)
    return whole.schema, (whole.get_batch(i) for i in range(whole.num_record_batches))


def _kept_columns(path: Path, schema: "pa.Schema") -> list[str]:
    """Return the names of the columns to read."""
    if twice := sorted({name for name in schema.names if schema.names.count(name) > 1}):
        problem = f"two columns are called {twice[0]!r}"
        raise CorpusError(problem, where=str(path), fix="rename one")
    kept = [field.name for field in schema if not _has_bytes(field.type)]
    if lost := [name for name in schema.names if name not in kept]:
        log.info(f"{path}: left out, since it has bytes: {', '.join(lost)}")
    return [name for name in kept if not _INDEX.fullmatch(name)]


def _has_bytes(kind: "pa.DataType") -> bool:
    import pyarrow.types as pt

    is_bytes = (pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary, pt.is_binary_view)
    if any(test(kind) for test in is_bytes):
        return True
    return any(_has_bytes(kind.field(i).type) for i in range(kind.num_fields))


def _class_labels(schema: "pa.Schema") -> dict[str, list[str]]:
    """Return the names of the classes of each column that has some."""
    import pyarrow.types as pt

    labels: dict[str, list[str]] = {}
    # Metadata of another program, or of a future version, are no error.
    with suppress(AttributeError, LookupError, TypeError, ValueError):
        features = json.loads((schema.metadata or {})[_DATASETS])["info"]["features"]
        for name, feature in features.items():
            if feature.get("_type") == "ClassLabel" and pt.is_integer(schema.field(name).type):
                labels[name] = [str(label) for label in feature["names"]]
    return labels


def _value(value: Any, labels: Sequence[str] | None, where: str) -> Any:
    """Return a value as JSON has it, or the name of its class."""
    if labels is None or value is None:
        return _as_json(value)
    if value >= len(labels):
        problem = f"the class {value}, but the file names only the classes 0 to {len(labels) - 1}"
        raise CorpusError(problem, where=where, fix="save the dataset again with all names")
    return labels[value] if value >= 0 else ""  # -1 stands for no label


def _as_json(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_as_json(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _as_json(entry) for name, entry in value.items()}
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
