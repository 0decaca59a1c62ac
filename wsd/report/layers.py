"""The layers page: every layer choice over all words, and word by word."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.files import write_text
from wsd.layers import LayerChoice
from wsd.predictions import TEST
from wsd.report import figures
from wsd.report.figures import Curve
from wsd.report.index import METRICS
from wsd.report.inputs import Report, having, records
from wsd.report.models import blocks, by_depth, notes
from wsd.report.render import render
from wsd.report.word import folder_of, label, opening_reader

CONTEXT = "context"
HEAT_STEPS = 20
FOREST = 240  # width of a difference's line
GEOMETRY = {
    "anisotropy": "Anisotropy: mean cosine of instances of different words",
    "self_similarity": "Self-similarity: mean cosine within a word",
    "silhouette": "Silhouette of the senses",
    "pair_auc": "Same-sense pairs told from others (AUC)",
    "kmeans_ari": "k-means without labels: adjusted Rand index",
    "kmeans_v": "k-means without labels: V-measure",
}
CENTRINGS = {"none": "as they are", "corpus": "less the corpus's mean"}
MEAN = "(mean)"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}
ALL = "(all)"
# Lines of a reliability diagram: scores as they are, after the temperature, and where both agree.
PERFECT = "confidence = accuracy"
KINDS = {"as they are": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html``.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    models = {name: notes(report.provenance["models"][name]) for name in report.choices}
    page = render(
        "layers.html",
        report=report,
        dataset=report.dataset,
        metrics=METRICS,
        reader=opening_reader(report),
        lines=[(line.name, *_style(line.style, line.dash)) for line in overall_lines(report)],
        curves=[of for metric in METRICS for of in overall_curves(report, metric)],
        side=side_by_side(report),
        models=[(name, *_style(i, weights_dash(report, name))) for i, name in enumerate(models)],
        notes=models,
        by_depth=by_depth(report),
        heat=heat(report),
        differences=differences(report, "layers", "reference"),
        between=differences(report, "model-layers", "reference_model"),
        best=[best_set(report, model) for model in report.choices],
        learning=learning(report),
        geometry=geometry(report),
        calibration=calibration(report),
        kinds=[(name, *_style(i, dash)) for i, (name, dash) in enumerate(KINDS.items())],
        centrings=[(name, *_style(i, "solid")) for i, name in enumerate(CENTRINGS.values())],
        provenance=report.provenance,
        root="",
    )
    write_text(folder / "layers.html", page)


def _style(style: int, dash: str) -> tuple[int, str, str]:
    """What the legend of a line shows: colour, the marker's outline, dash."""
    colour, marker = figures.sense_style(style)
    return colour, figures.MARKERS[marker], dash


# Tables


def best_set(report: Report, model: str) -> dict[str, Any]:
    """The configurations of a model that are not told from the best one, the best first."""
    rows = report.rows("best-set", model=model)
    kept = rows[rows["not_told_from_best"]]
    kept = kept.sort_values("estimate", ascending=False, kind="stable")
    return {"model": model, "rows": records(kept), "n": len(rows)}


def heat(report: Report) -> dict[str, Any]:
    """Macro-F1 of every word and layer choice, one table per model and classifier."""
    table = report.rows("word-layers", view=report.view)
    # From the lowest tenth up, or the embedding layer alone would use up half of the shades.
    low, high = float(table["macro_f1"].quantile(0.1)), float(table["macro_f1"].max())

    def cell(value: float, chosen: bool = False) -> dict[str, Any]:
        share = max(0.0, value - low) / (high - low) if high > low else 1.0
        return {"value": value, "heat": round(share * HEAT_STEPS), "chosen": chosen}

    tables = []
    for model, reader, choices, rows in rows_shown(report, table):
        columns = (rows[name] for name in ("word", "layers", "macro_f1", "chosen_on_folds"))
        cells = {
            (word, name): cell(value, chosen)
            for word, name, value, chosen in zip(*columns, strict=True)
        }
        lines = {word: [cells[word, name] for name in choices] for word in report.words[model]}
        means = np.mean([[of["value"] for of in line] for line in lines.values()], axis=0)
        tables.append(
            {
                "model": model,
                "folder": folder_of(report, model),
                "reader": reader,
                "choices": report.choices[model],
                "rows": [{"word": word, "cells": line} for word, line in lines.items()],
                "means": [cell(float(mean)) for mean in means],
            }
        )
    return {"low": low, "high": high, "tables": tables}


