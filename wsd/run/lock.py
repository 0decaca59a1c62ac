"""Runs side by side in a folder, and a folder put in order before a run begins.

Runs make the same file or none: where each file lies is decided by what decides its content. So a
new run is refused only where another, which is alive, is to make a file that it would make too. A
run holds a lock for as long as its process lives, and every job of it shares another: both are gone
with the process, however that ends, so that nothing is ever to be unlocked by hand. If only its
jobs live, because it was killed alone, a new run that would make one of their files waits for them.

The locks lie beside the results, so that two checkouts that share these share them too. They are
:func:`fcntl.flock`'s; on a file system without locks, as some network mounts are, a run says that
nothing keeps others away.
"""

import errno
import fcntl
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
from wsd.storage.atomic import probe, storing
from wsd.storage.partial import sweep

# In the folder of all results: what the workflow keeps for itself.
STATE = ".state"
# In it: a file per run with what it is to make, another that its jobs share, and one for moments.
RUN, JOBS, SHORT = ".run", ".jobs", "lock"
# Names the file that the jobs of a run share a lock on.
VARIABLE = "WSD_JOBS_LOCK"
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


class BusyError(WsdError):
    """Another run is to make one of the same files."""


def begin(results: Path, planned: Collection[str]) -> TextIO | None:
    """Note what this run is to make, if no other is to make it; wait for jobs that outlived theirs.

    Parameters
    ----------
    results : Path
        Folder of all results.
    planned : collection of str
        The files that are not there yet.

    Returns
    -------
    file or None
        To be kept open as long as the run lasts; None on a file system without locks.

    Raises
    ------
    BusyError
        If another run is to make one of them. It names its process, host and command.
    StorageError
        If the folder of results cannot be written, or its disk is full.
    """
    prepare(results)
    with alone(results):
        for other in sorted((results / STATE).glob(f"*{RUN}")):
            _settle(other, planned, results)
        jobs_lock(results).touch()
        lock = _own(results, RUN).open("w", encoding="utf-8")
        if not _hold(lock):
            say(f"{results.absolute()}: no locks here: start no second run in this folder")
            return None
        who = {"pid": os.getpid(), "host": socket.gethostname(), "command": " ".join(sys.argv)}
        said = {**who, "since": time.strftime("%F %T"), "planned": sorted(planned)}
        print(json.dumps(said), file=lock, flush=True)
    return lock


def prepare(results: Path) -> None:
    """Make the folder of results, and that of what the workflow keeps for itself.

    Raises
    ------
    StorageError
        If they cannot be written, or their disk is full.
    """
    check_places(results)
    probe(results)
    state = results / STATE
    with storing(state):
        state.mkdir(exist_ok=True)


def _settle(other: Path, planned: Collection[str], results: Path) -> None:
    """Refuse a file that a living run makes, wait for one that jobs alone make; and what is left of
    a run that is gone is removed.
    """
    said = _said(other)
    both = sorted(set(planned) & set(said.get("planned", ())))
    jobs = other.with_suffix(JOBS)
    with suppress(FileNotFoundError), other.open(encoding="utf-8") as file:
        if _hold(file) is False:
            if both:
                raise _busy(said, both, results)
            return
    with suppress(FileNotFoundError), jobs.open("a", encoding="utf-8") as file:
        if _hold(file) is False:
            if not both:
                return
            say(
                "jobs of an earlier run, which was killed without them, are still at work on "
                f"{both[0]}; waiting for them to end (`fuser -v {jobs}` lists them)"
            )
            fcntl.flock(file, fcntl.LOCK_EX)
    other.unlink(missing_ok=True)
    jobs.unlink(missing_ok=True)


def _hold(file: TextIO) -> bool | None:
    """Lock a file for this process; False where another has it, None on a disk without locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
        return None
    return True


def _said(path: Path) -> dict[str, Any]:
    """What a run says of itself; nothing, if it has only just started or is gone."""
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    return {}


@contextmanager
def alone(results: Path) -> Iterator[None]:
    """Alone for a moment among all runs, as far as the disk knows locks."""
    path = results / STATE / SHORT
    with storing(path):
        file = path.open("a", encoding="utf-8")
    with file:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def check_places(results: Path) -> None:
    """Refuse a folder of results in which something stands in the place of a lock or its folder.

    Raises
    ------
    StorageError
    """
    state = results / STATE
    for path in (results, state):
        if os.path.lexists(path) and not path.is_dir():
            fix = "move it away, or remove it: a run makes a folder here"
            raise StorageError("a file stands where a folder should be", where=str(path), fix=fix)
    path = state / SHORT
    if path.exists() and not path.is_file():
        kind = "folder" if path.is_dir() else "device or pipe"
        what = f"a {kind} stands where a run keeps its lock"
        raise StorageError(what, where=str(path), fix="remove it: a run makes a file here")


def jobs_lock(results: Path) -> Path:
    """The file that the jobs of this process's run share a lock on."""
    return _own(results, JOBS).absolute()


def _own(results: Path, suffix: str) -> Path:
    return results / STATE / f"{socket.gethostname()}-{os.getpid()}{suffix}"


def living(results: Path) -> Iterator[dict[str, Any]]:
    """What the other runs that are at work say of themselves."""
    for path in sorted({*(results / STATE).glob(f"*{RUN}")} - {_own(results, RUN)}):
        with suppress(OSError), path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield _said(path)


def busy(results: Path, planned: Collection[str]) -> BusyError | None:
    """What refuses a run now, if another makes one of its files; no lock is kept."""
    for said in living(results):
        if both := sorted(set(planned) & set(said.get("planned", ()))):
            return _busy(said, both, results)
    return None


def _busy(said: dict[str, Any], both: list[str], results: Path) -> BusyError:
    try:
        who = f"process {said['pid']} on {said['host']}, since {said['since']}: {said['command']}"
        end = f"end it with `kill {said['pid']}` on {said['host']}"
    except KeyError:
        who, end = "it has only just started", "end it"
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    what = f"another run is making {both[0]}{more} ({who})"
    fix = f"wait until it is done, or {end}; there is nothing to unlock, and -n works meanwhile"
    return BusyError(what, where=str(results.absolute()), fix=fix)


@contextmanager
def as_job() -> Iterator[bool]:
    """Share the jobs' lock while the block runs, if this process is a job of a run."""
    named = os.environ.get(VARIABLE)
    with ExitStack() as held:
        if named:
            # A run that begins holds it for a moment, and then waits for nobody. On a node that
            # does not see the folder, may not write there or knows no locks, it is not held.
            with suppress(OSError):
                fcntl.flock(held.enter_context(Path(named).open("a")), fcntl.LOCK_SH)
        yield bool(named)


def put_in_order(results: Path) -> None:
    """Nothing half-written by a run that was killed."""
    for path in sweep(results):
        say(f"removed, left half-written by a run that was killed: {path}")


def say(text: str) -> None:
    """Tell whoever started the run."""
    print(visible(text), file=sys.stderr, flush=True)
