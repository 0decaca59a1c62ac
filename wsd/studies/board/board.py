"""Merge exports of several machines to one page and tables.

The page ranks the encoders by their selected configuration, compares them pairwise, and shows each
layer at its relative depth. The exports must have the same corpus.
"""

import argparse
from pathlib import Path

from wsd.arguments import add_out_folder, add_seed, replaces
from wsd.logs import log
from wsd.report.one_file import is_page
from wsd.storage.atomic import replacing_folder
from wsd.storage.checksums import SUMS
from wsd.storage.csv import write_csv
from wsd.studies.board.board_page import page
from wsd.studies.board.export_file import read_export
from wsd.studies.board.merge import TABLES, compute_tables, merge

PAGE = "index.html"
FILES = tuple(f"{name}.csv" for name in TABLES)


def _is_own(path: Path) -> bool:
    """Return whether a file is one of an earlier board, or a checksum of one."""
    folder = path.parent.parent if path.parent.name == SUMS else path.parent
    return path.name in (PAGE, *FILES) and is_page(folder / PAGE)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "files of `wsd export`"
    parser.add_argument("exports", type=Path, nargs="+", metavar="EXPORT", help=text)
    add_seed(parser, "of intervals and tests")
    add_out_folder(parser, f"folder for {PAGE} and the tables")
    replaces(parser, _is_own, "out")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    merged = merge([read_export(path) for path in args.exports])
    tables = compute_tables(merged, args.seed)
    text = page(merged, tables)
    with replacing_folder(args.out) as folder:
        for name, table in tables.items():
            write_csv(folder / f"{name}.csv", table)
        (folder / PAGE).write_text(text, encoding="utf-8", newline="\n")
    log.info("board: %d encoders, %s", len(merged.origin), args.out / PAGE)
