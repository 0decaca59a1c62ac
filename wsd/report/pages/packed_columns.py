"""The extra columns of a corpus on a page: colours, a filter, and text with each sentence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wsd.report.pages.render import encode

# A page colours and filters its instances by a column with 2 to this many values.
MOST_VALUES = 20


def packed_columns(
    extra: Mapping[str, Sequence[str]], order: Sequence[int] | np.ndarray, with_text: np.ndarray
) -> list[dict[str, Any]]:
    """Return the extra columns as the script ``extra-columns.js`` takes them.

    Each column has its distinct values, and for each instance the number of its value. ``group``
    tells whether the page colours and filters by the column. A column without any text is left
    out.

    Parameters
    ----------
    extra : mapping of column to text per row of the corpus
    order : int array of shape (n,)
        The corpus's rows in the order of the page.
    with_text : bool array of shape (n,)
        In that order, whether the page has the sentence. A column with more than ``MOST_VALUES``
        values has text for these rows only.
    """
    columns = []
    for name, cells in extra.items():
        shown = [cells[row] for row in order]
        values = _ordered(set(shown))
        if len(values) > MOST_VALUES:
            shown = [cell if has else "" for cell, has in zip(shown, with_text, strict=True)]
            distinct = list(dict.fromkeys(shown))
        else:
            distinct = values
        if not any(value.strip() for value in distinct):
            continue
        numbers = {value: number for number, value in enumerate(distinct)}
        codes = np.array([numbers[cell] for cell in shown])
        columns.append(
            {
                "name": name,
                "group": 2 <= len(values) <= MOST_VALUES,
                "values": distinct,
                "codes": encode(codes, "u1" if len(distinct) <= 256 else "<u4"),
            }
        )
    return columns


def most_colours(columns: Iterable[Mapping[str, Any]]) -> int:
    """Return how many colours the packed columns need: 0 if the page colours by none."""
    return max((len(column["values"]) for column in columns if column["group"]), default=0)


def _ordered(values: Iterable[str]) -> list[str]:
    """Return values in the order of their numbers, or else of their text; no value is last."""
    by_text = sorted(values, key=lambda value: (not value, value))
    try:
        return sorted(by_text, key=lambda value: (not value, float(value or 0)))
    except ValueError:
        return by_text
