"""Bokeh plots of the pages, as JSON; the page's script fills in data and colours.

A plot names its colours by the style sheet's variables (in ``tags``), so that they fit light and
dark pages. No plot uses ``CustomJS``, because the pages forbid ``eval``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd
from bokeh import models
from bokeh.core.properties import value
from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.models.annotations import Label, Span
from bokeh.plotting import figure
from bokeh.themes import Theme

from wsd.report.pages.curves import COLOURS, Curve, Note, Places, point_at, style_of

# Number of shades for confidence, and for layers.
RAMP = 8
# Tones of points besides senses, with their variables of the style sheet.
TONES = {tone: f"--tone-{tone}" for tone in ("right", "wrong", "train", "test", "off")}
TONES |= {f"ramp-{step}": f"--ramp-{step}" for step in range(RAMP)}
METHODS = {"pca": "PCA", "discriminant": "LDA", "tsne": "t-SNE"}
# An id of Bokeh in JSON; quotes in texts are escaped, so that no text matches.
_ID = re.compile(r'("(?:id|root_id)": )"(p[0-9]+)"')
DASHES = ("solid", "dashed", "dotted")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"


def new_plot(**options: Any) -> Any:
    """Return a plot without data, in the style of the pages."""
    plot = figure(toolbar_location="above", background_fill_alpha=0, border_fill_alpha=0, **options)
    plot.toolbar.logo = None
    # Bokeh puts the last tool into a menu if the toolbar is as narrow as its tools.
    tools = options.get("tools", "").count(",") + 2
    plot.toolbar.stylesheets = [f":host {{ min-width: {33 * tools + 32}px; }}"]
    # Bokeh's own tool saves a plot without title and legend, and dark on a dark page.
    icon = ".bk-tool-icon-save"
    plot.add_tools(models.CustomAction(name="save", icon=icon, description="Save as PNG"))
    plot.outline_line_color = None
    plot.min_border = 0
    for axis in plot.axis:
        style_axis(axis, {"axis_line_color": "--rule-2", "major_tick_line_color": "--rule-2"})
    for grid in plot.grid:
        grid.tags = [{"grid_line_color": "--rule"}]
    return plot


def style_axis(axis: Any, lines: Mapping[str, str]) -> None:
    """Give the texts of an axis the style of the pages, and its lines these colours."""
    texts = {"axis_label_text_color": "--ink", "major_label_text_color": "--ink-2"}
    axis.update(
        axis_label_text_font=FONT,
        axis_label_text_font_style="normal",
        axis_label_text_font_size="13px",
        major_label_text_font=FONT,
        major_label_text_font_size="12px",
        # A label that would collide with another is left out.
        major_label_policy=models.NoOverlap(),
        minor_tick_line_color=None,
        tags=[{**texts, **lines}],
    )


def plot_json(plot: Model) -> dict[str, Any]:
    """Return a plot as JSON whose ids do not depend on earlier plots of this process."""
    numbers: dict[str, str] = {}

    def renumbered(match: re.Match[str]) -> str:
        return f'{match[1]}"{numbers.setdefault(match[2], f"m{len(numbers)}")}"'

    # An explicit theme: the theme of the current document may be anything.
    text = json.dumps(json_item(plot, theme=Theme(json={})))
    return dict(json.loads(_ID.sub(renumbered, text)))


def point_size(n: int) -> int:
    """Return the diameter of a test instance's marker in pixels, for a word with n instances."""
    return 10 if n < 400 else 8 if n < 1500 else 7 if n < 4000 else 6


