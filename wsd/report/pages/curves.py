"""Plots of lines over layers or training sets, from the columns of a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bokeh import models
from bokeh.core.properties import value
from bokeh.models.annotations import Label, Span

from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.plots import FONT, RAMP, new_plot, plot_json, style_axis
from wsd.report.plot_colours import style_of

DASHES = ("solid", "dashed", "dotted")


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
    """A text at a place of a plot, ``offset`` pixels to the right of it."""

    x: float
    y: float
    text: str
    align: str = "center"
    baseline: str = "middle"
    offset: int = 0
    colour: str = "--ink-2"
    name: str | None = None


def plot_of(lines: Sequence[Curve], **options: Any) -> dict[str, Any]:
    """Return the plot of :func:`draw` as JSON."""
    return plot_json(draw(lines, **options))


def draw(
    lines: Sequence[Curve],
    *,
    x: str,
    y: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    ticks: Mapping[float, str] | None = None,
    names: Mapping[float, str] | None = None,
    levels: Mapping[str, float] | None = None,
    notes: Sequence[Note] = (),
    logarithmic: bool = False,
    ramp: bool = False,
    ring: tuple[float, float] | None = None,
    named: bool = False,
    level_digits: int = 1,
) -> Any:
    """Plot lines over layers or training sets.

    Parameters
    ----------
    lines : sequence of Curve
    x, y : str
        Labels of the axes.
    x_range, y_range : pair of floats, optional
        The ends of the axes. Plots that are compared have the same ``y_range``.
    ticks : mapping of place to text, optional
        On the horizontal axis.
    names : mapping of place to text, optional
        Long names on the horizontal axis, below the ticks. They are vertical; the page's script
        writes them horizontally where there is room.
    levels : mapping of name to value, optional
        Scores without layers: labelled horizontal lines.
    notes : sequence of Note
        Texts in the plot.
    logarithmic : bool
        Whether the horizontal axis is logarithmic.
    ramp : bool
        Whether the order of the lines determines their colours, from light to dark.
    ring : pair of floats, optional
        The place of a ring around a point.
    named : bool
        Whether the names of lines and levels are at the right of the plot. The page's script moves
        these labels apart.
    level_digits : int
        Digits after the point of the levels' values.
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
    plot = _still_plot(**options)
    ticks, names = dict(ticks or {}), dict(names or {})
    if ticks or names:
        plot.xaxis.ticker = models.FixedTicker(ticks=sorted([*ticks, *names]))
        plot.xaxis.major_label_overrides = {**ticks, **dict.fromkeys(names, " ")}
    if names:
        below = models.LinearAxis(name="names", axis_line_color=None, major_tick_line_color=None)
        below.update(
            ticker=models.FixedTicker(ticks=sorted(names)),
            major_label_overrides=names,
            major_label_orientation="vertical",
            major_label_standoff=0,
            major_tick_out=0,
        )
        style_axis(below, {})
        plot.add_layout(below, "below")
    plot.xaxis[-1].axis_label, plot.yaxis.axis_label = x, y
    # The last curve of a name counts: its combinations, if there are any.
    at_right = {
        line.name: (line.y[-1], line.name, f"--sense-{style_of(line.style)[0]}")
        for line in lines
        if line.y
    }
    for name, level in (levels or {}).items():
        rule = Span(location=level, dimension="width", line_dash="dashed", line_width=1.5)
        rule.tags = [{"line_color": "--ink-2"}]
        plot.add_layout(rule)
        text = f"{name} {level:.{level_digits}f}"
        at_right[name] = (level, text, "--ink-2")
        if not named:
            notes = [*notes, Note(plot.x_range.end, level, text, "right", baseline="bottom")]
    if named:
        for label in at_right.values():
            _write_at_right(plot, *label)
    for note in notes:
        _write(plot, note)
    dots = []
    for i, line in enumerate(lines):
        step = round(i / max(1, len(lines) - 1) * (RAMP - 1))
        colour = f"--ramp-{step}" if ramp else f"--sense-{style_of(line.style)[0]}"
        dots.append(_draw(plot, line, colour))
    if ring:
        circle = plot.scatter([ring[0]], [ring[1]], size=20, fill_alpha=0, line_width=2)
        circle.glyph.tags = [{"line_color": "--ink"}]
        circle.data_source.name = "ring"
    _add_tips(plot, dots)
    return plot


