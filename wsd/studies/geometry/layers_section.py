"""The section "Geometry" of the report's layers page."""

import argparse
from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from wsd.arguments import add_optional_files
from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.transform_names import transform_label
from wsd.report.pages.curves import over_layers
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
        names = [*report.rows("geometry")["transform"].unique()]
        # Means over words, with transformations fitted on all words.
        table = report.rows("geometry", word=MEAN, view=report.view)
        table, plots = table[table["fitted_on"] != WORD], []
        for (measure, title), model in product(MEASURES.items(), report.choices):
            if (rows := having(table, model=model)).empty:
                continue
            places, lines = places_of(report, model)._replace(combined={}), []
            for i, name in enumerate(names):
                look: dict[str, Any] = {"name": transform_label(name), "style": i, "scale": 1}
                own = having(rows, transform=name)
                lines.append(over_layers(own, measure, places.singles, bounds=False, **look))
            figure = plot_of(lines, y=title.partition(":")[0], **places.axis)
            about = {"model": model, "title": title, "id": f"geometry.{model}.{measure}"}
            plots.append({**about, "figure": figure})
        if plots:
            shown = {"plots": plots, "several": len(report.choices) > 1}
            lines_of = legend(dict.fromkeys(map(transform_label, names), "solid"))
            html = render_fragment("geometry/layers_section.html", transforms=lines_of, **shown)
            yield Section("geometry-title", "Geometry", html)