def plot_of(lines: Sequence[Curve], **options: Any) -> dict[str, Any]:
    """Return the plot of :func:`draw` as JSON."""
    return plot_json(draw(lines, **options))


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
    options: dict[str, Any] = {"x_range": x_range, "y_range": y_range}
    options = {name: models.Range1d(*ends) for name, ends in options.items() if ends}
    if logarithmic:
        options["x_axis_type"] = "log"
    plot = new_plot(tools="pan,wheel_zoom,reset", sizing_mode="stretch_both", **options)
    # A plot moves only after a tool is chosen, so that a page scrolls over it.
    plot.toolbar.active_drag = plot.toolbar.active_scroll = None
    ticks, names = dict(ticks or {}), dict(names or {})
    if ticks or names:
        plot.xaxis.ticker = models.FixedTicker(ticks=sorted([*ticks, *names]))
        plot.xaxis.major_label_overrides = {**ticks, **dict.fromkeys(names, " ")}
    if names:
        below = models.LinearAxis(name="names", axis_line_color=None, major_tick_line_color=None)
        below.update(major_label_orientation="vertical", major_label_standoff=0, major_tick_out=0)
        ticker = models.FixedTicker(ticks=sorted(names))
        below.update(ticker=ticker, major_label_overrides=names)
        style_axis(below, {})
        plot.add_layout(below, "below")
    plot.xaxis[-1].axis_label, plot.yaxis.axis_label = x, y
    # The last curve of a name counts: its combinations, if there are any.
    at_right = {x.name: (x.y[-1], x.name, f"--sense-{style_of(x.style)[0]}") for x in lines if x.y}
    for name, level in (levels or {}).items():
        rule = Span(location=level, dimension="width", line_dash="dashed", line_width=1.5)
        rule.tags = [{"line_color": "--ink-2"}]
        plot.add_layout(rule)
        text = f"{name} {level:.{level_digits}f}"
        at_right[name] = (level, text, "--ink-2")
        if not named:
            # Above the rule, unless the plot ends there.
            low, high = y_range or (0.0, float("inf"))
            baseline = "top" if level > high - 0.1 * (high - low) else "bottom"
            notes = [*notes, Note(plot.x_range.end, level, text, "right", baseline=baseline)]
    look: dict[str, Any] = {"text_font": FONT, "text_font_size": "12px"}
    for y_end, text, colour in at_right.values() if named else ():
        # To the right of the field, where Bokeh's own labels are clipped.
        place = {**look, "x_offset": 8, "text_baseline": "middle", "text_font": value(FONT)}
        end = plot.text([plot.x_range.end], [y_end], [text], y_offset=0, **place)
        end.update(name="end", level="annotation")
        end.data_source.name = "end"
        end.glyph.tags = [{"text_color": colour}]
    for note in notes:
        place = {"text_align": note.align, "text_baseline": note.baseline}
        label = Label(x=note.x, y=note.y, text=note.text, **look, **place)
        label.tags = [{"text_color": note.colour}]
        plot.add_layout(label)
    dots = []
    for i, line in enumerate(lines):
        step = round(i / max(1, len(lines) - 1) * (RAMP - 1))
        colour = f"--ramp-{step}" if ramp else f"--sense-{style_of(line.style)[0]}"
        dots.append(_draw(plot, line, colour))
    if ring:
        circle = plot.scatter([ring[0]], [ring[1]], size=20, fill_alpha=0, line_width=2)
        circle.glyph.tags = [{"line_color": "--ink"}]
        circle.data_source.name = "ring"
    # The page shows tooltips at these points.
    plot.add_tools(models.HoverTool(renderers=dots, tooltips=None, name="hover", visible=False))
    return plot


def _draw(plot: Any, line: Curve, colour: str) -> Any:
    """Draw a curve's interval, line and points, and return the renderer of the points."""
    name, tags = f"line-{line.name}", [{"line_color": colour}]
    columns: dict[str, Any] = {"x": line.x, "y": line.y, "text": line.tooltips}
    if has_interval := line.low is not None:
        columns |= {"low": line.low, "high": line.high}
    source = models.ColumnDataSource(columns, name=name)
    if has_interval:
        fill = [{"fill_color": colour}]
        area = models.VArea(x="x", y1="low", y2="high", fill_alpha=0.13, tags=fill)
        bars = models.Segment(x0="x", x1="x", y0="low", y1="high", line_width=1.5, tags=tags)
        plot.add_glyph(source, area if line.joined else bars, name=name)
    if line.joined:
        joint = plot.line("x", "y", source=source, line_width=2, line_dash=line.dash, name=name)
        joint.glyph.tags = tags
    marker = style_of(line.style)[1]
    dots = plot.scatter("x", "y", source=source, marker=marker, name=name, size=8)
    dots.glyph.tags = [{"line_color": colour, "fill_color": colour}]
    return dots


