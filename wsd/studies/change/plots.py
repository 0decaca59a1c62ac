"""The bars of the pages of change, as positions in an SVG that needs no script."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

BAR, MARGIN = 240, 6


def bars(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a dot, an interval and the mark of shuffled groups for each row, on the same axis."""
    ends = [row[name] for row in rows for name in ("low", "high", "null_high")]
    most = float(np.nanmax(ends)) or 1.0

    def across(value: float) -> float | None:
        place = round(MARGIN + value / most * (BAR - 2 * MARGIN), 1)
        return place if place == place else None

    names = {"x": "value", "low": "low", "high": "high", "null": "null_high"}
    return [{end: across(row[name]) for end, name in names.items()} for row in rows]
