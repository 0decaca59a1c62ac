"""The plot of a word's page: its instances, centroids, errors and pins in a plane."""

from typing import Any

from bokeh import models

from wsd.report.pages.plots import TONES, new_plot, plot_json, point_size
from wsd.report.plot_colours import COLOURS, style_of


def word_plot(n_senses: int, n: int) -> dict[str, Any]:
    """Return the plot of one word, without data, as ``Bokeh.embed.embed_item`` takes it.

    The page's script fills the source ``points`` (columns x, y, sense, tone, size, fill, edge), the
    source ``errors`` (x, y, row), ``centroids`` (x, y, sense), ``pinned`` and ``hovered`` (x, y).
    A single renderer draws all instances, so that only one tooltip appears at a time. The marker
    shows the gold sense; the colour shows ``tone``: a sense's number, or a name of ``TONES``.

    Parameters
    ----------
    n_senses, n : int
        Number of senses, and of instances.
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
    marker, colours = _scales(n_senses)
    instances = _add_instances(plot, marker, {"field": "tone", "transform": colours}, n)
    circle = {"marker": "circle", "fill_alpha": 0}
    by_sense = {"field": "sense", "transform": colours}
    centroid = {"marker": marker, "fill_color": by_sense, "line_width": 2.5}
    ring, width = (5, 1.5) if n >= 1500 else (7, 2)
    # Large centroids of many senses would hide the instances.
    large = 12 if n_senses <= len(COLOURS) else 5
    size, error, accent = point_size(n), "--error-mark", "--accent"
    _mark(plot, "rings", error, "errors", "row", size=size + ring, line_width=width, **circle)
    _mark(plot, "centres", error, "centroids", "sense", size=size + large, **centroid)
    _mark(plot, "pin", accent, "pinned", size=size + 16, line_width=3, **circle)
    _mark(plot, "same", accent, "hovered", size=size + 16, line_width=1.5, **circle)
    for tool in plot.select({"type": (models.BoxSelectTool, models.LassoSelectTool)}):
        tool.continuous = False
        tool.renderers = [instances]
    plot.add_tools(models.HoverTool(renderers=[instances], tooltips=None, name="hover"))
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return plot_json(plot)


def _scales(n_senses: int) -> tuple[dict[str, Any], models.CategoricalColorMapper]:
    """Return the marker by sense, and the mapper of tones to colours.

    The page's script fills the mapper's palette from the style sheet.
    """
    senses = [str(sense) for sense in range(n_senses)]
    styles = [style_of(sense) for sense in range(n_senses)]
    markers: list[Any] = [marker for _, marker in styles]
    variables = [*(f"--sense-{colour}" for colour, _ in styles), *TONES.values()]
    colours = models.CategoricalColorMapper(
        factors=[*senses, *TONES],
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
    shown = models.CDSView(filter=models.BooleanFilter(name="shown"))
    instances = plot.add_glyph(source, glyph, view=shown, name="instances")
    instances.nonselection_glyph = instances.glyph.clone(fill_alpha=0.06, line_alpha=0.15)
    instances.selection_glyph = instances.muted_glyph = None
    return instances


def _mark(plot: Any, name: str, colour: str, source: str, *columns: str, **look: Any) -> None:
    """Add markers on top of the instances. They look the same whether selected or not."""
    glyph = models.Scatter(x="x", y="y", tags=[{"line_color": colour}], **look)
    mark = plot.add_glyph(_empty_source(source, "x", "y", *columns), glyph, name=name)
    mark.nonselection_glyph = mark.selection_glyph = mark.muted_glyph = None


def _empty_source(name: str, *columns: str) -> models.ColumnDataSource:
    return models.ColumnDataSource({column: [] for column in columns}, name=name)
