"""The layers page by part of speech and by number of training instances, and peaks."""

from itertools import product
from typing import Any

import pandas as pd

from wsd.report.pages import curves
from wsd.report.pages.layer_plots import percent
from wsd.report.pages.model_notes import rows_per_classifier
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import BY_KIND, METRICS

ALL = "all"
# The column that groups the words, and the other one.
COLUMNS = {
    "part_of_speech": "training_instances",
    "training_instances": "part_of_speech",
}
TITLES = {"part_of_speech": "parts of speech", "training_instances": "training instances"}


def kinds(report: Report) -> dict[str, list[str]]:
    """Return, by column, the kinds of words with enough words for a line."""
    table = report.rows("group-layers", view=report.view)
    table = table[table[f"{BY_KIND[0]}_low"].notna()]
    return {
        column: [name for name in having(table, **{other: ALL})[column].unique() if name != ALL]
        for column, other in COLUMNS.items()
    }


def peaks(report: Report) -> list[dict[str, Any]]:
    """Return the peaks over all words per model and classifier; none if there are few words."""
    table = report.rows("group-peaks", view=report.view, **dict.fromkeys(COLUMNS, ALL))
    return [
        {"model": model, "classifier": name, "peak": {row["metric"]: row for row in records(rows)}}
        for model, name in product(report.choices, report.classifiers)
        if len(rows := having(table, model=model, classifier=name))
    ]


def groups(report: Report) -> list[dict[str, Any]]:
    """Return the plots and tables per model and classifier; none without parts of speech."""
    table = report.rows("group-layers", view=report.view)
    if table.empty:
        return []
    ranges = {metric: _y_range(table, metric) for metric in BY_KIND}
    lines = [(column, names) for column, names in kinds(report).items() if names]
    sections = []
    for model, classifier, labels, rows in rows_per_classifier(report, table):
        singles = curves.single_layers(report.choices[model])
        ticks = {place: name for name, place in singles.items()}
        plots = []
        for metric, (column, names) in product(BY_KIND, lines):
            drawn = []
            for i, kind in enumerate(names):
                own = having(rows, **{COLUMNS[column]: ALL, column: kind})
                drawn.append(curves.over_layers(own, metric, singles, name=kind, style=i))
            axes: dict[str, Any] = {"x": "layer", "y": percent(metric), "ticks": ticks}
            plot = curves.plot_of(drawn, **axes, y_range=ranges[metric])
            title = f"{METRICS[metric]} by {TITLES[column]}"
            name = f"{column}.{model}.{classifier}.{metric}"
            plots.append({"metric": metric, "title": title, "id": name, "figure": plot})
        peaks = report.rows("group-peaks", view=report.view, model=model, classifier=classifier)
        shown = {"labels": labels, "plots": plots, "rows": _table_rows(rows, peaks)}
        sections.append({"model": model, "classifier": classifier, **shown})
    return sections


def _y_range(table: pd.DataFrame, metric: str) -> tuple[float, float]:
    """Return the vertical axis that all plots of a metric share."""
    one_kind = (table[list(COLUMNS)] == ALL).any(axis=1)
    drawn = table[one_kind & table["layers"].str.isdecimal() & table[f"{metric}_low"].notna()]
    return curves.percent_range(
        [v for end in ("low", "high") for v in curves.rounded(drawn[f"{metric}_{end}"])]
    )


def _table_rows(rows: pd.DataFrame, peaks: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row per kind of word: counts, a cell per layer choice, and the peak per metric."""
    keys = list(COLUMNS)
    peak_of = {(*(row[key] for key in keys), row["metric"]): row for row in records(peaks)}
    table = []
    for names, group in rows.groupby(keys, sort=False):
        first, *_ = lines = records(group)
        table.append(
            {
                **dict(zip(keys, names, strict=True)),
                **{name: int(first[name]) for name in ("n_words", "n_train", "n_test")},
                "cells": {row["layers"]: row for row in lines},
                "peak": {metric: peak_of.get((*names, metric)) for metric in BY_KIND},
            }
        )
    return table
