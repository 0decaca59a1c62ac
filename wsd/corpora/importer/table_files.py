"""Read the rows of table files: delimited text, JSON, Parquet and Arrow.

Each format is one function that yields rows: :func:`open_table` chooses it.

The header line of delimited text shows the separator; without one, a ``.csv`` has commas, and other
files have tabs. With commas and semicolons, cells are quoted as in RFC 4180. With tabs, some
programs (spreadsheets, pandas) quote cells as in CSV, and others write a quote like any other
character; :func:`_is_quoted` decides this for the whole file.

Values of Parquet and Arrow become JSON values: a date is text, and a missing value is empty. The
library ``datasets`` stores the names of a ``ClassLabel`` in the metadata; its numbers become these
names. A column of bytes, such as an image, is left out, and so is an index that pandas wrote.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import UTF16, Guard, decode_file, is_array, json_objects

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED, JSON, ARROW = (".csv", ".tsv"), (".json", ".jsonl"), (".parquet", ".arrow")
TEXT_TABLES = (*DELIMITED, *JSON)
SUFFIXES = (*TEXT_TABLES, *ARROW)
# File and row, the values by column, and the place of the names of the columns.
Row = tuple[str, dict[str, Any], str]
# Read of a file that may be long, to recognise its format.
FIRST = 1 << 16
SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}
_IN_QUOTES = re.compile(r'"(?:[^"]|"")*"')
# Matches a file in which every quote belongs to a cell in quotes. The quantifiers are possessive,
# so that it takes linear time.
_WELL_QUOTED = re.compile(r'(?:(?:"(?:[^"]|"")*+"|[^"\t\n]*+)(?:\t|\r?\n|\Z))*+')
# A first line that tells Excel the separator; the header shows it too.
_FOR_EXCEL = re.compile(r'\A"?sep=[,;\t]"?\r?\n', re.IGNORECASE)
FIX_QUOTES = (
    'put a cell with the separator, a quote or a line end in "quotes", and double the quotes in it'
)
FIX_JSON = "write an array of objects, or one object per line"
FIX_ARROW = "save it again, or convert it to a table such as .csv or .jsonl"


def beginning(path: Path) -> str:
    """Return the first characters of a file; nothing for a folder or a missing file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        raw = file.read(FIRST)
    encoding = "utf-16" if raw.startswith(UTF16) else "utf-8"
    return raw.decode(encoding, "replace").removeprefix("\ufeff")


def header_line(text: str) -> str:
    """Return the first line of a table that is not empty."""
    return re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]


