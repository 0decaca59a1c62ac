"""The layers page: every layer choice over all words, and word by word."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from wsd.artifacts.column_names import CANDIDATE
from wsd.artifacts.predictions import TEST
from wsd.report.pages import curves, layer_plots, model_notes
from wsd.report.pages.curves import HEAT_POINTS, mark_of
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, records
from wsd.report.tables import METRICS, with_verdicts
from wsd.storage.atomic import write_text

HEAT_STEPS = 20  # of the heat map's colours
# A word's score in each mean over words.
WORD_SCORE = {
    "mean_macro_f1": "macro_f1",
    "mean_balanced_accuracy": "balanced_accuracy",
    "mean_word_accuracy": "accuracy",
    "micro_accuracy": "accuracy",
}
HEAT_LEGEND = (0, 1, 2, 5, 10, HEAT_POINTS)
FOREST = 240  # width of a difference's line
KEY = ["model", "layers", "classifier"]


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html`` into the report's folder."""
    encoders = report.provenance["models"]
    reliability = {layer_plots.PERFECT, *report.rows("reliability", test=TEST)["scores"]}
    page = render(
        "layers.html",
        report,
        classifier=model_notes.initial_classifier(report),
        by_depth=model_notes.by_depth(report),
        objective=model_notes.objective(report),
        lines=[(x.name, *mark_of(x.style), x.dash) for x in layer_plots.overall_lines(report)],
        curves=[plot for m in METRICS for plot in layer_plots.overall_curves(report, m)],
        baselines=layer_plots.baselines(report, "mean_macro_f1"),
        side_by_side=layer_plots.side_by_side(report),
        learning=layer_plots.learning(report),
        calibration=layer_plots.calibration(report),
        sections=[part for added in report.extensions for part in added.layer_sections(report)],
        peaks=layer_plots.peaks(report),
        heat=heat(report),
        heat_scale=[(points, heat_row([1, 1 - points / 100])[1][2]) for points in HEAT_LEGEND],
        notes={model: model_notes.notes(encoders[model]) for model in report.choices},
        differences=differences(report, "layers", "reference"),
        between=differences(report, "model-layers", "reference_model"),
        best=[confidence_set(report, model) for model in report.choices],
        models=legend({name: layer_plots.weights_dash(report, name) for name in report.choices}),
        reliability=[x for x in legend(layer_plots.RELIABILITY_LINES) if x[0] in reliability],
    )
    write_text(folder / "layers.html", page)


def legend(dashes: Mapping[str, str]) -> list[tuple[str, int, str, str]]:
    """Return the entries of a legend: name, colour, outline of the marker, dash."""
    return [(name, *mark_of(i), dash) for i, (name, dash) in enumerate(dashes.items())]


def confidence_set(report: Report, model: str) -> dict[str, Any]:
    """Return the configurations not significantly different from a model's best, best first."""
    rows = report.rows("best-set", model=model)
    kept = rows[rows["in_confidence_set"]].sort_values("estimate", ascending=False, kind="stable")
    return {"model": model, "rows": records(kept), "n": len(rows)}


def heat(report: Report) -> list[dict[str, Any]]:
    """Return the scores of every word and layer choice, one table per model and classifier.

    A cell has the points below the row's best layer choice, the score in percent, and the step of
    its colour. ``metrics`` has all cells by metric, row by row; the last row is all words.
    """
    table = report.rows("word-layers", view=report.view)
    tables = []
    for model, classifier, _, rows in model_notes.rows_per_classifier(report, table):
        chosen = rows[rows["selected_by_cv"]]
        words = report.words[model]
        cells = {}
        for metric, name in WORD_SCORE.items():
            scores = [[s[name] for s in word.scores[classifier]] for word in words.values()]
            is_micro = metric == "micro_accuracy"
            weights = [word.n_test if is_micro else 1 for word in words.values()]
            means = np.average(scores, axis=0, weights=weights)
            cells[metric] = [heat_row(line) for line in np.vstack([scores, means])]
        *lines, last = cells["mean_macro_f1"]
        about = {"model": model, "classifier": classifier, "choices": report.choices[model]}
        selected = set(zip(chosen["word"], chosen["layers"], strict=True))
        content = {"rows": list(zip(words, lines, strict=True)), "last": last, "metrics": cells}
        tables.append({**about, **content, "selected": selected})
    return tables


