"""One run per dataset, and cleaning up when a run starts."""

import errno
import fcntl
import json
import os
from pathlib import Path
from unittest.mock import Mock

import fake_results
import pytest

from wsd.cli import main
from wsd.run import digests
from wsd.run.digests import MAP, PROGRAM
from wsd.run.session import LOCK, BusyError, begin
from wsd.storage import atomic

OF_PROGRAM = {PROGRAM: digests.package_checksum()}
MAP_OF_RUN = json.dumps({"files": {}, "config": {}, "command": "", "digests": OF_PROGRAM})


def test_a_second_run_reports_the_first(tmp_path: Path) -> None:
    with begin(tmp_path / "quickstart"):
        with pytest.raises(BusyError) as error:
            begin(tmp_path / "quickstart")
        assert f"another run is using these results: process {os.getpid()}" in error.value.problem
        # Another dataset has a lock of its own.
        begin(tmp_path / "coarsewsd20").close()
    # The lock ends with the process, so that nothing has to be unlocked.
    begin(tmp_path / "quickstart").close()


def test_a_refused_run_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is taken before damaged and half-written files are moved or removed."""
    monkeypatch.chdir(tmp_path)
    session = fake_results.made()
    damaged = next(Path(session.files.store).glob("scores@*.csv"))
    flip(damaged, 20)
    half = damaged.with_name(".x.csv.k3.part")
    half.write_text("half")
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    with begin(session.folder), pytest.raises(BusyError):
        fake_results.session().begin()
    after = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert {path for path in after if after[path] != before.get(path)} <= {
        *(tmp_path / name for name in ("my.yaml", f"{session.folder}/{LOCK}"))
    }
    assert after.keys() == before.keys()


def test_where_there_are_no_locks_a_run_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    none = Mock(side_effect=OSError(errno.ENOLCK, "no locks"))
    monkeypatch.setattr(fcntl, "flock", none)
    begin(tmp_path / "quickstart").close()
    assert "start no second run" in capsys.readouterr().err
    left = tmp_path / "quickstart" / f".a.csv.x{atomic.PART}"
    left.write_text("")
    assert atomic.remove_abandoned(tmp_path) == [] and left.exists()


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_a_run_begins_by_cleaning_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert "half-written file of a killed run" in err and not [*store.glob(".*.part")]
    aside = [path.with_name(f"{path.name}.damaged") for path in damaged]
    assert {*store.rglob("*.damaged")} == {*aside} and not any(map(Path.exists, damaged))
    assert all(f"Kept as {path.name}" in err for path in aside)
    # The listing of the vectors is removed too; otherwise no job would compute them.
    assert list(store.glob("tiny@*/embeddings/focal@*.json")) == []
    assert len(list(store.glob("tiny@*/embeddings/cls@*.json"))) == 1
    fake_results.run(fake_results.session())
    # The check reads the files of runs; the damaged file belongs to none.
    assert main(["check"]) == 0


def test_a_job_sets_damaged_files_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.csv"
    atomic.write_text(summary, "model\nm\n")
    flip(summary, 0)
    atomic.write_text(tmp_path / "map.json", MAP_OF_RUN)
    for of_a_run in (False, True):
        if of_a_run:
            monkeypatch.setenv(MAP, str(tmp_path / "map.json"))
        assert main(["leaderboard", str(summary)]) == 6
        assert ("delete the file" in capsys.readouterr().err) == (not of_a_run)
        assert summary.exists() == (not of_a_run)
