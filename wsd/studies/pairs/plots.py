"""The plots of the page of pairs, as positions in an SVG that needs no script."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.transform_names import transform_label
from wsd.report.pages.render import number
from wsd.report.pages.report_data import having
from wsd.report.pages.static_plots import (
    BOTTOM,
    DASHES,
    FIELD,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    layer_curve,
    path,
    place,
    round_values,
)

BINS = 40
# The most pairs of a scatter plot, and the radius of a dot.
MOST_DOTS, DOT = 2000, 3
# The most intervals between the numbers of an axis.
ACROSS, UP = 8, 4


def curve(
    table: pd.DataFrame, selected: Mapping[str, Any], metric: str, scale: int = 100
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
    scale : int
        100 for percent.
    """
    columns = {metric: "value", f"{metric}_low": "low", f"{metric}_high": "high"}
    values = table[["layers", *columns]].rename(columns=columns)
    values[["value", "low", "high"]] *= scale
    lines = {
        transform_label(name): values.loc[having(table, transform=name).index]
        for name in dict.fromkeys(table["transform"])
    }
    ring = (transform_label(selected["transform"]), selected["layers"])
    return layer_curve(lines, lambda v: number(v, ".1f" if scale > 1 else ".2f"), ring=ring)


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


def _ticks(across: Callable[[float], float], low: float, high: float) -> list[tuple[Any, ...]]:
    """Return the positions and texts of an axis, all on its first line."""
    return [(across(value), text, False) for value, text in round_values(low, high, ACROSS).items()]
