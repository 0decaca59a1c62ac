"""Plots of lines over layers or training sets, from the columns of a table."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.report.pages.plots import Curve, plot_of

DASHES = ("solid", "dashed", "dotted")


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


def plot_of_tables(
    tables: Mapping[str, pd.DataFrame],
    *,
    scale: float = 1,
    chosen: tuple[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Plot the column ``value`` of each table over layer choices.

    Parameters
    ----------
    tables : mapping of name to DataFrame
        With the columns layers, value, value_low and value_high.
    scale : float
        100 for percent.
    chosen : (name, layers), optional
        The point with a ring.
    **options
        Of :func:`draw`.
    """
    places = Places.of(name for table in tables.values() for name in table["layers"])
    lines: dict[str, list[Curve]] = {}
    for i, (name, table) in enumerate(tables.items()):
        look: dict[str, Any] = {"name": name, "style": i, "scale": scale}
        lines[name] = places.lines(table, "value", dash=DASHES[i % len(DASHES)], **look)
    ring = point_at(lines.get(chosen[0], []), places.at(chosen[1])) if chosen else None
    drawn = [*chain.from_iterable(lines.values())]
    return plot_of(drawn, **places.axis, ring=ring, named=True, **options)


def point_at(lines: Iterable[Curve], place: float | None) -> tuple[float, float] | None:
    """Return the point of the lines at a place, if they have one."""
    points = (point for line in lines for point in zip(line.x, line.y, strict=True))
    return next((point for point in points if point[0] == place), None)


def over_layers(
    rows: pd.DataFrame,
    metric: str,
    places: Mapping[str, float],
    *,
    suffix: str = "",
    bounds: bool = True,
    **look: Any,
) -> Curve:
    """Return a metric at the layer choices that have a place, sorted by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    labels = [f"layer {text}{suffix}" if text.isdigit() else text for text in kept["layers"]]
    return of_table(kept, kept["place"], metric, labels=labels, bounds=bounds, **look)


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
