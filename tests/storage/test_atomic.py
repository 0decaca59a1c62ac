"""Files are written completely or not at all; damage is found, and errors name the file."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from wsd.errors import DamageError, StorageError
from wsd.storage import atomic, checksums, json, parquet

WRITE = {
    "t.parquet": lambda p: parquet.write_table(p, pa.table({"a": list(range(50))}), {"b": "c"}),
    "t.json": lambda p: json.write_json(p, {"a": [1, 2, 3]}),
    "t.csv": lambda p: atomic.write_text(p, "a,b\n1,2\n"),
}
READ = {"t.parquet": parquet.read_table, "t.json": json.read_json, "t.csv": checksums.verify}


@pytest.fixture(params=WRITE)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    WRITE[path.name](path)
    READ[path.name](path)
    return path


def test_every_flipped_bit_is_found(written: Path) -> None:
    sound = written.read_bytes()
    for place in range(len(sound)):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << (place % 8)
        written.write_bytes(damaged)
        with pytest.raises(DamageError, match="changed since it was written"):
            READ[written.name](written)


def test_every_truncation_is_found(written: Path) -> None:
    sound = written.read_bytes()
    for length in range(len(sound)):
        written.write_bytes(sound[:length])
        with pytest.raises(DamageError):
            READ[written.name](written)


def test_a_damaged_checksum_counts_as_damage(written: Path) -> None:
    (written.parent / checksums.SUMS / written.name).write_bytes(b"")
    with pytest.raises(DamageError):
        READ[written.name](written)


def test_a_file_from_elsewhere_has_no_checksum_and_is_read(written: Path) -> None:
    (written.parent / checksums.SUMS / written.name).unlink()
    READ[written.name](written)


def test_a_damaged_file_is_kept_under_another_name(written: Path) -> None:
    before = written.read_bytes()
    aside = checksums.set_aside(written)
    assert not written.exists() and aside.read_bytes() == before
    WRITE[written.name](written)
    READ[written.name](written)


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
    for name, write in WRITE.items():
        write(tmp_path / name)
    with atomic.replacing_folder(tmp_path / "folder") as new:
        (new / "x").write_text("x")
    # Each file, its checksum, and the folder.
    assert len(renamed) == 2 * len(WRITE) + 1
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
    assert not path.exists()
    (left,) = path.parent.iterdir()
    assert left.name.startswith(".table.csv.") and left.name.endswith(atomic.PART)
    with getattr(atomic, context)(path.with_name("other.csv")) as alive:
        (alive if context == "replacing" else alive / "x").write_text("whole")
        assert atomic.remove_abandoned(tmp_path) == [left]
    assert [p.name for p in path.parent.iterdir() if p.name != checksums.SUMS] == ["other.csv"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_disk_error_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "table.json"
    json.write_json(path, {"old": True})

    def full(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StorageError) as error:
            json.write_json(path, {"new": True})
    assert str(path) in error.value.problem and os.strerror(number) in error.value.problem
    assert error.value.fix
    assert json.read_json(path) == {"old": True}
    assert sorted(p.name for p in tmp_path.iterdir()) == [checksums.SUMS, "table.json"]


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


def test_foreign_files_are_not_deleted(tmp_path: Path) -> None:
    """Opening a pipe would wait for a writer."""
    os.mkfifo(tmp_path / ".x.part")
    (tmp_path / ".y.part").symlink_to("/etc")
    assert atomic.remove_abandoned(tmp_path) == []


def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="Not a directory"):
        atomic.write_text(tmp_path / "file" / "deep" / "table.csv", "a")
