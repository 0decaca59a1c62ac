"""A line for people, an object for programs."""

import json
import logging
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from log_state import logs_as_before

from wsd import logs
from wsd.cli import main
from wsd.report import leaderboard
from wsd.storage import atomic


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    with logs_as_before():
        yield


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_has_time_step_and_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "logs" / "x.log"
    job = {"word": None, "layers": "mean-last-2", "model": Path("r/tiny.json"), "words": ["a"]}
    logs.start(log, "classify", logs.job_fields(job))
    logging.getLogger("wsd").info("%d of\n%d — «é»", 3, 4)
    logging.getLogger("wsd").debug("a detail")
    assert capsys.readouterr().err == "3 of\n4 — «é»\n"
    first, second = lines(log)
    assert datetime.fromisoformat(first.pop("time")).utcoffset() is not None
    assert first.pop("process") > 0
    assert first == {
        "level": "INFO",
        "step": "classify",
        "model": "tiny",
        "layers": "mean-last-2",
        "message": "3 of\n4 — «é»",
    }
    assert second["level"] == "DEBUG" and second["message"] == "a detail"


def test_warnings_of_libraries_are_logged(tmp_path: Path) -> None:
    import warnings

    log = tmp_path / "x.log"
    logs.start(log, "embed", {})
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("beware", stacklevel=1)
    (line,) = lines(log)
    assert line["level"] == "WARNING" and "beware" in line["message"]


def test_a_command_ends_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "x.log"
    assert main(["--log", str(log), "leaderboard", str(tmp_path / "summary.csv")]) == 6
    assert lines(log)[-1]["level"] == "ERROR"
    for name, further in (
        ("summary.csv", ("test", *leaderboard.MEANS)),
        ("selection.csv", ("scope", "selected", "objective")),
    ):
        header = ",".join((*leaderboard.KEYS, "train", *further))
        atomic.write_text(tmp_path / name, f"{header}\n")
    assert main(["--log", str(log), "leaderboard", str(tmp_path / "summary.csv")]) == 0
    assert lines(log)[-1]["message"] == "done"


def test_the_log_of_a_killed_job_is_recognised(tmp_path: Path) -> None:
    for name, output in (
        ("well", ["working", logs.DONE]),
        ("failed", ["working"]),
        ("killed", ["300 of 9000 sentences"]),
        ("killed-at-once", []),
        ("old", ["working"]),
    ):
        path = tmp_path / "logs" / f"{name}.log"
        logs.start(path, "embed", {})
        for text in output:
            logging.getLogger("wsd").info(text)
        if name == "failed":
            logging.getLogger("wsd").error("error: a reason")
    (tmp_path / "logs" / "torn.log").write_text('{"time": "20')
    os.utime(tmp_path / "logs" / "old.log", (1000, 1000))
    folder = tmp_path / "logs"
    assert logs.failed_jobs(tmp_path, 2000) == [
        f"{folder / 'killed-at-once.log'} {logs.KILLED} Last words: nothing yet",
        f"{folder / 'killed.log'} {logs.KILLED} Last words: 300 of 9000 sentences",
        f'{folder / "torn.log"} {logs.KILLED} Last words: {{"time": "20',
        f"{folder / 'failed.log'}:\nerror: a reason",
    ]
