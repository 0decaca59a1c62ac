"""The Bokeh figures, as JSON for the page's script, which fills in data and colours.

A figure names its colours by the style sheet's variables (in ``tags``), so that one rule sets
them for light and for dark pages. Nothing here uses ``CustomJS``: the pages forbid ``eval``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.models import (
    BooleanFilter,
    CategoricalColorMapper,
    CategoricalMarkerMapper,
    CDSView,
    ColumnDataSource,
    DataRange1d,
    FixedTicker,
    HoverTool,
    Range1d,
    SaveTool,
    Scatter,
)
from bokeh.plotting import figure
from bokeh.themes import Theme

# Marker of sense i, and with it its outline in a box of 20 by 20 for the legend.
MARKERS = {
    "circle": "M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16z",
    "triangle": "M10 2L19 17H1z",
    "square": "M3 3H17V17H3z",
    "diamond": "M10 1L17 10L10 19L3 10z",
    "inverted_triangle": "M10 18L1 3H19z",
    "star": "M10 1L12.2 7.3H19L13.6 11.2L15.6 17.6L10 13.7L4.4 17.6L6.4 11.2L1 7.3H7.8z",
    "plus": "M7.2 1.5H12.8V7.2H18.5V12.8H12.8V18.5H7.2V12.8H1.5V7.2H7.2z",
    "hex": "M19 10L14.5 2.2H5.5L1 10L5.5 17.8H14.5z",
    "square_pin": "M1 1Q10 6 19 1Q14 10 19 19Q10 14 1 19Q6 10 1 1z",
    "triangle_pin": "M10 1Q11.5 9.5 19 17Q10 14 1 17Q8.5 9.5 10 1z",
}
COLOURS = 10
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
DASHES = ("solid", "dashed", "dotted", "dashdot")


def sense_style(sense: int) -> tuple[int, str]:
    """Number of the colour and name of the marker of one sense; no two of a hundred are alike."""
    names = list(MARKERS)
    return sense % COLOURS, names[(sense + sense // COLOURS) % len(names)]


def point_size(n: int) -> int:
    """Diameter of a test instance's marker, in pixels, for a word with ``n`` instances."""
    return 10 if n < 400 else 8 if n < 1500 else 7 if n < 4000 else 6


def scatter(n_senses: int, n: int) -> dict[str, Any]:
    """The picture of one word, without data.

    The page's script fills the source ``points`` (columns x, y, sense, size, fill) and the
    source ``errors`` (x, y, row). One renderer draws all instances, so that one tooltip at a
    time is shown.

    Parameters
    ----------
    n_senses, n : int
        Number of senses, and of instances.

    Returns
    -------
    dict
        What ``Bokeh.embed.embed_item`` takes.
    """
    plot = _figure(
        tools="pan,wheel_zoom,box_zoom,zoom_in,zoom_out,reset",
        sizing_mode="stretch_both",
        match_aspect=True,
        x_range=DataRange1d(range_padding=0.06),
        y_range=DataRange1d(range_padding=0.06),
        lod_threshold=None,
    )
    codes = [str(sense) for sense in range(n_senses)]
    styles = [sense_style(sense) for sense in range(n_senses)]
    colours = CategoricalColorMapper(
        factors=codes,
        palette=["gray"] * n_senses,
        name="colours",
        tags=[{"palette": [f"--sense-{colour}" for colour, _ in styles]}],
    )
    shapes: list[Any] = [marker for _, marker in styles]
    markers = CategoricalMarkerMapper(factors=codes, markers=shapes)
    points = ColumnDataSource(
        {"x": [], "y": [], "sense": [], "size": [], "fill": []}, name="points"
    )
    drawn = plot.add_glyph(
        points,
        Scatter(
            x="x",
            y="y",
            size="size",
            marker={"field": "sense", "transform": markers},
            line_color={"field": "sense", "transform": colours},
            fill_color={"field": "sense", "transform": colours},
            fill_alpha="fill",
            line_alpha=0.8,
            line_width=1 if n < 1500 else 0.8,
            hit_dilation=1.5,
        ),
        view=CDSView(filter=BooleanFilter(name="shown")),
        name="instances",
    )
    drawn.nonselection_glyph = drawn.muted_glyph = None
    ring = Scatter(
        x="x",
        y="y",
        size=point_size(n) + 7,
        marker="circle",
        fill_alpha=0,
        line_width=2,
        tags=[{"line_color": "--error-mark"}],
    )
    errors = ColumnDataSource({"x": [], "y": [], "row": []}, name="errors")
    rings = plot.add_glyph(errors, ring, name="rings")
    rings.nonselection_glyph = rings.muted_glyph = None
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=None, name="hover"))
    plot.xaxis.axis_label, plot.yaxis.axis_label = "PC 1", "PC 2"
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return _item(plot)


