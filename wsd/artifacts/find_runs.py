"""Find the runs of a dataset and the folders of their tables.

The tables of a run without a name lie in ``results/<dataset>``; those of a run with ``run: NAME``
lie in ``results/<dataset>/runs/NAME``.
"""

import os
from contextlib import suppress
from pathlib import Path

from wsd.artifacts.run_json import MAPS, RUN_MAP, RunMap, bare
from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.checksums import STORE
from wsd.storage.file_names import is_plain_name

RUNS = "runs"
SELECTION, PROVENANCE = "selection.csv", "provenance.json"
NAMELESS = ""
PUBLISHED, UNFINISHED, LOST, REMOVED = "published", "unfinished", "lost", "removed"


def tables_of(dataset: Path, run: str) -> Path:
    """Return the folder of the tables of a run.

    Parameters
    ----------
    dataset : Path
        ``results/<dataset>``.
    run : str
        The name of the run, or ``NAMELESS``.
    """
    return dataset / RUNS / run if run else dataset


def runs_with(dataset: Path, file: str) -> list[str]:
    """Return the runs whose folder has a file; the run without a name comes first."""
    named = sorted(path.name for path in (dataset / RUNS).glob("*") if is_plain_name(path.name))
    return [run for run in (NAMELESS, *named) if (tables_of(dataset, run) / file).is_file()]


def tables_of_runs(dataset: Path) -> list[Path]:
    """Return the folders of runs that have a map; the run without a name comes first.

    Raises
    ------
    OSError
        If a folder cannot be read, because then the files of its run are unknown.
    """
    runs = dataset / RUNS
    named = sorted(os.listdir(runs)) if _exists(runs) else []  # noqa: PTH208 - glob skips errors
    return [path for path in (dataset, *map(runs.joinpath, named)) if _exists(path / RUN_MAP)]


def _exists(path: Path) -> bool:  # also true for a broken link
    with suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()
        return True
    return False


def started_runs(dataset: Path) -> dict[str, Path]:
    """Return the latest map of each run that was started, by name."""
    maps = (dataset / STORE / MAPS).glob("*.json")
    paths = sorted(maps, key=lambda path: path.lstat().st_mtime_ns)
    return {bare(path.name).removesuffix(".json"): path for path in paths}


def run_state(run: RunMap, tables: Path) -> str:
    """Return the state of a run that was started.

    Parameters
    ----------
    run : RunMap
    tables : Path
        The folder of its tables.

    Returns
    -------
    str
        ``PUBLISHED``; ``UNFINISHED``, even if there are tables of an earlier run; ``LOST`` if the
        tables have no map; or ``REMOVED`` if somebody removed the tables.

    Raises
    ------
    ResultError
        If the map in the folder of the tables is damaged.
    """
    here = tables / RUN_MAP
    if os.path.lexists(here):
        return PUBLISHED if RunMap(here).files.items() <= run.files.items() else UNFINISHED
    if any(os.path.lexists(tables / name) for name in (PROVENANCE, *run.files)):
        return LOST
    return REMOVED if all((run.folder / name).exists() for name in run) else UNFINISHED


def choose_run(dataset: Path, file: str, name: str | None) -> str | None:
    """Choose the run whose tables a command reads.

    Parameters
    ----------
    dataset : Path
    file : str
        The file that the run must have.
    name : str, optional
        The name that the user gave. The default is the run without a name, or else the only run.

    Returns
    -------
    str or None
        None if the user gave no name and no run has the file.

    Raises
    ------
    ConfigError
        If the named run lacks the file, or if no name was given and several named runs have it.
    """
    runs = runs_with(dataset, file)
    named = [run for run in runs if run != NAMELESS]
    names = ", ".join(named)
    if name is not None:
        if name not in named:
            fix = f"choose among {names}" if named else "run snakemake with this `run` first"
            raise ConfigError(f"no run {name!r} in {dataset}", where="run", fix=fix)
        return name
    if runs == named and len(named) > 1:
        problem = f"{dataset} has several runs, all with names"
        raise ConfigError(problem, where="run", fix=f"choose among {names}")
    if runs == named and named:
        log.info("%s: %s, the only run", dataset, run_label(named[0]))
    return runs[0] if runs else None


def run_label(run: str) -> str:
    """Return the name of a run in a sentence."""
    return f"run {run}" if run else "the run without a name"


def described_runs(results: Path) -> list[str]:
    """Return a line for each dataset with tables, which lists its runs.

    Parameters
    ----------
    results : Path
        The folder of all results, or of one dataset.
    """
    folders = (results, *sorted(results.glob("[!.]*")))
    runs_of = {folder: runs_with(folder, RUN_MAP) for folder in folders}
    return [
        f"{folder}: {', '.join(map(run_label, runs))}" for folder, runs in runs_of.items() if runs
    ]
