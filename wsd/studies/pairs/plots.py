"""The plots of the page of pairs, as positions in an SVG that needs no script."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.transform_names import transform_label
from wsd.report.pages.report_data import having, records
from wsd.report.plot_colours import mark_of

WIDTH, HEIGHT = 760, 260
# Space for the labels of the axes.
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
FIELD = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM)
BINS = 40
# The most pairs of a scatter plot, and the radius of a dot.
MOST_DOTS, DOT = 2000, 3
# The distance between lines at combinations, so that their intervals do not overlap.
SHIFT = 8
DASHES = ("", "dashed", "dotted")


def curve(
    table: pd.DataFrame, selected: Mapping[str, Any], metric: str, scale: int = 100
) -> dict[str, Any]:
    """Return the plot of a metric by layer choice, with a line per transformation.

    A line joins single layers. At combinations of layers, the points are drawn next to each other.

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
    names = list(dict.fromkeys(table["layers"]))
    low = np.floor(table[f"{metric}_low"].min() * 20) / 20
    high = np.ceil(table[f"{metric}_high"].max() * 20) / 20

    def across(layers: str, shift: float = 0) -> float:
        place = _place(names.index(layers) + 0.5, 0, len(names), LEFT, WIDTH - RIGHT)
        return place if layers.isdecimal() else place + shift

    def down(value: float) -> float:
        return _place(value, low, high, HEIGHT - BOTTOM, TOP)

    lines: list[dict[str, Any]] = []
    transforms = list(dict.fromkeys(table["transform"]))
    for number, transform in enumerate(transforms):
        rows = records(having(table, transform=transform))
        single = [row for row in rows if row["layers"].isdecimal()]
        colour, outline = mark_of(number)
        shift = SHIFT * number - SHIFT * (len(transforms) - 1) / 2
        lines.append(
            {
                "name": transform_label(transform),
                "style": colour,
                "mark": outline,
                "dash": DASHES[number % len(DASHES)],
                "points": _path([(across(r["layers"]), down(r[metric])) for r in single]),
                "dots": [
                    {
                        "x": across(row["layers"], shift),
                        "y": down(row[metric]),
                        "layers": row["layers"],
                        "low": down(row[f"{metric}_low"]),
                        "high": down(row[f"{metric}_high"]),
                        "text": _tooltip(row, metric, scale),
                    }
                    for row in rows
                ],
            }
        )
    line = lines[transforms.index(selected["transform"])]
    ring = next(dot for dot in line["dots"] if dot["layers"] == selected["layers"])
    # At most a dozen lines across the plot.
    step = 1 if high - low <= 0.6 else 2 if high - low <= 1.2 else 4
    steps = np.arange(-(-round(low * 20) // step) * step, round(high * 20) + 1, step) / 20
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "lines": lines,
        "ring": (ring["x"], ring["y"]),
        "x": [(across(name), name) for name in names],
        "y": [(down(value), f"{value * scale:.{0 if scale > 1 else 2}f}") for value in steps + 0.0],
    }


def _tooltip(row: Mapping[str, Any], metric: str, scale: int) -> str:
    bounds = (row[f"{metric}{bound}"] * scale for bound in ("", "_low", "_high"))
    value, low, high = (f"{bound:.{1 if scale > 1 else 2}f}" for bound in bounds)
    label = transform_label(row["transform"])
    return f"{label}, {row['layers']}: {value} ({low} to {high})"


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
        return _place(value, ends[0], ends[-1], LEFT, WIDTH - RIGHT)

    def down(value: float) -> float:
        return _place(value, 0, most, HEIGHT - BOTTOM, TOP)

    kinds = []
    for number, (name, heights) in enumerate(counts.items()):
        outline = [(across(ends[0]), down(0))]
        for start, end, height in zip(ends[:-1], ends[1:], heights, strict=True):
            outline += [(across(start), down(height)), (across(end), down(height))]
        outline.append((across(ends[-1]), down(0)))
        text = f"{name}: none"
        if n := heights.sum():
            text = f"{name}: {n} pairs, median cosine {np.median(groups[name]):.2f}"
        look = {"name": name, "style": number, "dash": DASHES[number]}
        kinds.append({**look, "points": _path(outline), "text": text})
    step = max(1, round(most / 4))
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "kinds": kinds,
        "threshold": (across(threshold), f"{threshold:.3f}"),
        "x": [(across(value), f"{value:.2f}") for value in np.linspace(ends[0], ends[-1], 6)],
        "y": [(down(value), str(value)) for value in range(0, most + 1, step)],
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
        return _place(value, low, high, LEFT + DOT, WIDTH - RIGHT - DOT)

    def down(value: float) -> float:
        return _place(value, least, most, HEIGHT - BOTTOM - DOT, TOP + DOT)

    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "dots": [(across(cosines[i]), down(ratings[i])) for i in shown],
        "radius": DOT,
        "x": [(across(value), f"{value:.2f}") for value in np.linspace(low, high, 6)],
        "y": [(down(value), f"{value:.3g}") for value in np.linspace(least, most, 5)],
    }


def _place(value: float, low: float, high: float, first: float, last: float) -> float:
    """Map a value to a position between two positions."""
    share = (value - low) / ((high - low) or 1)
    return round(float(first + share * (last - first)), 1)


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
