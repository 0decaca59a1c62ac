"""`wsd check` reads every file of every run, and one run repairs the damage it finds."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import fake_results
import pytest

from wsd.artifacts.run_json import bare, is_listing
from wsd.cli import main
from wsd.corpora import archives
from wsd.run.check import checksum_or_problem, damaged
from wsd.run.clean import MARK
from wsd.storage import atomic
from wsd.storage.checksums import SUMS, noted_checksum, set_aside

QUICKSTART = Path("results/quickstart")
DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": lambda path: path.write_bytes(
        bytes([path.read_bytes()[0] ^ 4, *path.read_bytes()[1:]])
    ),
    "deleted": lambda path: path.unlink(),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished run."""
    root = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        again()
    return root


@pytest.fixture
def ended(whole: Path, tmp_path: Path) -> Path:
    """Copy the finished run into the test's current folder."""
    return shutil.copytree(whole, tmp_path, symlinks=True, dirs_exist_ok=True)


def again() -> None:
    fake_results.made(layers=[0, 1], glosses="corpus", analyses=["geometry", "audit"])


def kept_files() -> list[Path]:
    """Return every file of the run, stored and published, except checksums."""
    apart = {SUMS, "runs", MARK, ".lock"}  # each start of a run writes its map
    there = [path for path in sorted(QUICKSTART.rglob("*")) if not {*path.parts} & apart]
    return [path for path in there if path.is_symlink() or path.is_file()]


def faults(where: Path = QUICKSTART) -> dict[Path, str]:
    return dict(damaged(where))


def test_a_whole_run(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes nothing, so that it works in read-only folders."""
    Path("config").mkdir()
    Path("config/config.yaml").write_text("layer: [")  # a broken config is no matter
    before = {path: path.lstat().st_mtime_ns for path in ended.rglob("*")}
    assert main(["check"]) == 0
    out = capsys.readouterr().out
    count = re.search(r"results: (\d+) files read, all match their checksums", out)
    # The map is read by another way.
    assert count and int(count[1]) >= sum(not path.is_symlink() for path in kept_files()) - 1
    assert main(["check", "results/quickstart"]) == 0
    assert capsys.readouterr().out.count("without a name") == 1
    assert {path: path.lstat().st_mtime_ns for path in ended.rglob("*")} == before


def test_every_damaged_file_is_found_and_one_run_repairs_all(ended: Path) -> None:
    kinds = {re.sub(r"apple|crane", "", bare(str(path))): path for path in kept_files()}
    assert len(kinds) > 80 and faults() == {}
    del kinds["results/quickstart/run.json"]
    # The files of a listing are not known while it is damaged.
    listings = {path for path in kinds.values() if is_listing(path)}
    for paths in (sorted({*kinds.values()} - listings), sorted(listings)):
        stored = [path for path in paths if not path.is_symlink()]
        for number, path in enumerate(stored):
            [*DAMAGE.values()][number % len(DAMAGE)](path)
        found = faults()
        assert [path for path in stored if path not in found] == []
        again()
        assert faults() == {}


@pytest.mark.parametrize(
    ("place", "sums"),
    [("comparison.csv", ""), ("store/comparison@*.csv", None), ("store/corpus@*/crane.p*", "")],
)
def test_a_damaged_or_missing_checksum_is_found_and_repaired(
    ended: Path, place: str, sums: str | None
) -> None:
    """Steps and readers of the tables rely on it."""
    (path,) = QUICKSTART.glob(place)
    note = path.parent / SUMS / path.name
    note.unlink() if sums is None else note.write_text(sums)
    assert [*faults()] == [path]
    again()
    assert faults() == {}
    assert noted_checksum(path) == checksum_or_problem(path)


def test_a_file_of_another_run_is_found_even_with_its_own_checksum(ended: Path) -> None:
    (path,) = QUICKSTART.glob("store/corpus@*/crane.parquet")
    atomic.write_text(path, "of another run")
    assert "has changed since it was written" in faults()[path]


def test_the_map_of_a_run_is_read_too(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A map that leads out of the results is refused."""
    path = QUICKSTART / "run.json"
    for key, paths in (("files", {"x": "../../tiny/config.json"}), ("published", {"../x": None})):
        atomic.write_text(path, json.dumps({**json.loads(path.read_text()), key: paths}))
        assert "a file outside its folder" in faults()[path]
    DAMAGE["halved"](path)
    assert main(["check"]) == 6
    assert f"{path}: the file has changed since it was written" in "".join(capsys.readouterr())
    again()
    assert faults() == {}


def test_a_damaged_file_of_the_download_is_ignored() -> None:
    source, names = Path("source"), ["crane/train.gold.txt", "crane/test.gold.txt"]
    for name in names:
        atomic.write_text(source / name, "0\n")
    set_aside(source / names[0])
    archives.refuse_foreign_files(source, [Path(name).name for name in names])
