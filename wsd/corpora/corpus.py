"""The step that reads and checks one word's files."""

import argparse
from pathlib import Path

from wsd.arguments import add_out, add_path
from wsd.artifacts.corpus import write
from wsd.corpora import text_format
from wsd.logs import log
from wsd.storage.file_names import file_name


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_path(parser, "--source", "folder of <word>/ folders")
    parser.add_argument("--word", required=True, help="as --word=WORD if it begins with a hyphen")
    parser.add_argument("--out-of-domain", type=Path, metavar="FILE", help="further test sentences")
    add_out(parser, "the word's table, .parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    table = text_format.read_text(args.source / file_name(args.word), args.word, args.out_of_domain)
    write(args.out, table)
    log.debug("%s: %d instances of %d senses", args.word, len(table), len(table.senses))
