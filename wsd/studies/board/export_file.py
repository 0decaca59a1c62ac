"""Write and read an export: the results of a run for others, as one ``.zip``.

The archive has four members (docs/how-to/board.md describes them): ``export.json``, provenance and
facts; ``scores.parquet``, a row per configuration; ``predictions.parquet``, a row per test
instance, without its sentence; and ``SHA256SUMS``, their checksums. It holds no code and no pickle.
The same results give the same bytes.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wsd.errors import ResultError, WsdError
from wsd.storage.atomic import replacing
from wsd.storage.result_files import UNEXPECTED, require
from wsd.studies.board.export_checks import check_about
from wsd.studies.board.export_tables import Content, from_tables, to_predictions, to_scores

if TYPE_CHECKING:
    import pyarrow as pa

KIND, FORMAT = "wsd export", 1
ABOUT, SCORES, PREDICTIONS, SUMS = MEMBERS = (
    "export.json", "scores.parquet", "predictions.parquet", "SHA256SUMS",
)  # fmt: skip
SUFFIX = ".zip"
# The most bytes of all members, and the most cells of a table: a small file can unpack to a huge
# one.
MOST_BYTES, MOST_CELLS = 2**28, 2**28
_DATE = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same content has the same bytes


class Export(NamedTuple):
    """An export that was read.

    Attributes
    ----------
    path : Path
    about : mapping
        The content of ``export.json``.
    content : Content
    checksum : str
        The SHA-256 of the member ``SHA256SUMS``, so of all content.
    """

    path: Path
    about: Mapping[str, Any]
    content: Content
    checksum: str


def write_export(path: Path, about: Mapping[str, Any], content: Content) -> str:
    """Write an export atomically, and return its checksum."""
    header = {"kind": KIND, "format": FORMAT, **about}
    members = {
        ABOUT: json.dumps(header, indent=1, sort_keys=True, ensure_ascii=False).encode(),
        SCORES: _packed(to_scores(content)),
        PREDICTIONS: _packed(to_predictions(content)),
    }
    members[SUMS] = "".join(
        f"{hashlib.sha256(member).hexdigest()}  {name}\n" for name, member in members.items()
    ).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, member in members.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, member, zipfile.ZIP_DEFLATED)
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getvalue())
    return hashlib.sha256(members[SUMS]).hexdigest()


def _packed(table: "pa.Table") -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", compression_level=19)
    return buffer.getvalue()


def read_export(path: Path) -> Export:
    """Read an export, and check it against its checksums and its scores.

    Raises
    ------
    ResultError
        If the file is missing, incomplete, changed, not an export, or of another format.
    """
    if not path.is_file():  # a pipe may have no end
        problem = "not an export" if path.exists() else "there is no such file"
        raise ResultError(problem, where=str(path), fix="name a .zip that `wsd export` wrote")
    with _parsing(path), zipfile.ZipFile(path) as archive:
        entries, names = archive.infolist(), archive.namelist()
        known = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        require({entry.compress_type for entry in entries} <= known, "an unknown compression")
        size = sum(entry.file_size for entry in entries)
        require(size <= MOST_BYTES, f"it unpacks to {size:,} bytes")
        require(ABOUT in names, f"it has no {ABOUT}")
        about = json.loads(archive.read(ABOUT))
        # JSON can hold lone surrogates, which cannot be written to a page.
        json.dumps(about, ensure_ascii=False).encode()
        require(isinstance(about, dict) and about.get("kind") == KIND, f"its kind is not {KIND!r}")
        _check_format(about, path)
        require(sorted(names) == sorted(MEMBERS), f"its members are {', '.join(names)}")
        members = {name: archive.read(name) for name in MEMBERS}
        sums = members.pop(SUMS)
        lines = sums.decode().splitlines()
        for name, member in members.items():
            line = f"{hashlib.sha256(member).hexdigest()}  {name}"
            require(line in lines, f"{name} does not match its checksum: it was changed")
        check_about(about)
        content = from_tables(about, _unpacked(members[SCORES]), _unpacked(members[PREDICTIONS]))
        return Export(path, about, content, hashlib.sha256(sums).hexdigest())


def _check_format(about: Mapping[str, Any], path: Path) -> None:
    if (version := about["format"]) != FORMAT:
        problem = f"an export of format {version!r}; this wsd reads {FORMAT}"
        fix = f"use wsd {about['written_by']} or newer, or export the results again"
        raise ResultError(problem, where=str(path), fix=fix)


def _unpacked(member: bytes) -> "pa.Table":
    """Return a table; refuse a huge one, and columns that are not plain."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(io.BytesIO(member))
    rows, columns = file.metadata.num_rows, file.metadata.num_columns
    require(rows * columns <= MOST_CELLS, f"a table of {rows:,} rows and {columns:,} columns")
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
    for field in file.schema_arrow:
        require(any(test(field.type) for test in plain), f"a column of type {field.type}")
    return file.read()


@contextmanager
def _parsing(path: Path) -> Iterator[None]:
    """Turn whatever a wrong file causes into one error that names it."""
    import pyarrow as pa

    foreign = (pa.ArrowException, EOFError, OSError, zipfile.BadZipFile, zlib.error, *UNEXPECTED)
    try:
        yield
    except ResultError:
        raise
    except WsdError as error:
        raise _refused(error.problem, path) from None
    except foreign as error:
        raise _refused(str(error) or type(error).__name__, path) from None


def _refused(reason: str, path: Path) -> ResultError:
    fix = "get the file again, or write it again with `wsd export`"
    return ResultError(f"not a whole export: {reason}", where=str(path), fix=fix)
