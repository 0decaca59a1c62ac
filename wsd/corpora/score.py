"""The step that checks and scores what any system says of the test instances."""

import argparse
from pathlib import Path

from wsd import logs
from wsd.arguments import add_out, add_path
from wsd.artifacts.corpus import read_corpora
from wsd.corpora import system_outputs
from wsd.errors import ConfigError


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="JSON lines: word, id, sense, scores"
    )
    parser.add_argument("--name", required=True, help="the system's")
    add_path(parser, "--corpus", "folder of <word>.parquet")
    parser.add_argument("--words", nargs="+", metavar="WORD", help="(default: all of the folder)")
    add_out(parser, "its predictions, .parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    words = args.words or sorted(path.stem for path in args.corpus.glob("*.parquet"))
    if not words:
        raise ConfigError(
            "no tables of words in the folder", where=str(args.corpus), fix="run snakemake first"
        )
    found = system_outputs.score_outputs(
        args.file, args.name, read_corpora(args.corpus, words), args.out
    )
    logs.show(system_outputs.describe(args.name, found))
