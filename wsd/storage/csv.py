"""Read and write CSV tables that are safe to open in a spreadsheet.

A spreadsheet may run a cell as a formula if it begins with ``= + - @``, with one of their
full-width forms, or with a tab, line feed, carriage return or NUL (OWASP, "CSV Injection"). Some
programs skip blanks and invisible characters first. Such a cell of text gets an apostrophe in
front, which :func:`unguarded` removes. ``report/assets/csv.js`` follows the same rule.
"""

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pandas.api.types import is_integer_dtype

from wsd.storage.atomic import write_text
from wsd.storage.result_files import reading_result

# Control characters that begin a formula; or an operator behind blanks and invisible characters:
# = + - @, the minus sign, and their small and full-width forms. Apostrophes before it are guards.
_FORMULA = re.compile(
    r"'*(?:[\t\n\r\0]|[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*"
    r"[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])"
)
# Columns that hold names, which may look like numbers.
NAME_COLUMNS = ("model", "view", "layers", "classifier", "draw", "word", "scope", "train", "test")


@dataclass(frozen=True)
class Columns:
    """The columns that a table must have, by type.

    Attributes
    ----------
    text : tuple of str
        Text, which may look like numbers; no cell is missing.
    numbers : tuple of str
        Integers if the file's column has only integers, which are then written as integers again;
        otherwise floats, which may be missing.
    whole : tuple of str
        Integers, which may be missing.
    flags : tuple of str
        True or false.
    may_be_empty : bool
        Whether the table may have no rows; it may then lack its header too.
    """

    text: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    may_be_empty: bool = False

    @property
    def names(self) -> list[str]:
        """Return the names of all columns."""
        return [*self.text, *self.flags, *self.numbers, *self.whole]

    def convert(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table whose columns have these types.

        Raises
        ------
        ValueError
            If a column is missing, or has values of another type.
        """
        if self.may_be_empty and table.empty:
            return pd.DataFrame(columns=self.names)
        if missing := [name for name in self.names if name not in table]:
            raise ValueError(f"no column {missing[0]!r}")
        flags = {name: table[name] == "True" for name in self.flags}
        types = dict.fromkeys(self.whole, "Int64")
        types |= {name: "float" for name in self.numbers if not is_integer_dtype(table[name])}
        return table.assign(**flags).astype(types)


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet runs as a formula; a single hyphen is not a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("crane")
    ("'=1+1", "''=1+1", 'crane')
    """
    return f"'{text}" if _FORMULA.match(text) and text != "-" else text


def unguarded(text: str) -> str:
    """Undo :func:`guarded`."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def read_csv(path: Path, columns: Columns | None = None) -> pd.DataFrame:
    """Read a table that :func:`write_csv` wrote; names stay text.

    Parameters
    ----------
    path : Path
    columns : Columns, optional
        The columns that the table must have. By default, ``NAME_COLUMNS`` are text, and an empty
        cell is missing.

    Raises
    ------
    DamageError
        If the file does not match its checksum.
    ResultError
        If the file is missing, or has another table.
    """
    text = NAME_COLUMNS if columns is None else (*columns.text, *columns.flags)
    with reading_result(path):
        table = pd.DataFrame()
        with suppress(pd.errors.EmptyDataError):
            table = pd.read_csv(
                path,
                dtype=dict.fromkeys(text, str),
                # A word may be called "nan": only an empty cell is missing.
                keep_default_na=False,
                na_values=[""]
                if columns is None
                else {name: [""] for name in (*columns.numbers, *columns.whole)},
            )
        table = table.map(lambda cell: unguarded(cell) if isinstance(cell, str) else cell)
        return table if columns is None else columns.convert(table)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table atomically, with its text guarded."""
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    text = safe.to_csv(index=False, float_format="%.6f")
    if "\r" in text:
        # pandas quotes a carriage return only if the line ends have a carriage return too.
        text = safe.to_csv(index=False, float_format="%.6f", lineterminator="\r\n")
    write_text(path, text)


def csv_names(extra: Iterable[str], columns: Collection[str]) -> dict[str, str]:
    """Return the name of each extra column in a CSV that has other columns too.

    >>> csv_names(["id", "word"], ["word", "index"])
    {'id': 'id', 'word': 'input_word'}
    """
    names: dict[str, str] = {}
    for name in extra:
        shown = name
        while shown in columns or shown in names.values():
            shown = f"input_{shown}"
        names[name] = shown
    return names
