"""The layers page: every layer choice over all words, and word by word."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import CANDIDATE
from wsd.report.pages import group_plots, layer_plots, plots
from wsd.report.pages.model_notes import (
    by_depth,
    folder_of,
    notes,
    objective,
    opening_reader,
    rows_shown,
)
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, records
from wsd.report.tables import BY_KIND, METRICS
from wsd.storage.atomic import write_text
from wsd.studies.glosses.panel import STARTS, gloss_worth

HEAT_STEPS = 20
ENDS = {"value": "", "low": "_low", "high": "_high"}
FOREST = 240  # width of a difference's line


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html``.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    models = {name: notes(report.provenance["models"][name]) for name in report.choices}
    dashes = {name: layer_plots.weights_dash(report, name) for name in models}
    page = render(
        "layers.html",
        report,
        reader=opening_reader(report),
        by_depth=by_depth(report),
        objective=objective(report),
        lines=[(of.name, *_style(of.style, of.dash)) for of in layer_plots.overall_lines(report)],
        curves=[of for metric in METRICS for of in layer_plots.overall_curves(report, metric)],
        side_by_side=layer_plots.side_by_side(report),
        learning=layer_plots.learning(report),
        geometry=layer_plots.geometry(report),
        calibration=layer_plots.calibration(report),
        by_part=group_plots.word_kinds(report),
        lines_of_kinds={
            column: _legend(dict.fromkeys(names, "solid"))
            for column, names in group_plots.kinds(report).items()
        },
        by_kind=BY_KIND,
        glosses=gloss_worth(report),
        heat=heat(report),
        notes=models,
        differences=differences(report, "layers", "reference"),
        between=differences(report, "model-layers", "reference_model"),
        best=[best_set(report, model) for model in report.choices],
        models=_legend(dashes),
        kinds=[of for of in _legend(layer_plots.KINDS) if of[0] in layer_plots.kinds(report)],
        transforms=_legend(dict.fromkeys(layer_plots.transforms(report).values(), "solid")),
        starts=_legend(dict(STARTS.values())),
    )
    write_text(folder / "layers.html", page)


def _legend(dashes: Mapping[str, str]) -> list[tuple[str, int, str, str]]:
    return [(name, *_style(i, dash)) for i, (name, dash) in enumerate(dashes.items())]


def _style(style: int, dash: str) -> tuple[int, str, str]:
    """What the legend of a line shows: colour, the marker's outline, dash."""
    colour, marker = plots.sense_style(style)
    return colour, plots.MARKERS[marker], dash


def best_set(report: Report, model: str) -> dict[str, Any]:
    """The configurations of a model that are not told from the best one, the best first."""
    rows = report.rows("best-set", model=model)
    kept = rows[rows["in_confidence_set"]]
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
        columns = (rows[name] for name in ("word", "layers", "macro_f1", "selected_by_cv"))
        cells = {
            (word, name): cell(value, chosen)
            for word, name, value, chosen in zip(*columns, strict=True)
        }
        lines = {word: [cells[word, name] for name in choices] for word in report.words[model]}
        shown = [{"word": word, "cells": line} for word, line in lines.items()]
        means = np.mean([[of["value"] for of in line] for line in lines.values()], axis=0)
        of_all = {"choices": report.choices[model], "means": [cell(float(mean)) for mean in means]}
        named = {"model": model, "folder": folder_of(report, model), "reader": reader}
        tables.append({**named, **of_all, "rows": shown})
    return {"low": low, "high": high, "tables": tables}


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
        drawn = []
        for row in records(rows):
            named = {"label": labels[row["layers"]], "is_reference": row["layers"] == other}
            drawn.append({**row, **_drawn(row, reach), **named})
        said = labels.get(other, other) if reference == "reference" else other
        named = {"model": model, "reader": reader, "reference": said}
        pairs = [
            (
                (model, row["layers"]),
                (model, other) if reference == "reference" else (other, row["layers"]),
            )
            for row in drawn
        ]
        found.append({**named, "rows": drawn, "untested": untested(report, reader, drawn, pairs)})
    return found


def untested(
    report: Report,
    reader: str,
    rows: Sequence[Mapping[str, Any]],
    pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]],
) -> dict[str, list[dict[str, Any]]]:
    """The same rows in the metrics that are not tested: value, 95% interval and plain difference.

    Parameters
    ----------
    report : Report
    reader : str
    rows : sequence of mappings
        What the rows of the tested metric show.
    pairs : sequence of pairs of (model, layers)
        Per row, whose value stands there and what it is compared with.

    Returns
    -------
    dict of metric to list of dict; a row that the comparison lacks is left out
    """
    table = report.rows("comparison", kind=CANDIDATE, view=report.view, classifier=reader)
    values = {(row["model"], row["layers"]): row for row in records(table)}
    return {
        metric: [
            {
                **{key: row.get(key) for key in ("label", "is_reference", "relative_depth")},
                **{name: values[own][f"{metric}{end}"] for name, end in ENDS.items()},
                "reference_value": values[other][metric],
                "difference": values[own][metric] - values[other][metric],
            }
            for row, (own, other) in zip(rows, pairs, strict=True)
            if own in values and other in values
        ]
        for metric in METRICS
        if metric != objective(report)
    }


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
    if low != low:  # of the reference, and of the same predictions
        return {"x": FOREST / 2, "x0": None, "x1": None, "apart": False, "cut": False}
    places = {"x": place(row["difference"]), "x0": place(low), "x1": place(high)}
    return {**places, "apart": row["p_holm"] < 0.05, "cut": max(abs(low), abs(high)) > reach}
