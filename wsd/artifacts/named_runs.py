"""Runs side by side: where the tables of a config lie, and which runs a dataset has.

What people read of a run without a name lies in ``results/<dataset>``; of one with ``run: NAME``,
in ``runs/NAME`` below it.
"""

import os
from contextlib import suppress
from pathlib import Path

from wsd.artifacts.run_map import MAPS, RUN_MAP, RunMap, bare
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.checksums import STORE
from wsd.storage.file_names import is_plain_name

RUNS = "runs"
# What to do where there are no results.
FIND_RESULTS = "name the folder of the results, or change to the folder that it is in"
SELECTION, PROVENANCE = "selection.csv", "provenance.json"
NAMELESS = ""
PUBLISHED, UNFINISHED, LOST, REMOVED = "published", "unfinished", "lost", "removed"


def tables_of(dataset: Path, run: str) -> Path:
    """Where the tables of a run lie.

    Parameters
    ----------
    dataset : Path
        ``results/<dataset>``.
    run : str
        Its name; ``NAMELESS``, if it has none.
    """
    return dataset / RUNS / run if run else dataset


def runs_with(dataset: Path, file: str) -> list[str]:
    """The runs whose tables have a file beside them; the one without a name comes first."""
    named = sorted(path.name for path in (dataset / RUNS).glob("*") if is_plain_name(path.name))
    return [run for run in (NAMELESS, *named) if (tables_of(dataset, run) / file).is_file()]


def is_dataset(folder: Path) -> bool:
    """Whether a folder has the results of a dataset.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    here = any((folder / name).exists() for name in (STORE, RUN_MAP))
    return here or any((folder / RUNS).glob(f"*/{RUN_MAP}"))


def tables_of_runs(dataset: Path) -> list[Path]:
    """The folders of a dataset's runs that have a map; that of the run without a name is first.

    Raises
    ------
    OSError
        If a folder cannot be read: what its run refers to is not known.
    """
    runs = dataset / RUNS
    named = sorted(os.listdir(runs)) if _is_there(runs) else []  # noqa: PTH208 - glob skips errors
    return [path for path in (dataset, *map(runs.joinpath, named)) if _is_there(path / RUN_MAP)]


def _is_there(path: Path) -> bool:
    """Whether something is there, even if it is a link that leads nowhere."""
    with suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()
        return True
    return False


def started_runs(dataset: Path) -> tuple[dict[str, Path], list[Path]]:
    """Of the runs that have begun the last map of each name, and all former ones."""
    found = (dataset / STORE / MAPS).glob("*.json")
    paths = sorted(found, key=lambda path: path.lstat().st_mtime_ns)
    last = {bare(path.name).removesuffix(".json"): path for path in paths}
    return last, [path for path in paths if path not in last.values()]


def run_state(run: RunMap, tables: Path) -> str:
    """How far a run has come that began with a map.

    Parameters
    ----------
    run : RunMap
    tables : Path
        The folder of its tables.

    Returns
    -------
    str
        ``PUBLISHED``; ``UNFINISHED``, also beside the tables of an earlier one; ``LOST``, if it has
        tables and their map is gone; ``REMOVED``, if somebody has removed them.

    Raises
    ------
    ResultError
        If the map beside the tables is damaged.
    """
    here = tables / RUN_MAP
    if os.path.lexists(here):
        return PUBLISHED if RunMap(here).files.items() <= run.files.items() else UNFINISHED
    if any(os.path.lexists(tables / name) for name in (PROVENANCE, *run.files)):
        return LOST
    return REMOVED if all((run.folder / name).exists() for name in run) else UNFINISHED


def choose_run(dataset: Path, file: str, asked: str | None) -> str | None:
    """The run whose tables a command reads.

    Parameters
    ----------
    dataset : Path
    file : str
        What it must have.
    asked : str, optional
        Its name. By default the run without a name; where there is none, the only one.

    Returns
    -------
    str or None
        None if nothing is asked for, and no run has the file.

    Raises
    ------
    ConfigError
        If the run that is asked for has it not, or several have and none is asked for.
    """
    there = runs_with(dataset, file)
    named = [run for run in there if run != NAMELESS]
    names = ", ".join(named)
    if asked is not None:
        if asked not in named:
            fix = f"choose among {names}" if named else "run snakemake with this `run` first"
            raise ConfigError(f"no run {asked!r} in {dataset}", where="--run", fix=fix)
        return asked
    if there == named and len(named) > 1:
        what = f"{dataset} has several runs, and none without a name"
        raise ConfigError(what, where="--run", fix=f"name one of {names}")
    if there == named and named:
        log.info("%s: %s, the only one", dataset, run_label(named[0]))
    return there[0] if there else None


def run_label(run: str) -> str:
    """A run, as a sentence names it."""
    return f"run {run}" if run else "the run without a name"


def described_runs(results: Path) -> list[str]:
    """A line per dataset that has tables, with its runs.

    Parameters
    ----------
    results : Path
        Folder of all results, or of a dataset's.
    """
    folders = (results, *sorted(results.glob("[!.]*")))
    found = {folder: runs_with(folder, RUN_MAP) for folder in folders}
    return [
        f"{folder}: {', '.join(map(run_label, runs))}" for folder, runs in found.items() if runs
    ]
