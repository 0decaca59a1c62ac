"""CSV tables that hold foreign text, safe to open in a spreadsheet.

A spreadsheet runs a cell that begins with ``= + - @``, a tab or a carriage return as a formula
(OWASP, "CSV Injection"). A cell of text that begins so gets an apostrophe before it.
"""

from pathlib import Path

import pandas as pd

from wsd.files import write_text

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table with its cells of text guarded, whole or not at all."""
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    write_text(path, safe.to_csv(index=False, float_format="%.6f"))
