"""Read the lines to answer from a table, whose further columns go into the answers."""

from pathlib import Path

from wsd.corpora.importer.labelled_tables import read_cells
from wsd.corpora.importer.table_cells import Cells, Options
from wsd.errors import CorpusError
from wsd.inference.input_output import Line

SUFFIXES = (".csv", ".tsv", ".parquet")


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
    for cells in read_cells(path, options, needed=("sentence",)):
        try:
            lines += _lines(cells, word)
        except CorpusError as error:
            lines.append(Line(_number(error), "", wrong=error.problem, extra=cells.extra))
    empty = dict.fromkeys(lines[0].extra if lines else (), "")
    for bad in options.bad_lines.errors:
        lines.append(Line(_number(bad), "", wrong=bad.problem, extra=empty))
    return sorted(lines, key=lambda line: line.number)


def _lines(cells: Cells, word: str | None) -> list[Line]:
    text, spans = cells.located()
    if cells.has("word"):
        word = cells.text("word")
    number = _number_of(cells.where)
    places: list[tuple[int, int] | None] = [*spans] or [None]
    return [Line(number, text, word, span, extra=cells.extra) for span in places]


def _number(error: CorpusError) -> int:
    return _number_of(str(error.where))


def _number_of(where: str) -> int:
    """Return the number of a line, from ``file:line`` or ``file:line, column name``."""
    return int(where.partition(", column ")[0].rpartition(":")[2])
