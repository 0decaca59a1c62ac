"""List or delete the files that no run refers to any more; the command ``wsd clean``.

A run refers to the files in its map (:mod:`wsd.artifacts.run_json`), and to the files in its
listings. A run has up to two maps: one next to its tables, and one of its last start, which may be
unfinished. Until a run has written a listing, it owns everything in the listing's folder.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wsd import logs
from wsd.artifacts.find_runs import (
    FIND_RESULTS,
    REMOVED,
    UNFINISHED,
    is_dataset,
    run_label,
    run_state,
    started_runs,
    tables_of,
    tables_of_runs,
)
from wsd.artifacts.reserved_names import RESERVED
from wsd.artifacts.run_json import (
    LISTED,
    MAPS,
    RUN_MAP,
    TABLES,
    RunMap,
    bare,
    is_listing,
    read_listing,
)
from wsd.errors import ConfigError, ResultError, WsdError
from wsd.run import lock
from wsd.storage.checksums import DAMAGED, STORE, SUMS
from wsd.storage.temporary_files import PART

NO_RUN = "no run"
# The file that Snakemake leaves in a folder that is the output of a rule.
MARK = ".snakemake_timestamp"


def named(path: Path) -> tuple[set[str], set[str]]:
    """Return what a map refers to, as paths from the dataset's folder.

    Returns
    -------
    files, folders : set of str
        The files, and the folders whose listing is not written yet.

    Raises
    ------
    ResultError
        If the map or one of its listings is damaged.
    """
    run = RunMap(path)
    files, folders = set(run), set()
    for name in run:
        listing = run.folder / name
        if not is_listing(listing):
            continue
        folder = name.rpartition("/")[0]
        if listing.exists():
            files |= {f"{folder}/{file}" for file in read_listing(listing)}
            files.add(f"{name.removesuffix('.json')}/{MARK}")
        else:  # it lists the files of words, or a folder that has its name
            lists_words = bare(listing.name) == TABLES or listing.parent.name in LISTED
            folders.add(folder if lists_words else name.removesuffix(".json"))
    return files, folders


def unused(dataset: Path, *, unfinished: bool = False) -> Iterator[tuple[str, int]]:
    """Yield every file of a dataset's store that no run refers to, and its size in bytes.

    Parameters
    ----------
    dataset : Path
    unfinished : bool
        Include files that belong only to unfinished runs without tables.

    Raises
    ------
    ResultError, OSError
        If a map or a listing cannot be read, so that its files are unknown.
    """
    ignored = (REMOVED, UNFINISHED) if unfinished else (REMOVED,)
    last = [
        path
        for run, path in started_runs(dataset)[0].items()
        if run_state(RunMap(path), tables_of(dataset, run)) not in ignored
    ]
    kept, folders = {f"{STORE}/{MAPS}/{path.name}" for path in last}, set()
    for path in (*(folder / RUN_MAP for folder in tables_of_runs(dataset)), *last):
        files, unlisted = named(path)
        kept |= files
        folders |= unlisted
    start = len(f"{dataset}/")
    entries = [(entry.path[start:], entry) for entry in _walk(str(dataset / STORE))]
    links = [path for path, entry in entries if entry.is_symlink()]
    # A run may refer to files behind a link of the user, which may lead out of this store.
    used = [link for link in links if any(_within(path, link) for path in kept)]
    kept |= {*used}
    store = (dataset / STORE).resolve()
    folders |= {f"{STORE}/{os.path.relpath((dataset / link).resolve(), store)}" for link in used}
    for name, entry in entries:
        if name not in kept and not any(_within(name, folder) for folder in folders):
            yield name, entry.stat(follow_symlinks=False).st_size


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _walk(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield the files and links in a folder, except checksums and half-written files."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == SUMS or (entry.name.startswith(".") and entry.name.endswith(PART)):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            else:
                yield entry


def unused_bytes(results: Path) -> int:
    """Return the size of all files that no run refers to, in the stores with readable maps."""
    total = 0
    for store in results.glob(f"*/{STORE}"):
        with suppress(WsdError, OSError):
            total += sum(size for _, size in unused(store.parent))
    return total


def kind(path: str) -> str:
    """Return the first parts of a file's published path, such as ``<model>/embeddings``."""
    *folders, name = bare(path.removeprefix(f"{STORE}/")).split("/")
    if name.endswith(DAMAGED):
        return "set aside"
    # A folder in the store belongs to a model, or has a reserved name.
    depth = 1 if folders[:1] and folders[0] in RESERVED["model"] else 2
    return "/".join(folders[:depth]) or name.removesuffix(".json")


