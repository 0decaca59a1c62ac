"""Read and write the extra columns of a corpus: those that the product does not use.

The file has the names of the columns in its first line, and the cells of an instance in each
further line, in the order of the instances. Cells are separated by tabs and quoted.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from wsd.errors import CorpusError
from wsd.storage.text_files import read_text_file

# Text per instance, by column.
Columns = dict[str, tuple[str, ...]]


def extra_file(file: str) -> str:
    """Return the name of the file with the extra columns of a file's instances.

    >>> extra_file("train.data.txt"), extra_file("sentences.txt")
    ('train.extra.tsv', 'sentences.extra.tsv')
    """
    return f"{file.split('.')[0]}.extra.tsv"


def extra_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the content of the file; empty if no row has a column.

    Parameters
    ----------
    rows : sequence of mapping of column to text
        The cells of each instance. A row may lack a column: its cell is empty.
    """
    columns = dict.fromkeys(chain.from_iterable(rows))
    text = io.StringIO()
    # Otherwise a lone carriage return would stay unquoted, and end a line when it is read.
    writer = csv.writer(text, "excel-tab", lineterminator="\n", quoting=csv.QUOTE_ALL)
    if columns:
        writer.writerows([columns, *([row.get(name, "") for name in columns] for row in rows)])
    return text.getvalue()


def read_extra(path: Path, size: int) -> Columns:
    """Return the extra columns in a file, which may be missing.

    Parameters
    ----------
    path : Path
    size : int
        The number of instances.

    Raises
    ------
    CorpusError
        For a file without columns, a name that is empty or occurs twice, a line with another number
        of cells, and another number of lines.
    """
    if not path.exists():
        return {}
    reader = csv.reader(io.StringIO(read_text_file(path), newline=""), "excel-tab")
    names, *rows = [*reader] or [[]]
    if not names or not all(names) or len(set(names)) < len(names):
        fix = "give each column a different name"
        raise CorpusError("a column without a name of its own", where=f"{path}:1", fix=fix)
    if len(rows) != size:
        fix = "give one line per instance, in the order of the instances"
        raise CorpusError(f"{size} instances but {len(rows)} lines", where=str(path), fix=fix)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            problem = f"{len(row)} cells in the line of instance {number}, but {len(names)} columns"
            raise CorpusError(problem, where=str(path), fix="separate the cells by tabs")
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def joined(parts: Sequence[tuple[Columns, int]]) -> Columns:
    """Return the columns of several parts, one after the other.

    Parameters
    ----------
    parts : sequence of (columns, number of instances)
        A part without a column has empty cells.
    """
    names = dict.fromkeys(chain.from_iterable(columns for columns, _ in parts))
    return {
        name: tuple(chain.from_iterable(columns.get(name, ("",) * n) for columns, n in parts))
        for name in names
    }
