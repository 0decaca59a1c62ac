"""Compare every result with the checksum of its writing; the command ``wsd check``.

The checksum of a file is in ``.sums`` next to it (:mod:`wsd.storage.checksums`), or in the
listing that names the file (:mod:`wsd.artifacts.run_json`). A file of vectors also contains one
per layer (:mod:`wsd.artifacts.vectors`).
"""

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from wsd import logs
from wsd.artifacts import find_runs
from wsd.artifacts.run_json import RUN_MAP, RunMap, is_listing, read_listing
from wsd.artifacts.vectors import VECTORS, check_vectors
from wsd.encoder.model_files import WEIGHTS
from wsd.errors import ResultError, WsdError
from wsd.storage.checksums import checksum, noted_checksum

FIX = "run snakemake with the config of the run again: it rebuilds damaged and missing files"
GONE = "is not there"
# Returns the checksum of a file's content, or the problem of reading it.
Look = Callable[[Path], str]


def checksum_or_problem(path: Path) -> str:
    """Return the checksum of a file's content, or the problem of reading it."""
    try:
        if path.suffix == VECTORS and path.name != WEIGHTS:
            return check_vectors(path)
        return checksum(path)
    except WsdError as error:
        return error.problem
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def damaged_files(path: Path, look: Look = checksum_or_problem) -> Iterator[tuple[Path, str]]:
    """Yield the damaged files among a file and the files that it lists, with their problems.

    Parameters
    ----------
    path : Path
    look : callable
        Like :func:`checksum_or_problem`; it may have a cache.
    """
    if problem := problem_of(path, look):
        yield path, problem
    elif is_listing(path):
        try:
            files = read_listing(path)
        except WsdError as error:
            yield path, error.problem
            return
        for name, expected in files.items():
            if problem := problem_of(path.parent / name, look, expected):
                yield path.parent / name, problem


def problem_of(path: Path, look: Look, expected: str | None = None) -> str:
    """Return the problem of a file, or an empty text.

    Parameters
    ----------
    path : Path
    look : callable
        As for :func:`damaged_files`.
    expected : str, optional
        The checksum of the file and in ``.sums``; the default is the one in ``.sums``.
    """
    try:
        if not path.is_file():
            return GONE
        noted = noted_checksum(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    actual, expected = look(path), expected or noted
    if not actual.startswith("crc32"):
        return actual
    if expected is None:
        return "has no checksum next to it"
    if actual != expected:
        text = "the file has changed since it was written: its checksum was"
        return f"{text} {expected} and is {actual}"
    return "" if noted in (None, expected) else f"its checksum in .sums is not {expected}"


def damaged(dataset: Path, look: Look = checksum_or_problem) -> Iterator[tuple[Path, str]]:
    """Yield the damaged and missing files of a dataset's runs, with their problems.

    Parameters
    ----------
    dataset : Path
        ``results/<dataset>``.
    look : callable
        As for :func:`damaged_files`.
    """
    published = [folder / RUN_MAP for folder in find_runs.tables_of_runs(dataset)]
    started = find_runs.started_runs(dataset)
    for tables in (find_runs.tables_of(dataset, run) for run in started):
        if (tables / find_runs.PROVENANCE).exists() and tables / RUN_MAP not in published:
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
            if expected and (problem := problem_of(copy, look, expected)):
                yield copy, problem
            elif not copy.exists():
                yield copy, GONE


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    look = cache(checksum_or_problem)
    folders = [args.results, *sorted(args.results.glob("[!.]*/"))]
    problems = {path: problem for folder in folders for path, problem in damaged(folder, look)}
    read = look.cache_info().currsize
    for line in find_runs.described_runs(args.results):
        logs.show(line)
    for path, problem in problems.items():
        logs.show(f"{path}: {problem}")
    if problems or not read:
        problem = f"damaged or missing files: {len(problems)}" if problems else "nothing to check"
        raise ResultError(problem, where=str(args.results), fix=FIX)
    logs.show(f"{args.results}: {read} files read, all match their checksums")
