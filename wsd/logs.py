"""Messages: a line for people on the terminal, a JSON object for programs in the log file.

A line of a log file has ``time`` (UTC), ``level``, ``step`` (the command), ``message``,
``process``, and what the job is about: the command's arguments that name one thing, such as
``word``, ``model`` or ``layers``. The last line of a step that ended well has what it took, too:
``processor_seconds`` over all cores, and on Linux ``peak_mb`` of memory. Warnings of libraries are
among the messages.
``jq -r .message FILE`` reads like the terminal. What a message quotes may be foreign: here as there
nothing of it steers the terminal (:func:`wsd.errors.visible`).
"""

import json
import logging
import re
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wsd.errors import StorageError, advice, visible

# What all modules write their messages to.
log = logging.getLogger("wsd")
# The last message of a command that ended well.
DONE = "done"
# Of a message that says how much of a step an earlier one has done.
DONE_BEFORE = "done_before"
KILLED = (
    "ends in the middle: its job was killed, as the system does when memory runs out (then try "
    "fewer --cores, or on SLURM --set-resources STEP:mem_mb=MB), or the disk of its log is full."
)
# What SLURM itself writes into a job's log, among the words of the Snakemake that runs the job.
OF_SLURM = re.compile(r"(slurmstepd|srun)\S*: error: ")
LAST_LINES = 10
# Arguments that say which job it is: the wildcards of the workflow's rules.
ABOUT = (
    "word",
    "model",
    "view",
    "layers",
    "name",
    "estimator",
    "method",
    "system",
    "dataset",
    "seed",
)


class Lines(logging.Formatter):
    """The message alone, and what follows from an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The message, with an escape for whatever a terminal would obey or not show."""
        return visible(super().format(record), "\n")


class JsonLines(logging.Formatter):
    """One JSON object per message.

    Parameters
    ----------
    step : str
    about : mapping
        What every line says beside its message.
    """

    def __init__(self, step: str, about: Mapping[str, Any]) -> None:
        super().__init__()
        self.step, self.about = step, dict(about)

    def format(self, record: logging.LogRecord) -> str:
        """The message as a line; a traceback stands in ``traceback``."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "step": self.step,
            **self.about,
            "process": record.process,
            "message": visible(record.getMessage(), "\n"),
            **getattr(record, "spent", {}),
        }
        if record.exc_info:
            line["traceback"] = visible(self.formatException(record.exc_info), "\n")
        return json.dumps(line, ensure_ascii=False)


class LogFile(logging.FileHandler):
    """A log file whose disk may be full: it says so once, and the work goes on."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Give the log up with one line in place of a traceback per message."""
        error = sys.exc_info()[1]
        logging.getLogger().removeHandler(self)
        print(f"no more is logged to {self.baseFilename}: {error}", file=sys.stderr)


def show(text: str) -> None:
    """Print an answer; what a terminal has no letter for, it gets as an escape.

    Raises
    ------
    StorageError
        If the standard output is closed, or its disk is full.
    BrokenPipeError
        If whoever read it has gone.
    """
    where = "the standard output"
    if sys.stdout is None:
        what = "the answer cannot be printed: the output is closed"
        raise StorageError(what, where=where, fix="send it to a file: > FILE")
    encoding = sys.stdout.encoding or "utf-8"
    try:
        # At once: what is refused later could not be said here.
        print(visible(text, "\n").encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"the answer cannot be printed: {error.strerror}"
        raise StorageError(what, where=where, fix=advice(error.errno)) from error


def spent() -> dict[str, float]:
    """What this process has taken so far, with those that it waited for; its peak of memory."""
    parts = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    found = {"processor_seconds": round(sum(of.ru_utime + of.ru_stime for of in parts), 3)}
    # Not ru_maxrss, which begins with the memory of the process that started this one.
    with suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        if peak := re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE):
            found["peak_mb"] = round(int(peak[1]) / 1024)
    return found


def done_before(count: int) -> dict[str, Any]:
    """What a message gets as ``extra`` that says how much of a step an earlier one has done."""
    return {"spent": {DONE_BEFORE: count}}


def about(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Of a command's arguments those that say which job it is."""
    found = {key: arguments.get(key) for key in ABOUT}
    return {
        key: value if isinstance(value, int) else visible(_short(value))
        for key, value in found.items()
        if isinstance(value, str | int | Path)
    }


def _short(value: str | Path) -> str:
    return value.stem if isinstance(value, Path) else value


def not_done(folder: Path, since: float) -> list[str]:
    """Of the jobs since a moment that did not end well: what each said was wrong.

    A log that ends neither well nor with an error is that of a job that was killed: a process that
    the system ends for want of memory cannot say so.

    Parameters
    ----------
    folder : Path
        Of the logs.
    since : float
        Seconds, as of :func:`time.time`.
    """
    failed, killed = [], []
    for path in sorted(folder.rglob("*.log")):
        if path.stat().st_mtime < since:
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        try:
            last = json.loads(lines[-1]) if lines else {"level": "", "message": "nothing yet"}
            level, message = last["level"], str(last["message"])
        except (KeyError, TypeError, ValueError):
            level, message = "", visible(lines[-1])
        if level == "ERROR":
            failed.append(f"{path}:\n{message}")
        elif message != DONE:
            killed.append(f"{path} {KILLED} Last words: {message}")
    return [*killed, *failed]


def said_by_slurm(folder: Path, since: float) -> list[str]:
    """Why each job of SLURM since a moment ended whose log is kept, as those of failed ones are.

    Parameters
    ----------
    folder : Path
        Of SLURM's logs.
    since : float
        Seconds, as of :func:`time.time`.
    """
    said = []
    for path in sorted(folder.rglob("*.log")):
        if path.stat().st_mtime >= since:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            own = [line for line in lines if OF_SLURM.match(line)]
            last = "\n".join((own or lines)[-LAST_LINES:])
            said.append(f"{path}:\n{visible(last, chr(10))}")
    return said


def start(file: Path | None, step: str, job: Mapping[str, Any]) -> None:
    """Messages go to the terminal, and with more detail to the file.

    Parameters
    ----------
    file : Path, optional
    step : str
        The command.
    job : mapping
        What :func:`about` gave.
    """
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.INFO)
    terminal.setFormatter(Lines())
    handlers: list[logging.Handler] = [terminal]
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(LogFile(file, mode="w", encoding="utf-8"))
        handlers[-1].setFormatter(JsonLines(step, job))
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    log.setLevel(logging.DEBUG)
    logging.captureWarnings(True)