def former(dataset: Path) -> dict[str, str]:
    """Return the last run with each file, among all that were started, as messages name it."""
    runs: dict[str, str] = {}
    last, before = started_runs(dataset)
    for path in (*before, *last.values()):
        with suppress(WsdError):  # damaged
            run = run_label(bare(path.name).removesuffix(".json"))
            runs |= dict.fromkeys([*named(path)[0], f"{STORE}/{MAPS}/{path.name}"], run)
    return runs


def delete(dataset: Path, paths: Iterable[str]) -> None:
    """Delete files of a dataset's store, with their checksums and the folders they leave empty."""
    folders = set()
    for path in map(dataset.joinpath, paths):
        path.unlink(missing_ok=True)
        (path.parent / SUMS / path.name).unlink(missing_ok=True)
        folders |= {folder for folder in path.parents if dataset in folder.parents}
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        for empty in (folder / SUMS, folder):
            with suppress(OSError):
                empty.rmdir()


def in_mb(number: int) -> str:
    """Return a number of bytes in MB or GB, as text."""
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument("--dataset", metavar="NAME", help="only this dataset")
    text = "include files that belong only to unfinished runs"
    parser.add_argument("--unfinished", action="store_true", help=text)
    parser.add_argument("--yes", action="store_true", help="delete the files")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    results: Path = args.results
    datasets = _datasets(results, args.dataset)
    if not args.yes:
        _list_or_delete(args, datasets)
        return
    (results / lock.STATE).mkdir(exist_ok=True)
    with lock.alone(results):
        _check_idle(results, datasets)
        _list_or_delete(args, datasets)


def _datasets(results: Path, asked: str | None) -> list[Path]:
    if not results.is_dir():
        raise ConfigError("there is no such folder", where=str(results), fix=FIND_RESULTS)
    if is_dataset(results):
        problem = f"this is the folder of one dataset, {results.absolute().name}"
        fix = f"give {results.parent} --dataset {results.absolute().name}"
        raise ConfigError(problem, where=str(results), fix=fix)
    folders = [path for path in sorted(results.glob("[!.]*")) if path.is_dir() and is_dataset(path)]
    names = [path.name for path in folders]
    if asked is not None and asked not in names:
        fix = f"choose among {', '.join(names)}" if names else "run snakemake first"
        raise ConfigError(f"no dataset {asked!r} in {results}", where="--dataset", fix=fix)
    return [path for path in folders if asked in (None, path.name)]


def _check_idle(results: Path, datasets: Iterable[Path]) -> None:
    """Refuse to delete while another run computes files of one of the datasets."""
    for plan in lock.other_runs(results):
        planned = (Path(path).parts for path in plan.get("planned", ()))
        busy = {parts[parts.index(STORE) - 1] for parts in planned if STORE in parts}
        if not busy or busy & {path.name for path in datasets}:
            problem, fix = "another run is computing files here", "wait until it has finished"
            raise lock.BusyError(problem, where=str(results), fix=fix)


def _list_or_delete(args: argparse.Namespace, datasets: Iterable[Path]) -> None:
    unknown: list[str] = []
    sizes_of: dict[str, list[int]] = defaultdict(list)
    for dataset in datasets:
        try:
            files = list(unused(dataset, unfinished=args.unfinished))
        except (WsdError, OSError) as error:
            text = f"{error.where} ({error.problem})" if isinstance(error, WsdError) else str(error)
            unknown.append(text)
            continue
        runs = former(dataset)
        for path, size in files:
            sizes_of[f"{dataset.name}, {runs.get(path, NO_RUN)}: {kind(path)}"].append(size)
        if args.yes:
            delete(dataset, [path for path, _ in files])
    for label, sizes in sorted(sizes_of.items()):
        logs.show(f"{label}: {in_mb(sum(sizes))}, {len(sizes)} files")
    every = [size for sizes in sizes_of.values() for size in sizes]
    logs.show(f"{args.results}: {in_mb(sum(every))} in {len(every)} files belong to no run")
    if every:
        logs.show("they are deleted" if args.yes else "the same command with --yes deletes them")
    if unknown:
        problem = "the files of some runs are unknown, so nothing is listed for their datasets"
        fix = "run snakemake with that run's config again, or delete the file to drop that run"
        raise ResultError(problem, where=", ".join(unknown), fix=fix)
