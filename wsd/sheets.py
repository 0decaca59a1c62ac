"""CSV tables that hold foreign text, safe to open in a spreadsheet.

A spreadsheet runs a cell that begins with ``= + - @``, a tab or a carriage return as a formula
(OWASP, "CSV Injection"). A cell of text that begins so gets an apostrophe before it, which
:func:`plain` takes off again.
"""

from pathlib import Path

import pandas as pd

from wsd.files import verify, write_text

FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Columns that hold names, which may look like numbers.
TEXT = dict.fromkeys(
    ("model", "view", "layers", "classifier", "draw", "word", "scope", "train", "test"), str
)


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; a hyphen alone is none.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("crane")
    ("'=1+1", "''=1+1", 'crane')
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) and text != "-" else text


def plain(text: str) -> str:
    """What :func:`guarded` was given."""
    return text[1:] if text[:1] == "'" and text.lstrip("'").startswith(FORMULA) else text


def unguarded(table: pd.DataFrame) -> pd.DataFrame:
    """A table that was read from a file of :func:`write_csv`, with its text as it was."""
    return table.map(lambda cell: plain(cell) if isinstance(cell, str) else cell)


def read_csv(path: Path) -> pd.DataFrame:
    """Read a table that :func:`write_csv` wrote; what names something stays text.

    Raises
    ------
    DamageError
        If it is not what was written.
    """
    verify(path)
    # A word may be called "nan": only an empty cell is missing.
    table = pd.read_csv(path, dtype=TEXT, keep_default_na=False, na_values=[""])
    return unguarded(table)


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table with its cells of text guarded, whole or not at all."""
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    write_text(path, safe.to_csv(index=False, float_format="%.6f"))
