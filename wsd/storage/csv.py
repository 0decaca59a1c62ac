"""CSV tables that hold foreign text, safe to open in a spreadsheet.

A spreadsheet may run a cell as a formula if it begins with ``= + - @``, with one of their
full-width forms, or with a tab, line feed, carriage return or NUL (OWASP, "CSV Injection"). Some
programs skip blanks and invisible characters first. A cell of text that begins so gets an
apostrophe before it, which :func:`plain` takes off again. ``word-table.js`` has the same rule.
"""

import re
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
    """The columns that a table must have.

    Attributes
    ----------
    text : tuple of str
        Names, which may look like numbers; nothing in them is missing.
    numbers : tuple of str
        Integers where the file has nothing else in the column, so that they are written as
        integers again. One may be missing in a row: all are then floats.
    whole : tuple of str
        Integers, of which one may be missing in a row.
    flags : tuple of str
        True or false.
    may_be_empty : bool
        Whether it may have no rows; then it may lack its header too.
    """

    text: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    may_be_empty: bool = False

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.text, *self.flags, *self.numbers, *self.whole]

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table as it was read, text and empty cells as they are, with these kinds of columns.

        Raises
        ------
        ValueError
            If a column is missing, or holds something else.
        """
        if self.may_be_empty and table.empty:
            return pd.DataFrame(columns=self.names)
        if missing := [name for name in self.names if name not in table]:
            raise ValueError(f"no column {missing[0]!r}")
        flags = {name: table[name] == "True" for name in self.flags}
        kinds = dict.fromkeys(self.whole, "Int64")
        kinds |= {name: "float" for name in self.numbers if not is_integer_dtype(table[name])}
        return table.assign(**flags).astype(kinds)


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; a hyphen alone is none.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("crane")
    ("'=1+1", "''=1+1", 'crane')
    """
    return f"'{text}" if _FORMULA.match(text) and text != "-" else text


def plain(text: str) -> str:
    """What :func:`guarded` was given."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def read_csv(path: Path, columns: Columns | None = None) -> pd.DataFrame:
    """Read a table that :func:`write_csv` wrote; what names something stays text.

    Parameters
    ----------
    path : Path
    columns : Columns, optional
        What must be in it. If not given, those of ``NAME_COLUMNS`` are text, and an empty cell of
        any column is missing.

    Raises
    ------
    DamageError
        If it is not what was written.
    ResultError
        If it is missing, or another table.
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
        table = table.map(lambda cell: plain(cell) if isinstance(cell, str) else cell)
        return table if columns is None else columns.of(table)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table with its cells of text guarded, whole or not at all."""
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    text = safe.to_csv(index=False, float_format="%.6f")
    if "\r" in text:
        # The writer quotes a carriage return only where line ends have one too.
        text = safe.to_csv(index=False, float_format="%.6f", lineterminator="\r\n")
    write_text(path, text)