@dataclass(frozen=True)
class Curve:
    """One line of a figure over single layers.

    Attributes
    ----------
    name : str
        Shown in the tooltip.
    layers : list of int
    values : list of float
        In percent.
    """

    name: str
    layers: list[int]
    values: list[float]


def curves(lines: Sequence[Curve], low: float, high: float) -> dict[str, Any]:
    """One metric over the single layers.

    Parameters
    ----------
    lines : sequence of Curve
        Line i has the colour, marker and dash of :func:`curve_style`.
    low, high : float
        Range of the vertical axis, in percent, common to the figures of one page.
    """
    last = max((layer for line in lines for layer in line.layers), default=1)
    plot = _figure(
        tools="",
        sizing_mode="stretch_both",
        x_range=Range1d(start=-0.3, end=last + 0.3),
        y_range=Range1d(start=low, end=high),
    )
    step = 1 if last <= 13 else 2
    plot.xaxis.ticker = FixedTicker(ticks=list(range(0, last + 1, step)))
    plot.xaxis.axis_label = "layer"
    drawn = []
    for i, line in enumerate(lines):
        colour, marker, dash = curve_style(i)
        source = ColumnDataSource(
            {"x": line.layers, "y": line.values, "name": [line.name] * len(line.layers)}
        )
        plot.line(
            "x",
            "y",
            source=source,
            line_width=2,
            line_dash=dash,
        ).glyph.tags = [{"line_color": f"--sense-{colour}"}]
        dots = plot.scatter("x", "y", source=source, size=8, marker=marker, name=f"curve-{i}")
        dots.glyph.tags = [{"line_color": f"--sense-{colour}", "fill_color": f"--sense-{colour}"}]
        drawn.append(dots)
    plot.add_tools(HoverTool(renderers=drawn, tooltips=None, name="hover"))
    return _item(plot)


def curve_style(line: int) -> tuple[int, str, str]:
    """Number of the colour, marker and dash of one line; hues repeat later than dashes."""
    colour, marker = sense_style(line)
    return colour, marker, DASHES[line % len(DASHES)]


def _figure(**options: Any) -> Any:
    plot = figure(toolbar_location="above", background_fill_alpha=0, border_fill_alpha=0, **options)
    plot.toolbar.logo = None
    # Without a name for the file Bokeh stops the page with a question.
    plot.add_tools(SaveTool(name="save", filename="plot"))
    plot.outline_line_color = None
    plot.min_border = 0
    for axis in plot.axis:
        axis.update(
            axis_label_text_font=FONT,
            axis_label_text_font_style="normal",
            axis_label_text_font_size="13px",
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            minor_tick_line_color=None,
            tags=[
                {
                    "axis_label_text_color": "--ink",
                    "major_label_text_color": "--ink-2",
                    "axis_line_color": "--rule-2",
                    "major_tick_line_color": "--rule-2",
                }
            ],
        )
    for grid in plot.grid:
        grid.tags = [{"grid_line_color": "--rule"}]
    return plot


def _item(plot: Model) -> dict[str, Any]:
    """A figure as JSON whose ids do not depend on what was built before it in this process."""
    numbers: dict[str, str] = {}

    def renumber(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: numbers.setdefault(entry, f"m{len(numbers)}")
                if key in ("id", "root_id") and isinstance(entry, str) and _ID.fullmatch(entry)
                else renumber(entry)
                for key, entry in value.items()
            }
        if isinstance(value, list):
            return [renumber(entry) for entry in value]
        return value

    # An explicit theme: the current document's is another program's business.
    return dict(renumber(json_item(plot, theme=Theme(json={}))))


_ID = re.compile(r"p[0-9]+")
