"""The report: what a config's tables say, as pages that open from disk.

``index.html`` has the answer and the words, ``layers.html`` compares layer choices, one page per
word shows its instances, ``errors.html`` what systems from elsewhere get wrong, ``data/`` has the
tables. The word pages are written a second time as single files, for viewers that open a page on
its own. Only tables are read, never a model or embeddings, so a report can be made again anywhere.
"""

import argparse
import logging
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from wsd.arguments import add_corpora, add_files, add_optional_files, add_out, add_path
from wsd.artifacts.corpus import read_corpora
from wsd.artifacts.dataset import find
from wsd.report.pages import tables
from wsd.report.pages.errors import write_errors
from wsd.report.pages.index import write_index
from wsd.report.pages.inputs import load_report
from wsd.report.pages.layers import write_layers
from wsd.report.pages.render import write_assets
from wsd.report.pages.tables import CONFIDENCE_TABLES
from wsd.report.pages.word import write_word
from wsd.storage.atomic import replacing_folder
from wsd.storage.csv import write_csv

log = logging.getLogger("wsd")


def build_report(*, out: Path, portable: Path, **given: Any) -> None:
    """Write the report's two folders, each replaced whole.

    Parameters
    ----------
    out : Path
        Folder for ``index.html``, ``layers.html``, ``words/``, ``assets/`` and ``data/``; and
        ``errors.html``, if there are systems from elsewhere.
    portable : Path
        Folder for ``<model>/<word>.html``, each depending on no other file.
    **given
        What the pages show, as :func:`wsd.report.pages.inputs.load_report` takes it.

    Raises
    ------
    ResultError
        If a table is missing, or tables do not belong together.
    """
    report = load_report(**given)
    with ExitStack() as both:
        folder = both.enter_context(replacing_folder(out))
        single = both.enter_context(replacing_folder(portable))
        write_assets(folder / "assets")
        total = sum(len(words) for words in report.words.values())
        done = 0
        for model, words in report.words.items():
            for word in words:
                write_word(report, model, word, folder=folder, portable=single)
                done += 1
                log.info("page %d of %d: %s %s", done, total, model, word)
        write_index(report, folder)
        write_layers(report, folder)
        write_errors(report, folder)
        for name, table in report.tables.items():
            if len(table):
                write_csv(folder / "data" / f"{name}.csv", table)
    log.info("report: %s", out / "index.html")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    parser.add_argument(
        "--dataset", required=True, help="coarsewsd20, quickstart, or the path of a dataset.json"
    )
    for files in ("--predictions", "--projections", "--neighbours"):
        add_files(parser, files)
    for table in ("--scores", "--summary", "--provenance"):
        parser.add_argument(table, type=Path, required=True)
    parser.add_argument("--view", default="focal")
    add_path(parser, "--comparison", "of `wsd compare`, .csv")
    add_path(parser, "--tables", "folder that compare and layerwise wrote")
    add_optional_files(parser, "--geometry", "of `wsd geometry`")
    add_files(parser, "--alignment", "of `wsd alignment`")
    add_optional_files(
        parser, "--confidence", "of `wsd calibration`, one per model", metavar="FOLDER"
    )
    parser.add_argument("--no-text", action="store_true", help="leave the corpus's sentences out")
    add_path(parser, "--portable", "folder for one-file word pages")
    add_out(parser, "folder for index.html")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    build_report(
        dataset=find(args.dataset),
        corpora=read_corpora(args.corpus, args.words),
        predictions=args.predictions,
        projections=args.projections,
        neighbours=args.neighbours,
        tables={
            "scores": [args.scores],
            "summary": [args.summary],
            "comparison": [args.comparison],
            **{name: [args.tables / f"{name}.csv"] for name in tables.COMPARISON_TABLES},
            "geometry": args.geometry,
            "alignment": args.alignment,
            **{
                name: [folder / f"{name}.csv" for folder in args.confidence]
                for name in CONFIDENCE_TABLES
            },
        },
        provenance=args.provenance,
        view=args.view,
        text=not args.no_text,
        out=args.out,
        portable=args.portable,
    )
