"""Read sentences: of `FocalEmbedder` (frames, datasets, dicts, files), and of `wsd predict`.

The columns of tables, and the keys of JSON lines, are recognised by their names, in the same way as
in a file for ``wsd import``: a sentence with a place (``start`` and ``end``, ``position``, …) or
with a word. The index of a frame does not matter: rows count by their order.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wsd.corpora.importer import arrow_tables, labelled_tables
from wsd.corpora.importer.table_cells import Cells, Options
from wsd.corpora.importer.table_columns import NAMES, PLACES, find_columns
from wsd.errors import ConfigError, CorpusError
from wsd.storage.text_files import parse_json, unique_keys

OPTIONS = Options(one_span=True, quiet=True)
# A text with one of these suffixes is the path of a table.
SUFFIXES = (*labelled_tables.KINDS, *arrow_tables.KINDS)
FIX = (
    f"name the columns: {' or '.join(NAMES['sentence'])}, with start and end, or with "
    f"{' or '.join(NAMES['word'])}; or give pairs of a sentence and a span"
)
LONGEST = 2**20  # bytes of a line of a stream


@dataclass(frozen=True)
class Line:
    """A sentence that the user gives.

    Attributes
    ----------
    number : int
        That of its line, from 1.
    text : str
    word : str or None
        The word to find; None for every word of the model.
    span : (start, end) or None
        The characters of the focal word, if the line gives them.
    wrong : str or None
        Why the line cannot be read.
    extra : mapping of str to str
        Further columns, which go into the answers.
    """

    number: int
    text: str
    word: str | None = None
    span: tuple[int, int] | None = None
    wrong: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


def rows(X: Any) -> Iterable[Any]:
    """Return instances in which each row of a table is a :class:`Line`.

    Parameters
    ----------
    X : iterable, DataFrame, datasets.Dataset, or the path of a table
        Items that are mappings are rows. Other items stay unchanged.

    Raises
    ------
    ConfigError
        For several splits, columns of one name, a missing column, and a row without its sentence,
        place or word.
    CorpusError
        If a file cannot be read.
    """
    if isinstance(X, os.PathLike) or (isinstance(X, str) and Path(X).suffix.lower() in SUFFIXES):
        return map(_row, labelled_tables.read_cells(Path(X), OPTIONS, needed=("sentence",)))
    if isinstance(X, Mapping):
        parts = ", ".join(map(str, X))
        fix = "give one split, such as X['train']; or make a table of columns: pandas.DataFrame(X)"
        raise ConfigError(f"X has several parts: {parts}", where="X", fix=fix)
    if not hasattr(X, "itertuples"):
        return _mapping_rows(X)
    if twice := X.columns[X.columns.duplicated()].tolist():
        raise ConfigError(f"two columns are called {twice[0]!r}", where="X", fix="rename one")
    names, pairs = [*map(str, X.columns)], X.itertuples(index=False, name=None)
    if len(names) == 2 and not _is_complete(names):
        return pairs  # of a sentence and a place
    return _mapping_rows(dict(zip(names, row, strict=True)) for row in pairs)


def _is_complete(names: Iterable[str]) -> bool:
    """Return whether columns have a sentence, and a place or a word."""
    try:
        column_of = find_columns(dict.fromkeys(names), {}, "X", ("sentence",))
    except CorpusError:
        return False
    return bool({*PLACES, "word"} & column_of.keys())


def _mapping_rows(items: Iterable[Any]) -> Iterator[Any]:
    """Yield items; a mapping becomes a row."""
    for i, item in enumerate(items):
        if not isinstance(item, Mapping):
            yield item
            continue
        values = {str(name): _plain(value) for name, value in item.items()}
        try:
            row = _row(_cells(values, f"row {i} of X", OPTIONS))
        except CorpusError as error:
            # The advice of the command names its options.
            fix = FIX if "--" in str(error.fix) else error.fix
            raise ConfigError(error.problem, where=error.where, fix=fix) from None
        yield row


def _cells(values: Mapping[str, Any], where: str, options: Options) -> Cells:
    column_of = find_columns(values, options.columns, where, ("sentence",))
    return Cells(where, values, column_of, where, options)


def _row(cells: Cells) -> Line:
    (line,) = _lines(0, cells)
    if not line.span and not line.word:
        names = ", ".join(cells.values)
        problem = f"no column for the focal word's place, or for the word, among {names}"
        raise ConfigError(problem, where=cells.header, fix=FIX)
    return line


def _plain(value: Any) -> Any:
    """Return a value of NumPy as Python's own number or list."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


def _lines(number: int, cells: Cells, word: str | None = None) -> list[Line]:
    """Return the sentence of a row, once for each place of its focal word."""
    text, spans = cells.located()
    if cells.has("word"):
        word = cells.text("word")
    places: list[tuple[int, int] | None] = [*spans] or [None]
    return [Line(number, text, word, span, extra=cells.extra) for span in places]


def read_table(path: Path, options: Options, word: str | None = None) -> list[Line]:
    """Return the lines of a table; a line that cannot be read has the reason in ``wrong``.

    The number of each is that of its line in the file.

    Parameters
    ----------
    path : Path
    options : Options
    word : str, optional
        The word to find, unless a column names it.

    Raises
    ------
    CorpusError
        If the file is no table, or has no column for the sentence.
    """
    lines: list[Line] = []
    for cells in labelled_tables.read_cells(path, options, needed=("sentence",)):
        try:
            lines += _lines(_number(cells.where), cells, word)
        except CorpusError as error:
            lines.append(Line(_number(error.where), "", wrong=error.problem, extra=cells.extra))
    empty = dict.fromkeys(lines[0].extra if lines else (), "")
    for bad in options.bad_lines.errors:
        lines.append(Line(_number(bad.where), "", wrong=bad.problem, extra=empty))
    return sorted(lines, key=lambda line: line.number)


def _number(where: str | None) -> int:
    """Return the number of a line, from ``file:line`` or ``file:line, column name``."""
    return int(str(where).partition(", column ")[0].rpartition(":")[2])


def read_stream(
    stream: BinaryIO, options: Options, word: str | None, *, as_json: bool
) -> Iterator[Line]:
    """Yield the lines of a stream; a line that cannot be read has the reason in ``wrong``.

    Only the current line is in memory, so that the input may have any length.

    Parameters
    ----------
    stream : binary file
    options : Options
    word : str or None
        The word to find, unless a line names its own.
    as_json : bool
        Whether each line is a JSON object, whose keys are read as the columns of a table.
    """
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST + 1), b""), start=1):
        rest = raw
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST + 1)
        try:
            if len(raw) > LONGEST:
                raise ValueError(f"a line of more than {LONGEST} bytes")
            # Only the first line can have a byte order mark.
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            is_object = as_json and text.strip()
            lines = (
                _of_object(number, text, options, word) if is_object else [Line(number, text, word)]
            )
        except (CorpusError, ValueError) as error:
            lines = [Line(number, "", wrong=getattr(error, "problem", str(error)))]
        yield from lines


def _of_object(number: int, text: str, options: Options, word: str | None) -> list[Line]:
    values = parse_json(text, unique_keys)
    if not isinstance(values, dict):
        raise ValueError("not a JSON object")
    known = {name: value for name, value in values.items() if value is not None}
    return _lines(number, _cells(known, f"line {number}", options), word)
