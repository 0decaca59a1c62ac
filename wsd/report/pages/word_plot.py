"""The picture of one word, without data."""

from typing import Any

from bokeh import models

from wsd.report.pages.plots import RAMP, new_plot, plot_json, sense_style

# What a point's colour may say instead of its gold sense: tone and the style sheet's variable.
TONES = {
    "right": "--tone-right",
    "wrong": "--tone-wrong",
    "train": "--tone-train",
    "test": "--tone-test",
    **{f"ramp-{step}": f"--ramp-{step}" for step in range(RAMP)},
}
METHODS = {"pca": "PCA", "tsne": "t-SNE"}


def point_size(n: int) -> int:
    """Diameter of a test instance's marker, in pixels, for a word with ``n`` instances."""
    return 10 if n < 400 else 8 if n < 1500 else 7 if n < 4000 else 6


def word_plot(n_senses: int, n: int) -> dict[str, Any]:
    """The picture of one word, without data.

    The page's script fills the source ``points`` (columns x, y, sense, tone, size, fill, edge), the
    source ``errors`` (x, y, row), ``centroids`` (x, y, sense) and ``pinned`` (x, y). One renderer
    draws all instances, so that one tooltip at a time is shown. The marker is the gold sense's;
    the colour is that of ``tone``: a sense's number, or one of ``TONES``.

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
    for name, source, larger, width, colour, look in (
        ("rings", _no_rows("errors", "x", "y", "row"), 7, 2, "--error-mark", hollow),
        ("centres", _no_rows("centroids", "x", "y", "sense"), 12, 2.5, "--error-mark", of_centre),
        ("pin", _no_rows("pinned", "x", "y"), 16, 3, "--accent", hollow),
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
