"""List or delete the files that no run refers to any more; the command ``wsd clean``.

A run refers to the files in its map (:mod:`wsd.artifacts.run_json`), and to the files in its
listings. Until a run has written a listing, it owns everything in the listing's folder.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from wsd import logs
from wsd.artifacts.find_runs import REMOVED, run_state, started_runs, tables_of, tables_of_runs
from wsd.artifacts.run_json import RUN_MAP, RunMap, is_listing, read_listing
from wsd.errors import ResultError
from wsd.run.session import begin, delete
from wsd.storage.checksums import STORE, SUMS

# The file that Snakemake leaves in a folder that is the output of a rule.
MARK = ".snakemake_timestamp"


def unused(dataset: Path) -> Iterator[Path]:
    """Yield every file of a dataset's store that no run refers to.

    Raises
    ------
    ResultError
        If a map or a listing cannot be read, so that its files are unknown.
    """
    maps = [folder / RUN_MAP for folder in tables_of_runs(dataset)]
    for run, path in started_runs(dataset).items():
        if run_state(RunMap(path), tables_of(dataset, run)) != REMOVED:
            maps.append(path)
    kept, folders = set(maps), set()
    for file in {dataset / name for path in maps for name in RunMap(path)}:
        kept.add(file)
        if is_listing(file) and file.exists():
            kept |= {file.parent / name for name in read_listing(file)}
            kept.add(file.with_suffix("") / MARK)
        elif is_listing(file):
            folders |= {file.parent, file.with_suffix("")} - {dataset / STORE}
    for path in (dataset / STORE).rglob("*"):
        is_kept = path in kept or folders & {*path.parents}
        if path.is_file() and SUMS not in path.parts and not is_kept:
            yield path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument("--yes", action="store_true", help="delete the files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    datasets = sorted(path.parent for path in args.results.glob(f"*/{STORE}"))
    if not datasets:
        fix = "name the folder of all results"
        raise ResultError("no results here", where=str(args.results), fix=fix)
    for dataset in datasets:
        sizes: Counter[str] = Counter()
        with begin(dataset) if args.yes else nullcontext():
            for path in [*unused(dataset)]:
                sizes["/".join(path.relative_to(dataset / STORE).parts[:2])] += path.stat().st_size
                if args.yes:
                    delete(path)
        for part, size in sizes.most_common():
            logs.show(f"{dataset.name}: {size / 1e6:,.1f} MB in {part}")
        total = f"{sum(sizes.values()) / 1e6:,.1f} MB belong to no run"
        done = "deleted" if args.yes else "--yes deletes them"
        logs.show(f"{dataset.name}: {total}: {done}")
