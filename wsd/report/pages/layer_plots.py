"""The plots of the layers page: scores, learning curves, geometry and calibration."""

from itertools import product
from typing import Any, NamedTuple

import pandas as pd

from wsd.artifacts.column_names import CANDIDATE, CONTROL_VIEW, TOGETHER, ZERO_SHOT
from wsd.artifacts.predictions import TEST
from wsd.artifacts.transform_names import transform_label
from wsd.report.pages import curves
from wsd.report.pages.model_notes import blocks, by_depth, rows_shown
from wsd.report.pages.plots import RAMP
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import METRICS, after_fine_tuning

CONTEXT = "context"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}
GEOMETRY = {
    "anisotropy": "Anisotropy: mean cosine of instances of different words",
    "self_similarity": "Self-similarity: mean cosine within a word",
    "silhouette": "Silhouette of the senses",
    "pair_auc": "Same-sense pairs told from others (AUC)",
    "kmeans_ari": "k-means without labels: adjusted Rand index",
    "kmeans_v": "k-means without labels: V-measure",
}
MEAN = "(mean)"
# Lines of a reliability diagram: scores as they are, after the temperature, and where both agree.
PERFECT = "confidence = micro accuracy"
KINDS = {"as they are": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


class OverallLine(NamedTuple):
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
    """Of each classifier the report's view, where there is one the context's, and the view's after
    fine-tuning; zero-shot.
    """
    lines = []
    tuned = after_fine_tuning(report.tables["controls"], report.tables["comparison"])
    for reader in report.readers:
        i = report.styles[reader]
        candidates = report.rows("comparison", kind=CANDIDATE, classifier=reader)
        lines.append(OverallLine(reader, having(candidates, view=report.view), i, "solid"))
        # The context is a control, or a candidate where it is classified too.
        context = report.rows("controls", kind=CONTROL_VIEW, view=CONTEXT, classifier=reader)
        context = having(candidates, view=CONTEXT) if context.empty else context
        if len(context):
            lines.append(OverallLine(f"{reader}, context only", context, i, "dashed"))
        after = having(tuned, classifier=reader)
        if len(after):
            lines.append(OverallLine(f"{reader}, fine-tuned", after, i, "dashdot"))
    glosses = report.rows("controls", kind=ZERO_SHOT, view=report.view)
    first = max(report.styles.values()) + 1
    for i, kind in enumerate(dict.fromkeys(glosses["classifier"]), first):
        lines.append(
            OverallLine(f"{ZERO_SHOT}, {kind}", having(glosses, classifier=kind), i, "dotted")
        )
    return lines


def overall_curves(report: Report, metric: str) -> list[dict[str, Any]]:
    """Per model, the plot of one metric; all share the vertical axis."""
    lines: dict[str, list[curves.Curve]] = {}
    for model, choices in report.choices.items():
        singles = curves.single_layers(choices)
        behind = max(singles.values(), default=0.0) + 1.5
        others = [choice.name for choice in choices if not choice.is_single]
        combined = {name: behind + i for i, name in enumerate(others)}
        lines[model] = []
        for number, line in enumerate(overall_lines(report)):
            rows = having(line.rows, model=model)
            if rows.empty:
                continue
            look: dict[str, Any] = {"name": line.name, "style": line.style, "number": number}
            lines[model].append(curves.of_metric(rows, metric, singles, dash=line.dash, **look))
            if line.dash not in ("dashed", "dashdot"):
                lines[model].append(curves.of_metric(rows, metric, combined, joined=False, **look))
    y_range = curves.common_range([curve for of_model in lines.values() for curve in of_model])
    found = []
    for model, of_model in lines.items():
        ticks = {
            place: text.removeprefix("layer ")
            for curve in of_model
            for place, text in zip(curve.x, curve.labels or [], strict=True)
        }
        figure = curves.plot_of(
            of_model, x="layer, then combinations", y_range=y_range, ticks=ticks
        )
        name = f"curves.{model}.{metric}"
        found.append({"metric": metric, "model": model, "id": name, "figure": figure})
    return found


def side_by_side(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Per classifier, a plot per metric of the single layers of all models, if there are several.

    Layers stand at their numbers if all models have as many blocks, else at their relative depth.
    """
    if len(report.choices) < 2:
        return {}
    depth = by_depth(report)
    x = "relative depth: layer / number of blocks" if depth else "layer"
    found: dict[str, list[dict[str, Any]]] = {reader: [] for reader in report.readers}
    for metric in METRICS:
        lines = {reader: of_models(report, reader, metric) for reader in report.readers}
        everything = [curve for of_reader in lines.values() for curve in of_reader]
        places = {place: f"{place:g}" for curve in everything for place in curve.x}
        ticks, y_range = DEPTHS if depth else places, curves.common_range(everything)
        for reader, of_reader in lines.items():
            figure = curves.plot_of(of_reader, x=x, y_range=y_range, ticks=ticks)
            name = f"models.{reader}.{metric}"
            found[reader].append({"metric": metric, "id": name, "figure": figure})
    return found


def of_models(report: Report, reader: str, metric: str) -> list[curves.Curve]:
    """A curve of the single layers of each model."""
    rows = report.rows("comparison", kind=CANDIDATE, view=report.view, classifier=reader)
    lines = []
    for i, (model, choices) in enumerate(report.choices.items()):
        count = blocks(report, model)
        scale = count if by_depth(report) else 1
        places = {name: layer / scale for name, layer in curves.single_layers(choices).items()}
        of_model, of = having(rows, model=model), f" of {count}"
        look: dict[str, Any] = {"name": model, "style": i, "number": i}
        look["dash"] = weights_dash(report, model)
        lines.append(curves.of_metric(of_model, metric, places, of, **look))
    return lines


def weights_dash(report: Report, model: str) -> str:
    """Weights that were never trained have a dotted line."""
    drawn = "random_weights" in report.provenance["models"][model]["model"]
    return "dotted" if drawn else "solid"


def learning(report: Report) -> list[dict[str, Any]]:
    """Per model and classifier, macro-F1 against the training set, a line per layer."""
    table = report.rows("learning", view=report.view)
    if table["train"].nunique() < 2:
        return []
    y_range = curves.percent_range([v * 100 for v in table["mean_macro_f1_in_common"]])
    found = []
    for model, reader, _, rows in rows_shown(report, table):
        rows = rows[rows["train"].isin(RATIOS)]
        if rows["train"].nunique() < 2:
            continue
        lines = [
            curves.of_table(of, of["n_train"], "mean_macro_f1_in_common", labels=of["train"],
                   name=f"layer {name}", style=i, number=i)
            for i, name in enumerate(curves.single_layers(report.choices[model]))
            for of in [having(rows, layers=name).sort_values("n_train")]
        ]  # fmt: skip
        ticks = {place: f"{round(place):,}" for curve in lines for place in curve.x}
        label = "training instances of all words"
        figure = curves.plot_of(lines, x=label, y_range=y_range, ticks=ticks, learning=True)
        shade = (RAMP - 1) / max(1, len(lines) - 1)
        layers = [(curve.name, round(i * shade)) for i, curve in enumerate(lines)]
        drawn = {"id": f"learning.{model}.{reader}", "figure": figure, "layers": layers}
        found.append({"model": model, "reader": reader, **drawn})
    return found


def transforms(report: Report) -> dict[str, str]:
    """What was done to the vectors that were measured, and what they are called."""
    return {name: transform_label(name) for name in report.rows("geometry")["transform"].unique()}


def geometry(report: Report) -> list[dict[str, Any]]:
    """Per measure and model, means over words under what was fitted on all of them."""
    table = report.rows("geometry", word=MEAN, view=report.view)
    table = table[table["fitted_on"] != "word"]
    found = []
    for (measure, title), model in product(GEOMETRY.items(), report.choices):
        if (of_model := having(table, model=model)).empty:
            continue
        singles = curves.single_layers(report.choices[model])
        lines = []
        for i, (transform, name) in enumerate(transforms(report).items()):
            rows, x = curves.rows_placed(having(of_model, transform=transform), singles)
            lines.append(curves.of_table(rows, x, measure, 1, name=name, style=i, number=i))
        ticks = {place: name for name, place in singles.items()}
        figure = curves.plot_of(lines, x="layer", ticks=ticks)
        name = f"geometry.{model}.{measure}"
        found.append({"model": model, "title": title, "id": name, "figure": figure})
    return found


def kinds(report: Report) -> set[str]:
    """The lines of the reliability diagrams: a classifier may lack uncalibrated probabilities."""
    return {PERFECT, *report.rows("reliability", test=TEST)["scores"]}


def calibration(report: Report) -> list[dict[str, Any]]:
    """Per model, what the selected configuration's probabilities are worth on the test set."""
    found = []
    for model in report.choices:
        rows = report.rows("calibration", model=model, word=TOGETHER)
        if rows.empty:
            continue
        lines = []
        for i, (kind, dash) in enumerate(KINDS.items()):
            bins = report.rows("reliability", model=model, test=TEST, scores=kind)
            if len(bins):
                said = [f"{int(n)} sentences" for n in bins["n"]]
                x = curves.rounded(bins["confidence"])
                look: dict[str, Any] = {"name": kind, "style": i, "number": i, "dash": dash}
                lines.append(curves.of_table(bins, x, "accuracy", labels=said, bounds=True, **look))
        ends = [min(min(curve.x) for curve in lines), 100.0]
        number = list(KINDS).index(PERFECT)
        diagonal = curves.Curve(PERFECT, ends, ends, number, number, dash=KINDS[PERFECT])
        y_range = curves.percent_range([*ends, *(v for curve in lines for v in curve.low or [])])
        label = "mean confidence, percent"
        figure = curves.plot_of([*lines, diagonal], x=label, y_range=y_range)
        ood = records(report.rows("ood", model=model, word=TOGETHER))
        drawn = {"id": f"reliability.{model}", "figure": figure}
        found.append({"model": model, "rows": records(rows), "ood": ood, **drawn})
    return found
