"""Files and folders are written completely or not at all, and errors name the file."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wsd.errors import StorageError
from wsd.storage import atomic, checksums, json


def test_nothing_is_renamed_before_its_bytes_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    renamed: list[tuple[str, bool]] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    def noted_replace(path: Path, target: Path) -> Path:
        inside = list(path.iterdir()) if path.is_dir() else [path]
        renamed.append((path.name, all(file.stat().st_ino in synced for file in inside)))
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    json.write_json(tmp_path / "t.json", {})
    with atomic.replacing_folder(tmp_path / "folder") as new:
        (new / "x").write_text("x")
    # First the checksum, then the file; and the folder.
    assert len(renamed) == 3 and renamed[0][0].startswith(".t.json")
    assert [name for name, safe in renamed if not safe] == []


KILLED = """
import os, signal, sys
from pathlib import Path
from wsd.storage import atomic
with atomic.{context}(Path(sys.argv[1])) as temporary:
    ({file}).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("context", "file"), [("replacing", "temporary"), ("replacing_folder", "temporary / 'x'")]
)
def test_only_temporary_files_of_dead_processes_are_deleted(
    tmp_path: Path, context: str, file: str
) -> None:
    path = tmp_path / "deep" / "table.csv"
    code = KILLED.format(context=context, file=file)
    assert subprocess.run([sys.executable, "-c", code, path]).returncode == -9
    (left,) = path.parent.iterdir()
    assert left.name.startswith(".table.csv.") and left.name.endswith(atomic.PART)
    # Foreign files stay. Opening a pipe would wait for a writer.
    os.mkfifo(tmp_path / ".x.part")
    (tmp_path / ".y.part").symlink_to("/etc")
    with getattr(atomic, context)(path.with_name("other.csv")) as alive:
        (alive if context == "replacing" else alive / "x").write_text("whole")
        assert atomic.remove_abandoned(tmp_path) == [left]
    assert [p.name for p in path.parent.iterdir() if p.name != checksums.SUMS] == ["other.csv"]


def test_a_disk_error_names_the_file_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.json"
    json.write_json(path, {"old": True})

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StorageError) as error:
            json.write_json(path, {"new": True})
    assert str(path) in error.value.problem and "no space" in error.value.problem
    assert json.read_json(path) == {"old": True}
    assert sorted(p.name for p in tmp_path.iterdir()) == [checksums.SUMS, "table.json"]
    with pytest.raises(StorageError):
        atomic.write_text(path / "deep" / "table.csv", "a")


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "pages"
    with atomic.replacing_folder(out) as new:
        (new / "old.html").write_text("old")
    with pytest.raises(ValueError), atomic.replacing_folder(out) as new:
        (new / "new.html").write_text("half")
        raise ValueError
    assert [p.name for p in out.iterdir()] == ["old.html"]
    with atomic.replacing_folder(out) as new:
        (new / "new.html").write_text("new")
    assert [p.name for p in out.iterdir()] == ["new.html"]
    assert [p.name for p in tmp_path.iterdir()] == ["pages"]