def word_plot(n_senses: int, n: int, n_values: int = 0) -> dict[str, Any]:
    """Return the plot of one word, without data, as ``Bokeh.embed.embed_item`` takes it.

    The page's script fills the source ``points`` (columns x, y, sense, tone, size, fill, edge), the
    source ``errors`` (x, y, row, tone), ``centroids`` (x, y, sense, name, offset), ``pinned``
    (x, y), and ``added`` for new sentences (x, y, tone, name, offset). A single renderer draws all
    instances, so that only one tooltip appears at a time. The marker shows the gold sense; the
    colour shows ``tone``: a sense's number, a name of ``TONES``, or
    ``value-0``, … for the values of an extra column.

    Parameters
    ----------
    n_senses, n : int
        Number of senses, and of instances.
    n_values : int
        Number of colours for the values of extra columns.
    """
    plot = new_plot(
        tools="pan,wheel_zoom,lasso_select,box_zoom,zoom_in,zoom_out,reset",
        active_drag="pan",
        sizing_mode="stretch_both",
        match_aspect=True,
        x_range=models.DataRange1d(range_padding=0.06),
        y_range=models.DataRange1d(range_padding=0.06),
        lod_threshold=None,
    )

    def source(name: str, *columns: str) -> models.ColumnDataSource:
        return models.ColumnDataSource({column: [] for column in ("x", "y", *columns)}, name=name)

    def add(name: str, data: models.ColumnDataSource, glyph: Any) -> Any:
        """Add a glyph that looks the same whether selected or not: the page's script greys out."""
        renderer = plot.add_glyph(data, glyph, name=name)
        renderer.nonselection_glyph = renderer.selection_glyph = renderer.muted_glyph = None
        return renderer

    def mark(name: str, data: models.ColumnDataSource, colour: str, **look: Any) -> None:
        tags = [{"line_color": colour}] if colour else []
        add(name, data, models.Scatter(x="x", y="y", tags=tags, **look))

    def label(name: str, data: models.ColumnDataSource) -> None:
        text = models.Text(x="x", y="y", text="name", y_offset="offset", text_font=value(FONT))
        text.update(text_align="center", text_baseline="middle", text_font_size="13px")
        text.update(text_font_style="bold", padding=3, border_radius=4, background_fill_alpha=0.8)
        text.tags = [{"text_color": "--ink", "background_fill_color": "--surface"}]
        add(name, data, text)

    senses, styles = [str(i) for i in range(n_senses)], [style_of(i) for i in range(n_senses)]
    tones = TONES | {f"value-{i}": f"--value-{i}" for i in range(n_values)}
    variables = [*(f"--sense-{colour}" for colour, _ in styles), *tones.values()]
    markers: list[Any] = [marker for _, marker in styles]
    by_sense = models.CategoricalMarkerMapper(factors=senses, markers=markers)
    # The page's script fills the palette from the style sheet.
    colours = models.CategoricalColorMapper(
        factors=[*senses, *tones],
        palette=["gray"] * len(variables),
        name="colours",
        tags=[{"palette": variables}],
    )
    marker = {"field": "sense", "transform": by_sense}
    gold, predicted = ({"field": name, "transform": colours} for name in ("sense", "tone"))
    # Outlines are slow to draw: filled markers have none.
    look: dict[str, Any] = {"line_alpha": "edge", "line_width": 1 if n < 1500 else 0.8}
    look |= {"marker": marker, "line_color": predicted, "fill_color": predicted}
    glyph = models.Scatter(x="x", y="y", size="size", fill_alpha="fill", hit_dilation=1.5, **look)
    points = source("points", "sense", "tone", "size", "fill", "edge")
    instances = add("instances", points, glyph)
    circle: dict[str, Any] = {"marker": "circle", "fill_alpha": 0}
    ring, width = (5, 1.5) if n >= 1500 else (7, 2)
    # Large centroids of many senses would hide the instances.
    large = 12 if n_senses <= len(COLOURS) else 5
    size = point_size(n)
    # An error's ring has the colour of the predicted sense, on a halo that sets it off.
    errors, circled = source("errors", "row", "tone"), {"size": size + ring, **circle}
    mark("halos", errors, "--surface", line_width=width + 3, line_alpha=0.9, **circled)
    mark("rings", errors, "", line_width=width, line_color=predicted, **circled)
    centroids = source("centroids", "sense", "name", "offset")
    centroid: dict[str, Any] = {"marker": marker, "fill_color": gold, "line_width": 2.5}
    mark("centres", centroids, "--error-mark", size=size + large, **centroid)
    label("labels", centroids)
    # New sentences, on a copy of the page.
    added, star = source("added", "tone", "name", "offset"), {"marker": "star", "line_width": 1.5}
    mark("stars", added, "--ink", size=size + 16, fill_color=predicted, **star)
    label("star-labels", added)
    mark("pin", source("pinned"), "--accent", size=size + 16, line_width=3, **circle)
    lasso = plot.select_one({"type": models.LassoSelectTool})
    lasso.update(continuous=False, renderers=[instances])
    hover = models.HoverTool(renderers=[instances], tooltips=None, name="hover", visible=False)
    plot.add_tools(hover)
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return plot_json(plot)
