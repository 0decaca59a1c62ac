"""No command overwrites its inputs or files of the workflow."""

from pathlib import Path

import fake_results
import numpy as np
import pytest

from wsd.artifacts.corpus_table import read
from wsd.artifacts.dataset import DATA
from wsd.artifacts.run_json import write_map
from wsd.artifacts.training_set import TrainingSet, write
from wsd.cli import main, parser
from wsd.run import digests
from wsd.run.digests import MAP, PROGRAM
from wsd.storage.checksums import sha256

FOLDS = ["folds", "--corpus", "results/q/corpus", "--words", "crane", "--train"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    source = ["--source", str(DATA / "quickstart"), "--word", "crane"]
    assert main(["corpus", *source, "--out", "results/q/corpus"]) == 0
    return tmp_path


def test_an_input_is_not_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows").write_text("rows of a training set\n")
    Path("link").symlink_to("rows")
    call = [*FOLDS, "rows", "--out"]
    for same in ("rows", f"../{here.name}/rows", "link"):
        assert main([*call, same]) == 2
        assert "is an input of this command" in capsys.readouterr().err
    assert main(["--log", "rows", *call, "other.parquet"]) == 2
    assert Path("rows").read_text() == "rows of a training set\n"


def test_nothing_is_put_into_a_store_by_hand(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run would take the file for its own."""
    fake_results.made()
    store = Path("results/quickstart/store")
    for out in ("x.parquet", "new@0123456789/x.parquet", "runs/x.parquet"):
        assert main([*FOLDS, "none.parquet", "--out", str(store / out)]) == 2
        assert "is in a store, and runs own every file there" in capsys.readouterr().err


def test_every_command_declares_its_outputs() -> None:
    """Outputs are --out and every option whose help says that the command writes the file."""
    _, each = parser()
    for name, command in each.items():
        command.fill()
        names = {action.dest for action in command._actions}
        writes = set(command.get_default("outputs"))
        assert "log" in writes and writes <= names | {"log"}, name
        assert ("out" in names) == ("out" in writes), name
    assert {"scores", "summary", "provenance"} <= set(each["evaluate"].get_default("outputs"))


def test_a_report_replaces_no_foreign_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["report", "--corpus", "c", "--words", "crane", "--dataset", "quickstart"]
    for option in ("predictions", "projections", "neighbours", "tables", "provenance", "map"):
        call += [f"--{option}", "missing"]
    call += ["--out", "thesis"]
    Path("thesis").mkdir()
    assert main(call) == 6  # an empty folder; the inputs are missing
    Path("thesis/index.html").write_text("<title>mine</title>")
    capsys.readouterr()
    assert main(call) == 2
    assert "thesis has files, and is no report" in capsys.readouterr().err
    Path("thesis/index.html").write_text('<meta name="generator" content="wsd report">')
    assert main(call) == 6


def test_a_job_refuses_inputs_that_changed_since_the_run_began(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job would write results of changed inputs to the paths of the old ones."""
    rows, digest = Path("rows.parquet"), read(Path("results/q/corpus/crane.parquet")).digest

    def write_rows(number: int) -> None:
        lines = {"crane": np.arange(number, dtype=np.int32)}
        write(rows, TrainingSet("part", lines, {"crane": digest}))

    write_rows(60)
    known = {PROGRAM: digests.package_checksum(), f"file {rows}": sha256(rows)}
    monkeypatch.setenv(MAP, str(here / "map.json"))
    call = [*FOLDS, str(rows), "--out"]

    def begun(**changes: str) -> None:
        about = {"config": {}, "command": "snakemake", "digests": {**known, **changes}}
        write_map(Path("map.json"), [], "results/q", about)

    begun()
    assert main([*call, "one.parquet"]) == 0
    begun(program="of an earlier program")
    assert main([*call, "two.parquet"]) == 6
    assert f"{digests.PACKAGE} has changed since" in capsys.readouterr().err
    begun()
    write_rows(59)
    assert main([*call, "two.parquet"]) == 6
    assert "rows.parquet has changed since" in capsys.readouterr().err
    assert not Path("two.parquet").exists()
