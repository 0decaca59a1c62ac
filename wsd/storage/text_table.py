"""Format tables as text, in columns for a terminal or in Markdown, and p-values."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, repeat


def line(cells: Iterable[str], widths: Iterable[int], right: Collection[int] = ()) -> str:
    """Return a line of a table in columns; a last cell without a given width is not padded.

    >>> line(["7", "bank", "a note"], [3, 6], right=[0])
    '  7  bank    a note'

    Parameters
    ----------
    cells : iterable of str
    widths : iterable of int
        Characters of each column.
    right : collection of int
        Indices of the columns that are flush right; others are flush left.
    """
    placed = [
        cell.rjust(width) if i in right else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, chain(widths, repeat(0)), strict=False))
    ]
    return "  ".join(placed).rstrip()


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return the lines of a table whose columns are as wide as their widest cells.

    >>> aligned([["layer", "norm"], ["0", "12.5"]], right=[1])
    ['layer  norm', '0      12.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [line(row, widths, right) for row in rows]


def markdown(
    header: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> str:
    """Return a table in Markdown without a final line end.

    >>> print(markdown(["word", "n"], [["a|b", "7"]], right=[1]))
    | word | n |
    | --- | ---: |
    | a\\|b | 7 |
    """
    rule = ["---:" if i in right else "---" for i in range(len(header))]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        for row in (header, rule, *rows)
    )


def p_value(p: float) -> str:
    """Return a p-value with three decimals, or with four near 0.05, which decides a verdict.

    >>> p_value(0.0004), p_value(0.0448), p_value(0.0497)
    ('< 0.001', '0.045', '0.0497')
    """
    digits = 4 if 0.045 <= p < 0.055 else 3
    return "< 0.001" if p < 0.001 else f"{p:.{digits}f}"
