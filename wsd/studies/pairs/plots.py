"""The plots of the page of pairs: scores by layer, and cosines as positions in an SVG."""

from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.transform_names import transform_label
from wsd.report.pages.curves import DASHES, plot_of_tables
from wsd.report.pages.render import number
from wsd.report.pages.report_data import having

WIDTH, HEIGHT = 760, 260
# Space for the labels of the axes.
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
# The left and right end of the field, and its bottom.
FIELD = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM)
BINS = 40
# The most pairs of a scatter plot, and the radius of a dot.
MOST_DOTS, DOT = 2000, 3
# The most intervals between the numbers of an axis.
ACROSS, UP = 8, 4


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


def curve(
    table: pd.DataFrame, selected: Mapping[str, Any], metric: str, label: str, scale: int = 100
) -> dict[str, Any]:
    """Return the plot of a metric by layer choice, with a line per transformation.

    Parameters
    ----------
    table : DataFrame
        The rows of one split.
    selected : mapping
        The row of the selected configuration, which gets a ring.
    metric : str
        A column of the table.
    label : str
        Of the vertical axis.
    scale : int
        100 for percent.
    """
    columns = {f"{metric}{end}": f"value{end}" for end in ("", "_low", "_high")}
    values = table[["layers", "transform", *columns]].rename(columns=columns)
    tables = {
        transform_label(name): having(values, transform=name)
        for name in dict.fromkeys(table["transform"])
    }
    chosen = (transform_label(selected["transform"]), selected["layers"])
    return plot_of_tables(tables, y=label, scale=scale, chosen=chosen)


def histogram(cosines: np.ndarray, same: np.ndarray, threshold: float) -> dict[str, Any]:
    """Return the histogram of the cosines of each kind of pair, with the threshold.

    Parameters
    ----------
    cosines : array of shape (n,)
    same : bool array of shape (n,)
    threshold : float
    """
    ends = np.linspace(min(cosines.min(), threshold), max(cosines.max(), threshold), BINS + 1)
    groups = {"same": cosines[same], "different": cosines[~same]}
    counts = {name: np.histogram(values, ends)[0] for name, values in groups.items()}
    most = max(int(heights.max()) for heights in counts.values())

    def across(value: float) -> float:
        return place(value, ends[0], ends[-1], LEFT, WIDTH - RIGHT)

    def down(value: float) -> float:
        return place(value, 0, most, HEIGHT - BOTTOM, TOP)

    kinds = []
    for style, (name, heights) in enumerate(counts.items()):
        outline = [(across(ends[0]), down(0))]
        for start, end, height in zip(ends[:-1], ends[1:], heights, strict=True):
            outline += [(across(start), down(height)), (across(end), down(height))]
        outline.append((across(ends[-1]), down(0)))
        text = f"{name}: none"
        if n := heights.sum():
            text = f"{name}: {n} pairs, median cosine {number(np.median(groups[name]), '.2f')}"
        look = {"name": name, "style": style, "dash": DASHES[style]}
        kinds.append({**look, "points": path(outline), "text": text})
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "kinds": kinds,
        "threshold": (across(threshold), number(threshold, ".3f")),
        "x": _ticks(across, ends[0], ends[-1]),
        "y": [(down(value), text) for value, text in round_values(0, most, UP).items()],
    }


def scatter(cosines: np.ndarray, ratings: np.ndarray) -> dict[str, Any]:
    """Return the plot of ratings by cosine, with at most ``MOST_DOTS`` pairs, evenly chosen.

    Parameters
    ----------
    cosines, ratings : arrays of shape (n,)
    """
    shown = np.unique(np.linspace(0, len(cosines) - 1, MOST_DOTS).astype(int))
    low, high, least, most = cosines.min(), cosines.max(), ratings.min(), ratings.max()

    def across(value: float) -> float:
        return place(value, low, high, LEFT + DOT, WIDTH - RIGHT - DOT)

    def down(value: float) -> float:
        return place(value, least, most, HEIGHT - BOTTOM - DOT, TOP + DOT)

    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "dots": [(across(cosines[i]), down(ratings[i])) for i in shown],
        "radius": DOT,
        "x": _ticks(across, low, high),
        "y": [(down(value), text) for value, text in round_values(least, most, UP).items()],
    }


def _ticks(across: Callable[[float], float], low: float, high: float) -> list[tuple[float, str]]:
    """Return the positions and texts of an axis."""
    return [(across(value), text) for value, text in round_values(low, high, ACROSS).items()]
