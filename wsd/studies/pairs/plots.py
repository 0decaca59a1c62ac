"""The pictures of the pairs' page: places in an SVG that needs no script."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.transform_names import transform_label
from wsd.report.pages.plots import MARKERS, sense_style
from wsd.report.pages.report_data import having, records

WIDTH, HEIGHT = 760, 260
# Room for what stands at the axes.
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 34
BINS = 40
# Between the lines at combinations, so that their intervals do not lie on one another.
BESIDE = 8
DASHES = ("", "dashed", "dotted")


def curve(table: pd.DataFrame, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Pair accuracy over the layer choices: a line per transformation, single layers joined.

    Single layers stand at their places; at combinations the lines stand next to each other.

    Parameters
    ----------
    table : DataFrame
        The rows of one split.
    chosen : mapping
        The chosen row, which gets a ring.
    """
    names = list(dict.fromkeys(table["layers"]))
    low, high = (
        table[f"accuracy_{bound}"].agg(how) for bound, how in (("low", "min"), ("high", "max"))
    )
    low, high = np.floor(low * 20) / 20, np.ceil(high * 20) / 20

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
        name = transform_label(transform)
        colour, mark = sense_style(number)
        shift = BESIDE * number - BESIDE * (len(transforms) - 1) / 2
        lines.append(
            {
                "name": name,
                "style": colour,
                "mark": MARKERS[mark],
                "dash": DASHES[number % len(DASHES)],
                "points": _path([(across(r["layers"]), down(r["accuracy"])) for r in single]),
                "dots": [
                    {
                        "x": across(row["layers"], shift),
                        "y": down(row["accuracy"]),
                        "layers": row["layers"],
                        "low": down(row["accuracy_low"]),
                        "high": down(row["accuracy_high"]),
                        "text": f"{name}, {row['layers']}: {row['accuracy'] * 100:.1f} "
                        f"({row['accuracy_low'] * 100:.1f} to {row['accuracy_high'] * 100:.1f})",
                    }
                    for row in rows
                ],
            }
        )
    steps = np.arange(round(low * 20), round(high * 20) + 1) / 20
    return {
        "size": (WIDTH, HEIGHT),
        "field": (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "lines": lines,
        "ring": next(
            (dot["x"], dot["y"])
            for line in lines
            for dot in line["dots"]
            if (line["name"], dot["layers"])
            == (transform_label(chosen["transform"]), chosen["layers"])
        ),
        "x": [(across(name), name) for name in names],
        "y": [(down(value), f"{value * 100:.0f}") for value in steps],
    }


def histogram(cosines: np.ndarray, same: np.ndarray, threshold: float) -> dict[str, Any]:
    """How many pairs of each kind have which cosine, and the threshold.

    Parameters
    ----------
    cosines : array of shape (n,)
    same : bool array of shape (n,)
    threshold : float
    """
    ends = np.linspace(min(cosines.min(), threshold), max(cosines.max(), threshold), BINS + 1)
    counts = {
        name: np.histogram(cosines[of], ends)[0]
        for name, of in (("same", same), ("different", ~same))
    }
    most = max(int(of.max()) for of in counts.values())

    def across(value: float) -> float:
        return _place(value, ends[0], ends[-1], LEFT, WIDTH - RIGHT)

    def down(value: float) -> float:
        return _place(value, 0, most, HEIGHT - BOTTOM, TOP)

    kinds = []
    for number, (name, of) in enumerate(counts.items()):
        outline = [(across(ends[0]), down(0))]
        for start, end, count in zip(ends[:-1], ends[1:], of, strict=True):
            outline += [(across(start), down(count)), (across(end), down(count))]
        outline.append((across(ends[-1]), down(0)))
        kinds.append(
            {
                "name": name,
                "style": number,
                "dash": DASHES[number],
                "points": _path(outline),
                "text": f"{name}: {of.sum()} pairs, cosines "
                f"{np.median(cosines[same == (name == 'same')]):.2f} in the middle"
                if of.sum()
                else f"{name}: none",
            }
        )
    step = max(1, round(most / 4))
    return {
        "size": (WIDTH, HEIGHT),
        "field": (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "kinds": kinds,
        "threshold": (across(threshold), f"{threshold:.3f}"),
        "x": [(across(value), f"{value:.2f}") for value in np.linspace(ends[0], ends[-1], 6)],
        "y": [(down(value), str(value)) for value in range(0, most + 1, step)],
    }


def _place(value: float, low: float, high: float, first: float, last: float) -> float:
    """Where a value stands between two places."""
    share = (value - low) / ((high - low) or 1)
    return round(float(first + share * (last - first)), 1)


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