def _still_plot(**options: Any) -> Any:
    """Return a plot that moves only after a tool is chosen, so that a page scrolls over it."""
    plot = new_plot(tools="pan,wheel_zoom,reset", sizing_mode="stretch_both", **options)
    plot.toolbar.active_drag = plot.toolbar.active_scroll = None
    return plot


def _add_tips(plot: Any, dots: list[Any]) -> None:
    """Let the page show tooltips at these points."""
    plot.add_tools(models.HoverTool(renderers=dots, tooltips=None, name="hover", visible=False))


def _write(plot: Any, note: Note) -> None:
    place: dict[str, Any] = {"x": note.x, "y": note.y, "x_offset": note.offset}
    look: dict[str, Any] = {"text_align": note.align, "text_baseline": note.baseline}
    label = Label(**place, **look, text=note.text, name=note.name)
    label.update(text_font=FONT, text_font_size="12px", tags=[{"text_color": note.colour}])
    plot.add_layout(label)


def _write_at_right(plot: Any, y: float, text: str, colour: str) -> None:
    """Write a text to the right of the field, where Bokeh's own labels are clipped."""
    look: dict[str, Any] = {"text_font": value(FONT), "text_font_size": "12px"}
    place: dict[str, Any] = {"x_offset": 8, "y_offset": 0, "text_baseline": "middle"}
    label = plot.text([plot.x_range.end], [y], [text], **place, **look)
    label.update(name="end", level="annotation")
    label.data_source.name = "end"
    label.glyph.tags = [{"text_color": colour}]


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
            interval = models.Segment(
                x0="x", x1="x", y0="low", y1="high", line_width=1.5, tags=tags
            )
        plot.add_glyph(source, interval, name=name)
    if line.joined:
        joint = plot.line("x", "y", source=source, line_width=2, line_dash=line.dash, name=name)
        joint.glyph.tags = tags
    marker = style_of(line.style)[1]
    dots = plot.scatter("x", "y", source=source, marker=marker, name=name, size=8)
    dots.glyph.tags = [{"line_color": colour, "fill_color": colour}]
    return dots


def single_layers(choices: Sequence[LayerChoice]) -> dict[str, float]:
    """Return the number of each single layer by name."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


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
    ) -> list["Curve"]:
        """Return a metric as a line of single layers, and as points at the combinations."""
        return [
            over_layers(rows, metric, self.singles, dash=dash, **look),
            over_layers(rows, metric, self.combined, joined=False, **look),
        ]

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
    lines: list[Curve] = []
    for i, (name, table) in enumerate(tables.items()):
        look: dict[str, Any] = {"name": name, "style": i, "scale": scale}
        lines += places.lines(table, "value", dash=DASHES[i % len(DASHES)], **look)
    ring = point_at(lines, chosen[0], places, chosen[1]) if chosen else None
    return plot_of(lines, **places.axis, ring=ring, named=True, **options)


def point_at(
    lines: Iterable[Curve], name: str, places: Places, layers: str
) -> tuple[float, float] | None:
    """Return the point of a layer choice in the curves with a name, if they have it."""
    place = {**places.singles, **places.combined}.get(layers)
    points = (
        point
        for line in lines
        if line.name == name
        for point in zip(line.x, line.y, strict=True)
        if point[0] == place
    )
    return next(points, None)


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
    bounds = [(curve.low or curve.y, curve.high or curve.y) for curve in curves]
    return percent_range([*levels, *(value for low, high in bounds for value in (*low, *high))])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis in percent, multiples of five around the finite values."""
    finite = [value for value in values if np.isfinite(value)]
    if not finite:
        return 0.0, 100.0
    low, high = np.floor(min(finite) / 5) * 5, np.ceil(max(finite) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