def heat_row(scores: ArrayLike) -> list[tuple[float, float, int]]:
    """Return, per layer choice, points below the best, score in percent, and step of the colour.

    >>> heat_row([0.5, 0.88, 0.99])
    [(-49.0, 50.0, 0), (-11.0, 88.0, 5), (0.0, 99.0, 20)]
    """
    percents = 100 * np.asarray(scores, dtype=float)
    below = percents - percents.max()
    steps = HEAT_STEPS * curves.heat(-below)
    rows = np.c_[below, percents, steps].tolist()
    return [(round(points, 1) + 0.0, round(score, 1), round(step)) for points, score, step in rows]


def differences(report: Report, table_name: str, reference: str) -> list[dict[str, Any]]:
    """Return, per model and classifier, each layer choice's difference from its reference.

    A difference of layers is marked if the layer choice is outside the model's confidence set, a
    difference of models if it is significant.

    Parameters
    ----------
    report : Report
    table_name : str
        ``"layers"`` or ``"model-layers"``.
    reference : str
        The column that names the reference: a layer choice, or a model.
    """
    table = report.rows(table_name, view=report.view)
    if table.empty:
        return []
    if table_name == "layers":
        table = with_verdicts(table, report.rows("best-set"))
    reach = _reach(table)
    candidates = report.rows("comparison", kind=CANDIDATE, view=report.view)
    scores = {tuple(row[key] for key in KEY): row for row in records(candidates)}
    blocks = []
    for model, classifier, labels, rows in model_notes.rows_per_classifier(report, table):
        if rows.empty:
            continue
        other, drawn, untested = rows[reference].iloc[0], [], []
        for row in records(rows):
            layers = row["layers"]
            look = {"label": labels[layers], "is_reference": layers == other}
            drawn.append({**row, **_drawn(row, reach), **look})
            against = (model, other) if reference == "reference" else (other, layers)
            pair = [scores.get((*key, classifier)) for key in ((model, layers), against)]
            if all(pair):
                untested.append((drawn[-1], *pair))
        name = labels.get(other, other) if reference == "reference" else other
        block = {"model": model, "classifier": classifier, "reference": name}
        blocks.append({**block, "rows": drawn, "untested": untested})
    return blocks


def _reach(table: pd.DataFrame) -> float:
    """Return the difference at the ends of the scale.

    The embedding layer's difference is so large that a scale up to it would hide all others.
    """
    ends = table[["difference_low", "difference_high"]].abs().to_numpy(float)
    ends = ends[np.isfinite(ends)]
    return (float(np.quantile(ends, 0.75)) * 1.15 if len(ends) else 0.0) or 0.01


def _drawn(row: Mapping[str, Any], reach: float) -> dict[str, Any]:
    """Return the places of a difference and its interval on a line as wide as ``FOREST``."""

    def place(value: float) -> float:
        return round(FOREST / 2 + float(np.clip(value / reach, -1, 1)) * (FOREST / 2 - 6), 1)

    low, high = row["difference_low"], row["difference_high"]
    is_marked = row["p_holm"] <= 0.05 if "p_holm" in row else row["is_within"] == "no"
    if low != low:  # the reference, or a choice with the same predictions
        return {"x": FOREST / 2, "x0": None, "x1": None, "is_marked": is_marked, "cut": False}
    places = {"x": place(row["difference"]), "x0": place(low), "x1": place(high)}
    return {**places, "is_marked": is_marked, "cut": max(abs(low), abs(high)) > reach}
