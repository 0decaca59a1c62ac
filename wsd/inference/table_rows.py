"""Read the rows of tables: of `FocalEmbedder` (frames, datasets, dicts), and of `wsd predict`.

The columns are recognised by their names, in the same way as in a file for ``wsd import``: a
sentence with a place (``start`` and ``end``, ``position``, …) or with a word. The index of a frame
does not matter: rows count by their order.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.corpora.importer import labelled_tables, table_files
from wsd.corpora.importer.labelled_tables import find_columns
from wsd.corpora.importer.table_cells import NAMES, PLACES, Cells, Options
from wsd.errors import ConfigError, CorpusError
from wsd.inference.input_output import Line

OPTIONS = Options(one_span=True, quiet=True)
# A text with one of these suffixes is the path of a table.
SUFFIXES = table_files.SUFFIXES
# The tables that `wsd predict` reads.
TABLES = (".csv", ".tsv", ".parquet")
FIX = (
    f"name the columns: {' or '.join(NAMES['sentence'])}, with start and end, or with "
    f"{' or '.join(NAMES['word'])}; or give pairs of a sentence and a span"
)


class Row(NamedTuple):
    """A row of a table.

    Attributes
    ----------
    sentence : str
    span : (start, end) or None
        Characters; None if the word has to be found.
    word : str
        May be empty if there is a span.
    """

    sentence: str
    span: tuple[int, int] | None
    word: str


def rows(X: Any) -> Iterable[Any]:
    """Return instances in which each row of a table is a :class:`Row`.

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
    names: tuple[str, ...] = ()
    column_of: dict[str, str] = {}
    for i, item in enumerate(items):
        if not isinstance(item, Mapping):
            yield item
            continue
        where = f"row {i} of X"
        values = {str(name): _plain(value) for name, value in item.items()}
        try:
            if tuple(values) != names:
                names, column_of = tuple(values), find_columns(values, {}, where, ("sentence",))
            row = _row(Cells(where, values, column_of, where, OPTIONS))
        except CorpusError as error:
            # The advice of the command names its options.
            fix = error.fix if column_of and "--" not in str(error.fix) else FIX
            raise ConfigError(error.problem, where=error.where, fix=fix) from None
        yield row


def _row(cells: Cells) -> Row:
    text, spans = cells.located()
    word = cells.text("word") if cells.has("word") else ""
    if not spans and not word:
        names = ", ".join(cells.values)
        problem = f"no column for the focal word's place, or for the word, among {names}"
        raise ConfigError(problem, where=cells.header, fix=FIX)
    return Row(text, spans[0] if spans else None, word)


def _plain(value: Any) -> Any:
    """Return a value of NumPy as Python's own number or list."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


def read_lines(path: Path, options: Options, word: str | None = None) -> list[Line]:
    """Return the lines of a table; a line that cannot be read has the reason in ``wrong``.

    The number of each is that of its line in the file. A line with several places of the focal word
    is there once for each.

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
            lines += _lines(cells, word)
        except CorpusError as error:
            lines.append(Line(_number(error.where), "", wrong=error.problem, extra=cells.extra))
    empty = dict.fromkeys(lines[0].extra if lines else (), "")
    for bad in options.bad_lines.errors:
        lines.append(Line(_number(bad.where), "", wrong=bad.problem, extra=empty))
    return sorted(lines, key=lambda line: line.number)


def _lines(cells: Cells, word: str | None) -> list[Line]:
    text, spans = cells.located()
    if cells.has("word"):
        word = cells.text("word")
    number = _number(cells.where)
    places: list[tuple[int, int] | None] = [*spans] or [None]
    return [Line(number, text, word, span, extra=cells.extra) for span in places]


def _number(where: str | None) -> int:
    """Return the number of a line, from ``file:line`` or ``file:line, column name``."""
    return int(str(where).partition(", column ")[0].rpartition(":")[2])
