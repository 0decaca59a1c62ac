"""Convert the predictions that the authors of CoarseWSD-20 published to JSON lines for `wsd score`.

A system has a file per word, with a line for each test instance. A line is a JSON object with
``idx``, ``gold``, ``tokens`` and ``matches``, the pairs of sense and score, best first.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from wsd.arguments import add_out, add_path
from wsd.storage.atomic import write_text
from wsd.storage.result_files import parsing
from wsd.storage.text_files import json_lines
from wsd.studies.systems.system_descriptions import SYSTEMS

FIX = "give the published file as it was downloaded"


def convert(folder: Path) -> Iterator[str]:
    """Yield the lines of a published system; the first match is its prediction, as the authors'."""
    for file in sorted(folder.glob("*.jsonl")):
        for where, output in json_lines(file, FIX):
            with parsing(Path(where)):
                sense, scores = output["matches"][0][0], dict(output["matches"])
                line = {"word": file.stem, "id": output["idx"], "sense": sense, "scores": scores}
            yield json.dumps(line) + "\n"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--source", "folder of the download")
    parser.add_argument("--system", required=True, choices=SYSTEMS)
    add_out(parser, "its predictions, as `wsd score` takes them", ".jsonl")


def run(args: argparse.Namespace) -> None:
    """Convert the predictions of a published system."""
    write_text(args.out, "".join(convert(args.source / "published" / args.system)))