def read_table(
    path: Path,
    needed: Sequence[str] = (),
    encoding: str | None = None,
    guard: Guard = nullcontext,
    *,
    no_quotes: bool = False,
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place and the cells of each row of delimited text, which needs some columns."""
    for where, cells, header in _delimited(path, encoding, guard, no_quotes)[1]:
        if missing := [name for name in needed if name not in cells]:
            problem = f"no column {missing[0]!r} among {', '.join(cells)}"
            fix = f"name the columns {', '.join(needed)}"
            raise CorpusError(problem, where=header, fix=fix)
        yield where, cells


def open_table(
    path: Path, encoding: str | None = None, guard: Guard = nullcontext, *, no_quotes: bool = False
) -> tuple[str, Iterator[Row]]:
    """Return what a file is taken for, and its rows without empty ones.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        As :func:`wsd.storage.text_files.decode_file` takes it.
    guard : function
        Returns a context in which a line is parsed. It may collect the line's error.
    no_quotes : bool
        Whether quotes belong to the text in a table with tabs, except if its header has quotes.

    Raises
    ------
    CorpusError
        For a file that cannot be read, two columns of one name, and a malformed line.
    """
    suffix = path.suffix.lower()
    if suffix in ARROW:
        return suffix[1:].capitalize(), _arrow_rows(path)
    if suffix not in JSON:
        return _delimited(path, encoding, guard, no_quotes)
    text, name = decode_file(path, encoding)
    objects = json_objects(path, FIX_JSON, encoding, guard)
    rows = ((where, values, where) for where, values in objects)
    return f"{'a JSON array' if is_array(text) else 'JSON objects'}, {name}", rows


def _delimited(
    path: Path, encoding: str | None, guard: Guard, no_quotes: bool
) -> tuple[str, Iterator[Row]]:
    text, encoding_name = decode_file(path, encoding)
    text = _FOR_EXCEL.sub("\n", text)
    header = _IN_QUOTES.sub("", header_line(text))
    separator = max(SEPARATORS, key=header.count)
    if separator not in header and path.suffix.lower() == ".csv":
        separator = ","
    no_quotes = no_quotes and '"' not in header_line(text)
    is_quoted = separator != "\t" or (not no_quotes and _is_quoted(text))
    quotes = "quoted" if is_quoted and '"' in text else "not quoted"
    description = f"{SEPARATORS[separator]}-separated, {quotes}, {encoding_name}"
    lines = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=True,
    )
    return description, _delimited_rows(path, lines, guard)


def _is_quoted(text: str) -> bool:
    """Return whether the quotes around cells of a file with tabs are part of the format.

    This is so in four cases: a cell in quotes has doubled quotes in it; all names of columns are in
    quotes; only with this reading do all lines have the same number of cells; or several cells are
    in quotes, and they are those with a comma, as Excel saves them. Any other cell that begins and
    ends with a quote may be direct speech.
    """
    if '"' not in text or not _WELL_QUOTED.fullmatch(text):
        return False
    lines = [line.split("\t") for line in text.replace("\r", "").split("\n") if line.strip()]
    cells = [(cell, _ends_in_quotes(cell)) for line in lines for cell in line]
    return (
        any('""' in cell[0][1:-1] for cell in _IN_QUOTES.finditer(text))
        or all(map(_ends_in_quotes, lines[0]))
        or len(set(map(len, lines))) > 1
        or (sum(q for _, q in cells) > 1 and all(("," in cell) == q for cell, q in cells))
    )


def _ends_in_quotes(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == cell[-1] == '"'


def _delimited_rows(path: Path, lines: Any, guard: Guard) -> Iterator[Row]:
    header: list[str] = []
    header_place = ""
    while True:
        first = lines.line_num + 1
        where = f"{path}:{first}"
        # After an error, the reader goes on with the next line.
        with guard() if header else nullcontext():
            try:
                cells = next(lines, None)
            except csv.Error as error:
                last = lines.line_num
                several = f" (the quotes join the lines {first} to {last})" if last > first else ""
                problem = f"not CSV: {error}{several}"
                raise CorpusError(problem, where=where, fix=FIX_QUOTES) from None
            if cells is None:
                return
            if not header:
                header, header_place = cells, where
                _refuse_twins(header, where)
            elif any(map(str.strip, cells)):
                if len(cells) != len(header):
                    problem = f"{len(cells)} columns, but the header has {len(header)}"
                    names = ", ".join(name or "(unnamed)" for name in header)
                    fix = f"give every line the columns of the first: {names}"
                    raise CorpusError(problem, where=where, fix=fix)
                yield where, dict(zip(header, cells, strict=True)), header_place


def _refuse_twins(names: Sequence[str], where: str) -> None:
    if twice := sorted(name for name, n in Counter(names).items() if name and n > 1):
        raise CorpusError(f"two columns are called {twice[0]!r}", where=where, fix="rename one")


def _arrow_rows(path: Path) -> Iterator[Row]:
    import pyarrow as pa

    try:
        with path.open("rb") as file:
            table = _arrow_table(path, file)
            _refuse_twins(table.schema.names, str(path))
            lost = [column.name for column in table.schema if _has_bytes(column.type)]
            if lost:
                log.info(f"{path}: left out, since it has bytes: {', '.join(lost)}")
            labels = _class_labels(table.schema)
            # By number: several columns may have no name.
            kept = [
                number
                for number, column in enumerate(table.schema)
                if not (_has_bytes(column.type) or column.name.startswith("__index_level_"))
            ]
            table = table.select(kept)
            table.validate(full=True)  # a damaged Arrow file may point outside its own memory
            batches = map(pa.RecordBatch.to_pylist, table.to_batches())
            for number, row in enumerate(chain.from_iterable(batches), start=1):
                where = f"{path}:{number}"
                values = {name: _value(v, labels.get(name), where) for name, v in row.items()}
                yield where, values, str(path)
    except FileNotFoundError:
        fix = "name an existing file or folder"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    except (pa.ArrowException, EOFError, MemoryError, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error) or type(error).__name__).splitlines()[0]
        problem = f"not a whole {path.suffix} file: {reason}"
        raise CorpusError(problem, where=str(path), fix=FIX_ARROW) from None


def _arrow_table(path: Path, file: BinaryIO) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix.lower() == ".parquet":
        return pq.ParquetFile(file).read()
    with suppress(pa.ArrowInvalid):  # `datasets` writes streams
        return pa.ipc.open_stream(file).read_all()
    file.seek(0)
    return pa.ipc.open_file(file).read_all()


def _has_bytes(kind: "pa.DataType") -> bool:
    inner = (kind.field(i).type for i in range(kind.num_fields))
    return "binary" in str(kind) or any(map(_has_bytes, inner))


def _class_labels(schema: "pa.Schema") -> dict[str, list[str]]:
    """Return the names of the classes of each column that has some."""
    import pyarrow.types as pt

    labels: dict[str, list[str]] = {}
    # Metadata of another program, or of a future version, are no error.
    with suppress(AttributeError, LookupError, TypeError, ValueError):
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        for name, feature in features.items():
            if feature.get("_type") == "ClassLabel" and pt.is_integer(schema.field(name).type):
                labels[name] = [str(label) for label in feature["names"]]
    return labels


def _value(value: Any, labels: Sequence[str] | None, where: str) -> Any:
    """Return a value as JSON has it, or the name of its class."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if labels is None:
        return json.loads(json.dumps(value, default=_as_text))
    if value >= len(labels):
        problem = f"the class {value}, but the file names only the classes 0 to {len(labels) - 1}"
        raise CorpusError(problem, where=where, fix="save the dataset again with all names")
    return labels[value] if value >= 0 else ""  # -1 stands for no label


def _as_text(value: Any) -> str:
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
