"""The first page's curve over the layers: positions in percent, for HTML and SVG without a script.

Bokeh's plots on the layers page take a megabyte of script; the first page opens without it.
"""

from typing import Any

from wsd.artifacts.column_names import CANDIDATE
from wsd.report.pages import curves, group_plots, layer_plots
from wsd.report.pages.model_notes import (
    MAIN_METRIC,
    blocks,
    by_depth,
    initial_classifier,
    labels,
    selected,
)
from wsd.report.pages.report_data import Report, having, records
from wsd.report.plot_colours import mark_of

# Free space at the left and right of the points, in percent.
ROOM = 3.0
# The most horizontal rules.
RULES = 6
# Vertical distances at which a point may collide with a label, as shares of the plot's height.
LABEL_DISTANCES = 0.03, 0.13


def index_curve(report: Report) -> dict[str, Any]:
    """Return mean macro-F1 over the single layers: a line per model, or per classifier if only one.

    The configuration selected for all words is marked; combinations follow the last layer.
    """
    classifier = initial_classifier(report)
    several = len(report.choices) > 1
    if several:
        lines = layer_plots.model_lines(report, classifier, MAIN_METRIC)
    else:
        (model,) = report.choices
        lines = layer_plots.classifier_lines(report, model, MAIN_METRIC)
        lines = [line for line in lines if line.joined and line.x]
    depth = several and by_depth(report)
    ticks = layer_plots.DEPTHS if depth else {x: f"{x:g}" for line in lines for x in line.x}
    marked = _selected_points(report, lines, depth=depth)
    ends = [*ticks, *(point.x[0] for point in marked)]
    low, high = curves.common_range([*lines, *marked])
    first, last = min(ends, default=0.0), max(ends, default=1.0)

    def across(x: float) -> float:
        return round(ROOM + (x - first) / ((last - first) or 1) * (100 - 2 * ROOM), 2)

    def down(y: float) -> float:
        return round(100 - (y - low) / (high - low) * 100, 2)

    def dots(line: curves.Curve) -> list[dict[str, Any]]:
        points = zip(line.x, line.y, line.tooltips, strict=True)
        return [{"x": across(x), "y": down(y), "text": text} for x, y, text in points]

    def path(line: curves.Curve, values: list[float]) -> list[str]:
        return [f"{across(x)},{down(y)}" for x, y in zip(line.x, values, strict=True)]

    drawn = []
    for line in lines:
        colour, outline = mark_of(line.style)
        edge = path(line, line.low or []) + path(line, line.high or [])[::-1]
        shapes = {"points": " ".join(path(line, line.y)), "interval": " ".join(edge)}
        look = {"name": line.name, "style": colour, "mark": outline, "dash": line.dash}
        drawn.append({**look, **shapes, "dots": dots(line)})
    return {
        "classifier": classifier if several else None,
        "lines": drawn,
        "selected": [
            {**dots(point)[0], "label": point.name, "below": below(point, lines, high - low)}
            for point in marked
        ],
        "x": [(across(x), text) for x, text in sorted(ticks.items())],
        "y": [(down(y), str(y)) for y in rules(low, high)],
        "depth": depth,
        "peaks": [
            row
            for row in group_plots.peaks(report)
            if not several or row["classifier"] == classifier
        ],
    }


def rules(low: float, high: float) -> range:
    """Return the round percents of the horizontal rules, at most ``RULES`` of them."""
    step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= RULES)
    return range(-int(-low // step) * step, int(high) + 1, step)


def below(point: curves.Curve, lines: list[curves.Curve], span: float) -> bool:
    """Return whether a point's label has fewer points in its way below the point than above."""
    neighbours = sorted({x for line in lines for x in line.x if x <= point.x[0]})[-2:]
    distances = [
        (y - point.y[0]) / span
        for line in lines
        for x, y in zip(line.x, line.y, strict=True)
        if x in neighbours
    ]
    near, far = LABEL_DISTANCES
    return sum(near < y < far for y in distances) > sum(-far < y < -near for y in distances)


def _selected_points(
    report: Report, lines: list[curves.Curve], *, depth: bool
) -> list[curves.Curve]:
    """Return the configuration selected for all words as a curve of one point.

    The list is empty if cross-validation selected nothing, or another view than the report's.
    """
    points = []
    best = having(selected(report).head(1).dropna(subset="objective_cv"), view=report.view)
    for row in records(best):
        model, layers = row["model"], row["layers"]
        place = curves.single_layers(report.choices[model]).get(layers)
        if place is None:
            place = max((x for line in lines for x in line.x), default=0.0)
            place += 0.1 if depth else 1.0
        elif depth:
            place /= blocks(report, model)
        name = f"{labels(report, model).get(layers, layers)}, selected by CV"
        same = {key: row[key] for key in ("model", "layers", "classifier")}
        rows = report.rows("comparison", kind=CANDIDATE, view=report.view, **same).head(1)
        point = curves.over_layers(rows, MAIN_METRIC, {layers: place}, name=name, style=0)
        # The name contains the label.
        points.append(point._replace(labels=None))
    return [point for point in points if point.x]
