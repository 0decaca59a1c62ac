"""Read the processor time of the steps of a run from their logs.

The last line of the log of a successful step has its processor time over all cores. A missing time
is NaN, and so is a sum with a missing time.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from math import fsum, nan
from pathlib import Path

from wsd.artifacts.run_json import RunMap
from wsd.logs import DONE_BEFORE
from wsd.storage.checksums import STORE
from wsd.storage.result_files import UNEXPECTED


def processor_seconds(log: Path) -> float:
    """Return the processor time of a step.

    NaN if the log is missing or damaged, if the step failed, or if an earlier step did a part.
    """
    with suppress(OSError, *UNEXPECTED):
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        seconds = float(lines[-1]["processor_seconds"])
        whole = not any(line.get(DONE_BEFORE) for line in lines)
        return seconds if whole and 0 < seconds < float("inf") else nan
    return nan


def sum_of(seconds: Iterable[float]) -> float:
    """Return the sum of times; NaN if a time is missing, or the list is empty."""
    times = list(seconds)
    return fsum(times) if times else nan


def step_seconds(run: RunMap, logs: Path, name: str) -> float:
    """Return the time of the step that wrote a file.

    Parameters
    ----------
    run : RunMap
    logs : Path
        The folder of the logs of the dataset's steps. A log has the relative path of the file.
    name : str
        The readable path of the file.
    """
    if name not in run.files:
        return nan
    file = Path(run.files[name].removeprefix(f"{STORE}/"))
    return processor_seconds(logs / file.with_suffix(".log"))


def embedding_seconds(run: RunMap, logs: Path, model: str) -> float:
    """Return the time of embedding: all words, views and layers, in one job or several."""
    start = f"{model}/embeddings/alignment."
    return sum_of(step_seconds(run, logs, name) for name in run.files if name.startswith(start))
