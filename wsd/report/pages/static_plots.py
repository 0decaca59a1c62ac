"""Plots of pages without scripts, as positions in an SVG.

The template ``macros.html`` draws the curve over layer choices and the axes of every plot.
"""

from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd

from wsd.report.pages.render import number
from wsd.report.pages.report_data import records
from wsd.report.plot_colours import mark_of

WIDTH, HEIGHT = 760, 260
# Space for the labels of the axes.
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
# The left and right end of the field, and its bottom.
FIELD = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM)
# The distance between lines at combinations, so that their intervals do not overlap.
SHIFT = 8
DASHES = ("", "dashed", "dotted")


def place(value: float, low: float, high: float, first: float, last: float) -> float:
    """Map a value between two values to a position between two positions."""
    share = (value - low) / ((high - low) or 1)
    return round(float(first + share * (last - first)), 1)


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return points as an attribute of an SVG element."""
    return " ".join(f"{x},{y}" for x, y in points)


def round_values(low: float, high: float, most: int) -> dict[float, str]:
    """Return at most ``most`` + 1 round values between two numbers, with their texts.

    >>> round_values(-0.013, 0.49, 4)
    {0.0: '0.0', 0.2: '0.2', 0.4: '0.4'}
    >>> list(round_values(40, 95, 12).values())
    ['40', '45', '50', '55', '60', '65', '70', '75', '80', '85', '90', '95']
    """
    if not high > low:
        return {low: f"{low:.3g}"}
    power = floor(log10((high - low) / most))
    steps = ((factor * 10.0**n, n) for n in (power, power + 1) for factor in (1, 2, 5))
    step, n = next((step, n) for step, n in steps if (high - low) / step <= most)
    slack = 1e-9  # of a step, for rounding errors
    multiples = range(ceil(low / step - slack), floor(high / step + slack) + 1)
    return {i * step: number(i * step, f".{max(0, -n)}f") for i in multiples}


def layer_curve(
    lines: Mapping[str, pd.DataFrame],
    text: Callable[[float], str],
    *,
    levels: Mapping[str, float] | None = None,
    ring: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Return a plot over layer choices: lines of single layers, and points at combinations.

    Parameters
    ----------
    lines : mapping of name to DataFrame
        Rows with the columns layers, value, low and high. A missing value is not drawn.
    text : callable
        Returns a value's text for the tooltip.
    levels : mapping of name to float, optional
        Horizontal lines, in the colours of the lines with these names; NaN is not drawn.
    ring : (name, layers), optional
        The point with a ring.
    """
    levels = levels or {}
    shown = {name: table[table["value"].notna()] for name, table in lines.items()}
    names = list(dict.fromkeys(layers for table in lines.values() for layers in table["layers"]))
    ends = [table[["low", "high"]].to_numpy().ravel() for table in shown.values()]
    values = np.concatenate([*ends, [*levels.values()]])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    # The field begins and ends at a line.
    step = np.diff([*round_values(low, high, 12)][:2] or [low, high]).sum() or 1
    low, high = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step

    def across(layers: str, shift: float = 0) -> float:
        x = place(names.index(layers) + 0.5, 0, len(names), LEFT, WIDTH - RIGHT)
        return x if layers.isdecimal() else x + shift

    def down(value: float) -> float:
        return place(value, low, high, HEIGHT - BOTTOM, TOP)

    drawn: list[dict[str, Any]] = []
    for i, (name, table) in enumerate(shown.items()):
        rows = records(table)
        colour, outline = mark_of(i)
        shift = SHIFT * (i - (len(lines) - 1) / 2)
        single = [row for row in rows if row["layers"].isdecimal()]
        level = levels.get(name, np.nan)
        drawn.append(
            {
                "name": name,
                "style": colour,
                "mark": outline,
                "dash": DASHES[i % len(DASHES)],
                "points": path((across(row["layers"]), down(row["value"])) for row in single),
                "dots": [
                    {
                        "x": across(row["layers"], shift),
                        "y": down(row["value"]),
                        "layers": row["layers"],
                        "low": down(row["low"]),
                        "high": down(row["high"]),
                        "text": f"{name}, {row['layers']}: {text(row['value'])} "
                        f"({text(row['low'])} to {text(row['high'])})",
                    }
                    for row in rows
                ],
                "level": down(level) if level == level else None,
                "ring": next(
                    (
                        (across(row["layers"], shift), down(row["value"]))
                        for row in rows
                        if ring == (name, row["layers"])
                    ),
                    None,
                ),
            }
        )
    # Names of combinations are long: every other one is lower.
    combined = [name for name in names if not name.isdecimal()]
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "lines": drawn,
        "x": [(across(name), name, name in combined[1::2]) for name in names],
        "y": [(down(value), label) for value, label in round_values(low, high, 12).items()],
    }
