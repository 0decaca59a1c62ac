"""The plots of the pages of change, as positions in an SVG that needs no script."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.report.pages.render import number
from wsd.report.pages.report_data import records
from wsd.report.plot_colours import mark_of

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
FIELD = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM)
# The distance between lines at combinations of layers.
SHIFT = 8
DASHES = ("", "dashed", "dotted")
BAR, MARGIN = 240, 6


def curve(lines: Mapping[str, pd.DataFrame], levels: Mapping[str, float]) -> dict[str, Any]:
    """Return a plot over layer choices: lines of single layers, and points at combinations.

    Parameters
    ----------
    lines : mapping of name to DataFrame
        Rows with the columns layers, value, low and high; all lines have the same layer choices.
    levels : mapping of name to float
        Horizontal lines, in the colours of the lines with these names.
    """
    names = list(dict.fromkeys(layers for table in lines.values() for layers in table["layers"]))
    values = np.concatenate(
        [
            *(table[["low", "high"]].to_numpy().ravel() for table in lines.values()),
            [*levels.values()],
        ]
    )
    bottom, top = np.floor(np.nanmin(values) * 10) / 10, np.ceil(np.nanmax(values) * 10) / 10

    def across(layers: str, shift: float) -> float:
        x = LEFT + (names.index(layers) + 0.5) / len(names) * (WIDTH - RIGHT - LEFT)
        return round(x + shift, 1)

    def down(value: float) -> float:
        share = (value - bottom) / ((top - bottom) or 1)
        return round(float(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)), 1)

    drawn = []
    for i, (name, table) in enumerate(lines.items()):
        rows = [row for row in records(table) if row["value"] == row["value"]]
        shift = SHIFT * (i - (len(lines) - 1) / 2)
        colour, outline = mark_of(i)
        single = [row for row in rows if row["layers"].isdecimal()]
        places = [f"{across(row['layers'], shift)},{down(row['value'])}" for row in single]
        drawn.append(
            {
                "name": name,
                "style": colour,
                "mark": outline,
                "dash": DASHES[i % len(DASHES)],
                "points": " ".join(places),
                "dots": [
                    {
                        "x": across(row["layers"], shift),
                        "y": down(row["value"]),
                        "low": down(row["low"]),
                        "high": down(row["high"]),
                        "text": f"{name}, {row['layers']}: {row['value']:.3f} "
                        f"({row['low']:.3f} to {row['high']:.3f})",
                    }
                    for row in rows
                ],
                "level": down(level) if (level := levels.get(name, np.nan)) == level else None,
            }
        )
    steps = np.linspace(bottom, top, 1 + min(8, max(1, round((top - bottom) * 10))))
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "lines": drawn,
        "x": [(across(name, 0), name) for name in names],
        "y": [(down(value), number(round(float(value), 1) + 0.0, ".1f")) for value in steps],
    }


def bars(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a dot, an interval and the mark of shuffled groups for each row, on the same axis."""
    ends = [row[name] for row in rows for name in ("low", "high", "null_high")]
    most = float(np.nanmax(ends)) or 1.0

    def across(value: float) -> float | None:
        place = round(MARGIN + value / most * (BAR - 2 * MARGIN), 1)
        return place if place == place else None

    names = {"x": "value", "low": "low", "high": "high", "null": "null_high"}
    return [{end: across(row[name]) for end, name in names.items()} for row in rows]
