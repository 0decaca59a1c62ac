"""The first page's curve over the layers: places in percent, which HTML and SVG draw by themselves.

Bokeh's plots of the layers page take a megabyte of script; what a report opens with takes none.
"""

from typing import Any

from wsd.artifacts.column_names import CANDIDATE
from wsd.report.pages import curves, layer_plots, plots
from wsd.report.pages.model_notes import (
    METRIC,
    blocks,
    by_depth,
    labels,
    opening_reader,
    selected,
)
from wsd.report.pages.report_data import Report, having, records

# Free space at the left and right of the points, in percent.
ROOM = 3.0
# At most so many lines across the picture.
RULES = 6
# Where a point's label stands above or under it, as shares of the picture's height.
NEXT_TO = 0.03, 0.13


def opening_curve(report: Report) -> dict[str, Any]:
    """Mean macro-F1 over the single layers: a line per model, or of one model per classifier.

    What folds chose for all words is marked; a combination of layers stands behind the last one.
    """
    reader = opening_reader(report)
    several = len(report.choices) > 1
    lines = layer_plots.of_models(report, reader, METRIC) if several else _of_readers(report)
    depth = several and by_depth(report)
    ticks = layer_plots.DEPTHS if depth else {x: f"{x:g}" for line in lines for x in line.x}
    chosen = _chosen(report, lines, depth=depth)
    ends = [*ticks, *(of.x[0] for of in chosen)]
    low, high = curves.common_range([*lines, *chosen])
    first, last = min(ends, default=0.0), max(ends, default=1.0)

    def across(x: float) -> float:
        return round(ROOM + (x - first) / ((last - first) or 1) * (100 - 2 * ROOM), 2)

    def down(y: float) -> float:
        return round(100 - (y - low) / (high - low) * 100, 2)

    def dots(line: curves.Curve) -> list[dict[str, Any]]:
        return [
            {"x": across(x), "y": down(y), "text": _said(line, i)}
            for i, (x, y) in enumerate(zip(line.x, line.y, strict=True))
        ]

    def path(line: curves.Curve, values: list[float]) -> list[str]:
        return [f"{across(x)},{down(y)}" for x, y in zip(line.x, values, strict=True)]

    drawn = [
        {
            "name": line.name,
            "style": plots.sense_style(line.style)[0],
            "mark": plots.MARKERS[plots.sense_style(line.style)[1]],
            "dash": line.dash,
            "points": " ".join(path(line, line.y)),
            "band": " ".join(path(line, line.low or []) + path(line, line.high or [])[::-1]),
            "dots": dots(line),
        }
        for line in lines
    ]
    return {
        "reader": reader if several else None,
        "lines": drawn,
        "chosen": [
            {**dots(of)[0], "label": of.name, "under": under(of, lines, high - low)}
            for of in chosen
        ],
        "x": [(across(x), text) for x, text in sorted(ticks.items())],
        "y": [(down(y), str(y)) for y in rules(low, high)],
        "depth": depth,
    }


def rules(low: float, high: float) -> range:
    """The percents at which lines run across: round ones, few."""
    step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= RULES)
    return range(-int(-low // step) * step, int(high) + 1, step)


def under(of: curves.Curve, lines: list[curves.Curve], span: float) -> bool:
    """Whether the label of a point has more room under it than above: fewer points stand there."""
    beside = sorted({x for line in lines for x in line.x if x <= of.x[0]})[-2:]
    away = [
        (y - of.y[0]) / span
        for line in lines
        for x, y in zip(line.x, line.y, strict=True)
        if x in beside
    ]
    near, far = NEXT_TO
    return sum(near < y < far for y in away) > sum(-far < y < -near for y in away)


def _of_readers(report: Report) -> list[curves.Curve]:
    ((model, choices),) = report.choices.items()
    singles = curves.single_layers(choices)
    found = []
    for number, line in enumerate(layer_plots.overall_lines(report)):
        look: dict[str, Any] = {"name": line.name, "style": line.style, "number": number}
        rows = having(line.rows, model=model)
        found.append(curves.of_metric(rows, METRIC, singles, dash=line.dash, **look))
    return [line for line in found if line.x]


def _chosen(report: Report, lines: list[curves.Curve], *, depth: bool) -> list[curves.Curve]:
    """What folds chose for all words as a curve of one point.

    None where that is of another view, or there were no folds to choose on.
    """
    found = []
    rows_of = having(selected(report).head(1).dropna(subset="objective_cv"), view=report.view)
    for row in records(rows_of):
        same = {name: row[name] for name in ("model", "layers", "classifier")}
        rows = report.rows("comparison", kind=CANDIDATE, view=report.view, **same)
        place = curves.single_layers(report.choices[row["model"]]).get(row["layers"])
        if place is None:
            place = max((x for line in lines for x in line.x), default=0.0)
            place += 0.1 if depth else 1.0
        elif depth:
            place /= blocks(report, row["model"])
        name = f"{labels(report, row['model']).get(row['layers'], row['layers'])}, chosen on folds"
        look: dict[str, Any] = {"name": name, "style": 0, "number": 0, "joined": False}
        found.append(curves.of_metric(rows.head(1), METRIC, {row["layers"]: place}, **look))
    return [of for of in found if of.x]


def _said(line: curves.Curve, i: int) -> str:
    label = f", {line.labels[i]}" if line.labels and line.joined else ""
    bounds = f" ({line.low[i]:.1f} to {line.high[i]:.1f})" if line.low and line.high else ""
    return f"{line.name}{label}: {line.y[i]:.1f}{bounds}"
