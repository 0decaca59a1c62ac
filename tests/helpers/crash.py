"""Start real runs in the background, kill them, and list what a kill left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from checkout import Checkout

from wsd.storage.atomic import PART


def start(checkout: Checkout, command: tuple[str, ...], log: Path) -> subprocess.Popen[bytes]:
    """Start snakemake in a new process group."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *command],
            cwd=checkout.root,
            env={**os.environ, "PYTHONPATH": str(checkout.root)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # A background process of a shell ignores SIGINT, and its children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def wait_until(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    """Wait until something holds; the run must not end before."""
    while not reached():
        assert process.poll() is None, "the run has ended"
        time.sleep(0.02)


def wait_for_log(process: subprocess.Popen[bytes], root: Path, pattern: str) -> None:
    """Wait until a job has begun its log."""
    wait_until(process, lambda: bool([*root.glob(pattern)]))


def kill_in_a_write(process: subprocess.Popen[bytes], root: Path) -> None:
    """Kill a run with all its processes as soon as it writes a file of the results.

    The loop does not sleep, because a small table has its temporary name only for milliseconds. If
    the file is complete by the time the run stops, wait for the next one.
    """
    while True:
        assert process.poll() is None, "the run has ended"
        if next(_unfinished(root / "results"), None) is None:
            continue
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(0.01)
        if next(_unfinished(root / "results"), None) is not None:
            break
        os.killpg(process.pid, signal.SIGCONT)
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()
    psutil.wait_procs(family)


def half_written(root: Path) -> list[str]:
    """List the temporary files that a kill left behind."""
    return sorted(path.relative_to(root).as_posix() for path in _unfinished(root / "results"))


def _unfinished(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(FileNotFoundError):  # removed meanwhile
        for entry in os.scandir(folder):
            if entry.name.startswith(".") and entry.name.endswith(PART):
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from _unfinished(Path(entry.path))
