"""What the layers page shows by part of speech and number of training instances."""

from itertools import product
from typing import Any

import pandas as pd

from wsd.report.pages import curves
from wsd.report.pages.model_notes import rows_shown
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import BY_KIND, METRICS

ALL = "all"
# The column by which words are told apart, and the other one.
COLUMNS = {
    "part_of_speech": "training_instances",
    "training_instances": "part_of_speech",
}
TITLES = {"part_of_speech": "parts of speech", "training_instances": "training instances"}


def kinds(report: Report) -> dict[str, list[str]]:
    """By column, the kinds of words that have a line each: those with words enough."""
    table = report.rows("group-layers", view=report.view)
    table = table[table[f"{BY_KIND[0]}_low"].notna()]
    return {
        column: [name for name in having(table, **{other: ALL})[column].unique() if name != ALL]
        for column, other in COLUMNS.items()
    }


def word_kinds(report: Report) -> list[dict[str, Any]]:
    """Per model and classifier, the figures and the tables; none without parts of speech."""
    table = report.rows("group-layers", view=report.view)
    if table.empty:
        return []
    ranges = {metric: _range(table, metric) for metric in BY_KIND}
    lines = kinds(report)
    found = []
    for model, reader, labels, rows in rows_shown(report, table):
        figures = [
            _figure(report, model, reader, rows, column, lines[column], metric, ranges[metric])
            for metric, column in product(BY_KIND, COLUMNS)
            if lines[column]
        ]
        peaks = report.rows("group-peaks", view=report.view, model=model, classifier=reader)
        named = {"model": model, "reader": reader, "labels": labels, "figures": figures}
        found.append({**named, "rows": _lines(rows, peaks)})
    return found


def _range(table: pd.DataFrame, metric: str) -> tuple[float, float]:
    """All plots of a metric have one scale."""
    one_kind = (table[list(COLUMNS)] == ALL).any(axis=1)
    drawn = table[one_kind & table["layers"].str.isdecimal() & table[f"{metric}_low"].notna()]
    return curves.percent_range(
        [v for end in ("low", "high") for v in curves.rounded(drawn[f"{metric}_{end}"])]
    )


def _figure(
    report: Report,
    model: str,
    reader: str,
    rows: pd.DataFrame,
    column: str,
    names: list[str],
    metric: str,
    y_range: tuple[float, float],
) -> dict[str, Any]:
    """A line with its band over the single layers per kind of word."""
    singles = curves.single_layers(report.choices[model])
    rows = having(rows, **{COLUMNS[column]: ALL})
    lines = [
        curves.of_metric(having(rows, **{column: kind}), metric, singles,
                         name=kind, style=number, number=number)
        for number, kind in enumerate(names)
    ]  # fmt: skip
    ticks = {place: name for name, place in singles.items()}
    figure = curves.plot_of(lines, x="layer", y_range=y_range, ticks=ticks)
    named = {"column": column, "title": f"{METRICS[metric]} by {TITLES[column]}"}
    return {**named, "id": f"{column}.{model}.{reader}.{metric}", "figure": figure}


def _lines(rows: pd.DataFrame, peaks: pd.DataFrame) -> list[dict[str, Any]]:
    """A row per kind of word: its numbers, a cell per layer choice, and where each figure peaks."""
    keys = ["part_of_speech", "training_instances"]
    of_peaks = {(*(row[key] for key in keys), row["metric"]): row for row in records(peaks)}
    found = []
    for names, of in rows.groupby(keys, sort=False):
        first, cells = records(of)[0], {row["layers"]: row for row in records(of)}
        peak = {metric: of_peaks.get((*names, metric)) for metric in BY_KIND}
        counts = {name: int(first[name]) for name in ("n_words", "n_train", "n_test")}
        found.append(
            {**dict(zip(keys, names, strict=True)), **counts, "cells": cells, "peak": peak}
        )
    return found
