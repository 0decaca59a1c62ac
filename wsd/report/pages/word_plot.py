"""The plot of a word's page: its instances, centroids, errors and pins in a plane."""

from typing import Any

from bokeh import models
from bokeh.core.properties import value

from wsd.report.pages.plots import FONT, TONES, new_plot, plot_json, point_size
from wsd.report.plot_colours import COLOURS, style_of


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
    marker, colours = _scales(n_senses, n_values)
    predicted = {"field": "tone", "transform": colours}
    instances = _add_instances(plot, marker, predicted, n)
    circle: dict[str, Any] = {"marker": "circle", "fill_alpha": 0}
    by_sense = {"field": "sense", "transform": colours}
    centroid = {"marker": marker, "fill_color": by_sense, "line_width": 2.5}
    ring, width = (5, 1.5) if n >= 1500 else (7, 2)
    # Large centroids of many senses would hide the instances.
    large = 12 if n_senses <= len(COLOURS) else 5
    size, error, accent = point_size(n), "--error-mark", "--accent"
    # An error's ring has the colour of the predicted sense, on a halo that sets it off.
    errors = _empty_source("errors", "x", "y", "row", "tone")
    circled = {"size": size + ring, **circle}
    _mark(plot, "halos", "--surface", errors, line_width=width + 3, line_alpha=0.9, **circled)
    _mark(plot, "rings", None, errors, line_width=width, line_color=predicted, **circled)
    centroids = _empty_source("centroids", "x", "y", "sense", "name", "offset")
    _mark(plot, "centres", error, centroids, size=size + large, **centroid)
    _add_labels(plot, centroids, "labels")
    # New sentences, on a copy of the page.
    added = _empty_source("added", "x", "y", "tone", "name", "offset")
    star = {"marker": "star", "size": size + 16, "line_width": 1.5, "fill_color": predicted}
    _mark(plot, "stars", "--ink", added, **star)
    _add_labels(plot, added, "star-labels")
    pinned = _empty_source("pinned", "x", "y")
    _mark(plot, "pin", accent, pinned, size=size + 16, line_width=3, **circle)
    lasso = plot.select_one({"type": models.LassoSelectTool})
    lasso.update(continuous=False, renderers=[instances])
    hover = models.HoverTool(renderers=[instances], tooltips=None, name="hover", visible=False)
    plot.add_tools(hover)
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return plot_json(plot)


def _scales(n_senses: int, n_values: int) -> tuple[dict[str, Any], models.CategoricalColorMapper]:
    """Return the marker by sense, and the mapper of tones to colours.

    The page's script fills the mapper's palette from the style sheet.
    """
    senses = [str(sense) for sense in range(n_senses)]
    styles = [style_of(sense) for sense in range(n_senses)]
    markers: list[Any] = [marker for _, marker in styles]
    tones = TONES | {f"value-{value}": f"--value-{value}" for value in range(n_values)}
    variables = [*(f"--sense-{colour}" for colour, _ in styles), *tones.values()]
    colours = models.CategoricalColorMapper(
        factors=[*senses, *tones],
        palette=["gray"] * len(variables),
        name="colours",
        tags=[{"palette": variables}],
    )
    mapper = models.CategoricalMarkerMapper(factors=senses, markers=markers)
    return {"field": "sense", "transform": mapper}, colours


def _add_instances(plot: Any, marker: Any, colour: Any, n: int) -> Any:
    glyph = models.Scatter(
        x="x",
        y="y",
        size="size",
        marker=marker,
        line_color=colour,
        fill_color=colour,
        fill_alpha="fill",
        # Outlines are slow to draw: filled markers have none.
        line_alpha="edge",
        line_width=1 if n < 1500 else 0.8,
        hit_dilation=1.5,
    )
    source = _empty_source("points", "x", "y", "sense", "tone", "size", "fill", "edge")
    instances = plot.add_glyph(source, glyph, name="instances")
    # The page's script makes other instances grey.
    _unselectable(instances)
    return instances


def _mark(
    plot: Any, name: str, colour: str | None, source: models.ColumnDataSource, **look: Any
) -> None:
    """Add markers on top of the instances, outlined in a colour of the style sheet."""
    glyph = models.Scatter(x="x", y="y", tags=[{"line_color": colour}] if colour else [], **look)
    _unselectable(plot.add_glyph(source, glyph, name=name))


def _add_labels(plot: Any, source: models.ColumnDataSource, name: str) -> None:
    text = models.Text(
        x="x",
        y="y",
        text="name",
        y_offset="offset",
        text_align="center",
        text_baseline="middle",
        text_font=value(FONT),
        text_font_size="13px",
        text_font_style="bold",
        background_fill_alpha=0.8,
        tags=[{"text_color": "--ink", "background_fill_color": "--surface"}],
    )
    # Bokeh's type hints of these two take no plain numbers.
    text.update(padding=3, border_radius=4)
    _unselectable(plot.add_glyph(source, text, name=name))


def _unselectable(renderer: Any) -> None:
    """Let a renderer look the same whether selected or not."""
    renderer.nonselection_glyph = renderer.selection_glyph = renderer.muted_glyph = None


def _empty_source(name: str, *columns: str) -> models.ColumnDataSource:
    return models.ColumnDataSource({column: [] for column in columns}, name=name)
