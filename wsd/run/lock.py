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
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from wsd.errors import WsdError, visible
from wsd.storage.atomic import probe, replacing
from wsd.storage.partial import sweep

RUN_LOCK = "wsd.run.lock"
JOBS_LOCK = "wsd.jobs.lock"
# Names the file that the jobs of a run share a lock on.
VARIABLE = "WSD_JOBS_LOCK"
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
MISSING = "the file is missing"
# Clocks of a cluster's machines may differ by less.
FUTURE_SECONDS = 60.0


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
    with suppress(FileNotFoundError), (state / RUN_LOCK).open(encoding="utf-8") as lock:
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
    what = f"another run is at work in this folder ({text})"
    fix = f"wait until it is done, or {end}; there is nothing to unlock, and -n works meanwhile"
    return BusyError(what, where=str(state.absolute().parent), fix=fix)


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

    probe(results)
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


def redo_missing(state: Path) -> None:
    """Have every result that is not there made again.

    When a job fails, Snakemake removes what it should have made and notes the new settings as
    those of the missing files. A later run then finds nothing that asks for them, as long as what
    was made of the old ones is there, and would keep figures of the old settings. A note that says
    another command than the step's makes it run again, whoever asks for its files.

    Parameters
    ----------
    state : Path
        Snakemake's folder, with a note per result under ``metadata``.
    """
    notes = state / "metadata"
    for note in sorted(path for path in notes.rglob("*") if path.is_file()):
        # Long names are spread over folders, each part but the last behind an @.
        parts = [part.removeprefix("@") for part in note.relative_to(notes).parts]
        with suppress(TypeError, ValueError):  # not one of these notes, or half of one
            result = Path(urlsafe_b64decode("".join(parts)).decode())
            if result.parts[:1] == ("results",) and not os.path.lexists(result):
                said = json.loads(note.read_text(encoding="utf-8"))
                with replacing(note) as temporary:
                    temporary.write_text(json.dumps({**said, "code": MISSING}), encoding="utf-8")


def say(text: str) -> None:
    """Tell whoever started the run."""
    print(visible(text), file=sys.stderr, flush=True)
