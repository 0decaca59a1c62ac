"""Runs side by side: where the tables of a config lie, and which runs a dataset has.

Tables, pages and figures are of the choice that a config makes. Without a name they lie in
``results/<dataset>``; with ``run: NAME``, in ``runs/NAME`` below it. All else there is shared.
"""

from pathlib import Path

from wsd.storage.file_names import is_plain_name

RUNS = "runs"
SELECTION = "selection.csv"
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


def called(run: str) -> str:
    """A run, as a sentence names it."""
    return f"run {run}" if run else "the run without a name"


def described_runs(results: Path) -> list[str]:
    """A line per dataset that has tables, with its runs.

    Parameters
    ----------
    results : Path
        Folder of all results.
    """
    found = {folder: runs_with(folder, SELECTION) for folder in sorted(results.glob("*"))}
    return [f"{folder}: {', '.join(map(called, runs))}" for folder, runs in found.items() if runs]
