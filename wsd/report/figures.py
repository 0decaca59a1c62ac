"""Write the figures of a paper from the tables of a finished run, as PDF, SVG and PNG.

Each figure is a module of :mod:`wsd.report.paper`: its ``draw_`` function takes tables and returns
a figure, or None if the tables have nothing to show. Every figure can be read without colours, and
has the same bytes on every run.
"""

import argparse
from pathlib import Path

from matplotlib.figure import Figure

from wsd.arguments import add_listings, add_out_folder, add_path
from wsd.artifacts.run_json import list_folders
from wsd.logs import log
from wsd.report.paper.differences import draw_differences
from wsd.report.paper.layers import draw_layers
from wsd.report.paper.learning import draw_learning
from wsd.report.paper.models import draw_models
from wsd.report.paper.style import styled
from wsd.report.paper.words import draw_words
from wsd.report.tables import DRAWN_TABLES
from wsd.storage.atomic import replacing
from wsd.storage.csv import read_csv

FORMATS = ("pdf", "svg", "png")
# Metadata that would differ between runs: the date, the version of the library.
VARYING_METADATA = {
    "pdf": ("CreationDate", "Producer"),
    "svg": ("Date", "Creator"),
    "png": ("Software",),
}


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure atomically, in the format of the path's suffix."""
    form = path.suffix.removeprefix(".")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=form, metadata=dict.fromkeys(VARYING_METADATA[form]))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    for table in DRAWN_TABLES:
        add_path(parser, f"--{table}", "a table, .csv", metavar="FILE")
    parser.add_argument("--format", action="append", choices=FORMATS, help="default: all three")
    add_listings(parser)
    add_out_folder(parser, "folder for the figures")


def run(args: argparse.Namespace) -> None:
    """Write the figures ``layers``, ``models``, ``words``, ``learning`` and ``differences``.

    A figure without data is left out; any table may be empty.
    """
    tables = {
        name: read_csv(getattr(args, name.replace("-", "_")), columns)
        for name, columns in DRAWN_TABLES.items()
    }
    args.out.mkdir(parents=True, exist_ok=True)
    texts = [tables[name][column] for name, c in DRAWN_TABLES.items() for column in c.text]
    with styled(text for column in texts for text in column.unique()):
        drawn = {
            "layers": draw_layers(tables["layers"], tables["controls"], tables["comparison"]),
            "models": draw_models(tables["layers"], tables["comparison"]),
            "words": draw_words(tables["word-layers"], tables["word-scores"]),
            "learning": draw_learning(tables["learning"], tables["comparison"]),
            "differences": draw_differences(tables["layers"], tables["best-set"]),
        }
        for name, figure in drawn.items():
            if figure is None:
                log.info("figures: no data for %s, left out", name)
                continue
            # The layout takes longer than the writing, and is the same for all formats.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            for form in args.format or FORMATS:
                write_figure(figure, args.out / f"{name}.{form}")
    list_folders(args.listings)
