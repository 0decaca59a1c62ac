"""The first page's curve over the layers: positions in percent, for HTML and SVG without a script.

Bokeh's plots on the layers page take a megabyte of script; the first page opens without it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from wsd.artifacts.column_names import CANDIDATE
from wsd.report.label_places import spread
from wsd.report.pages import curves, group_plots, layer_plots
from wsd.report.pages.model_notes import (
    BASELINES,
    baselines,
    blocks,
    by_depth,
    initial_classifier,
    objective,
    selected,
)
from wsd.report.pages.report_data import Report, having, records
from wsd.report.plot_colours import mark_of
from wsd.report.tables import METRICS

# Free space at the left and right of the points, in percent.
ROOM = 2.0
# The most horizontal rules.
RULES = 6
# The least distance between labels at the right, in percent of the plot's height: on wide screens a
# label has one line, on narrow screens two.
WIDE_GAP, NARROW_GAP = 6.5, 11.0
# Layers between the last single layer and the combinations, and between two operations.
BREAK, GAP = 1.6, 0.5


class Line(NamedTuple):
    """A line of the plot: a classifier, or a model.

    Attributes
    ----------
    name : str
    rows : DataFrame
        Its rows of the comparison.
    scale : float
        Layers of the axis per layer of the model.
    look : dict
        Number of the series, and dash.
    """

    name: str
    rows: pd.DataFrame
    scale: float
    look: dict[str, Any]


def index_curve(report: Report) -> dict[str, Any]:
    """Return the selection's metric over the layers: a line per model, or per classifier.

    Combinations follow the last single layer. Dashed lines are the baselines and the best published
    row. The configuration selected for all words is marked.
    """
    metric, lines = objective(report), _lines(report)
    depth = len(report.choices) > 1 and by_depth(report)
    most = max(blocks(report, model) for model in report.choices)
    names = dict.fromkeys(name for line in lines for name in line.rows["layers"])
    combined, groups = combinations([n for n in names if not n.isdecimal()], most + BREAK)
    joined, apart = [], []
    for line in lines:
        own = [name for name in line.rows["layers"] if name.isdecimal()]
        places = {name: int(name) * line.scale for name in own}
        look = {"name": line.name, **line.look}
        joined.append(curves.over_layers(line.rows, metric, places, **look))
        apart.append(curves.over_layers(line.rows, metric, combined, joined=False, **look))
    levels = _levels(report, metric)
    ticks = {x: f"{x:g}" for line in joined for x in line.x}
    if depth:
        ticks = {share * most: text for share, text in layer_plots.DEPTHS.items()}
    if ticks:
        title = "relative depth" if depth else "layer; 0: embeddings"
        groups[title] = (min(ticks) + max(ticks)) / 2
    ends = [*ticks, *combined.values()]
    low, high = curves.common_range([*joined, *apart, *levels])
    first, last = min(ends, default=0.0), max(ends, default=1.0)

    def across(x: float) -> float:
        return round(ROOM + (x - first) / ((last - first) or 1) * (100 - 2 * ROOM), 2)

    def down(y: float) -> float:
        return round(100 - (y - low) / (high - low) * 100, 2)

    def corners(curve: curves.Curve, values: Sequence[float]) -> list[str]:
        return [f"{across(x)},{down(y)}" for x, y in zip(curve.x, values, strict=True)]

    drawn = []
    for single, others in zip(joined, apart, strict=True):
        colour, outline = mark_of(single.style)
        edge = corners(single, single.low or []) + corners(single, single.high or [])[::-1]
        bounds = zip(others.x, others.low or [], others.high or [], strict=True)
        drawn.append(
            {
                "style": colour,
                "mark": outline,
                "dash": single.dash,
                "points": " ".join(corners(single, single.y)),
                "interval": " ".join(edge),
                "bars": [f"M{across(x)} {down(y)}V{down(end)}" for x, y, end in bounds],
                "dots": [
                    (across(x), down(y))
                    for curve in (single, others)
                    for x, y in zip(curve.x, curve.y, strict=True)
                ],
            }
        )
    named: list[tuple[str, float, tuple[int, str] | None]] = [
        (single.name, (others.y or single.y)[-1], mark_of(single.style))
        for single, others in zip(joined, apart, strict=True)
        if single.y or others.y
    ]
    named += [(f"{level.name} {level.y[0]:.1f}", level.y[0], None) for level in levels]
    mean = "mean " if metric.startswith("mean") else ""
    heights = [down(y) for _, y, _ in named]
    moved = [
        [round(place, 2) for place in spread(heights, gap, (0, 100))]
        for gap in (WIDE_GAP, NARROW_GAP)
    ]
    return {
        "label": f"{mean}{METRICS[metric][0].lower()}{METRICS[metric][1:]}, %",
        "lines": drawn,
        "levels": [down(level.y[0]) for level in levels],
        "labels": [
            {"name": name, "mark": mark, "y": y, "wide": wide, "narrow": narrow}
            for (name, _, mark), y, wide, narrow in zip(named, heights, *moved, strict=True)
        ],
        "selected": [(across(x), down(y)) for x, y in _selected_point(report, lines, combined)],
        "x": [(across(x), text) for x, text in sorted(ticks.items())],
        "combined": [(across(x), _tick(name)) for name, x in combined.items()],
        "groups": [(across(x), text) for text, x in groups.items()],
        "y": [(down(y), str(y)) for y in rules(low, high)],
        "columns": _columns([*joined, *apart], across, depth=depth),
        "depth": depth,
        "peaks": [
            row
            for row in group_plots.peaks(report)
            if len(report.choices) == 1 or row["classifier"] == initial_classifier(report)
            if metric in row["peak"]
        ],
    }


def combinations(names: Sequence[str], start: float) -> tuple[dict[str, float], dict[str, float]]:
    """Return the places of combinations of layers by name, and of their operations.

    Combinations of one operation are neighbours; a gap separates operations.
    """
    operations = dict.fromkeys(name.partition("-")[0] for name in names)
    places, groups = {}, {}
    for operation in operations:
        own = [name for name in names if name.partition("-")[0] == operation]
        places.update({name: start + i for i, name in enumerate(own)})
        groups[operation] = start + (len(own) - 1) / 2
        start += len(own) + GAP
    return places, groups


def rules(low: float, high: float) -> range:
    """Return the round percents of the horizontal rules, at most ``RULES`` of them."""
    step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= RULES)
    return range(-int(-low // step) * step, int(high) + 1, step)


def _lines(report: Report) -> list[Line]:
    """Return the candidates of the report's view by model, or by classifier if one model."""
    rows = report.rows("comparison", kind=CANDIDATE, view=report.view)
    rows = rows.drop_duplicates(["model", "layers", "classifier"])
    if len(report.choices) == 1:
        return [
            Line(name, having(rows, classifier=name), 1.0, {"style": report.styles[name]})
            for name in report.classifiers
        ]
    rows = having(rows, classifier=initial_classifier(report))
    most = max(blocks(report, model) for model in report.choices)
    return [
        Line(
            model,
            having(rows, model=model),
            most / blocks(report, model),
            {"style": i, "dash": layer_plots.weights_dash(report, model)},
        )
        for i, model in enumerate(report.choices)
    ]


