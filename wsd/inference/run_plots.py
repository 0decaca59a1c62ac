"""Draw the scores of a run over layers, and a word's instances in a plane, for notebooks.

The figures have the form and the colours of the report's pages. They are plain Bokeh figures:
``bokeh.io.show`` and ``bokeh.io.save`` take them. As the last value of a notebook's cell they show
themselves, in a frame that holds everything it needs, so that no network is asked.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from bokeh import models
from bokeh.embed import file_html
from bokeh.models.annotations import Legend, LegendItem
from bokeh.resources import Resources
from markupsafe import escape

from wsd.artifacts.column_names import BASELINE
from wsd.artifacts.predictions import TEST
from wsd.report.pages import curves
from wsd.report.pages.curves import COLOURS, RAMP, classifier_numbers, style_of
from wsd.report.pages.model_notes import BASELINES
from wsd.report.pages.plots import METHODS, draw, new_plot, point_size
from wsd.report.tables import METRICS

# The colours of the style sheet on light pages, by variable.
VARIABLES = {
    **{f"--sense-{number}": colour for number, colour in enumerate(COLOURS)},
    **{f"--ramp-{number}": colour for number, colour in enumerate(RAMP)},
    **{"--ink": "#1c2126", "--ink-2": "#535c66", "--rule": "#e3e5e3", "--rule-2": "#a9b0b6"},
}
WIDTH, HEIGHT = 760, 460
TIP = '<div style="max-width: 26em; white-space: pre-line">{}</div>'
OF_WORD = TIP.format("<b>@sense</b>, predicted: @predicted\n@split @index\n@sentence")


def layers_figure(rows: pd.DataFrame, comparison: pd.DataFrame, metric: str) -> Any:
    """Draw a metric over the layers, with a line per model and classifier.

    Lines join single layers; combinations of layers follow as points. Bands and bars are 95%
    confidence intervals. Dashed lines are baselines.

    Parameters
    ----------
    rows : DataFrame
        The rows of ``comparison`` to draw, of one view.
    comparison : DataFrame
        ``comparison.csv``, with the baselines.
    metric : str
        A name of :data:`wsd.report.tables.METRICS`.

    Returns
    -------
    bokeh.plotting.figure
    """
    places, lines = curves.Places.of(rows["layers"]), []
    several = rows["model"].nunique() > 1
    styles = classifier_numbers(rows["classifier"])
    groups = rows.groupby(["model", "classifier"], sort=False)
    for number, ((model, classifier), own) in enumerate(groups):
        name = f"{model}, {classifier}" if several else str(classifier)
        style = number if several else styles[str(classifier)]
        lines += places.lines(own, metric, name=name, style=style)
    scores = comparison[comparison["kind"] == BASELINE].drop_duplicates("classifier")
    values = dict(zip(scores["classifier"], scores[metric], strict=True))
    levels = {shown: 100 * float(values[n]) for n, shown in BASELINES.items() if n in values}
    plot = draw(
        lines,
        **places.axis,
        y=f"{METRICS[metric]}, percent",
        y_range=curves.common_range(lines, levels.values()),
        levels=levels,
    )
    drawn = {
        line.name: [r for r in plot.renderers if r.name == f"line-{line.name}"] for line in lines
    }
    title = f"{METRICS[metric]} by layer, view {rows['view'].iloc[0]}"
    return _finish(plot, drawn, TIP.format("@text"), title)


def word_figure(
    points: pd.DataFrame,
    senses: Sequence[str],
    title: str,
    method: str,
    explained: tuple[float, float] | None = None,
) -> Any:
    """Draw a word's instances in a plane.

    Colour and marker show the sense, filled markers are test instances, and a ring in the colour of
    the predicted sense marks an error.

    Parameters
    ----------
    points : DataFrame
        The columns x, y, split, index, sense, predicted and sentence.
    senses : sequence of str
        The word's senses, whose order gives the colours.
    title, method : str
    explained : pair of floats, optional
        The share of variance of each axis.

    Returns
    -------
    bokeh.plotting.figure
    """
    plot = new_plot(tools="pan,wheel_zoom,box_zoom,reset", match_aspect=True)
    plot.toolbar.active_scroll = None
    size, drawn, colours = point_size(len(points)), {}, {}
    for number, sense in enumerate(senses):
        colour, marker = style_of(number)
        colours[sense] = COLOURS[colour]
        look = {"marker": marker, "color": COLOURS[colour], "size": size}
        own = points[points["sense"] == sense]
        test, train = (_source(own[(own["split"] == TEST) == is_test]) for is_test in (True, False))
        drawn[sense] = [
            plot.scatter("x", "y", source=test, fill_alpha=0.75, **look),
            plot.scatter("x", "y", source=train, fill_alpha=0, line_alpha=0.45, **look),
        ]
    wrong = points[points["predicted"].notna() & (points["predicted"] != points["sense"])]
    source = _source(wrong.assign(ring=wrong["predicted"].map(colours)))
    ring = {"marker": "circle", "size": size + 7, "fill_alpha": 0, "line_width": 2}
    plot.scatter("x", "y", source=source, line_color="ring", **ring)
    plot.add_tools(models.HoverTool(renderers=[dots for own in drawn.values() for dots in own]))
    for i, axis in enumerate((plot.xaxis, plot.yaxis)):
        share = f", {explained[i]:.0%} of the variance" if explained else ""
        axis.axis_label = f"axis {i + 1}{share}"
    title = f"{title}, {METHODS[method]} (filled: test; ring: error)"
    return _finish(plot, drawn, OF_WORD, title)


def _source(rows: pd.DataFrame) -> models.ColumnDataSource:
    return models.ColumnDataSource({name: rows[name].tolist() for name in map(str, rows)})


def _finish(plot: Any, drawn: dict[str, list[Any]], tip: str, title: str) -> Any:
    """Give a plot colours, title, legend and tooltips, and let notebooks show it."""
    for model in plot.references():
        for tag in model.tags:
            for name, variable in tag.items():
                setattr(model, name, VARIABLES[variable])
    for hover in plot.select({"type": models.HoverTool}):
        hover.update(tooltips=tip, visible=True)
    # The page's own tool has no script here.
    tools = [tool for tool in plot.toolbar.tools if not isinstance(tool, models.CustomAction)]
    plot.toolbar.tools = [*tools, models.SaveTool()]
    items = [LegendItem(label={"value": name}, renderers=own) for name, own in drawn.items()]
    plot.add_layout(Legend(items=items, click_policy="hide"), "right")
    plot.update(width=WIDTH, height=HEIGHT, sizing_mode=None)
    plot.update(background_fill_alpha=1, border_fill_alpha=1, min_border=8)
    plot.title.update(text=title, text_color=VARIABLES["--ink"])
    plot._repr_html_ = lambda: _framed(plot, title)
    return plot


def _framed(plot: Any, title: str) -> str:
    """Return a figure as a frame, whose scripts and styles are apart from the notebook's."""
    page = file_html(plot, resources=Resources(mode="inline"), title=title)
    style = f"border: 0; width: 100%; height: {plot.height + 20}px"
    # In ASCII: the notebook's encoding may be anything.
    text = str(escape(page)).encode("ascii", "xmlcharrefreplace").decode()
    return f'<iframe srcdoc="{text}" style="{style}"></iframe>'
