"""The first plots of the layers page: metrics over layers, model by model and side by side."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from wsd.artifacts.tables import CANDIDATE, CONTROL_VIEW
from wsd.report.pages.content import Report, having
from wsd.report.pages.curves import Curve, common_range, curve_plot, metric_curve, single_layers
from wsd.report.pages.models import blocks, by_depth
from wsd.report.tables import METRICS

CONTEXT = "context"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}


@dataclass(frozen=True, eq=False)
class OverallLine:
    """A line that every plot over all words has, one plot per model.

    Attributes
    ----------
    name : str
    rows : DataFrame
        Its rows of the comparison, of all models.
    style : int
        Number of its classifier.
    dash : str
    """

    name: str
    rows: pd.DataFrame
    style: int
    dash: str


def overall_lines(report: Report) -> list[OverallLine]:
    """Of each classifier the view of the report, and the context's where there is one."""
    lines = []
    for i, reader in enumerate(report.readers):
        of = {"classifier": reader}
        own = report.rows("comparison", kind=CANDIDATE, view=report.view, **of)
        lines.append(OverallLine(reader, own, i, "solid"))
        # The context is a control, or a candidate where it is classified too.
        context = report.rows("controls", kind=CONTROL_VIEW, view=CONTEXT, **of)
        if context.empty:
            context = report.rows("comparison", kind=CANDIDATE, view=CONTEXT, **of)
        if len(context):
            lines.append(OverallLine(f"{reader}, context only", context, i, "dashed"))
    return lines


def overall_curves(report: Report, metric: str) -> list[dict[str, Any]]:
    """Per model, the plot of one metric; all share the vertical axis."""
    curves: dict[str, list[Curve]] = {}
    for model, choices in report.choices.items():
        singles = single_layers(choices)
        behind = max(singles.values(), default=0.0) + 1.5
        others = [choice.name for choice in choices if not choice.is_single]
        combined = {name: behind + i for i, name in enumerate(others)}
        curves[model] = []
        for number, line in enumerate(overall_lines(report)):
            rows = having(line.rows, model=model)
            look: dict[str, Any] = {"name": line.name, "style": line.style, "number": number}
            curves[model].append(metric_curve(rows, metric, singles, dash=line.dash, **look))
            if line.dash == "solid":
                curves[model].append(metric_curve(rows, metric, combined, joined=False, **look))
    y_range = common_range([curve for of_model in curves.values() for curve in of_model])
    return [
        {
            "metric": metric,
            "model": model,
            "id": f"curves.{model}.{metric}",
            "figure": curve_plot(
                of_model,
                x="layer, then combinations",
                y_range=y_range,
                ticks={
                    place: text.removeprefix("layer ")
                    for curve in of_model
                    for place, text in zip(curve.x, curve.labels or [], strict=True)
                },
            ),
        }
        for model, of_model in curves.items()
    ]


def side_by_side(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Per classifier, a plot per metric of the single layers of all models, if there are several.

    Layers stand at their numbers if all models have as many blocks, else at their relative depth.
    """
    if len(report.choices) < 2:
        return {}
    found: dict[str, list[dict[str, Any]]] = {reader: [] for reader in report.readers}
    for metric in METRICS:
        curves = {reader: _of_models(report, reader, metric) for reader in report.readers}
        everything = [curve for of_reader in curves.values() for curve in of_reader]
        places = {place: f"{place:g}" for curve in everything for place in curve.x}
        for reader, of_reader in curves.items():
            figure = curve_plot(
                of_reader,
                x="relative depth: layer / number of blocks" if by_depth(report) else "layer",
                y_range=common_range(everything),
                ticks=DEPTHS if by_depth(report) else places,
            )
            name = f"models.{reader}.{metric}"
            found[reader].append({"metric": metric, "id": name, "figure": figure})
    return found


def _of_models(report: Report, reader: str, metric: str) -> list[Curve]:
    """A curve of the single layers of each model."""
    rows = report.rows("comparison", kind=CANDIDATE, view=report.view, classifier=reader)
    curves = []
    for i, (model, choices) in enumerate(report.choices.items()):
        count = blocks(report, model)
        scale = count if by_depth(report) else 1
        places = {name: layer / scale for name, layer in single_layers(choices).items()}
        dash = weights_dash(report, model)
        look: dict[str, Any] = {"name": model, "style": i, "number": i, "dash": dash}
        curves.append(
            metric_curve(having(rows, model=model), metric, places, f" of {count}", **look)
        )
    return curves


def weights_dash(report: Report, model: str) -> str:
    """Weights that were never trained have a dotted line."""
    drawn = "random_weights" in report.provenance["models"][model]["model"]
    return "dotted" if drawn else "solid"
