"""One run at a time in a folder, and a folder put in order before a run begins.

A run holds a lock for as long as its process lives, and every job of it shares another: both are
gone with the process, however that ends, so that nothing is ever to be unlocked by hand. A new run
is refused while another lives. If only its jobs do, because it was killed alone, the new run waits
for them: they would put files of their own settings in the place of newer ones.

The locks lie beside the results, so that two checkouts that share these share them too. Then what
was left half-written is removed, and what is not what was written is set aside. The locks are
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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from wsd.errors import StorageError, WsdError, visible
from wsd.run.noted import CUT_OFF, NOTES, STATE
from wsd.run.steps import FOLDER
from wsd.storage.atomic import probe, storing
from wsd.storage.partial import sweep

# In the folder of the state: what decides who may change the results.
RUN_LOCK = "wsd.run.lock"
JOBS_LOCK = "wsd.jobs.lock"
# Names the file that the jobs of a run share a lock on.
VARIABLE = "WSD_JOBS_LOCK"
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
# Clocks of a cluster's machines may differ by less.
FUTURE_SECONDS = 60.0


class BusyError(WsdError):
    """Another run is at work in the same folder."""


def begin(results: Path) -> TextIO | None:
    """Take the folder for this run, wait for jobs that outlived theirs, and put it in order.

    Parameters
    ----------
    results : Path
        Folder of all results.

    Returns
    -------
    file or None
        To be kept open as long as the run lasts; None on a file system without locks.

    Raises
    ------
    BusyError
        If another run lives here. It names its process, host and command.
    StorageError
        If the folder of results cannot be written, or its disk is full.
    """
    check_places(results)
    probe(results)
    path = results / STATE / RUN_LOCK
    with storing(path):
        path.parent.mkdir(exist_ok=True)
        lock = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with lock:
            raise _busy(lock, results) from None
    except OSError as error:
        lock.close()
        if error.errno not in WITHOUT_LOCKS:
            raise
        say(f"{results.absolute()}: no locks here: start no second run in this folder")
        return None
    lock.truncate(0)
    who = {"pid": os.getpid(), "host": socket.gethostname(), "command": " ".join(sys.argv)}
    print(json.dumps({**who, "since": time.strftime("%F %T")}), file=lock, flush=True)
    _wait_for_jobs(jobs_lock(results))
    put_in_order(results)
    return lock


def check_places(results: Path) -> None:
    """Refuse a folder of results in which something stands in the place of a lock or its folder.

    Raises
    ------
    StorageError
    """
    state = results / STATE
    for path in (results, results / FOLDER, state, state / NOTES, state / CUT_OFF):
        if os.path.lexists(path) and not path.is_dir():
            fix = "move it away, or remove it: a run makes a folder here"
            raise StorageError("a file stands where a folder should be", where=str(path), fix=fix)
    for path in (state / RUN_LOCK, state / JOBS_LOCK):
        if path.exists() and not path.is_file():
            kind = "folder" if path.is_dir() else "device or pipe"
            what = f"a {kind} stands where a run keeps its lock"
            raise StorageError(what, where=str(path), fix="remove it: a run makes a file here")


def jobs_lock(results: Path) -> Path:
    """The file that the jobs of a run share a lock on."""
    return (results / STATE / JOBS_LOCK).absolute()


def busy(results: Path) -> BusyError | None:
    """What refuses a run now, if another is at work; the lock is not kept."""
    with suppress(FileNotFoundError), (results / STATE / RUN_LOCK).open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _busy(lock, results)
        except OSError:  # no locks here
            pass
    return None


def _busy(lock: TextIO, results: Path) -> BusyError:
    lock.seek(0)
    try:
        who = json.loads(lock.readline())
        text = f"process {who['pid']} on {who['host']}, since {who['since']}: {who['command']}"
        end = f"end it with `kill {who['pid']}` on {who['host']}"
    except (ValueError, KeyError, TypeError):  # it has only just started
        text, end = "it has only just started", "end it"
    what = f"another run is at work in this folder ({text})"
    fix = f"wait until it is done, or {end}; there is nothing to unlock, and -n works meanwhile"
    return BusyError(what, where=str(results.absolute()), fix=fix)


def _wait_for_jobs(path: Path) -> None:
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(
                "jobs of an earlier run, which was killed without them, are still at work here; "
                f"waiting for them to end (`fuser -v {path}` lists them)"
            )
            fcntl.flock(file, fcntl.LOCK_EX)


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
    """Nothing half-written, nothing damaged, nothing dated in the future."""
    from wsd.run import check

    for path in sweep(results):
        say(f"removed, left half-written by a run that was killed: {path}")
    for path, what in check.damaged(results, quick=True):
        aside = check.put_away(path)
        say(f"damaged: {path}: {what}. Kept as {aside.name}; what it takes is made again")
    if ahead := _from_the_future(results):
        say(f"{len(ahead)} files, such as {ahead[0]}, are dated in the future: dated now")


def _from_the_future(folder: Path) -> list[Path]:
    """Date files that are dated in the future as of now, and say which.

    The workflow manager compares times. Of a file made while the clock was ahead, a later change
    of what it was made from would go unnoticed.
    """
    now = time.time()
    found = []
    for root, _, names in os.walk(folder):
        for path in (Path(root) / name for name in names):
            with suppress(FileNotFoundError):
                if path.lstat().st_mtime > now + FUTURE_SECONDS:
                    os.utime(path, (now, now), follow_symlinks=False)
                    found.append(path)
    return sorted(found)


def say(text: str) -> None:
    """Tell whoever started the run."""
    print(visible(text), file=sys.stderr, flush=True)
