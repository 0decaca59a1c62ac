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
    about = {"level": "INFO", "step": "classify", "model": "tiny", "layers": "mean-last-2"}
    assert first == {**about, "message": "3 of\n4 — «é»"}
    assert second["level"] == "DEBUG" and second["message"] == "a detail"


def test_a_command_ends_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "x.log"
    assert main(["--log", str(log), "leaderboard", str(tmp_path / "summary.csv")]) == 6
    assert lines(log)[-1]["level"] == "ERROR"
    assert main(["--log", str(log), "plan"]) == 0
    assert lines(log)[-1]["message"] == "done"


def test_the_log_of_a_killed_job_is_recognised(tmp_path: Path) -> None:
    folder, said = tmp_path / "logs", {"well": logs.DONE, "killed": "300 of 9000", "old": "working"}
    for name in (*said, "failed", "killed-at-once"):
        logs.start(folder / f"{name}.log", "embed", {})
        if name in said:
            logging.getLogger("wsd").info(said[name])
        if name == "failed":
            logging.getLogger("wsd").error("error: a reason")
    (folder / "torn.log").write_text('{"time": "20')
    os.utime(folder / "old.log", (1000, 1000))
    assert logs.failed_jobs(tmp_path, 2000) == [
        f"{folder / 'killed-at-once.log'} {logs.KILLED} Last words: nothing yet",
        f"{folder / 'killed.log'} {logs.KILLED} Last words: 300 of 9000",
        f'{folder / "torn.log"} {logs.KILLED} Last words: {{"time": "20',
        f"{folder / 'failed.log'}:\nerror: a reason",
    ]
