"""Draw the scores of a run over layers, and a word's instances in a plane, for notebooks.

The figures have the form and the colours of the report's pages. They are plain Bokeh figures:
``bokeh.io.show`` and ``bokeh.io.save`` take them. As the last value of a notebook's cell they show
themselves, in a frame that holds everything it needs, so that no network is asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from bokeh import models
from bokeh.embed import file_html
from bokeh.models.annotations import Legend, LegendItem
from bokeh.resources import Resources
from markupsafe import escape

from wsd.artifacts.column_names import BASELINE, CANDIDATE
from wsd.artifacts.layer_choice import expand_layers
from wsd.artifacts.predictions import TEST
from wsd.errors import unknown_choice
from wsd.report.pages import curves, model_notes
from wsd.report.pages.plots import METHODS, draw, new_plot, point_size
from wsd.report.plot_colours import COLOURS, RAMP, classifier_numbers, style_of
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


def layers_figure(
    comparison: pd.DataFrame,
    blocks: Mapping[str, int],
    *,
    metric: str,
    only: Mapping[str, str | None],
) -> Any:
    """Draw a metric over the layers, with a line per model and classifier.

    Lines join single layers; combinations of layers follow as points. Bands and bars are 95%
    confidence intervals. Dashed lines are baselines.

    Parameters
    ----------
    comparison : DataFrame
        Rows of ``comparison.csv``.
    blocks : mapping of model to int
        The number of each model's blocks.
    metric : str
        A name of :data:`wsd.report.tables.METRICS`.
    only : mapping
        The ``model``, ``classifier`` and ``view`` to draw. None is all of them; for the view it is
        ``focal``, or else the first.

    Returns
    -------
    bokeh.plotting.figure

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    if metric not in METRICS:
        raise unknown_choice(f"no metric {metric!r}", METRICS, "metric")
    rows = comparison[comparison["kind"] == CANDIDATE]
    views = list(rows["view"])
    only = {**only, "view": only["view"] or ("focal" if "focal" in views else views[0])}
    for column, value in only.items():
        known = list(dict.fromkeys(rows[column]))
        if value is not None and value not in known:
            raise unknown_choice(f"no configurations with the {column} {value!r}", known, column)
        rows = rows if value is None else rows[rows[column] == value]
    drawn = {model: blocks[model] for model in dict.fromkeys(rows["model"])}
    choices = [
        choice
        for model, n in drawn.items()
        for choice in expand_layers(rows["layers"][rows["model"] == model], n)
    ]
    places = curves.Places.of(choice.name for choice in choices)
    styles, lines = classifier_numbers(rows["classifier"]), []
    grouped = rows.groupby(["model", "classifier"], sort=False)
    for number, ((model, classifier), own) in enumerate(grouped):
        several = len(drawn) > 1
        name = f"{model}, {classifier}" if several else str(classifier)
        look: dict[str, Any] = {
            "name": name,
            "style": number if several else styles[str(classifier)],
        }
        lines += places.lines(own, metric, **look)
    levels = _baselines(comparison, metric)
    plot = draw(
        lines,
        **places.axis,
        y=f"{METRICS[metric]}, percent",
        y_range=curves.common_range(lines, levels.values()),
        levels=levels,
    )
    items = [
        (name, [r for r in plot.renderers if r.name == f"line-{name}"])
        for name in dict.fromkeys(line.name for line in lines)
    ]
    title = f"{METRICS[metric]} by layer, view {only['view']}"
    return _finish(plot, items, TIP.format("@text"), title)


def _baselines(comparison: pd.DataFrame, metric: str) -> dict[str, float]:
    """Return the scores of the baselines in percent, by the names on the pages."""
    rows = comparison[comparison["kind"] == BASELINE].drop_duplicates("classifier")
    scores = dict(zip(rows["classifier"], rows[metric], strict=True))
    names = model_notes.BASELINES.items()
    return {shown: 100 * float(scores[name]) for name, shown in names if name in scores}


def word_figure(
    points: pd.DataFrame,
    senses: Sequence[str],
    word: str,
    layers: str,
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
    word, layers, method : str
        For the title.
    explained : pair of floats, optional
        The share of variance of each axis.

    Returns
    -------
    bokeh.plotting.figure
    """
    plot = new_plot(tools="pan,wheel_zoom,box_zoom,reset", match_aspect=True)
    plot.toolbar.active_scroll = None
    size, items, dots = point_size(len(points)), [], []
    points = points.assign(is_test=points["split"] == TEST).astype({"sentence": object})
    for number, sense in enumerate(senses):
        own = points[points["sense"] == sense]
        colour, marker = style_of(number)
        look = {"marker": marker, "color": COLOURS[colour], "size": size}
        alphas = {True: (0.75, 1.0), False: (0.0, 0.45)}
        drawn = [
            plot.scatter(
                "x", "y", source=_source(own[own["is_test"] == is_test]),
                fill_alpha=fill, line_alpha=line, **look,
            )
            for is_test, (fill, line) in alphas.items()
        ]  # fmt: skip
        items.append((sense, drawn))
        dots += drawn
    colours = {sense: COLOURS[style_of(number)[0]] for number, sense in enumerate(senses)}
    wrong = points[points["predicted"].notna() & (points["predicted"] != points["sense"])]
    plot.scatter(
        "x", "y", source=_source(wrong.assign(ring=wrong["predicted"].map(colours))),
        marker="circle", size=size + 7, fill_alpha=0, line_width=2, line_color="ring",
    )  # fmt: skip
    plot.add_tools(models.HoverTool(renderers=dots))
    for i, axis in enumerate((plot.xaxis, plot.yaxis)):
        share = f", {explained[i]:.0%} of the variance" if explained else ""
        axis.axis_label = f"axis {i + 1}{share}"
    title = f"{word}, layer choice {layers}, {METHODS[method]} (filled: test; ring: error)"
    return _finish(plot, items, OF_WORD, title)


def _source(rows: pd.DataFrame) -> models.ColumnDataSource:
    columns: dict[str, Any] = {name: rows[name].tolist() for name in rows.columns}
    return models.ColumnDataSource(columns)


def _finish(plot: Any, items: Sequence[tuple[str, Any]], tip: str, title: str) -> Any:
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
    legend = [LegendItem(label={"value": name}, renderers=own) for name, own in items]
    plot.add_layout(Legend(items=legend, click_policy="hide"), "right")
    plot.update(width=WIDTH, height=HEIGHT, sizing_mode=None)
    plot.update(background_fill_alpha=1, border_fill_alpha=1, min_border=8)
    plot.title.update(text=title, text_color=VARIABLES["--ink"])
    plot._repr_html_ = lambda: framed(_page(plot, title), plot.height + 20)
    return plot


def _page(plot: Any, title: str) -> str:
    return str(file_html(plot, resources=Resources(mode="inline"), title=title))


def framed(page: str, height: int) -> str:
    """Return a page as a frame, whose scripts and styles are apart from the notebook's."""
    style = f"border: 0; width: 100%; height: {height}px"
    # In ASCII: the notebook's encoding may be anything, and a page refuses changed scripts.
    text = str(escape(page)).encode("ascii", "xmlcharrefreplace").decode()
    return f'<iframe srcdoc="{text}" style="{style}"></iframe>'
