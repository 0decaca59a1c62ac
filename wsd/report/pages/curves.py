"""Plots of lines over layers or training sets, from the columns of a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bokeh import models

from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.plots import RAMP, new_plot, plot_json, sense_style


class Curve(NamedTuple):
    """One line of a plot.

    Attributes
    ----------
    name : str
        Shown in the tooltip.
    x, y : lists of float
        ``y`` in the plot's unit.
    low, high : lists of float, optional
        The 95% confidence interval of ``y``.
    style : int
        Number of the colour and marker, as for senses.
    number : int
        Bokeh's renderers of this curve are named ``line-<number>``, so that the page's script can
        hide them.
    dash : str
        Bokeh's name of the line style.
    labels : list of str, optional
        A label per point, if ``x`` is not enough.
    joined : bool
        Whether a line joins the points.
    hollow : bool
        Whether points are open markers, so that overlapping points stay visible.
    """

    name: str
    x: list[float]
    y: list[float]
    style: int
    number: int
    low: list[float] | None = None
    high: list[float] | None = None
    dash: str = "solid"
    labels: list[str] | None = None
    joined: bool = True
    hollow: bool = False


def plot_of(
    lines: Sequence[Curve],
    *,
    x: str,
    y_range: tuple[float, float] | None = None,
    ticks: Mapping[float, str] | None = None,
    learning: bool = False,
    logarithmic: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Plot lines over layers or training sets, and return the plot as JSON.

    Parameters
    ----------
    lines : sequence of Curve
    x : str
        Label of the horizontal axis.
    y_range : pair of floats, optional
        The same for all plots that are compared.
    ticks : mapping of place to text, optional
        On the horizontal axis.
    learning : bool
        Whether the horizontal axis is logarithmic and lines are coloured by their order, from light
        to dark, rather than by their style.
    logarithmic : pair of floats, optional
        The ends of a logarithmic horizontal axis; lines keep their style.
    """
    places = [place for line in lines for place in line.x]
    options: dict[str, Any] = {}
    if learning or logarithmic:
        options = {"x_axis_type": "log"}
        if logarithmic:
            options["x_range"] = models.Range1d(start=logarithmic[0], end=logarithmic[1])
    elif places:
        room = 0.03 * (max(places) - min(places)) or 0.3
        options = {"x_range": models.Range1d(start=min(places) - room, end=max(places) + room)}
    if y_range:
        options["y_range"] = models.Range1d(start=y_range[0], end=y_range[1])
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
        colour = f"--ramp-{step}" if learning else f"--sense-{sense_style(line.style)[0]}"
        dots.append(_draw(plot, line, colour))
    plot.add_tools(models.HoverTool(renderers=dots, tooltips=None, name="hover"))
    return plot_json(plot)


def _draw(plot: Any, line: Curve, colour: str) -> Any:
    """Draw a curve's interval, line and points, and return the renderer of the points."""
    name, tags = f"line-{line.number}", [{"line_color": colour}]
    names, labels = [line.name] * len(line.x), line.labels or [""] * len(line.x)
    columns: dict[str, Any] = {"x": line.x, "y": line.y, "name": names, "label": labels}
    interval: models.VArea | models.Segment | None = None
    if line.low is not None and line.high is not None:
        columns |= {"low": line.low, "high": line.high}
        if line.joined:
            fill = [{"fill_color": colour}]
            interval = models.VArea(x="x", y1="low", y2="high", fill_alpha=0.13, tags=fill)
        else:
            # Later intervals at the same place are narrower, and all are translucent.
            width = max(1.5, 10 - 1.5 * line.number) if line.hollow else 1.5
            interval = models.Segment(
                x0="x", x1="x", y0="low", y1="high", line_width=width, tags=tags,
                line_alpha=0.3 if line.hollow else 1,
            )  # fmt: skip
    source = models.ColumnDataSource(columns)
    if interval:
        # Below the points of all curves, so that no interval hides a point.
        plot.add_glyph(source, interval, name=name, level="underlay" if line.hollow else "glyph")
    if line.joined:
        joint = plot.line("x", "y", source=source, line_width=2, line_dash=line.dash, name=name)
        joint.glyph.tags = tags
    marker = sense_style(line.style)[1]
    look: dict[str, Any] = (
        {"size": 12, "fill_alpha": 0, "line_width": 2} if line.hollow else {"size": 8}
    )
    dots = plot.scatter("x", "y", source=source, marker=marker, name=name, **look)
    dots.glyph.tags = [{"line_color": colour, "fill_color": colour}]
    return dots


def single_layers(choices: Sequence[LayerChoice]) -> dict[str, float]:
    """Return the number of each single layer by name."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


def rows_placed(rows: pd.DataFrame, places: Mapping[str, float]) -> tuple[pd.DataFrame, pd.Series]:
    """Return the rows of the layer choices that have a place, sorted by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    return kept, kept["place"]


def over_layers(
    rows: pd.DataFrame, metric: str, places: Mapping[str, float], suffix: str = "", **look: Any
) -> Curve:
    """Return a metric over layer choices, with its interval."""
    kept, x = rows_placed(rows, places)
    labels = [f"layer {text}{suffix}" if text.isdigit() else text for text in kept["layers"]]
    return of_table(kept, x, metric, labels=labels, bounds=True, **look)


def of_table(
    rows: pd.DataFrame,
    x: Iterable[float],
    y: str,
    scale: float = 100,
    *,
    labels: Iterable[str] | None = None,
    bounds: bool = False,
    **look: Any,
) -> Curve:
    """Return a column of a table as a curve; with ``bounds`` also the columns of its interval."""
    low, high = (rounded(rows[f"{y}_{end}"], scale) if bounds else None for end in ("low", "high"))
    places, texts = [float(place) for place in x], None if labels is None else list(labels)
    return Curve(x=places, y=rounded(rows[y], scale), low=low, high=high, labels=texts, **look)


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
