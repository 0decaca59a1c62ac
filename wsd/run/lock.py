"""One run at a time in a folder, and a folder put in order before a run begins.

A run holds a lock for as long as its process lives, and every job of it shares another: both are
gone with the process, however that ends, so that nothing is ever to be unlocked by hand. A new run
is refused while another lives. If only its jobs do, because it was killed alone, the new run waits
for them: they would put files of their own settings in the place of newer ones.

Then what was left half-written is removed, and what is not what was written is set aside; what is
missing is made again. The locks are :func:`fcntl.flock`'s; on a file system without locks, as some
network mounts are, a run says that nothing keeps others away.
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

from wsd.errors import WsdError
from wsd.run.order import put_in_order, redo_missing, say

RUN_LOCK = "wsd.run.lock"
JOBS_LOCK = "wsd.jobs.lock"
# Names the file that the jobs of a run share a lock on.
VARIABLE = "WSD_JOBS_LOCK"
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


class BusyError(WsdError):
    """Another run is at work in the same folder."""


def begin(state: Path, results: Path) -> TextIO | None:
    """Take the folder for this run, wait for jobs that outlived theirs, and put it in order.

    Parameters
    ----------
    state : Path
        Folder for the locks, such as ``.snakemake``.
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
    state.mkdir(parents=True, exist_ok=True)
    lock = (state / RUN_LOCK).open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with lock:
            raise _busy(lock, state) from None
    except OSError as error:
        lock.close()
        if error.errno not in WITHOUT_LOCKS:
            raise
        say(f"{state.absolute()}: no locks here: start no second run in this folder")
        return None
    lock.truncate(0)
    who = {"pid": os.getpid(), "host": socket.gethostname(), "command": " ".join(sys.argv)}
    print(json.dumps({**who, "since": time.strftime("%F %T")}), file=lock, flush=True)
    _wait_for_jobs(state / JOBS_LOCK)
    put_in_order(results)
    redo_missing(state)
    return lock


def busy(state: Path) -> BusyError | None:
    """What refuses a run now, if another is at work; the lock is not kept."""
    path = state / RUN_LOCK
    if not path.exists():
        return None
    with path.open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _busy(lock, state)
        except OSError:  # no locks here
            pass
    return None


def _busy(lock: TextIO, state: Path) -> BusyError:
    lock.seek(0)
    try:
        who = json.loads(lock.readline())
        text = f"process {who['pid']} on {who['host']}, since {who['since']}: {who['command']}"
        end = f"end it with `kill {who['pid']}` on {who['host']}"
    except (ValueError, KeyError, TypeError):  # it has only just started
        text, end = "it has only just started", "end it"
    return BusyError(
        f"another run is at work in this folder ({text})",
        where=str(state.absolute().parent),
        fix=f"wait until it is done, or {end}; there is nothing to unlock, and -n works meanwhile",
    )


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
