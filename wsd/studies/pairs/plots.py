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
# The distance between lines at combinations, so that their intervals do not overlap.
SHIFT = 8
DASHES = ("", "dashed", "dotted")


def curve(table: pd.DataFrame, selected: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plot of accuracy by layer choice, with a line per transformation.

    A line joins single layers. At combinations of layers, the points are drawn next to each other.

    Parameters
    ----------
    table : DataFrame
        The rows of one split.
    selected : mapping
        The row of the selected configuration, which gets a ring.
    """
    names = list(dict.fromkeys(table["layers"]))
    low = np.floor(table["accuracy_low"].min() * 20) / 20
    high = np.ceil(table["accuracy_high"].max() * 20) / 20

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
                "points": _path([(across(r["layers"]), down(r["accuracy"])) for r in single]),
                "dots": [
                    {
                        "x": across(row["layers"], shift),
                        "y": down(row["accuracy"]),
                        "layers": row["layers"],
                        "low": down(row["accuracy_low"]),
                        "high": down(row["accuracy_high"]),
                        "text": _tooltip(row),
                    }
                    for row in rows
                ],
            }
        )
    line = lines[transforms.index(selected["transform"])]
    ring = next(dot for dot in line["dots"] if dot["layers"] == selected["layers"])
    steps = np.arange(round(low * 20), round(high * 20) + 1) / 20
    return {
        "size": (WIDTH, HEIGHT),
        "field": FIELD,
        "lines": lines,
        "ring": (ring["x"], ring["y"]),
        "x": [(across(name), name) for name in names],
        "y": [(down(value), f"{value * 100:.0f}") for value in steps],
    }


def _tooltip(row: Mapping[str, Any]) -> str:
    value, low, high = (row[f"accuracy{bound}"] * 100 for bound in ("", "_low", "_high"))
    label = transform_label(row["transform"])
    return f"{label}, {row['layers']}: {value:.1f} ({low:.1f} to {high:.1f})"


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


def _place(value: float, low: float, high: float, first: float, last: float) -> float:
    """Map a value to a position between two positions."""
    share = (value - low) / ((high - low) or 1)
    return round(float(first + share * (last - first)), 1)


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
