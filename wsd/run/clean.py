"""What no run refers to any more: listed with sizes, and deleted when that is asked for.

A run refers to what its map names (:mod:`wsd.artifacts.run_map`), and to what the listings among
that name: the map beside its tables, and that of the last run of its name which has begun, and may
be unfinished. Where such a run has still to write a listing, all that lies in its place is its own.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wsd import logs
from wsd.artifacts.named_runs import (
    FIND_RESULTS,
    REMOVED,
    UNFINISHED,
    begun,
    called,
    is_dataset,
    state_of,
    tables_of,
    tables_of_runs,
)
from wsd.artifacts.reserved_names import RESERVED
from wsd.artifacts.run_map import (
    LISTED,
    MAPS,
    RUN_MAP,
    TABLES,
    RunMap,
    bare,
    is_listing,
    listed,
)
from wsd.errors import ConfigError, ResultError, WsdError
from wsd.run import lock
from wsd.storage.checksums import DAMAGED, STORE, SUMS
from wsd.storage.partial import PART

NO_RUN = "no run"
# Snakemake's, in a folder that a rule makes.
MARK = ".snakemake_timestamp"


def named(path: Path) -> tuple[set[str], set[str]]:
    """What a map refers to, by the paths from the dataset's folder.

    Returns
    -------
    files, folders : set of str
        The files, and the folders of which a listing is still to be written.

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
            files |= {f"{folder}/{one}" for one in listed(listing)}
            files.add(f"{name.removesuffix('.json')}/{MARK}")
        else:  # of words' files, or of the folder of its name
            of_words = bare(listing.name) == TABLES or listing.parent.name in LISTED
            folders.add(folder if of_words else name.removesuffix(".json"))
    return files, folders


def unused(dataset: Path, *, unfinished: bool = False) -> Iterator[tuple[str, int]]:
    """Every file of a dataset's store that no run refers to, and its size in bytes.

    Parameters
    ----------
    dataset : Path
    unfinished : bool
        Take what belongs to runs alone that have begun, and have no tables yet, for such.

    Raises
    ------
    ResultError, OSError
        If a map or a listing cannot be read: what it refers to is not known.
    """
    kept: set[str] = set()
    folders: set[str] = set()
    none = (REMOVED, UNFINISHED) if unfinished else (REMOVED,)
    last = [
        path
        for run, path in begun(dataset)[0].items()
        if state_of(RunMap(path), tables_of(dataset, run)) not in none
    ]
    for path in (*(folder / RUN_MAP for folder in tables_of_runs(dataset)), *last):
        files, to_come = named(path)
        kept |= files
        folders |= to_come
    kept |= {f"{STORE}/{MAPS}/{path.name}" for path in last}
    start = len(f"{dataset}/")
    entries = [(entry.path[start:], entry) for entry in _walk(str(dataset / STORE))]
    links = [path for path, entry in entries if entry.is_symlink()]
    # A run may refer to what lies behind a link of the user's, within this store or not.
    behind = [of for of in links if any(path == of or path.startswith(f"{of}/") for path in kept)]
    kept |= {*behind}
    store = (dataset / STORE).resolve()
    folders |= {f"{STORE}/{os.path.relpath((dataset / of).resolve(), store)}" for of in behind}
    for name, entry in entries:
        if name not in kept and not any(name == of or name.startswith(f"{of}/") for of in folders):
            yield name, entry.stat(follow_symlinks=False).st_size


