"""Write the report: the tables of a run as pages that open from disk.

``index.html`` has the selected configuration and the words, ``layers.html`` compares layer choices,
a page per word shows its instances, and ``data/`` has the tables. Studies may add sections, notes
and values for scripts. The command reads tables, but no model and no embeddings.
"""

import argparse
from pathlib import Path

from wsd import arguments as shared
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.dataset import find_dataset
from wsd.artifacts.run_json import RunMap, bare, list_folders
from wsd.logs import log
from wsd.report.pages.index import write_index
from wsd.report.pages.layers import write_layers
from wsd.report.pages.load_report import load_report
from wsd.report.pages.render import write_assets
from wsd.report.pages.report_data import Report
from wsd.report.pages.word import write_word
from wsd.storage.atomic import replacing_folder
from wsd.storage.csv import write_csv


def write_report(report: Report, out: Path) -> None:
    """Write the folder of the pages, ``words/``, ``assets/`` and ``data/``; replace an old one."""
    with replacing_folder(out) as folder:
        write_assets(report, folder / "assets")
        for number, (model, word) in enumerate(report.pages, 1):
            write_word(report, model, word, folder)
            log.info("page %d of %d: %s %s", number, len(report.pages), model, word)
        write_index(report, folder)
        write_layers(report, folder)
        for name, table in report.tables.items():
            if len(table):
                write_csv(folder / "data" / f"{name}.csv", table)
    log.info("report: %s", out / "index.html")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    shared.add_corpora(parser)
    shared.add_path(parser, "--dataset", "coarsewsd20, quickstart, or the path of a dataset.json")
    for files in ("--predictions", "--projections", "--neighbours"):
        shared.add_files(parser, files)
    shared.add_files(parser, "--tables", "the tables of the steps before, .csv")
    shared.add_path(parser, "--provenance", "of `wsd evaluate`")
    text = "folders of `wsd calibration`, one per model"
    shared.add_optional_files(parser, "--confidence", text, metavar="FOLDER")
    parser.add_argument("--view", default="focal")
    parser.add_argument("--no-text", action="store_true", help="leave the corpus's sentences out")
    text = "the workflow's run.json, for the run's config and command"
    parser.add_argument("--map", type=Path, metavar="FILE", help=text)
    shared.add_listings(parser)
    shared.add_out_folder(parser, "folder for index.html")
    shared.replaces(parser, "out")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    corpora = read_corpora(args.corpus, args.words)
    run = RunMap(args.map) if args.map else None
    tables: dict[str, list[Path]] = {}
    for path in [*args.tables, *(p for folder in args.confidence for p in folder.glob("*.csv"))]:
        tables.setdefault(bare(path.stem), []).append(path)
    report = load_report(
        dataset=find_dataset(str(args.dataset)),
        corpora=corpora,
        predictions=args.predictions,
        projections=args.projections,
        neighbours=args.neighbours,
        tables=tables,
        provenance=args.provenance,
        view=args.view,
        text=not args.no_text,
        run={"config": run.config, "command": run.command} if run else {},
        extensions=[study.load(args, corpora) for study in args.studies],
    )
    write_report(report, args.out)
    list_folders(args.listings)
