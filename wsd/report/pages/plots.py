"""The Bokeh plots of the pages, as JSON for the page's script, which fills in data and colours.

A plot names its colours by the style sheet's variables (in ``tags``), so that one rule sets
them for light and for dark pages. Nothing here uses ``CustomJS``: the pages forbid ``eval``.
"""

import re
from typing import Any

from bokeh import models
from bokeh.embed import json_item
from bokeh.model import Model
from bokeh.plotting import figure
from bokeh.themes import Theme

from wsd.report import series

# Marker of sense i, and with it its outline in a box of 20 by 20 for the legend.
MARKERS = {name: outline for name, (outline, _) in series.MARKERS.items()}
COLOURS = len(series.COLOURS)
# Steps of the shades that stand for confidence, and for layers.
RAMP = 8
# What a point's colour may say instead of its gold sense: tone and the style sheet's variable.
TONES = {tone: f"--tone-{tone}" for tone in ("right", "wrong", "train", "test")}
TONES |= {f"ramp-{step}": f"--ramp-{step}" for step in range(RAMP)}
METHODS = {"pca": "PCA", "discriminant": "LDA", "tsne": "t-SNE"}
_ID = re.compile(r"p[0-9]+")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"


def sense_style(sense: int) -> tuple[int, str]:
    """Number of the colour and name of the marker of one sense."""
    return series.style_of(sense)


def new_plot(**options: Any) -> Any:
    """A plot without data, in the style of the pages."""
    plot = figure(toolbar_location="above", background_fill_alpha=0, border_fill_alpha=0, **options)
    plot.toolbar.logo = None
    # Without a name for the file Bokeh stops the page with a question.
    plot.add_tools(models.SaveTool(name="save", filename="plot"))
    plot.outline_line_color = None
    plot.min_border = 0
    texts = {"axis_label_text_color": "--ink", "major_label_text_color": "--ink-2"}
    for axis in plot.axis:
        axis.update(
            axis_label_text_font=FONT,
            axis_label_text_font_style="normal",
            axis_label_text_font_size="13px",
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            minor_tick_line_color=None,
            tags=[{**texts, "axis_line_color": "--rule-2", "major_tick_line_color": "--rule-2"}],
        )
    for grid in plot.grid:
        grid.tags = [{"grid_line_color": "--rule"}]
    return plot


def plot_json(plot: Model) -> dict[str, Any]:
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


def point_size(n: int) -> int:
    """Diameter of a test instance's marker, in pixels, for a word with ``n`` instances."""
    return 10 if n < 400 else 8 if n < 1500 else 7 if n < 4000 else 6


def word_plot(n_senses: int, n: int) -> dict[str, Any]:
    """The picture of one word, without data.

    The page's script fills the source ``points`` (columns x, y, sense, tone, size, fill, edge), the
    source ``errors`` (x, y, row), ``centroids`` (x, y, sense), ``pinned`` and ``hovered`` (x, y).
    One renderer draws all instances, so that one tooltip at a time is shown. The marker is the gold
    sense's; the colour is that of ``tone``: a sense's number, or one of ``TONES``.

    Parameters
    ----------
    n_senses, n : int
        Number of senses, and of instances.

    Returns
    -------
    dict
        What ``Bokeh.embed.embed_item`` takes.
    """
    plot = new_plot(
        tools="pan,wheel_zoom,box_select,lasso_select,box_zoom,zoom_in,zoom_out,reset",
        active_drag="pan",
        sizing_mode="stretch_both",
        match_aspect=True,
        x_range=models.DataRange1d(range_padding=0.06),
        y_range=models.DataRange1d(range_padding=0.06),
        lod_threshold=None,
    )
    codes = [str(sense) for sense in range(n_senses)]
    styles = [sense_style(sense) for sense in range(n_senses)]
    colours = models.CategoricalColorMapper(
        factors=[*codes, *TONES],
        palette=["gray"] * (n_senses + len(TONES)),
        name="colours",
        tags=[{"palette": [*(f"--sense-{colour}" for colour, _ in styles), *TONES.values()]}],
    )
    shapes: list[Any] = [marker for _, marker in styles]
    of_sense: Any = {
        "field": "sense",
        "transform": models.CategoricalMarkerMapper(factors=codes, markers=shapes),
    }
    of_tone: Any = {"field": "tone", "transform": colours}
    drawn = plot.add_glyph(
        _no_rows("points", "x", "y", "sense", "tone", "size", "fill", "edge"),
        models.Scatter(
            x="x",
            y="y",
            size="size",
            marker=of_sense,
            line_color=of_tone,
            fill_color=of_tone,
            fill_alpha="fill",
            # An outline costs more than all else: those that are filled have none.
            line_alpha="edge",
            line_width=1 if n < 1500 else 0.8,
            hit_dilation=1.5,
        ),
        view=models.CDSView(filter=models.BooleanFilter(name="shown")),
        name="instances",
    )
    drawn.nonselection_glyph = drawn.glyph.clone(fill_alpha=0.06, line_alpha=0.15)
    drawn.selection_glyph = drawn.muted_glyph = None
    hollow = {"marker": "circle", "fill_alpha": 0}
    of_centre = {"marker": of_sense, "fill_color": {"field": "sense", "transform": colours}}
    # Where there are many, large marks would hide the instances.
    ring, centre = 7 if n < 1500 else 5, 12 if n_senses <= COLOURS else 5
    for name, source, larger, width, colour, look in (
        (
            "rings",
            _no_rows("errors", "x", "y", "row"),
            ring,
            2 if n < 1500 else 1.5,
            "--error-mark",
            hollow,
        ),
        (
            "centres",
            _no_rows("centroids", "x", "y", "sense"),
            centre,
            2.5,
            "--error-mark",
            of_centre,
        ),
        ("pin", _no_rows("pinned", "x", "y"), 16, 3, "--accent", hollow),
        ("same", _no_rows("hovered", "x", "y"), 16, 1.5, "--accent", hollow),
    ):
        tags = [{"line_color": colour}]
        size = point_size(n) + larger
        glyph = models.Scatter(x="x", y="y", size=size, line_width=width, tags=tags, **look)
        over = plot.add_glyph(source, glyph, name=name)
        over.nonselection_glyph = over.selection_glyph = over.muted_glyph = None
    for tool in plot.select({"type": (models.BoxSelectTool, models.LassoSelectTool)}):
        tool.continuous = False
        tool.renderers = [drawn]
    plot.add_tools(models.HoverTool(renderers=[drawn], tooltips=None, name="hover"))
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return plot_json(plot)


def _no_rows(name: str, *columns: str) -> models.ColumnDataSource:
    return models.ColumnDataSource({column: [] for column in columns}, name=name)
