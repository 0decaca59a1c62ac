"""Write the report: the tables of a run as pages that open from disk.

``index.html`` has the selected configuration and the words, ``layers.html`` compares layer choices,
a page per word shows its instances, ``errors.html`` compares the errors with other systems, and
``data/`` has the tables. Studies may add pages. The word pages are also written as single files,
for viewers that open one file only. The command reads tables, but no model and no embeddings.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wsd.arguments import (
    add_corpora,
    add_files,
    add_listings,
    add_optional_files,
    add_out_folder,
    add_path,
    replaces,
    writes,
)
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.manifest import find_dataset
from wsd.artifacts.run_json import RunMap, bare, list_folders
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.report.one_file import check_replaceable, is_page, write_one_file
from wsd.report.pages.errors import write_errors
from wsd.report.pages.index import write_index
from wsd.report.pages.layers import write_layers
from wsd.report.pages.load_report import load_report
from wsd.report.pages.read_tables import ReportInputs
from wsd.report.pages.render import write_assets
from wsd.report.pages.report_data import Report
from wsd.report.pages.word import write_word
from wsd.report.tables import COMPARISON_TABLES, CONFIDENCE_TABLES
from wsd.storage.atomic import replacing_folder
from wsd.storage.csv import write_csv


def write_report(report: Report, out: Path, portable: Path) -> None:
    """Write the report's two folders, and replace existing ones.

    Parameters
    ----------
    report : Report
    out : Path
        Folder for the pages, ``words/``, ``assets/`` and ``data/``.
    portable : Path
        Folder for ``<model>/<word>.html``; such a page needs no other file.
    """
    pages = [(model, word) for model, words in report.words.items() for word in words]
    with replacing_folder(out) as folder, replacing_folder(portable) as single:
        write_assets(report, folder / "assets")
        for number, (model, word) in enumerate(pages, 1):
            write_word(report, model, word, folder=folder, portable=single)
            log.info("page %d of %d: %s %s", number, len(pages), model, word)
        write_index(report, folder)
        write_layers(report, folder)
        write_errors(report, folder)
        for extension in report.extensions:
            extension.write_page(report, folder)
        for name, table in report.tables.items():
            if len(table):
                write_csv(folder / "data" / f"{name}.csv", table)
    log.info("report: %s", out / "index.html")


def is_part_of_report(path: Path) -> bool:
    """Return whether a file belongs to a report, and may be replaced.

    Assets and data lie next to an ``index.html`` that is a page of a report.
    """
    if path.suffix == ".html":
        return is_page(path)
    folder = next((parent for parent in path.parents if parent.name in ("assets", "data")), None)
    return folder is not None and is_page(folder.parent / "index.html")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    parser.add_argument(
        "--dataset", required=True, help="coarsewsd20, quickstart, or the path of a dataset.json"
    )
    for files in ("--predictions", "--projections", "--neighbours"):
        add_files(parser, files)
    for table in ("--scores", "--summary", "--provenance"):
        parser.add_argument(table, type=Path, required=True)
    parser.add_argument("--view", default="focal")
    add_path(parser, "--comparison", "table of `wsd compare`, .csv")
    add_files(
        parser, "--tables", "the other tables of `wsd compare` and `wsd layerwise`, or their folder"
    )
    add_files(parser, "--alignment", "tables of `wsd alignment`")
    text = "folders of `wsd calibration`, one per model"
    add_optional_files(parser, "--confidence", text, metavar="FOLDER")
    parser.add_argument("--no-text", action="store_true", help="leave the corpus's sentences out")
    text = "the workflow's run.json, for the run's config and command"
    parser.add_argument("--map", type=Path, metavar="FILE", help=text)
    add_listings(parser)
    add_path(parser, "--portable", "folder for word pages as single files")
    text = "also write the whole report as one HTML file, for sending"
    parser.add_argument("--one-file", type=Path, metavar="FILE", help=text)
    writes(parser, "portable", "one_file")
    add_out_folder(parser, "folder for index.html")
    replaces(parser, is_part_of_report, "out", "portable")


def _comparison_tables(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Return the tables next to the comparison by name, from a folder or a list of files."""
    if len(paths) == 1 and paths[0].suffix != ".csv":
        return {name: [paths[0] / f"{name}.csv"] for name in COMPARISON_TABLES}
    by_name = {bare(path.stem): [path] for path in paths}
    return {name: by_name.get(name, []) for name in COMPARISON_TABLES}


def _inputs(args: argparse.Namespace) -> ReportInputs:
    corpora = read_corpora(args.corpus, args.words)
    run = RunMap(args.map) if args.map else None
    return ReportInputs(
        dataset=find_dataset(args.dataset),
        corpora=corpora,
        predictions=args.predictions,
        projections=args.projections,
        neighbours=args.neighbours,
        tables={
            **_comparison_tables(args.tables),
            **{name: [f / f"{name}.csv" for f in args.confidence] for name in CONFIDENCE_TABLES},
            **{name: [getattr(args, name)] for name in ("scores", "summary", "comparison")},
            "alignment": args.alignment,
        },
        provenance=args.provenance,
        view=args.view,
        text=not args.no_text,
        run={"config": run.config, "command": run.command} if run else {},
        extensions=[study.load(args, corpora) for study in args.studies],
    )


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    out, portable = args.out.resolve(), args.portable.resolve()
    if out == portable or out in portable.parents or portable in out.parents:
        problem = f"{args.portable} and {args.out} would replace one another"
        raise ConfigError(problem, where="--portable, --out", fix="choose two separate folders")
    if args.one_file:
        if any(folder in args.one_file.resolve().parents for folder in (out, portable)):
            problem = f"{args.one_file} is in a folder that this command replaces"
            raise ConfigError(problem, where="--one-file", fix="choose a path elsewhere")
        check_replaceable(args.one_file, "--one-file")
    write_report(load_report(_inputs(args)), args.out, args.portable)
    if args.one_file:
        write_one_file(args.out, args.one_file)
    list_folders(args.listings)
