"""The section "Geometry" of the report's layers page."""

import argparse
from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from wsd.arguments import add_optional_files
from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.transform_names import transform_label
from wsd.report.pages import curves
from wsd.report.pages.layers import legend, places_of
from wsd.report.pages.load_report import read_tables
from wsd.report.pages.plots import plot_of
from wsd.report.pages.render import render_fragment
from wsd.report.pages.report_data import Extension, Report, Section, having

MEASURES = {
    "anisotropy": "Anisotropy: mean cosine of instances of different words",
    "self_similarity": "Self-similarity: mean cosine within a word",
    "silhouette": "Silhouette of the senses",
}
MEAN, WORD = "(mean)", "word"
COLUMNS = ("model", "view", "layers", "transform", "fitted_on", "word", *MEASURES)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the study's option."""
    add_optional_files(parser, "--geometry", "tables of `wsd geometry`")


def load(args: argparse.Namespace, corpora: Corpora) -> Extension:
    """Read the tables of the study."""
    return GeometrySection(read_tables(args.geometry, COLUMNS)) if args.geometry else Extension()


class GeometrySection(Extension):
    """A plot per measure and model, over the layers."""

    name = "geometry"

    def __init__(self, table: pd.DataFrame) -> None:
        self.tables = {"geometry": table}

    def layer_sections(self, report: Report) -> Iterator[Section]:
        """Return the section, if there are measures of the report's view."""
        if plots := geometry_plots(report):
            shown = {"plots": plots, "several": len(report.choices) > 1}
            names = map(transform_label, transforms(report))
            lines = legend(dict.fromkeys(names, "solid"))
            html = render_fragment("geometry/layers_section.html", transforms=lines, **shown)
            yield Section("geometry-title", "Geometry", html)


def transforms(report: Report) -> list[str]:
    """Return the transformations of the measured vectors."""
    return list(report.rows("geometry")["transform"].unique())


def geometry_plots(report: Report) -> list[dict[str, Any]]:
    """Return, per measure and model, means over words with transformations fitted on all words."""
    table = report.rows("geometry", word=MEAN, view=report.view)
    table = table[table["fitted_on"] != WORD]
    plots = []
    for (measure, title), model in product(MEASURES.items(), report.choices):
        if (model_rows := having(table, model=model)).empty:
            continue
        singles = places_of(report, model).singles
        lines, scale = [], {"scale": 1, "bounds": False}
        for i, transform in enumerate(transforms(report)):
            rows = having(model_rows, transform=transform)
            look: dict[str, Any] = {"name": transform_label(transform), "style": i, **scale}
            lines.append(curves.over_layers(rows, measure, singles, **look))
        ticks = {place: name for name, place in singles.items()}
        plot = plot_of(lines, x="layer", y=title.partition(":")[0], ticks=ticks)
        name = f"geometry.{model}.{measure}"
        plots.append({"model": model, "title": title, "id": name, "figure": plot})
    return plots
