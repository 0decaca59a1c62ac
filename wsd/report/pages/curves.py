"""Plots of lines over layers or training sets, from the columns of a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bokeh import models

from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.plots import RAMP, new_plot, plot_json
from wsd.report.plot_colours import style_of


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
    hollow : bool
        Whether points are open markers, so that overlapping points stay visible.
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
    hollow: bool = False

    @property
    def tooltips(self) -> list[str]:
        """Per point, a line with the value and its interval, and a line with the label and name."""
        values = [f"{y:.2f}" for y in self.y]
        if self.low is not None and self.high is not None:
            bounds = zip(values, self.low, self.high, strict=True)
            values = [f"{value} ({low:.2f} to {high:.2f})" for value, low, high in bounds]
        names = [f"{label}, {self.name}" for label in self.labels or ()]
        names = names or [self.name] * len(values)
        return [f"{value}\n{name}" for value, name in zip(values, names, strict=True)]


def plot_of(
    lines: Sequence[Curve],
    *,
    x: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    ticks: Mapping[float, str] | None = None,
    logarithmic: bool = False,
    ramp: bool = False,
) -> dict[str, Any]:
    """Plot lines over layers or training sets, and return the plot as JSON.

    Parameters
    ----------
    lines : sequence of Curve
    x : str
        Label of the horizontal axis.
    x_range, y_range : pair of floats, optional
        The ends of the axes. Plots that are compared have the same ``y_range``.
    ticks : mapping of place to text, optional
        On the horizontal axis.
    logarithmic : bool
        Whether the horizontal axis is logarithmic.
    ramp : bool
        Whether the order of the lines determines their colours, from light to dark.
    """
    places = [place for line in lines for place in line.x]
    if places and not x_range and not logarithmic:
        room = 0.03 * (max(places) - min(places)) or 0.3
        x_range = min(places) - room, max(places) + room
    ranges = {"x_range": x_range, "y_range": y_range}
    options: dict[str, Any] = {
        name: models.Range1d(start=ends[0], end=ends[1]) for name, ends in ranges.items() if ends
    }
    if logarithmic:
        options["x_axis_type"] = "log"
    plot = new_plot(tools="pan,wheel_zoom,reset", sizing_mode="stretch_both", **options)
    plot.toolbar.active_drag = plot.toolbar.active_scroll = None
    if ticks:
        plot.xaxis.ticker = models.FixedTicker(ticks=sorted(ticks))
        plot.xaxis.major_label_overrides = dict(ticks)
        if max(map(len, ticks.values())) > 3:
            plot.xaxis.major_label_orientation = 0.9
    plot.xaxis.axis_label = x
    dots = []
    for i, line in enumerate(lines):
        step = round(i / max(1, len(lines) - 1) * (RAMP - 1))
        colour = f"--ramp-{step}" if ramp else f"--sense-{style_of(line.style)[0]}"
        dots.append(_draw(plot, line, colour))
    plot.add_tools(models.HoverTool(renderers=dots, tooltips=None, name="hover"))
    return plot_json(plot)


def _draw(plot: Any, line: Curve, colour: str) -> Any:
    """Draw a curve's interval, line and points, and return the renderer of the points."""
    name, tags = f"line-{line.name}", [{"line_color": colour}]
    columns: dict[str, Any] = {"x": line.x, "y": line.y, "text": line.tooltips}
    if has_interval := line.low is not None:
        columns |= {"low": line.low, "high": line.high}
    source = models.ColumnDataSource(columns, name=name)
    if has_interval:
        interval: models.VArea | models.Segment
        if line.joined:
            fill = [{"fill_color": colour}]
            interval = models.VArea(x="x", y1="low", y2="high", fill_alpha=0.13, tags=fill)
        else:
            # Later intervals at the same place are narrower, and all are translucent.
            width, alpha = (max(1.5, 10 - 1.5 * line.style), 0.3) if line.hollow else (1.5, 1)
            interval = models.Segment(
                x0="x", x1="x", y0="low", y1="high", line_width=width, line_alpha=alpha, tags=tags
            )
        # Below the points of all curves, so that no interval hides a point.
        plot.add_glyph(source, interval, name=name, level="underlay" if line.hollow else "glyph")
    if line.joined:
        joint = plot.line("x", "y", source=source, line_width=2, line_dash=line.dash, name=name)
        joint.glyph.tags = tags
    look = {"size": 12, "fill_alpha": 0, "line_width": 2} if line.hollow else {"size": 8}
    marker = style_of(line.style)[1]
    dots = plot.scatter("x", "y", source=source, marker=marker, name=name, **look)
    dots.glyph.tags = [{"line_color": colour, "fill_color": colour}]
    return dots


def single_layers(choices: Sequence[LayerChoice]) -> dict[str, float]:
    """Return the number of each single layer by name."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


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

    Values are multiplied by ``scale``: by default, fractions become percent.
    """
    low, high = (rounded(rows[f"{y}_{end}"], scale) if bounds else None for end in ("low", "high"))
    values, places = rounded(rows[y], scale), [float(place) for place in x]
    return Curve(x=places, y=values, low=low, high=high, labels=list(labels), **look)


def rounded(values: Iterable[float], scale: float = 100) -> list[float]:
    """Return values times a scale: by default, fractions in percent."""
    return [round(float(value) * scale, 4) for value in values]


def common_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return the ends of an axis in percent that contains curves and their intervals."""
    bounds = [(curve.low or curve.y, curve.high or curve.y) for curve in curves]
    return percent_range([value for low, high in bounds for value in (*low, *high)])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis in percent, multiples of five around the values."""
    if not values:
        return 0.0, 100.0
    low, high = np.floor(min(values) / 5) * 5, np.ceil(max(values) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