def _walk(folder: str) -> Iterator[os.DirEntry[str]]:
    """The files and links of a folder, but for checksums and what is half-written."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == SUMS or (entry.name.startswith(".") and entry.name.endswith(PART)):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            else:
                yield entry


def unused_bytes(results: Path) -> int:
    """How much no run refers to, of all datasets whose maps can be read."""
    found = 0
    for store in results.glob(f"*/{STORE}"):
        with suppress(WsdError, OSError):
            found += sum(size for _, size in unused(store.parent))
    return found


def kind(path: str) -> str:
    """What a file is, by the first parts of the path that people read: ``<model>/embeddings``."""
    *folders, name = bare(path.removeprefix(f"{STORE}/")).split("/")
    if name.endswith(DAMAGED):
        return "set aside"
    # A folder is a model's, or has a name of the program's own.
    depth = 1 if folders[:1] and folders[0] in RESERVED["model"] else 2
    return "/".join(folders[:depth]) or name.removesuffix(".json")


def former(dataset: Path) -> dict[str, str]:
    """The run that last had each file, of those which have begun; as a sentence names it."""
    found: dict[str, str] = {}
    last, before = begun(dataset)
    for path in (*before, *last.values()):
        with suppress(WsdError):  # damaged
            run = called(bare(path.name).removesuffix(".json"))
            found |= dict.fromkeys([*named(path)[0], f"{STORE}/{MAPS}/{path.name}"], run)
    return found


def delete(dataset: Path, paths: Iterable[str]) -> None:
    """Delete files of a dataset's store, with their checksums and the folders that get empty."""
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
    """A number of bytes, as people read it."""
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument("--dataset", metavar="NAME", help="of this one alone")
    text = "also what belongs to runs alone that were begun and not finished"
    parser.add_argument("--unfinished", action="store_true", help=text)
    parser.add_argument("--yes", action="store_true", help="delete what is listed")


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
        what = f"this is the folder of one dataset, {results.absolute().name}"
        fix = f"give {results.parent} --dataset {results.absolute().name}"
        raise ConfigError(what, where=str(results), fix=fix)
    found = [path for path in sorted(results.glob("[!.]*")) if path.is_dir() and is_dataset(path)]
    names = [path.name for path in found]
    if asked is not None and asked not in names:
        fix = f"choose among {', '.join(names)}" if names else "run snakemake first"
        raise ConfigError(f"no dataset {asked!r} in {results}", where="--dataset", fix=fix)
    return [path for path in found if asked in (None, path.name)]


def _check_idle(results: Path, datasets: Iterable[Path]) -> None:
    """Refuse to delete while a run makes files of one of the datasets."""
    for plan in lock.other_runs(results):
        planned = (Path(path).parts for path in plan.get("planned", ()))
        of = {parts[parts.index(STORE) - 1] for parts in planned if STORE in parts}
        if not of or of & {path.name for path in datasets}:
            what, fix = "another run is computing files here", "wait until it has finished"
            raise lock.BusyError(what, where=str(results), fix=fix)


def _list_or_delete(args: argparse.Namespace, datasets: Iterable[Path]) -> None:
    unknown: list[str] = []
    of: dict[str, list[int]] = defaultdict(list)
    for dataset in datasets:
        try:
            found = list(unused(dataset, unfinished=args.unfinished))
        except (WsdError, OSError) as error:
            text = f"{error.where} ({error.what})" if isinstance(error, WsdError) else str(error)
            unknown.append(text)
            continue
        had = former(dataset)
        for path, size in found:
            of[f"{dataset.name}, {had.get(path, NO_RUN)}: {kind(path)}"].append(size)
        if args.yes:
            delete(dataset, [path for path, _ in found])
    for label, sizes in sorted(of.items()):
        logs.show(f"{label}: {in_mb(sum(sizes))}, {len(sizes)} files")
    count, total = (sum(map(of_each, of.values())) for of_each in (len, sum))
    logs.show(f"{args.results}: {in_mb(total)} in {count} files are of no run")
    if count:
        logs.show("they are deleted" if args.yes else "the same with --yes deletes them")
    if unknown:
        what = "what some runs refer to is not known, so of their datasets nothing is listed"
        fix = "run snakemake with that run's config again; or delete the file, if you gave it up"
        raise ResultError(what, where=", ".join(unknown), fix=fix)
