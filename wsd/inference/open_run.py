"""Find a finished run and open it."""

from pathlib import Path

from wsd.artifacts.find_runs import (
    LOST,
    NAMELESS,
    PROVENANCE,
    SELECTION,
    UNFINISHED,
    choose_run,
    described_runs,
    run_label,
    run_state,
    runs_with,
    started_runs,
    tables_of,
)
from wsd.artifacts.run_json import RUN_MAP, RunMap
from wsd.errors import ResultError, unknown_choice
from wsd.fitted.selected_results import Results
from wsd.inference.finished_run import Run
from wsd.inference.python_names import python_names
from wsd.logs import log


def open_run(results: str | Path, run: str | None = None) -> Run:
    """Open the results of a finished run.

    Parameters
    ----------
    results : str or Path
        ``results/<dataset>``.
    run : str, optional
        The name of the run. By default the run without a name, or else the only run.

    Returns
    -------
    Run
        Reads its files when they are asked for, compares their checksums, and writes nothing.

    Raises
    ------
    ConfigError
        If there is no such run. The error lists the runs.
    ResultError
        If the run is not finished, damaged, or of another version.

    Examples
    --------
    >>> import wsd
    >>> run = wsd.open_run("results/quickstart")  # doctest: +SKIP
    >>> run.summary.head()  # doctest: +SKIP
    >>> run.plot_layers()  # doctest: +SKIP
    """
    folder = Path(results)
    if folder.is_file():  # the map of a run
        return Run(Results(folder.absolute()))
    started = started_runs(folder)
    finished = runs_with(folder, RUN_MAP)
    if not (started or finished or runs_with(folder, SELECTION) or runs_with(folder, PROVENANCE)):
        raise _no_results(folder)
    name = NAMELESS if run is None else run
    if run is None and not finished and started and NAMELESS not in started:
        name = next(iter(started))
    if name in started and name not in finished and (run is not None or not finished):
        raise _without_map(folder, name, RunMap(started[name]))
    with python_names():
        chosen = choose_run(folder, RUN_MAP, run)
    if chosen is None:
        raise _without_map(folder, name)
    if chosen in started:
        latest = RunMap(started[chosen])
        if run_state(latest, tables_of(folder, chosen)) == UNFINISHED:
            text = "%s of %s was started again and is not finished: these are its former results"
            log.warning(text, run_label(chosen), folder)
    # A notebook may change its working directory.
    return Run(Results(tables_of(folder, chosen).absolute() / RUN_MAP))


def _no_results(folder: Path) -> Exception:
    nearby = [folder, folder.parent] if folder.is_dir() else [folder.parent]
    known = [line for near in nearby if near.is_dir() for line in described_runs(near)]
    if known:
        return unknown_choice(f"no results in {folder}", dict.fromkeys(known), "results")
    fix = "name the folder results/<dataset>; or run snakemake first"
    return ResultError("no results here", where=str(folder), fix=fix)


def _without_map(folder: Path, name: str, started: RunMap | None = None) -> ResultError:
    """Return the error for a run whose tables have no map."""
    tables, label = tables_of(folder, name), run_label(name)
    again = f"run `{started.command}` again" if started else "run snakemake again"
    if started and run_state(started, tables) != LOST:
        return ResultError(f"{label} is not finished", where=str(tables), fix=again)
    problem = f"{label} has tables and no {RUN_MAP}: they are of an earlier version"
    return ResultError(problem, where=str(tables), fix=again)
