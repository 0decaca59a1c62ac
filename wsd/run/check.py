"""The command that looks for results that are no longer what was written."""

import argparse
from pathlib import Path

from wsd import logs
from wsd.errors import ResultError
from wsd.run import damage


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument(
        "--set-aside", action="store_true",
        help="rename what is damaged, so that snakemake makes it again",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    found = list(damage.damaged(args.results))
    for path, what in found:
        aside = f"; kept as {damage.put_away(path).name}" if args.set_aside else ""
        logs.show(f"{path}: {what}{aside}")
    if found:
        again = "run snakemake: what is missing is made again"
        raise ResultError(
            f"{len(found)} files are not what was written",
            where=str(args.results),
            fix=again if args.set_aside else f"wsd check --set-aside, and then {again}",
        )
    logs.show(f"{args.results}: every file that has a checksum is what was written")
