"""Lines over layers, or over training sets: from the columns of a table to a plot."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bokeh import models

from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.plots import RAMP, new_plot, plot_json, sense_style


class Curve(NamedTuple):
    """One line of a figure.

    Attributes
    ----------
    name : str
        Shown in the tooltip.
    x, y : lists of float
        ``y`` in the figure's unit.
    low, high : lists of float, optional
        A band around ``y``.
    style : int
        Colour and marker: those of the sense of that number.
    number : int
        The figure's renderers of this curve are named ``line-<number>``, so that the page's
        script can hide them.
    dash : str
        As Bokeh calls it.
    labels : list of str, optional
        What stands at each point, where ``x`` does not say it.
    joined : bool
        Whether a line joins the points.
    hollow : bool
        Whether points are open markers: where several lie on one another, each is seen.
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
    """Lines over layers, or over training sets.

    Parameters
    ----------
    lines : sequence of Curve
    x : str
        Label of the horizontal axis.
    y_range : pair of floats, optional
        Common to the figures that are compared.
    ticks : mapping of place to text, optional
        On the horizontal axis.
    learning : bool
        The horizontal axis is logarithmic, and the lines are coloured by their order, from light to
        dark, rather than by their style.
    logarithmic : pair of floats, optional
        The ends of a horizontal axis that is; the lines keep their style.
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
    """Draw a curve: its interval, the line through its points, and the points, returned."""
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
            # At one place later ones are narrower, and all let the ones behind them through.
            width = max(1.5, 10 - 1.5 * line.number) if line.hollow else 1.5
            interval = models.Segment(
                x0="x", x1="x", y0="low", y1="high", line_width=width, tags=tags,
                line_alpha=0.3 if line.hollow else 1,
            )  # fmt: skip
    source = models.ColumnDataSource(columns)
    if interval:
        # Below the points of all curves: no interval hides the point of another curve.
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
    """Names and numbers of the single layers."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


def rows_placed(rows: pd.DataFrame, places: Mapping[str, float]) -> tuple[pd.DataFrame, pd.Series]:
    """The rows of the layer choices that have a place, by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    return kept, kept["place"]


def of_metric(
    rows: pd.DataFrame, metric: str, places: Mapping[str, float], of: str = "", **look: Any
) -> Curve:
    """A metric over layer choices, with its interval."""
    kept, x = rows_placed(rows, places)
    labels = [f"layer {text}{of}" if text.isdigit() else text for text in kept["layers"]]
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
    """A column of some rows as a curve, with the columns of its interval if it has ``bounds``."""
    low, high = (rounded(rows[f"{y}_{end}"], scale) if bounds else None for end in ("low", "high"))
    places, said = [float(place) for place in x], None if labels is None else list(labels)
    return Curve(x=places, y=rounded(rows[y], scale), low=low, high=high, labels=said, **look)


def rounded(values: Iterable[float], scale: float = 100) -> list[float]:
    """Fractions in percent, or values as they are at a scale of 1."""
    return [round(float(value) * scale, 4) for value in values]


def common_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """The percents that hold all of some curves and their intervals."""
    return percent_range([v for of in curves for v in (*(of.low or of.y), *(of.high or of.y))])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Of an axis in percent: whole fives around what is shown."""
    if not values:
        return 0.0, 100.0
    low, high = np.floor(min(values) / 5) * 5, np.ceil(max(values) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
