"""One run at a time, jobs that outlive theirs, and the order that a new run puts a folder in."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from wsd.artifacts.vectors import VectorsWriter
from wsd.cli import main
from wsd.run import check
from wsd.run.lock import (
    JOBS_LOCK,
    RUN_LOCK,
    STATE,
    VARIABLE,
    BusyError,
    as_job,
    begin,
    busy,
    jobs_lock,
)
from wsd.storage import atomic, partial

HOLD = """
import sys, time
from pathlib import Path
from wsd.run.lock import begin
lock = begin(Path(sys.argv[1]))
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


def test_a_second_run_is_told_which_is_at_work(results: Path) -> None:
    first = started(HOLD, results)
    with pytest.raises(BusyError) as error:
        begin(results)
    assert f"process {first.pid} on " in error.value.what
    assert f"`kill {first.pid}`" in str(error.value.fix)
    assert "nothing to unlock" in str(error.value.fix)
    found = busy(results)
    assert found is not None and str(first.pid) in found.what
    end(first)
    # Killed as hard as can be, and nothing is left to unlock.
    assert busy(results) is None
    lock = begin(results)
    assert lock is not None
    lock.close()


def test_a_run_whose_lock_is_not_written_yet(results: Path) -> None:
    (results / STATE).mkdir(parents=True)
    with (results / STATE / RUN_LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BusyError, match="only just started"):
            begin(results)


def test_jobs_that_outlived_their_run_are_waited_for(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / STATE).mkdir(parents=True)
    job = started(JOB, **{VARIABLE: str(jobs_lock(results))})
    ended = []

    def soon() -> None:
        time.sleep(0.5)
        ended.append(time.monotonic())
        end(job)

    waiter = threading.Thread(target=soon)
    waiter.start()
    lock = begin(results)
    assert lock is not None and ended and time.monotonic() >= ended[0]
    lock.close()
    waiter.join()
    assert "waiting for them to end" in capsys.readouterr().err


def test_jobs_share_their_lock_and_a_command_by_hand_needs_none(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with as_job() as of_a_run:
        assert not of_a_run
    (results / STATE).mkdir(parents=True)
    monkeypatch.setenv(VARIABLE, str(jobs_lock(results)))
    with as_job() as one, as_job() as other:
        assert one and other
    monkeypatch.setenv(VARIABLE, str(results / "no such folder" / JOBS_LOCK))
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
    assert begin(results) is None
    assert "start no second run" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, str(jobs_lock(results)))
    with as_job() as of_a_run:
        assert of_a_run
    # And what may be somebody's is not swept away.
    left = tmp_path / "results" / f".a.csv.x{partial.PART}"
    left.parent.mkdir(exist_ok=True)
    left.write_text("")
    assert partial.sweep(tmp_path) == [] and left.exists()


def vectors(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    writer = VectorsWriter(path, (3, 4, 8), {"wsd": "{}"})
    writer.put(range(4), np.random.default_rng(0).normal(size=(3, 4, 8)).astype(np.float32))
    writer.close()
    return path


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_a_run_begins_with_a_folder_in_order(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("sound", "damaged"):
        atomic.write_text(results / "q" / f"{name}.csv", "a,b\n")
        vectors(results / "q" / name / "focal.safetensors")
    (results / "q" / ".x.csv.k3.part").write_text("half")
    flip(results / "q/damaged.csv", 1)
    flip(results / "q/damaged/focal.safetensors", 20)
    lock = begin(results)
    assert lock is not None
    lock.close()
    there = sorted(p.relative_to(results / "q").as_posix() for p in (results / "q").rglob("*.*"))
    assert [name for name in there if ".sums" not in name] == [
        "damaged.csv.damaged",
        "damaged/focal.safetensors.damaged",
        "sound.csv",
        "sound/focal.safetensors",
    ]
    err = capsys.readouterr().err
    assert "left half-written" in err and "damaged.csv.damaged" in err
    assert err.count("is made again") == 2


@pytest.mark.slow
def test_every_flipped_bit_of_a_file_of_vectors_is_found(tmp_path: Path) -> None:
    path = vectors(tmp_path / "results" / "focal.safetensors")
    assert list(check.damaged(path.parent)) == []
    sound = path.read_bytes()
    for place in range(len(sound)):
        flip(path, place)
        ((found, _),) = check.damaged(path.parent)
        assert found == path, place
        path.write_bytes(sound)
    for length in range(0, len(sound), 7):
        path.write_bytes(sound[:length])
        assert [found for found, _ in check.damaged(path.parent, quick=True)] == [path]


def test_check_names_what_is_damaged_and_sets_it_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vectors(tmp_path / "results" / "word" / "focal.safetensors")
    vectors(tmp_path / "results" / "other" / "focal.safetensors")
    assert main(["check", str(tmp_path / "results")]) == 0
    assert "2 files read" in capsys.readouterr().out
    flip(path, path.stat().st_size - 1)
    assert main(["check", str(tmp_path / "results")]) == 6
    out, err = capsys.readouterr()
    assert f"{path}: layer 2 is not what was written" in out
    assert "wsd check --set-aside" in err
    assert path.exists()
    assert main(["check", "--set-aside", str(tmp_path / "results")]) == 6
    assert not path.exists() and path.with_name("focal.safetensors.damaged").exists()
    assert main(["check", str(tmp_path / "results")]) == 0


@pytest.mark.parametrize("of_a_run", [True, False])
def test_a_job_that_meets_damage_puts_it_out_of_the_way(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    of_a_run: bool,
) -> None:
    summary = tmp_path / "summary.csv"
    atomic.write_text(summary, "model\nm\n")
    flip(summary, 0)
    if of_a_run:
        monkeypatch.setenv(VARIABLE, str(tmp_path / JOBS_LOCK))
    assert main(["leaderboard", str(summary)]) == 6
    err = capsys.readouterr().err
    assert "not what was written" in err and str(summary) in err
    assert summary.exists() != of_a_run
    again = "run the same command again" if of_a_run else "delete the file and run again"
    assert again in err


def test_a_damaged_file_of_the_download_is_found_and_is_not_in_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib
    from dataclasses import replace

    from wsd.corpora import archive

    manifest = {
        "data/CoarseWSD-20/crane/train.gold.txt": hashlib.sha256(b"0\r\n1\r\n").hexdigest(),
        "data/CoarseWSD-20/crane/test.gold.txt": hashlib.sha256(b"0\n").hexdigest(),
    }
    sums = tmp_path / "sums"
    sums.write_text("".join(f"{digest}  {name}\n" for name, digest in manifest.items()))
    monkeypatch.setattr(archive, "ARCHIVE", replace(archive.ARCHIVE, checksums=sums))
    source = tmp_path / "results" / check.SOURCE
    (source / "crane").mkdir(parents=True)
    (source / "crane/train.gold.txt").write_bytes(b"0\n1\n")
    (source / "crane/test.gold.txt").write_bytes(b"0\n")
    assert list(check.damaged(tmp_path / "results")) == []
    flip(source / "crane/train.gold.txt", 0)
    ((path, what),) = check.damaged(tmp_path / "results")
    assert path == source / "crane/train.gold.txt" and "SHA-256" in what
    aside = check.put_away(path)
    assert aside.exists() and source not in aside.parents
    archive.refuse_foreign_files(source, map(archive.place, manifest))


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
