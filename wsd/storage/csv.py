"""Read and write CSV tables that are safe to open in a spreadsheet.

A spreadsheet may run a cell as a formula if it begins with ``= + - @``, with one of their
full-width forms, or with a tab, line feed, carriage return or NUL (OWASP, "CSV Injection"). Some
programs skip blanks and invisible characters first. Such a cell of text gets an apostrophe in
front, which :func:`unguarded` removes. ``report/assets/word-table.js`` follows the same rule.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import pandas as pd

from wsd.storage.atomic import write_text
from wsd.storage.result_files import reading_result

# Control characters that begin a formula; or an operator behind blanks and invisible characters:
# = + - @, the minus sign, and their small and full-width forms. Apostrophes before it are guards.
_FORMULA = re.compile(
    r"'*(?:[\t\n\r\0]|[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*"
    r"[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])"
)
# What begins like a formula and is none: a hyphen, and a number.
_PLAIN = re.compile(r"-|[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Columns that hold names, which may look like numbers.
NAME_COLUMNS = (
    *("model", "view", "layers", "classifier", "draw", "word", "scope", "train", "test"),
    *("reference", "reference_model", "form", "pieces", "about"),
)


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet runs as a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("crane"), guarded("-0.5")
    ("'=1+1", "''=1+1", 'crane', '-0.5')
    """
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN.fullmatch(text) else text


def unguarded(text: str) -> str:
    """Undo :func:`guarded`."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def read_csv(path: Path, text: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table that :func:`write_csv` wrote.

    Parameters
    ----------
    path : Path
    text : sequence of str
        Columns that stay text, next to ``NAME_COLUMNS``. Their empty cells are empty text.

    Raises
    ------
    DamageError
        If the file does not match its checksum.
    ResultError
        If the file is missing, or has another table.
    """
    with reading_result(path):
        # A word may be called "nan": only an empty cell is missing.
        types = dict.fromkeys((*NAME_COLUMNS, *text), str)
        table = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
        table = table.fillna(dict.fromkeys(types.keys() & set(table), ""))
        return table.map(lambda cell: unguarded(cell) if isinstance(cell, str) else cell)


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
