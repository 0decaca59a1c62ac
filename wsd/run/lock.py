"""Lock the files that a run computes, so that runs can work at once on different files.

A run is refused only if a live run is about to compute one of its files. Each run locks a file with
its plan, the list of files that it will compute, and all jobs of a run share a second lock. Both
locks end with their processes, so that nobody has to unlock anything. If a run was killed and only
its jobs are left, a new run that needs one of their files waits for them.

The locks are next to the results: two checkouts that share a folder of results share the locks too.
On a file system without locks, a run warns that nothing stops a second run.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from wsd.errors import StorageError, WsdError, visible
from wsd.storage.atomic import check_writable, write_errors
from wsd.storage.file_lock import lock_file

# The folder below all results in which the workflow keeps its own files.
STATE = ".state"
# In that folder, per run: its plan, and the file that its jobs lock; and one file for short locks.
RUN, JOBS, SHORT = ".run", ".jobs", "lock"
# The environment variable that names the file that the jobs of a run lock.
VARIABLE = "WSD_JOBS_LOCK"


class BusyError(WsdError):
    """Another run is computing one of the same files."""


def begin(results: Path, planned: Collection[str]) -> TextIO | None:
    """Lock the plan of this run; wait for jobs of a killed run that compute one of its files.

    Parameters
    ----------
    results : Path
        Folder of all results.
    planned : collection of str
        The files that do not exist yet.

    Returns
    -------
    file or None
        The caller keeps it open during the run; None on a file system without locks.

    Raises
    ------
    BusyError
        If another run is computing one of the files; names its process, host and command.
    StorageError
        If the folder of results cannot be written, or its disk is full.
    """
    prepare(results)
    with alone(results):
        for run in sorted((results / STATE).glob(f"*{RUN}")):
            _give_way(run, planned, results)
        jobs_lock(results).touch()
        file = _own(results, RUN).open("w", encoding="utf-8")
        if not lock_file(file):
            say(f"{results.absolute()}: no locks here: start no second run in this folder")
            return None
        plan = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "command": " ".join(sys.argv),
            "since": time.strftime("%F %T"),
            "planned": sorted(planned),
        }
        print(json.dumps(plan), file=file, flush=True)
    return file


def prepare(results: Path) -> None:
    """Create the folder of results, and in it the folder for the workflow's locks and caches.

    Raises
    ------
    StorageError
        If they cannot be written, or their disk is full.
    """
    check_places(results)
    check_writable(results)
    state = results / STATE
    with write_errors(state):
        state.mkdir(exist_ok=True)


def check_places(results: Path) -> None:
    """Refuse a file where a folder must be, or a folder where a file must be.

    Raises
    ------
    StorageError
    """
    state = results / STATE
    for path, kind in ((results, "folder"), (state, "folder"), (state / SHORT, "file")):
        if os.path.lexists(path) and not (path.is_dir() if kind == "folder" else path.is_file()):
            fix = f"move it away, or remove it: a run creates a {kind} here"
            raise StorageError(f"this should be a {kind}", where=str(path), fix=fix)


def _give_way(run: Path, planned: Collection[str], results: Path) -> None:
    """Refuse a conflict with a live run; wait for jobs of a dead run, and remove its files."""
    plan, jobs = _read_plan(run), run.with_suffix(JOBS)
    both = _in_both(plan, planned)
    with run.open("r+", encoding="utf-8") as file:
        if lock_file(file) is False:
            if both:
                raise _busy(plan, both, results)
            return
    with jobs.open("a", encoding="utf-8") as file:
        if lock_file(file) is False:
            if not both:
                return
            say(
                f"jobs of an earlier run, which was killed, are still computing {both[0]}; "
                f"waiting for them to end (`fuser -v {jobs}` lists them)"
            )
            lock_file(file, wait=True)
    run.unlink()
    jobs.unlink()


def _read_plan(run: Path) -> dict[str, Any]:
    """Return a run's process and planned files; empty for a run that has only just started."""
    with suppress(OSError, ValueError):
        plan = json.loads(run.read_text(encoding="utf-8"))
        if isinstance(plan, dict):
            return plan
    return {}


def _in_both(plan: dict[str, Any], planned: Collection[str]) -> list[str]:
    return sorted(set(planned) & set(plan.get("planned", ())))


@contextmanager
def alone(results: Path) -> Iterator[None]:
    """Let all other runs wait while the block runs, if the file system has locks."""
    path = results / STATE / SHORT
    with write_errors(path):
        file = path.open("a", encoding="utf-8")
    with file:
        lock_file(file, wait=True)
        yield


def jobs_lock(results: Path) -> Path:
    """Return the path of the file that the jobs of this process's run lock."""
    return _own(results, JOBS).absolute()


def _own(results: Path, suffix: str) -> Path:
    return results / STATE / f"{socket.gethostname()}-{os.getpid()}{suffix}"


def other_runs(results: Path) -> Iterator[dict[str, Any]]:
    """Yield the plan of every other live run: its process, host, command and planned files."""
    for run in sorted({*(results / STATE).glob(f"*{RUN}")} - {_own(results, RUN)}):
        with suppress(OSError), run.open(encoding="utf-8") as file:
            if lock_file(file, shared=True) is False:
                yield _read_plan(run)


def conflict(results: Path, planned: Collection[str]) -> BusyError | None:
    """Return the error that :func:`begin` would raise now, or None; lock nothing."""
    for plan in other_runs(results):
        if both := _in_both(plan, planned):
            return _busy(plan, both, results)
    return None


def _busy(plan: dict[str, Any], both: list[str], results: Path) -> BusyError:
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    problem = (
        f"another run is computing {both[0]}{more} (process {plan['pid']} on {plan['host']}, since "
        f"{plan['since']}: {plan['command']})"
    )
    fix = (
        f"wait until it has finished, or end it with `kill {plan['pid']}` on {plan['host']}; there "
        "is nothing to unlock, and -n works meanwhile"
    )
    return BusyError(problem, where=str(results.absolute()), fix=fix)


@contextmanager
def as_job() -> Iterator[bool]:
    """Share the lock of a run's jobs while the block runs; yield whether this process is a job."""
    path = os.environ.get(VARIABLE)
    with ExitStack() as stack:
        # On a node that cannot write to the folder, jobs hold no lock.
        with suppress(OSError):
            if path:
                lock_file(stack.enter_context(Path(path).open("a")), shared=True, wait=True)
        yield bool(path)


def say(text: str) -> None:
    """Print a message on the standard error of the run."""
    print(visible(text), file=sys.stderr, flush=True)
