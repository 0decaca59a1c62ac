"""The series of plots, of the pages and of the figures of a paper: colours, markers, lines.

The number of a series determines its colour and marker. A classifier has the same number in every
plot.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# The colours ``--sense-0``, ``--sense-1``, … of the style sheet on light pages.
COLOURS = (
    *("#0b6fb8", "#d1510a", "#0f8f7f", "#8a1c5c", "#4e3906"),
    *("#2c1e9d", "#058dfa", "#af3c3c", "#778cb7", "#1c548d"),
)
# The colours ``--ramp-0``, … of the style sheet on light pages, for the order of layers.
RAMP = (
    *("#8a8f3a", "#748a2f", "#4d8244", "#2a7a55"),
    *("#1a6d63", "#205f6b", "#2c4a6b", "#2f3163"),
)
# The ends of the heat map's colours on light pages, and the points below the best at the first.
HEAT, HEAT_POINTS = ("#ffffff", "#86bde6"), 20
# By Bokeh's name: the outline of each marker in a box of 20 by 20, and matplotlib's name.
MARKERS = {
    "circle": ("M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z", "o"),
    "triangle": ("M10 2L19 17H1z", "^"),
    "square": ("M3 3H17V17H3z", "s"),
    "diamond": ("M10 1L17 10L10 19L3 10z", "D"),
    "inverted_triangle": ("M10 18L1 3H19z", "v"),
    "star": ("M10 1L12.2 7.3H19L13.6 11.2L15.6 17.6L10 13.7L4.4 17.6L6.4 11.2L1 7.3H7.8z", "*"),
    "plus": ("M7.2 1.5H12.8V7.2H18.5V12.8H12.8V18.5H7.2V12.8H1.5V7.2H7.2z", "P"),
    "hex": ("M19 10L14.5 2.2H5.5L1 10L5.5 17.8H14.5z", "H"),
    "square_pin": ("M1 1Q10 6 19 1Q14 10 19 19Q10 14 1 19Q6 10 1 1z", "X"),
    "triangle_pin": ("M10 1Q11.5 9.5 19 17Q10 14 1 17Q8.5 9.5 10 1z", "<"),
}
# The classifiers of the configs, in the order of their numbers.
CLASSIFIERS = ("logistic", "nearest_centroid", "lda", "knn", "mixed_logistic")


def heat(below: Any) -> Any:
    """Return the share of the heat map's strongest colour, from points below the row's best.

    The share follows the square root of the points, so that small losses differ most.

    >>> [round(float(heat(points)), 2) for points in (0, 1, 11, 50)]
    [1.0, 0.78, 0.26, 0.0]
    """
    return 1 - np.sqrt(np.clip(np.asarray(below) / HEAT_POINTS, 0, 1))


def style_of(number: int) -> tuple[int, str]:
    """Return the number of the colour and Bokeh's name of the marker: unique for 100 series."""
    names = list(MARKERS)
    return number % len(COLOURS), names[(number + number // len(COLOURS)) % len(names)]


def mark_of(number: int) -> tuple[int, str]:
    """Return the number of the colour and the outline of the marker, for a drawing in SVG."""
    colour, marker = style_of(number)
    return colour, MARKERS[marker][0]


def classifier_numbers(names: Iterable[str]) -> dict[str, int]:
    """Return the number of each classifier of a run; user-defined names follow, sorted by name.

    >>> classifier_numbers(["nearest_centroid", "mine"])
    {'nearest_centroid': 1, 'mine': 5}
    """
    names = list(names)
    order = [*CLASSIFIERS, *sorted(set(names) - set(CLASSIFIERS))]
    return {name: order.index(name) for name in names}


class Curve(NamedTuple):
    """One line of a plot.

    Attributes
    ----------
    name : str
        Shown in the tooltip. Bokeh's renderers of this curve are named ``line-<name>``, so that the
        page's script can hide them.
    x, y : lists of float
        ``y`` in the plot's unit.
    style : int
        Number of the colour and marker, as for senses.
    low, high : lists of float, optional
        The 95% confidence interval of ``y``.
    dash : str
        Bokeh's name of the line style.
    labels : list of str, optional
        A label per point.
    joined : bool
        Whether a line joins the points.
    digits : int
        Digits after the point of a value in the tooltip.
    """

    name: str
    x: list[float]
    y: list[float]
    style: int
    low: list[float] | None = None
    high: list[float] | None = None
    dash: str = "solid"
    labels: list[str] | None = None
    joined: bool = True
    digits: int = 2

    @property
    def tooltips(self) -> list[str]:
        """Per point, a line with the value and its interval, and a line with the label and name."""
        values = [f"{y:.{self.digits}f}" for y in self.y]
        if self.low is not None and self.high is not None:
            bounds = zip(values, self.low, self.high, strict=True)
            ends = f"({{:.{self.digits}f}} to {{:.{self.digits}f}})"
            values = [f"{value} {ends.format(low, high)}" for value, low, high in bounds]
        names = [f"{label}, {self.name}" for label in self.labels or ()]
        names = names or [self.name] * len(values)
        return [f"{value}\n{name}" for value, name in zip(values, names, strict=True)]


class Note(NamedTuple):
    """A text at a place of a plot."""

    x: float
    y: float
    text: str
    align: str = "center"
    baseline: str = "middle"
    colour: str = "--ink-2"


class Places(NamedTuple):
    """The places of layer choices on a horizontal axis: single layers, then combinations."""

    singles: Mapping[str, float]
    combined: Mapping[str, float]

    @classmethod
    def of(cls, names: Iterable[str], last: float | None = None) -> "Places":
        """Return the places of layer choices by name, combinations in the order of the names."""
        names = list(dict.fromkeys(names))
        singles = {name: float(name) for name in names if name.isdecimal()}
        start = (max(singles.values(), default=0.0) if last is None else last) + 1.5
        others = [name for name in names if name not in singles]
        return cls(singles, {name: start + i for i, name in enumerate(others)})

    def lines(
        self, rows: pd.DataFrame, metric: str, *, dash: str = "solid", **look: Any
    ) -> list[Curve]:
        """Return a metric as a line of single layers, and as points at the combinations, if any."""
        singles = over_layers(rows, metric, self.singles, dash=dash, **look)
        combined = over_layers(rows, metric, self.combined, joined=False, **look)
        return [line for line in (singles, combined) if line.x]

    def at(self, layers: str) -> float | None:
        """Return the place of a layer choice; None if it has none."""
        return {**self.singles, **self.combined}.get(layers)

    @property
    def axis(self) -> dict[str, Any]:
        """The horizontal axis, for :func:`draw`."""
        return {
            "x": "layer, then combinations" if self.combined else "layer",
            "ticks": {place: name for name, place in self.singles.items()},
            "names": {place: name for name, place in self.combined.items()},
        }


def point_at(lines: Iterable[Curve], place: float | None) -> tuple[float, float] | None:
    """Return the point of the lines at a place, if they have one."""
    points = (point for line in lines for point in zip(line.x, line.y, strict=True))
    return next((point for point in points if point[0] == place), None)


def over_layers(
    rows: pd.DataFrame, metric: str, places: Mapping[str, float], *, suffix: str = "", **look: Any
) -> Curve:
    """Return a metric at the layer choices that have a place, sorted by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    labels = [f"layer {text}{suffix}" if text.isdigit() else text for text in kept["layers"]]
    return of_table(kept, kept["place"], metric, labels=labels, **look)


def of_table(
    rows: pd.DataFrame,
    x: Iterable[float],
    y: str,
    *,
    scale: float = 100,
    labels: Iterable[str],
    bounds: bool = True,
    **look: Any,
) -> Curve:
    """Return a column of a table as a curve, by default with the columns of its interval.

    Values are multiplied by ``scale``: by default, fractions become percent. A row without a value
    is left out.
    """
    rows = rows.assign(_x=list(x), _label=list(labels))
    rows = rows[np.isfinite(rows[y].astype(float))]
    low, high = (rounded(rows[f"{y}_{end}"], scale) if bounds else None for end in ("low", "high"))
    look = {"digits": 2 if scale == 100 else 3, **look}
    places, labels = rows["_x"].astype(float).tolist(), rows["_label"].tolist()
    return Curve(x=places, y=rounded(rows[y], scale), low=low, high=high, labels=labels, **look)


def rounded(values: Iterable[float], scale: float = 100) -> list[float]:
    """Return values times a scale: by default, fractions in percent."""
    return [round(float(value) * scale, 4) for value in values]


def common_range(curves: Sequence[Curve], levels: Iterable[float] = ()) -> tuple[float, float]:
    """Return the ends of an axis in percent that contains levels, curves and their intervals."""
    values = [v for curve in curves for v in (*(curve.low or curve.y), *(curve.high or curve.y))]
    return percent_range([*levels, *values])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis in percent, multiples of five around the finite values."""
    finite = [value for value in values if np.isfinite(value)]
    if not finite:
        return 0.0, 100.0
    low, high = np.floor(min(finite) / 5) * 5, np.ceil(max(finite) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
