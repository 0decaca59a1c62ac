"""Runs side by side: where the tables of a config lie, and which runs a dataset has.

Tables, pages and figures are of the choice that a config makes. Without a name they lie in
``results/<dataset>``; with ``run: NAME``, in ``runs/NAME`` below it. All else there is shared.
"""

from pathlib import Path

from wsd.errors import ConfigError
from wsd.logs import log
from wsd.storage.file_names import is_plain_name

RUNS = "runs"
SELECTION, PROVENANCE = "selection.csv", "provenance.json"
NAMELESS = ""


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
        log.info("%s: %s, the only one", dataset, called(named[0]))
    return there[0] if there else None


def called(run: str) -> str:
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
    found = {folder: runs_with(folder, SELECTION) for folder in folders}
    return [f"{folder}: {', '.join(map(called, runs))}" for folder, runs in found.items() if runs]
