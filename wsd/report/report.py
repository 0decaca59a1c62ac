"""The report: what a config's tables say, as pages that open from disk.

``index.html`` has the answer and the words, ``layers.html`` compares layer choices,
``strategies.html`` ways to tell senses, one page per word shows its instances, ``errors.html`` what
systems from elsewhere get wrong, ``data/`` has the tables. The word pages are written a second time
as single files, for viewers that open a page on its own. Only tables are read, never a model or
embeddings, so a report can be made again anywhere.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from wsd.artifacts.run_map import RunMap, bare, list_folders
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.report.pages.errors import write_errors
from wsd.report.pages.index import write_index
from wsd.report.pages.layers import write_layers
from wsd.report.pages.load_report import load_report
from wsd.report.pages.render import write_assets
from wsd.report.pages.report_data import Report
from wsd.report.pages.word import write_word
from wsd.report.tables import COMPARISON_TABLES, CONFIDENCE_TABLES
from wsd.storage.atomic import replacing_folder
from wsd.storage.csv import write_csv
from wsd.studies.strategies.page import write_strategies

# In the head of every page.
GENERATOR = b'<meta name="generator" content="wsd report">'
# Arguments that say what is read besides corpora and tables.
SHOWN = ("predictions", "projections", "neighbours", "substitutes", "provenance", "view")


def write_report(report: Report, out: Path, portable: Path) -> None:
    """Write the report's two folders, each replaced whole.

    Parameters
    ----------
    report : Report
    out : Path
        Folder for ``index.html``, ``layers.html``, ``strategies.html``, ``words/``, ``assets/`` and
        ``data/``; and ``errors.html``, if there are systems from elsewhere.
    portable : Path
        Folder for ``<model>/<word>.html``, each depending on no other file.
    """
    pages = [(model, word) for model, words in report.words.items() for word in words]
    with replacing_folder(out) as folder, replacing_folder(portable) as single:
        write_assets(folder / "assets")
        for done, (model, word) in enumerate(pages, 1):
            write_word(report, model, word, folder=folder, portable=single)
            log.info("page %d of %d: %s %s", done, len(pages), model, word)
        write_index(report, folder)
        write_layers(report, folder)
        write_strategies(report, folder)
        write_errors(report, folder)
        for name, table in report.tables.items():
            if len(table):
                write_csv(folder / "data" / f"{name}.csv", table)
    log.info("report: %s", out / "index.html")


def is_own(path: Path) -> bool:
    """Whether a file is of a report: a page says so, and what lies below one's index is."""
    if path.suffix == ".html":
        return _is_page(path)
    folder = next((one for one in path.parents if one.name in ("assets", "data")), None)
    return folder is not None and _is_page(folder.parent / "index.html")


def _is_page(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return GENERATOR in file.read(1000)


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
    text = "the tables that compare, layerwise and strategies wrote, or their folder"
    add_files(parser, "--tables", text)
    add_optional_files(parser, "--geometry", "of `wsd geometry`")
    add_optional_files(parser, "--gloss-worth", "of `wsd gloss-worth`")
    add_files(parser, "--alignment", "of `wsd alignment`")
    text = "of `wsd substitutes`, one per model: a folder, or a listing"
    add_optional_files(parser, "--substitutes", text, metavar="PATH")
    add_optional_files(parser, "--sense-substitutes", "of `wsd sense-substitutes`")
    add_optional_files(
        parser, "--confidence", "of `wsd calibration`, one per model", metavar="FOLDER"
    )
    parser.add_argument("--no-text", action="store_true", help="leave the corpus's sentences out")
    text = "of the workflow: the run's run.json, for its config and command"
    parser.add_argument("--map", type=Path, metavar="FILE", help=text)
    add_listings(parser)
    add_path(parser, "--portable", "folder for one-file word pages")
    writes(parser, "portable")
    add_out_folder(parser, "folder for index.html")
    replaces(parser, is_own, "out", "portable")


def _behind(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """The tables behind the comparison by their names, in a folder or each in its own."""
    if len(paths) == 1 and paths[0].suffix != ".csv":
        return {name: [paths[0] / f"{name}.csv"] for name in COMPARISON_TABLES}
    found = {bare(path.stem): [path] for path in paths}
    return {name: found.get(name, []) for name in COMPARISON_TABLES}


def _said(path: Path) -> dict[str, Any]:
    run = RunMap(path)
    return {"config": run.config, "command": run.command}


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    out, portable = args.out.resolve(), args.portable.resolve()
    if out == portable or out in portable.parents or portable in out.parents:
        what = f"{args.portable} and {args.out} would replace one another"
        raise ConfigError(what, where="--portable, --out", fix="name two folders apart")
    tables = {
        **_behind(args.tables),
        **{name: [of / f"{name}.csv" for of in args.confidence] for name in CONFIDENCE_TABLES},
        **{name: [getattr(args, name)] for name in ("scores", "summary", "comparison")},
        **{name: getattr(args, name) for name in ("geometry", "alignment")},
        "substitutes": args.sense_substitutes,
        "gloss-worth": args.gloss_worth,
    }
    report = load_report(
        dataset=find_dataset(args.dataset),
        corpora=read_corpora(args.corpus, args.words),
        tables=tables,
        text=not args.no_text,
        said=_said(args.map) if args.map else None,
        **{name: getattr(args, name) for name in SHOWN},
    )
    write_report(report, args.out, args.portable)
    list_folders(args.listings)