def rows_shown(
    report: Report, table: pd.DataFrame
) -> Iterator[tuple[str, str, dict[str, str], pd.DataFrame]]:
    """Per model and classifier, the names of the layer choices that are shown, and their rows."""
    for model, choices in report.choices.items():
        labels = {choice.name: label(choice, blocks(report, model)) for choice in choices}
        for reader in report.readers:
            rows = having(table, model=model, classifier=reader)
            yield model, reader, labels, rows[rows["layers"].isin(list(labels))]


def differences(report: Report, name: str, reference: str) -> list[dict[str, Any]]:
    """Per model and classifier, each layer choice less what it is compared with.

    Parameters
    ----------
    report : Report
    name : str
        ``"layers"`` or ``"model-layers"``.
    reference : str
        The column that names what is compared with: a layer choice, or a model.
    """
    table = report.rows(name, view=report.view)
    reach = _reach(table)
    found = []
    for model, reader, labels, rows in rows_shown(report, table):
        if rows.empty:
            continue
        other = rows[reference].iloc[0]
        found.append(
            {
                "model": model,
                "reader": reader,
                "reference": labels.get(other, other) if reference == "reference" else other,
                "rows": [
                    {
                        **row,
                        **_drawn(row, reach),
                        "label": labels[row["layers"]],
                        "is_reference": row["layers"] == other,
                    }
                    for row in records(rows)
                ],
            }
        )
    return found


def _reach(table: pd.DataFrame) -> float:
    """The difference that the ends of the scale stand for.

    The embedding layer is so far off that the others could not be told apart beside it.
    """
    ends = table[["difference_low", "difference_high"]].abs().to_numpy(float)
    ends = ends[np.isfinite(ends)]
    return (float(np.quantile(ends, 0.75)) * 1.15 if len(ends) else 0.0) or 0.01


def _drawn(row: Mapping[str, Any], reach: float) -> dict[str, Any]:
    """Where a difference and its interval stand on a line as wide as ``FOREST``."""

    def place(value: float) -> float:
        return round(FOREST / 2 + float(np.clip(value / reach, -1, 1)) * (FOREST / 2 - 6), 1)

    low, high = row["difference_low"], row["difference_high"]
    return {
        "apart": row["p_holm"] < 0.05,
        "x": place(row["difference"]),
        "x0": place(low),
        "x1": place(high),
        "cut": max(abs(low), abs(high)) > reach,
    }


