"""How every result reaches the disk: written beside its place, then renamed into it.

Tables are Parquet with one JSON object of provenance in the schema's metadata.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsd.errors import ResultError

if TYPE_CHECKING:
    import pyarrow as pa

METADATA_KEY = b"wsd"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it there if the block succeeds.

    The temporary file is removed if the block raises, so that no half-written file is left.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with LF line ends, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as sorted, indented JSON, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file that an earlier step wrote."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except (RecursionError, ValueError) as error:
        raise ResultError(
            f"not valid JSON: {error}", where=str(path), fix="delete the file and run again"
        ) from None


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def expecting(path: Path) -> Iterator[None]:
    """Turn what a file of another kind, or a damaged one, leads to into one clear error."""
    try:
        yield
    # Among runtime errors what Arrow cannot do with a column, and what is nested too deep.
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        raise ResultError(
            f"the file does not hold what it should: {type(error).__name__} {error}",
            where=str(path),
            fix="delete the file and run again",
        ) from error


def write_table(path: Path, table: "pa.Table", provenance: dict[str, Any]) -> None:
    """Write a Parquet table with its provenance, whole or not at all."""
    import pyarrow.parquet as pq

    packed = json.dumps(provenance, sort_keys=True).encode()
    with replacing(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata({METADATA_KEY: packed}), temporary, compression="zstd"
        )


def read_table(path: Path) -> tuple["pa.Table", dict[str, Any]]:
    """Read a Parquet table that :func:`write_table` wrote, and its provenance."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # `partitioning=None`: a folder called `a=b` above the file must not add a column.
        table = pq.read_table(path, partitioning=None)
        provenance = json.loads(table.schema.metadata[METADATA_KEY])
        if not isinstance(provenance, dict):
            raise TypeError("its provenance is no object")
    except FileNotFoundError:
        raise ResultError("a file of an earlier step is missing", where=str(path)) from None
    except (pa.ArrowException, OSError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ResultError(
            f"not a table of this program: {error}",
            where=str(path),
            fix="delete the file and run again",
        ) from None
    return table, provenance
