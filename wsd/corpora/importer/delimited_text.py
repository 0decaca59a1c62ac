"""Read tables with commas, semicolons or tabs between their columns.

The header line shows the separator; without one, a ``.csv`` has commas, and other files have tabs.
With commas and semicolons, cells are quoted as in RFC 4180. With tabs, some programs (spreadsheets,
pandas) quote cells as in CSV, and others write a quote like any other character.
:func:`_is_quoted` decides this for the whole file.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from wsd.errors import CorpusError
from wsd.logs import log
from wsd.storage.text_files import Guard, decode_file, lines_of

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


class TableLine(NamedTuple):
    """A line of a table.

    Attributes
    ----------
    where : str
        File and line.
    cells : dict of str to str
        By column.
    header : str
        File and line of the names of the columns.
    """

    where: str
    cells: dict[str, str]
    header: str


class Table(NamedTuple):
    """A table whose form is known.

    Attributes
    ----------
    path : Path
    text : str
    separator : str
    is_quoted : bool
        Whether quotes around cells belong to the format.
    description : str
        What the file was taken for: separator, quotes and encoding.
    """

    path: Path
    text: str
    separator: str
    is_quoted: bool
    description: str

    def lines(self, needed: Sequence[str] = (), guard: Guard = nullcontext) -> Iterator[TableLine]:
        """Yield the lines below the header, except empty ones.

        Parameters
        ----------
        needed : sequence of str
            Columns that the table must have.
        guard : function
            Returns a context in which a line is parsed. It may collect the line's error.

        Raises
        ------
        CorpusError
            For two columns of one name, a line with more or fewer cells than the header, malformed
            quotes, or a missing column.
        """
        lines: Iterator[tuple[str, list[str]]]
        if self.is_quoted:
            lines = _quoted(self.path, self.text, self.separator, guard)
        else:
            plain = lines_of(self.path, self.text)
            lines = ((where, line.split(self.separator)) for where, line in plain if line)
        header_place, header = next(lines, ("", []))
        counts = Counter(header)
        if twice := sorted(name for name in header if name and counts[name] > 1):
            problem = f"two columns are called {twice[0]!r}"
            raise CorpusError(problem, where=header_place, fix="rename one")
        if header_place and (missing := [name for name in needed if name not in header]):
            problem = f"no column {missing[0]!r} among {', '.join(header)}"
            fix = f"name the columns {', '.join(needed)}"
            raise CorpusError(problem, where=header_place, fix=fix)
        for where, cells in lines:
            if any(map(str.strip, cells)):
                with guard():
                    if len(cells) != len(header):
                        problem = f"{len(cells)} columns, but the header has {len(header)}"
                        names = ", ".join(name or "(unnamed)" for name in header)
                        fix = f"give every line the columns of the first: {names}"
                        raise CorpusError(problem, where=where, fix=fix)
                    yield TableLine(where, dict(zip(header, cells, strict=True)), header_place)


def read_table(path: Path, needed: Sequence[str] = ()) -> Iterator[TableLine]:
    """Yield the lines of a table below its header, except empty ones.

    Parameters
    ----------
    path : Path
    needed : sequence of str
        Columns that the table must have.

    Raises
    ------
    CorpusError
        As :func:`detect_table` and :meth:`Table.lines`.
    """
    return detect_table(path).lines(needed)


def detect_table(path: Path, encoding: str | None = None, *, no_quotes: bool = False) -> Table:
    """Return a table with its separator, quotes and encoding, as its content shows them.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        As :func:`wsd.storage.text_files.decode_file` takes it.
    no_quotes : bool
        Whether quotes belong to the text in a table with tabs, except if its header has quotes.

    Raises
    ------
    CorpusError
        For a header with two separators, or quotes of two kinds.
    """
    text, encoding_name = decode_file(path, encoding)
    text = _FOR_EXCEL.sub("\n", text)
    separator = _separator(path, text)
    no_quotes = no_quotes and '"' not in header_line(text)
    is_quoted = separator != "\t" or (not no_quotes and _is_quoted(path, text))
    quotes = "quoted" if is_quoted and '"' in text else "not quoted"
    description = f"{SEPARATORS[separator]}-separated, {quotes}, {encoding_name}"
    return Table(path, text, separator, is_quoted, description)


def header_line(text: str) -> str:
    """Return the first line of a table that is not empty."""
    return re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]


def _separator(path: Path, text: str) -> str:
    """Return the separator, by the header line."""
    header = _IN_QUOTES.sub("", header_line(text))
    separators = [separator for separator in SEPARATORS if separator in header]
    is_csv = path.suffix.lower() == ".csv"
    if len(separators) > 1 and (is_csv or separators[0] != "\t"):
        names = " and ".join(f"{SEPARATORS[separator]}s" for separator in separators)
        fix = "separate the columns with one of them, and put names with the other in quotes"
        start = len(text) - len(text.lstrip("\r\n"))
        where = f"{path}:{text.count(chr(10), 0, start) + 1}"
        raise CorpusError(f"{names} in the header", where=where, fix=fix)
    return separators[0] if separators else "," if is_csv else "\t"


def _is_quoted(path: Path, text: str) -> bool:
    """Return whether the quotes around cells of a file with tabs are part of the format.

    This is so in four cases: a cell in quotes has doubled quotes in it; all names of columns are in
    quotes; only with this reading do all lines have the same number of cells; or several cells are
    in quotes, and they are those with a comma, as Excel saves them. Any other cell that begins and
    ends with a quote may be direct speech.

    Raises
    ------
    CorpusError
        If some cells in quotes have doubled quotes in them, and others have single ones.
    """
    if '"' not in text:
        return False
    lines = [(where, line.split("\t")) for where, line in lines_of(path, text) if line.strip()]
    header = lines[0][1]
    in_quotes = [(where, cell) for where, cells in lines for cell in cells if _ends_in_quotes(cell)]
    doubled = [where for where, cell in in_quotes if '""' in cell[1:-1] and _is_cell(cell)]
    if not _WELL_QUOTED.fullmatch(text):
        if doubled:
            other = next(w for w, cells in lines for c in cells if '"' in c and not _is_cell(c))
            problem = f"a cell in quotes with doubled quotes in it, unlike the quotes in {other}"
            fix = f"{FIX_QUOTES}; do this in every line, or in no line"
            raise CorpusError(problem, where=doubled[0], fix=fix)
    elif (
        any('""' in cell[0][1:-1] for cell in _IN_QUOTES.finditer(text))
        or all(map(_ends_in_quotes, header))
        or any(len(cells) != len(header) for _, cells in lines)
        or (len(in_quotes) > 1 and _are_quoted_for_commas(lines))
    ):
        return True
    if in_quotes:
        log.info(
            f"{in_quotes[0][0]}: a cell begins and ends with a quote (in all: {len(in_quotes)}); "
            "quotes are kept as text, since none is doubled"
        )
    return False


def _are_quoted_for_commas(lines: Sequence[tuple[str, list[str]]]) -> bool:
    return all(("," in cell) == _ends_in_quotes(cell) for _, cells in lines for cell in cells)


def _ends_in_quotes(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == cell[-1] == '"'


def _is_cell(cell: str) -> bool:
    """Return whether a cell is in quotes, and all quotes in it are doubled."""
    return _ends_in_quotes(cell) and '"' not in cell[1:-1].replace('""', "")


def _quoted(path: Path, text: str, separator: str, guard: Guard) -> Iterator[tuple[str, list[str]]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    has_header = False
    while True:
        first = lines.line_num + 1
        where = f"{path}:{first}"
        # After an error, the reader goes on with the next line.
        with guard() if has_header else nullcontext():
            try:
                cells = next(lines, None)
            except csv.Error as error:
                last = lines.line_num
                several = f" (the quotes join the lines {first} to {last})" if last > first else ""
                problem = f"not CSV: {error}{several}"
                raise CorpusError(problem, where=where, fix=FIX_QUOTES) from None
            if cells is None:
                return
            if cells:
                has_header = True
                yield where, cells
