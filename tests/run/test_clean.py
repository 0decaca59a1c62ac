"""`wsd clean` lists and deletes files that no run refers to, and nothing else."""

import fcntl
import json
import re
import shutil
import time
from pathlib import Path

import fake_results
import pytest

from wsd.artifacts.run_json import RUN_MAP
from wsd.cli import main
from wsd.run import clean, lock
from wsd.run.check import check
from wsd.storage.atomic import write_text
from wsd.storage.checksums import SUMS, set_aside

DATASET = Path("results/quickstart")
STORE = DATASET / "store"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_clean(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(["clean", *arguments]) == code
    out, err = capsys.readouterr()
    assert err.count("error:") == (code > 0), err
    return out + err


def files(folder: Path = STORE) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_of_a_run_is_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made()
    fake_results.made("b", seed=2)
    before = files(DATASET)
    for arguments in ([], ["--yes"], ["--yes", "--unfinished"]):
        text = run_clean(capsys, *arguments)
        assert text == "results: 0.0 MB in 0 files belong to no run\n"
        assert files(DATASET) == before
    assert check(Path("results"))[0].problems == {}


def test_files_of_a_former_run_are_listed_and_deleted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fake_results.made()
    before = files()
    # The next run removes the map of this one.
    former = {path for path in before if "runs" not in path.parts}
    fake_results.made(seed=2)
    text = run_clean(capsys)
    # The seed decides the view `other`, the folds and later files; corpus and focal vectors stay.
    sizes = dict(re.findall(r"quickstart, no run: (\S+): [\d.]+ MB, (\d+) files\n", text))
    assert {"tiny/embeddings", "tiny/predictions", "folds", "report", "scores.csv"} <= {*sizes}
    assert "corpus" not in sizes and int(sizes["tiny/embeddings"]) == 3
    total = re.search(r"results: [\d.]+ MB in (\d+) files belong to no run\n", text)
    assert total and int(total[1]) == sum(map(int, sizes.values()))
    assert text.endswith("the same command with --yes deletes them\n")
    assert former <= {*files()}
    much = clean.unused_bytes(Path("results"))
    assert run_clean(capsys, "--yes").endswith("they are deleted\n")
    gone = former - {*files()}
    # Checksums are deleted too, and no empty folder stays.
    actual = [len(before[path]) for path in gone if SUMS not in path.parts]
    assert (len(actual), sum(actual)) == (int(total[1]), much)
    assert not [path for path in STORE.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert check(Path("results"))[0].problems == {}
    assert run_clean(capsys) == "results: 0.0 MB in 0 files belong to no run\n"
    # Another run of the former config computes them again.
    fake_results.made()
    assert gone - {*files()} == set()


def test_files_of_an_unfinished_run_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """A kill during embedding leaves finished words that are in no listing."""
    fake_results.made()
    session = fake_results.session("b", **_other_pooling())
    fake_results.begin(session)
    folder = next(Path(path).parent for path in session.made if "/embeddings/" in path)
    write_text(folder / "apple@0123456789/focal.safetensors", "hours of work")
    assert run_clean(capsys, "--yes") == "results: 0.0 MB in 0 files belong to no run\n"
    assert (folder / "apple@0123456789/focal.safetensors").exists()
    text = run_clean(capsys, "--unfinished")
    assert "quickstart, run b: runs: 0.0 MB, 1 files\n" in text
    assert "quickstart, no run: tiny/embeddings: 0.0 MB, 1 files\n" in text
    run_clean(capsys, "--unfinished", "--yes")
    assert not folder.exists() and check(Path("results"))[0].problems == {}


def test_files_of_a_run_without_tables_are_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made()
    before = files()
    fake_results.made("b", seed=2)
    shutil.rmtree(DATASET / "runs")
    assert main(["check"]) == 0
    assert "the tables of a run were removed: `wsd clean` lists" in capsys.readouterr().out
    assert "quickstart, run b: tiny/embeddings: 0.0 MB, 3 files\n" in run_clean(capsys, "--yes")
    assert {path for path in files() if "runs" not in path.parts} == {
        path for path in before if "runs" not in path.parts
    }
    # A missing map does not mean that a run was given up, as long as its tables exist.
    (DATASET / RUN_MAP).unlink()
    assert (
        run_clean(capsys, "--yes", "--unfinished")
        == "results: 0.0 MB in 0 files belong to no run\n"
    )


def _other_pooling() -> dict[str, object]:
    return {"models": [{**fake_results.SMALL["models"][0], "pooling": "last"}]}


def test_the_last_begun_run_of_a_name_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = (fake_results.session(seed=seed) for seed in (1, 2))
    fake_results.begin(first)
    fake_results.make(first)
    time.sleep(0.01)
    fake_results.begin(second)
    assert "quickstart, the run without a name: folds: 0.0 MB, 1 files\n" in run_clean(capsys)
    time.sleep(0.01)
    fake_results.begin(first)
    text = run_clean(capsys, "--yes")
    assert re.findall("quickstart, .*: (.*): ", text) == ["runs"]
    assert first.map.exists() and not second.map.exists()
    assert all(Path(path).exists() for path in first.made)


def test_quarantined_files_are_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    session = fake_results.made()
    table = next(STORE.glob("comparison@*/words.csv"))
    aside = set_aside(table)
    fake_results.run(fake_results.session())
    written = STORE / ".report@0123456789.x.part/new/index.html"  # by a process that lives
    write_text(written, "half")
    text = run_clean(capsys, "--yes")
    assert "quickstart, no run: set aside: 0.0 MB, 1 files\n" in text
    assert not aside.exists()
    assert table.exists() and written.exists() and session.map.exists()


@pytest.mark.parametrize("kind", ["halved", "folder", "link", "listing"])
def test_nothing_is_deleted_if_a_map_is_unreadable(
    capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    fake_results.made()
    shutil.copytree(DATASET, "results/mine", symlinks=True)
    stray = [STORE / "stray@0123456789.csv", Path("results/mine/store/stray@0123456789.csv")]
    for path in stray:
        write_text(path, "of no run")
    damaged = DATASET / RUN_MAP
    if kind == "listing":
        damaged = next(STORE.glob("corpus@*/words.json"))
    if kind in ("halved", "listing"):
        damaged.write_bytes(damaged.read_bytes()[:40])
    else:
        damaged.unlink()
        damaged.mkdir() if kind == "folder" else damaged.symlink_to("gone")
    text = run_clean(capsys, "--yes", code=6)
    assert str(damaged) in text and "so nothing is listed for their datasets" in text
    assert "mine, no run: stray.csv" in text and "quickstart, " not in text
    assert [path.exists() for path in stray] == [True, False]
    assert clean.unused_bytes(Path("results")) == 0


def test_no_link_is_followed_out_of_the_store(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_results.made()
    (here / "mine").mkdir()
    (here / "mine/file.csv").write_text("mine")
    (STORE / "folder@0123456789").symlink_to(here / "mine")
    (STORE / "file@0123456789.csv").symlink_to(here / "mine/file.csv")
    # A model's folder on another disk, or elsewhere here, belongs to the run.
    (model,) = (path for path in STORE.glob("tiny@*") if (path / "embeddings").exists())
    moved = STORE / "moved@0123456789"
    shutil.move(model, moved)
    model.symlink_to(moved.absolute())
    assert run_clean(capsys, "--yes").count(", 1 files\n") == 2
    assert (here / "mine/file.csv").read_text() == "mine"
    assert not (STORE / "folder@0123456789").is_symlink()
    assert model.is_symlink() and check(Path("results"))[0].problems == {}


def test_a_living_run_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made()
    stray = STORE / "stray@0123456789.csv"
    write_text(stray, "of no run")
    other = Path("results", lock.STATE, f"there-1{lock.RUN}")
    with other.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for planned in ([str(STORE / "x.csv")], []):
            other.write_text(json.dumps({"planned": planned}))
            assert "another run is computing files here" in run_clean(capsys, "--yes", code=1)
            assert stray.exists() and "stray.csv" in run_clean(capsys)
        other.write_text(json.dumps({"planned": ["results/mine/store/x.csv"]}))
        run_clean(capsys, "--yes")
        assert not stray.exists()


def test_one_dataset_alone(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made()
    shutil.copytree(DATASET, "results/mine", symlinks=True)
    for name in ("mine", "quickstart"):
        write_text(Path("results", name, "store/stray@0123456789.csv"), "of no run")
    assert "choose among mine, quickstart" in run_clean(capsys, "--dataset", "x", code=2)
    assert "give results --dataset mine" in run_clean(capsys, "results/mine", code=2)
    assert "there is no such folder" in run_clean(capsys, "none", code=2)
    text = run_clean(capsys, "--dataset", "mine", "--yes")
    assert "mine, no run: stray.csv" in text and "quickstart" not in text
    assert (STORE / "stray@0123456789.csv").exists()
