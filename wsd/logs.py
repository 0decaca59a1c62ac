"""Write messages as lines on the terminal, and as JSON objects in the log file.

A line of a log file has ``time`` (UTC), ``level``, ``step`` (the command), ``message``,
``process``, and the arguments that identify the job, such as ``word``, ``model`` or ``layers``.
Warnings of libraries are logged too.

``jq -r .message FILE`` prints the messages as on the terminal. Foreign text in a message cannot
control the terminal (:func:`wsd.errors.visible`).
"""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wsd.errors import visible

# The logger of all modules.
log = logging.getLogger("wsd")
# The last message of a successful command.
DONE = "done"
KILLED = (
    "is incomplete: the disk of the log is full, or the job was killed, as the system does when "
    "memory runs out (then try fewer --cores, or on SLURM --set-resources STEP:mem_mb=MB)."
)
# The arguments that identify a job: the wildcards of the workflow's rules.
JOB_FIELDS = (
    "word", "model", "view", "layers", "name", "estimator", "method", "system", "dataset", "seed",
)  # fmt: skip


class Lines(logging.Formatter):
    """Format a message alone, followed by the traceback of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message, made visible."""
        return visible(super().format(record), "\n")


class JsonLines(logging.Formatter):
    """Format a message as a JSON object.

    Parameters
    ----------
    step : str
    job : mapping
        The fields of every line that identify the job.
    """

    def __init__(self, step: str, job: Mapping[str, Any]) -> None:
        super().__init__()
        self.step, self.job = step, dict(job)

    def format(self, record: logging.LogRecord) -> str:
        """Return the message as a line; a traceback goes into the field ``traceback``."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "step": self.step,
            **self.job,
            "process": record.process,
            "message": visible(record.getMessage(), "\n"),
        }
        if record.exc_info:
            line["traceback"] = visible(self.formatException(record.exc_info), "\n")
        return json.dumps(line, ensure_ascii=False)


def show(text: str) -> None:
    """Print an answer; a character that the terminal cannot show is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    # Flushed now, because a later error could not be reported here.
    print(visible(text, "\n").encode(encoding, "backslashreplace").decode(encoding), flush=True)


def job_fields(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command that identify the job."""
    fields: dict[str, Any] = {}
    for key in JOB_FIELDS:
        value = arguments.get(key)
        if isinstance(value, int):
            fields[key] = value
        elif isinstance(value, str | Path):
            fields[key] = visible(value.stem if isinstance(value, Path) else value)
    return fields


def failed_jobs(folder: Path, since: float) -> list[str]:
    """Return the error message of each job that failed after a moment.

    A log that ends with neither success nor an error belongs to a killed job: a process that the
    system ends for lack of memory cannot report it.

    Parameters
    ----------
    folder : Path
        The folder of the logs.
    since : float
        Seconds, as in :func:`time.time`.
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


def start(file: Path | None, step: str, job: Mapping[str, Any]) -> None:
    """Send messages to the terminal and, with more detail, to the file.

    Parameters
    ----------
    file : Path, optional
    step : str
        The command.
    job : mapping
        From :func:`job_fields`.
    """
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.INFO)
    terminal.setFormatter(Lines())
    handlers: list[logging.Handler] = [terminal]
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(file, mode="w", encoding="utf-8"))
        handlers[-1].setFormatter(JsonLines(step, job))
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    log.setLevel(logging.DEBUG)
    logging.captureWarnings(True)
    # A full disk stops the log, not the work.
    logging.raiseExceptions = False