# Plots


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
        own = report.rows("comparison", kind="candidate", view=report.view, **of)
        lines.append(OverallLine(reader, own, i, "solid"))
        # The context is a control, or a candidate where it is classified too.
        context = report.rows("controls", kind="control view", view=CONTEXT, **of)
        if context.empty:
            context = report.rows("comparison", kind="candidate", view=CONTEXT, **of)
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
            "figure": figures.curves(
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
            figure = figures.curves(
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
    rows = report.rows("comparison", kind="candidate", view=report.view, classifier=reader)
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


def learning(report: Report) -> list[dict[str, Any]]:
    """Per model and classifier, macro-F1 against the training set, a line per layer."""
    table = report.rows("learning", view=report.view)
    if table["train"].nunique() < 2:
        return []
    y_range = percent_range([v * 100 for v in table["mean_macro_f1_in_common"]])
    found = []
    for model, reader, _, rows in rows_shown(report, table):
        rows = rows[rows["train"].isin(RATIOS)]
        if rows["train"].nunique() < 2:
            continue
        curves = [
            table_curve(of, of["n_train"], "mean_macro_f1_in_common", labels=of["train"],
                   name=f"layer {name}", style=i, number=i)
            for i, name in enumerate(single_layers(report.choices[model]))
            for of in [having(rows, layers=name).sort_values("n_train")]
        ]  # fmt: skip
        shade = (figures.RAMP - 1) / max(1, len(curves) - 1)
        found.append(
            {
                "model": model,
                "reader": reader,
                "id": f"learning.{model}.{reader}",
                "figure": figures.curves(
                    curves,
                    x="training instances of all words",
                    y_range=y_range,
                    ticks={place: f"{round(place):,}" for curve in curves for place in curve.x},
                    log_x=True,
                    ramp=True,
                ),
                "layers": [(curve.name, round(i * shade)) for i, curve in enumerate(curves)],
            }
        )
    return found


def geometry(report: Report) -> list[dict[str, Any]]:
    """Per measure and model, means over words of the vectors as they are and centred."""
    table = report.rows("geometry", word=MEAN, view=report.view)
    found = []
    for measure, title in GEOMETRY.items():
        for model, choices in report.choices.items():
            of_model = having(table, model=model)
            if of_model.empty:
                continue
            singles = single_layers(choices)
            curves = []
            for i, (centring, name) in enumerate(CENTRINGS.items()):
                rows, x = rows_placed(having(of_model, centring=centring), singles)
                look: dict[str, Any] = {"name": name, "style": i, "number": i}
                curves.append(table_curve(rows, x, measure, scale=1, **look))
            figure = figures.curves(
                curves, x="layer", ticks={place: name for name, place in singles.items()}
            )
            name = f"geometry.{model}.{measure}"
            found.append({"model": model, "title": title, "id": name, "figure": figure})
    return found


def calibration(report: Report) -> list[dict[str, Any]]:
    """Per model, what the selected configuration's probabilities are worth on the test set."""
    found = []
    for model in report.choices:
        rows = report.rows("calibration", model=model, word=ALL)
        if rows.empty:
            continue
        curves = []
        for i, (kind, dash) in enumerate(KINDS.items()):
            bins = report.rows("reliability", model=model, test=TEST, scores=kind)
            if len(bins):
                said = [f"{int(n)} sentences" for n in bins["n"]]
                x = rounded(bins["confidence"])
                look: dict[str, Any] = {"name": kind, "style": i, "number": i, "dash": dash}
                curves.append(table_curve(bins, x, "accuracy", labels=said, bounds=True, **look))
        low = min(min(curve.x) for curve in curves)
        ends = [low, 100.0]
        number = list(KINDS).index(PERFECT)
        diagonal = Curve(PERFECT, ends, ends, number, number, dash=KINDS[PERFECT])
        figure = figures.curves(
            [*curves, diagonal],
            x="mean confidence, percent; upwards, accuracy",
            y_range=percent_range([*ends, *(v for curve in curves for v in curve.low or [])]),
        )
        found.append(
            {
                "model": model,
                "rows": records(rows),
                "far": records(report.rows("novelty", model=model, word=ALL)),
                "id": f"reliability.{model}",
                "figure": figure,
            }
        )
    return found


def single_layers(choices: Sequence[LayerChoice]) -> dict[str, float]:
    """Names and numbers of the single layers."""
    return {choice.name: float(choice.layers[0]) for choice in choices if choice.is_single}


def rows_placed(rows: pd.DataFrame, places: Mapping[str, float]) -> tuple[pd.DataFrame, pd.Series]:
    """The rows of the layer choices that have a place, by place."""
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    return kept, kept["place"]


def metric_curve(
    rows: pd.DataFrame, metric: str, places: Mapping[str, float], of: str = "", **look: Any
) -> Curve:
    """A metric over layer choices, with its interval."""
    kept, x = rows_placed(rows, places)
    labels = [f"layer {text}{of}" if text.isdigit() else text for text in kept["layers"]]
    return table_curve(kept, x, metric, labels=labels, bounds=True, **look)


def table_curve(
    rows: pd.DataFrame,
    x: Iterable[float],
    y: str,
    *,
    labels: Iterable[str] | None = None,
    bounds: bool = False,
    scale: float = 100,
    **look: Any,
) -> Curve:
    """A column of some rows as a curve, with the columns of its interval if it has ``bounds``."""
    return Curve(
        x=[float(place) for place in x],
        y=rounded(rows[y], scale),
        low=rounded(rows[f"{y}_low"], scale) if bounds else None,
        high=rounded(rows[f"{y}_high"], scale) if bounds else None,
        labels=None if labels is None else list(labels),
        **look,
    )


def rounded(values: Iterable[float], scale: float = 100) -> list[float]:
    """Fractions in percent, or values as they are at a scale of 1."""
    return [round(float(value) * scale, 4) for value in values]


def common_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """The percents that hold all of some curves and their intervals."""
    return percent_range([v for of in curves for v in (*(of.low or of.y), *(of.high or of.y))])


def percent_range(values: Sequence[float]) -> tuple[float, float]:
    """Of an axis in percent: whole fives around what is shown."""
    if not values:
        return 0.0, 100.0
    low, high = np.floor(min(values) / 5) * 5, np.ceil(max(values) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))