def _levels(report: Report, metric: str) -> list[curves.Curve]:
    """Return the baselines and the best published row as curves of one point, without x."""
    rows = [(BASELINES[row["classifier"]], row) for row in baselines(report)]
    others = records(report.other_systems.sort_values(metric).tail(1))
    rows += [(f"best {row['kind']}", row) for row in others]
    return [curves.Curve(name, [0.0], curves.rounded([row[metric]]), 0) for name, row in rows]


def _tick(name: str) -> str:
    """Return a short name of a combination, below which its operation stands.

    >>> [_tick(name) for name in ("mean-last-4", "sum-all", "mean-1-3", "concat-1-3-5-7")]
    ['4', 'all', '1+3', '1…7']
    """
    _, _, rest = name.partition("-")
    layers = rest.removeprefix("last-").split("-")
    if len(layers) < 3:
        return "+".join(layers)
    return f"{layers[0]}\N{HORIZONTAL ELLIPSIS}{layers[-1]}"


def _columns(
    lines: Sequence[curves.Curve], across: Callable[[float], float], *, depth: bool
) -> list[dict[str, Any]]:
    """Return the columns that show values under the pointer: a place, its width and its values."""
    texts: dict[float, list[tuple[str, tuple[int, str], str]]] = {}
    heads = {}
    for line in lines:
        for x, label, tooltip in zip(line.x, line.labels or [], line.tooltips, strict=True):
            value = tooltip.partition("\n")[0]
            own = depth and line.joined
            heads[x] = "" if own else label
            name = f"{line.name}, {label}" if own else line.name
            texts.setdefault(x, []).append((name, mark_of(line.style), value))
    places = sorted(texts)
    middles = [(across(a) + across(b)) / 2 for a, b in pairwise(places)]
    edges = [0.0, *middles, 100.0]
    return [
        {
            "left": round(left, 2),
            "width": round(right - left, 2),
            "x": across(x),
            "label": heads[x],
            "values": texts[x],
        }
        for x, left, right in zip(places, edges[:-1], edges[1:], strict=True)
    ]


def _selected_point(
    report: Report, lines: Sequence[Line], combined: dict[str, float]
) -> list[tuple[float, float]]:
    """Return the place of the configuration selected for all words, if the plot has it.

    It is missing if cross-validation selected nothing, or another view than the report's.
    """
    metric, points = objective(report), []
    best = having(selected(report).head(1).dropna(subset="objective_cv"), view=report.view)
    for row in records(best):
        same = {key: row[key] for key in ("model", "layers", "classifier")}
        for line in lines:
            for y in curves.rounded(having(line.rows, **same)[metric]):
                x = combined.get(row["layers"])
                points.append((int(row["layers"]) * line.scale if x is None else x, y))
    return points
