"""The section "Glosses" of the report's layers page: how many sentences a gloss is worth."""

import argparse
from collections.abc import Iterator
from typing import Any

import pandas as pd

from wsd.arguments import add_optional_files
from wsd.artifacts.corpus_table import Corpora
from wsd.report.pages import curves
from wsd.report.pages.layers import legend
from wsd.report.pages.model_notes import MAIN_METRIC, blocks
from wsd.report.pages.read_tables import read_tables
from wsd.report.pages.render import render_fragment
from wsd.report.pages.report_data import Report, having, records
from wsd.report.pages.study_sections import Extension, Section

TABLE = "gloss-worth"
# The starting points of `wsd gloss-worth`, with their names on the page and their dashes.
STARTS = {
    "sentences": ("sentences alone", "solid"),
    "gloss": ("and the gloss, by the word in it", "dotted"),
    "gloss-mean": ("and the gloss, by its mean", "dashdot"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the study's option."""
    add_optional_files(parser, "--gloss-worth", "tables of `wsd gloss-worth`")


def load(args: argparse.Namespace, corpora: Corpora) -> Extension:
    """Read the tables of the study."""
    if not args.gloss_worth:
        return Extension()
    return GlossSection(read_tables(args.gloss_worth))


class GlossSection(Extension):
    """A plot and a table per model."""

    name = "glosses"

    def __init__(self, table: pd.DataFrame) -> None:
        self.tables = {TABLE: table}

    def layer_sections(self, report: Report) -> Iterator[Section]:
        """Return the section, if there is a table."""
        models = gloss_worth(report)
        if models:
            starts = legend(dict(STARTS.values()))
            html = render_fragment("glosses/layers_section.html", models=models, starts=starts)
            yield Section("glosses-title", "Glosses", html)


def gloss_worth(report: Report) -> list[dict[str, Any]]:
    """Return, per model, macro-F1 against the number of sentences, with and without a gloss.

    The layer is the last one: the selection of another would need labels.
    """
    models = []
    for model, choices in report.choices.items():
        table = report.rows(TABLE, model=model)
        if table.empty:
            continue
        last = str(blocks(report, model))
        layers = last if (table["layers"] == last).any() else choices[-1].name
        rows = having(table, layers=layers)
        cells = {(row["start"], int(row["n"])): row for row in records(rows)}
        numbers = sorted({int(n) for n in rows["n"]})
        models.append(
            {
                "model": model,
                "layers": layers,
                "worth": [
                    (name, cells[start, 0])
                    for start, (name, _) in STARTS.items()
                    if (start, 0) in cells
                ],
                "id": f"glosses.{model}",
                "figure": _plot(rows, numbers),
                "rows": [
                    {"n": n, "cells": [cells.get((start, n)) for start in STARTS]} for n in numbers
                ],
            }
        )
    return models


def _plot(rows: pd.DataFrame, numbers: list[int]) -> dict[str, Any]:
    lines = []
    for i, (start, (name, dash)) in enumerate(STARTS.items()):
        of_start = having(rows, start=start).sort_values("n")
        labels = [f"{n} of each sense" for n in of_start["n"]]
        x = [float(numbers.index(int(n))) for n in of_start["n"]]
        look: dict[str, Any] = {"name": name, "style": i, "dash": dash}
        lines.append(curves.of_table(of_start, x, MAIN_METRIC, labels=labels, **look))
    return curves.plot_of(
        lines,
        x="labelled sentences of each sense",
        y="Macro-F1, percent",
        y_range=curves.common_range(lines),
        ticks={float(place): str(n) for place, n in enumerate(numbers)},
    )
