"""The further plots of the layers page: learning curves, geometry, calibration."""

from typing import Any

from wsd.artifacts.predictions import TEST
from wsd.artifacts.tables import TOGETHER
from wsd.report.pages.content import Report, having, records
from wsd.report.pages.curves import (
    Curve,
    curve_plot,
    percent_range,
    rounded,
    rows_placed,
    single_layers,
    table_curve,
)
from wsd.report.pages.models import rows_shown
from wsd.report.pages.plots import RAMP

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
# Lines of a reliability diagram: scores as they are, after the temperature, and where both agree.
PERFECT = "confidence = accuracy"
KINDS = {"as they are": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


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
        shade = (RAMP - 1) / max(1, len(curves) - 1)
        found.append(
            {
                "model": model,
                "reader": reader,
                "id": f"learning.{model}.{reader}",
                "figure": curve_plot(
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
                curves.append(table_curve(rows, x, measure, 1, name=name, style=i, number=i))
            figure = curve_plot(
                curves, x="layer", ticks={place: name for name, place in singles.items()}
            )
            name = f"geometry.{model}.{measure}"
            found.append({"model": model, "title": title, "id": name, "figure": figure})
    return found


def calibration(report: Report) -> list[dict[str, Any]]:
    """Per model, what the selected configuration's probabilities are worth on the test set."""
    found = []
    for model in report.choices:
        rows = report.rows("calibration", model=model, word=TOGETHER)
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
        figure = curve_plot(
            [*curves, diagonal],
            x="mean confidence, percent; upwards, accuracy",
            y_range=percent_range([*ends, *(v for curve in curves for v in curve.low or [])]),
        )
        found.append(
            {
                "model": model,
                "rows": records(rows),
                "far": records(report.rows("novelty", model=model, word=TOGETHER)),
                "id": f"reliability.{model}",
                "figure": figure,
            }
        )
    return found
