"""Compare every result with the checksum of its writing; the command ``wsd check``."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from wsd import logs
from wsd.artifacts.find_runs import (
    PROVENANCE,
    described_runs,
    started_runs,
    tables_of,
    tables_of_runs,
)
from wsd.artifacts.run_json import RUN_MAP, RunMap
from wsd.errors import ResultError, WsdError
from wsd.run.verify_checksums import GONE, checksum_or_problem, damaged_files, problem_of

FIX = "run snakemake with the config of the run again: it rebuilds damaged and missing files"


def damaged(dataset: Path, read: dict[Path, str]) -> Iterator[tuple[Path, str]]:
    """Yield the damaged and missing files of a dataset's runs, with their problems.

    Parameters
    ----------
    dataset : Path
        ``results/<dataset>``.
    read : dict of Path to str
        The checksums of the files that were read already; more are added.
    """

    def look(path: Path) -> str:
        return read.get(path) or read.setdefault(path, checksum_or_problem(path))

    published = [folder / RUN_MAP for folder in tables_of_runs(dataset)]
    started = started_runs(dataset)
    for tables in (tables_of(dataset, run) for run in started):
        if (tables / PROVENANCE).exists() and tables / RUN_MAP not in published:
            yield tables / RUN_MAP, GONE
    for path in (*published, *started.values()):
        try:
            run = RunMap(path)
        except WsdError as error:
            yield path, error.problem
            continue
        files = [dataset / file for file in run]
        for file in files if path in published else filter(Path.exists, files):
            yield from damaged_files(file, look)
        for name, expected in run.published.items():
            copy = path.parent / name
            if problem := problem_of(copy, look, expected) if expected else _missing(copy):
                yield copy, problem


def _missing(link: Path) -> str:
    return "" if link.exists() else GONE


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    read: dict[Path, str] = {}
    folders = [args.results, *sorted(args.results.glob("[!.]*/"))]
    problems = {path: problem for folder in folders for path, problem in damaged(folder, read)}
    for line in described_runs(args.results):
        logs.show(line)
    for path, problem in problems.items():
        logs.show(f"{path}: {problem}")
    if problems or not read:
        problem = f"damaged or missing files: {len(problems)}" if problems else "nothing to check"
        raise ResultError(problem, where=str(args.results), fix=FIX)
    logs.show(f"{args.results}: {len(read)} files read, all match their checksums")
