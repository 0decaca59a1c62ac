"""Parallel runs, jobs that outlive their run, and cleaning up when a run starts."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

import fake_results
import numpy as np
import pytest

from wsd.artifacts.vectors import VectorsWriter
from wsd.cli import main
from wsd.run.lock import (
    JOBS,
    RUN,
    STATE,
    VARIABLE,
    BusyError,
    alone,
    as_job,
    begin,
    conflict,
    jobs_lock,
    other_runs,
)
from wsd.run.verify_checksums import damaged_files
from wsd.storage import atomic, temporary_files

FILES = ["results/q/store/a.csv", "results/q/store/b.csv"]
HOLD = """
import sys, time
from pathlib import Path
from wsd.run.lock import begin
lock = begin(Path(sys.argv[1]), sys.argv[2:])
print("held", flush=True)
time.sleep(600)
"""
JOB = """
import time
from wsd.run.lock import as_job
with as_job() as of_a_run:
    print(of_a_run, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def started(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline()
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_second_run_reports_the_first(results: Path) -> None:
    first = started(HOLD, results, *FILES)
    with pytest.raises(BusyError) as error:
        begin(results, [*FILES[1:], "results/q/store/c.csv"])
    assert error.value.problem.startswith(
        f"another run is computing {FILES[1]} (process {first.pid} on "
    )
    assert f"`kill {first.pid}`" in str(error.value.fix)
    assert "nothing to unlock" in str(error.value.fix)
    actual = conflict(results, FILES)
    assert actual is not None and f"{FILES[0]} and 1 more (process {first.pid}" in actual.problem
    end(first)
    # SIGKILL leaves nothing that has to be unlocked.
    assert conflict(results, FILES) is None
    lock = begin(results, FILES)
    assert lock is not None
    lock.close()


def test_a_run_whose_lock_is_not_written_yet(results: Path) -> None:
    (results / STATE).mkdir(parents=True)
    begun: list[TextIO | None] = []
    second = threading.Thread(target=lambda: begun.append(begin(results, FILES)))
    with alone(results):
        second.start()
        time.sleep(0.3)
        assert not begun
    second.join()
    assert begun[0] is not None
    begun[0].close()


def test_runs_on_other_files_work_in_parallel(results: Path) -> None:
    first = started(HOLD, results, *FILES)
    assert conflict(results, ["results/q/store/c.csv"]) is None
    lock = begin(results, ["results/q/store/c.csv"])
    assert lock is not None
    # This process's own run does not count.
    assert [plan["planned"] for plan in other_runs(results)] == [FILES]
    with alone(results):
        pass
    end(first)
    assert list(other_runs(results)) == []
    lock.close()


def test_a_run_waits_for_jobs_that_outlived_theirs(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = started(HOLD, results, *FILES)
    (run,) = (results / STATE).glob(f"*{RUN}")
    job = started(JOB, **{VARIABLE: str(run.with_suffix(JOBS).absolute())})
    end(first)
    ended = []

    def soon() -> None:
        time.sleep(0.5)
        ended.append(time.monotonic())
        end(job)

    # Jobs on other files are not waited for.
    lock = begin(results, ["results/q/store/c.csv"])
    assert lock is not None and run.exists()
    lock.close()
    assert "waiting" not in capsys.readouterr().err
    waiter = threading.Thread(target=soon)
    waiter.start()
    lock = begin(results, FILES)
    assert lock is not None and ended and time.monotonic() >= ended[0]
    lock.close()
    waiter.join()
    assert f"still computing {FILES[0]}; waiting for them to end" in capsys.readouterr().err
    assert not run.exists()


def test_jobs_share_their_lock_and_a_command_by_hand_needs_none(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with as_job() as of_a_run:
        assert not of_a_run
    (results / STATE).mkdir(parents=True)
    monkeypatch.setenv(VARIABLE, str(jobs_lock(results)))
    with as_job() as first, as_job() as second:
        assert first and second
    monkeypatch.setenv(VARIABLE, str(results / "no such folder" / "x.jobs"))
    with as_job() as of_a_run:
        assert of_a_run


def test_where_there_are_no_locks_a_run_says_so(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def none(file: object, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", none)
    assert begin(results, FILES) is None
    assert "start no second run" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, str(jobs_lock(results)))
    with as_job() as of_a_run:
        assert of_a_run
    # Files that may belong to another run are not deleted.
    left = tmp_path / "results" / f".a.csv.x{temporary_files.PART}"
    left.parent.mkdir(exist_ok=True)
    left.write_text("")
    assert temporary_files.remove_abandoned(tmp_path) == [] and left.exists()


def vectors(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    writer = VectorsWriter(path, (3, 4, 8), {"wsd": "{}"})
    writer.add(np.random.default_rng(0).normal(size=(3, 4, 8)).astype(np.float32), range(4))
    writer.close()
    return path


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_a_run_begins_by_cleaning_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Temporary files and its own damaged files are removed."""
    monkeypatch.chdir(tmp_path)
    session = fake_results.made()
    store = Path(session.files.store)
    damaged = [next(store.glob("scores@*.csv")), next(store.glob("tiny@*/*/crane@*/focal.s*"))]
    for path in damaged:
        flip(path, 20)
    (store / ".x.csv.k3.part").write_text("half")
    atomic.write_text(store / "other@0123456789.csv", "of another run")
    (store / "other@0123456789.csv").write_text("damaged")
    capsys.readouterr()
    fake_results.begin(fake_results.session())
    err = capsys.readouterr().err
    assert "half-written file of a killed run" in err and err.count("it will be rebuilt") == 2
    for path in damaged:
        assert not path.exists() and path.with_name(f"{path.name}.damaged").exists()
        assert f"Kept as {path.name}.damaged" in err
    assert {*store.rglob("*.damaged")} == {
        path.with_name(f"{path.name}.damaged") for path in damaged
    }
    # The listing of the vectors is removed too; otherwise no job would compute them.
    assert list(store.glob("tiny@*/embeddings/focal@*.json")) == []
    assert len(list(store.glob("tiny@*/embeddings/other@*.json"))) == 1
    fake_results.run(fake_results.session())
    assert main(["check", "--configfile", "my.yaml"]) == 6
    assert "damaged files: 1" in capsys.readouterr().err  # of another run


@pytest.mark.slow
def test_every_flipped_bit_of_a_file_of_vectors_is_found(tmp_path: Path) -> None:
    path = vectors(tmp_path / "word/focal.safetensors")
    output = "has no checksum next to it"
    assert list(damaged_files(path)) == [(path, output)]
    sound = path.read_bytes()
    for place in range(len(sound)):
        flip(path, place)
        assert [file for file, problem in damaged_files(path) if problem != output] == [path], place
        path.write_bytes(sound)
    for length in range(0, len(sound), 7):
        path.write_bytes(sound[:length])
        assert [file for file, problem in damaged_files(path) if problem != output] == [path]


@pytest.mark.parametrize("of_a_run", [True, False])
def test_a_job_sets_damaged_files_aside(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    of_a_run: bool,
) -> None:
    summary = tmp_path / "summary.csv"
    atomic.write_text(summary, "model\nm\n")
    flip(summary, 0)
    if of_a_run:
        monkeypatch.setenv(VARIABLE, str(tmp_path / "x.jobs"))
    assert main(["leaderboard", str(summary)]) == 6
    err = capsys.readouterr().err
    assert "changed since it was written" in err and str(summary) in err
    assert summary.exists() != of_a_run
    again = "run the same command again" if of_a_run else "delete the file and run again"
    assert again in err


def test_sigterm_leaves_nothing_half_written(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from wsd import cli
from wsd.report import leaderboard
from wsd.storage.atomic import replacing
def slow(args):
    with replacing(Path(sys.argv[1])) as temporary:
        temporary.write_text("half")
        print("writing", flush=True)
        time.sleep(600)
leaderboard.run = slow
sys.exit(cli.main(["leaderboard", "summary.csv"]))
"""
    process = started(code, tmp_path / "table.csv")
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
    assert process.stdout is not None
    process.stdout.close()
