"""`wsd clean` lists and deletes files that no run refers to, and nothing else."""

import shutil
import time
from pathlib import Path

import fake_results
import pytest

from wsd.cli import main
from wsd.run import session
from wsd.run.check import damaged
from wsd.storage.atomic import write_text
from wsd.storage.checksums import SUMS

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


def files() -> set[Path]:
    return {path for path in STORE.rglob("*") if path.is_file()}


NOTHING = "quickstart: 0.0 MB belong to no run: --yes deletes them\n"
DELETED = "quickstart: 0.0 MB belong to no run: deleted\n"


def test_only_files_of_a_former_run_are_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made("b", seed=3)
    fake_results.made()
    # The next run removes the map of this one.
    former = {path for path in files() if "runs" not in path.parts}
    fake_results.made(seed=2)
    text = run_clean(capsys)
    # The seed decides the view `other`, the folds and later files; corpus and focal vectors stay.
    assert " MB in folds/" in text and " MB in tiny@" in text and " MB in corpus@" not in text
    assert text.endswith("belong to no run: --yes deletes them\n")
    assert former <= files()
    assert run_clean(capsys, "--yes").endswith("belong to no run: deleted\n")
    gone = former - files()
    assert any(SUMS in path.parts for path in gone)
    assert not [path for path in STORE.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert not [*damaged(DATASET)]
    assert run_clean(capsys) == NOTHING


def test_files_of_an_unfinished_run_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """A kill during embedding leaves finished words that are in no listing."""
    fake_results.made()
    run_clean(capsys, "--yes")
    models = [{**fake_results.SMALL["models"][0], "pooling": "last"}]
    session = fake_results.session("b", models=models)
    fake_results.begin(session)
    folder = next(Path(path).parent for path in session.made if "/embeddings/" in path)
    write_text(folder / "apple@0123456789/focal.safetensors", "hours of work")
    assert run_clean(capsys, "--yes") == DELETED
    assert (folder / "apple@0123456789/focal.safetensors").exists()


def test_the_last_begun_run_of_a_name_counts(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (fake_results.session(seed=seed) for seed in (1, 2))
    fake_results.begin(first)
    fake_results.make(first)
    time.sleep(0.01)
    fake_results.begin(second)
    assert " MB in folds/" in run_clean(capsys)
    time.sleep(0.01)
    fake_results.begin(first)
    assert " MB in folds/" not in run_clean(capsys, "--yes")
    assert first.map.exists() and not second.map.exists()
    assert all(Path(path).exists() for path in first.made)


def test_beside_a_damaged_map_nothing_is_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    """Its files are unknown."""
    fake_results.made()
    write_text(STORE / "stray@0123456789.csv", "of no run")
    for name in ("run.json", "store/corpus@*/words.json"):
        (damaged_file,) = DATASET.glob(name)
        before = damaged_file.read_bytes()
        damaged_file.write_bytes(before[:40])
        assert str(damaged_file) in run_clean(capsys, "--yes", code=6)
        assert (STORE / "stray@0123456789.csv").exists()
        damaged_file.write_bytes(before)


def test_no_link_is_followed_out_of_the_store(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_results.made()
    (here / "mine").mkdir()
    (here / "mine/file.csv").write_text("mine")
    (STORE / "folder@0123456789").symlink_to(here / "mine")
    (STORE / "file@0123456789.csv").symlink_to(here / "mine/file.csv")
    # A model's folder on another disk belongs to the run.
    (model,) = (path for path in STORE.glob("tiny@*") if (path / "embeddings").exists())
    shutil.move(model, here / "other-disk")
    model.symlink_to(here / "other-disk")
    run_clean(capsys, "--yes")
    assert (here / "mine/file.csv").read_text() == "mine"
    assert not (STORE / "file@0123456789.csv").is_symlink()
    assert model.is_symlink() and not [*damaged(DATASET)]


def test_a_living_run_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    fake_results.made()
    write_text(STORE / "stray@0123456789.csv", "of no run")
    with session.begin(DATASET):
        assert "another run is using these results" in run_clean(capsys, "--yes", code=1)
        assert " MB in stray@0123456789.csv" in run_clean(capsys)
        assert (STORE / "stray@0123456789.csv").exists()
    run_clean(capsys, "--yes")
    assert not (STORE / "stray@0123456789.csv").exists()
