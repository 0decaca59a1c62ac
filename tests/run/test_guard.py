"""No command overwrites its inputs or files of the workflow."""

import shutil
from pathlib import Path

import fake_results
import numpy as np
import pytest
from checkout import REPOSITORY

from wsd.artifacts.corpus_table import read
from wsd.artifacts.run_json import write_map
from wsd.artifacts.training_set import TrainingSet, write
from wsd.cli import main, parser
from wsd.commands import COMMANDS
from wsd.run import modules_of_step
from wsd.run.digests import MAP, PROGRAM
from wsd.run.lock import VARIABLE
from wsd.storage.checksums import sha256

FOLDS = ["folds", "--corpus", "results/q/corpus", "--words", "crane", "--train"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    source = ["--source", "data", "--word", "crane", "--out", "results/q/corpus"]
    shutil.copytree(Path(__file__).parents[2] / "wsd/data/quickstart", tmp_path / "data")
    assert main(["corpus", *source]) == 0
    return tmp_path


def test_an_input_is_not_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The suffixes of other formats than the output's are left out.
    Path("rows").write_text("rows of a training set\n")
    call = [*FOLDS, "rows", "--out"]
    before = Path("rows").read_bytes()
    Path("link").symlink_to("rows")
    for same in ("rows", "../" + here.name + "/rows", "link"):
        assert main([*call, same]) == 2
        err = capsys.readouterr().err
        assert "is an input of this command" in err and "--out" in err
    assert main(["--log", "rows", *call, "other.parquet"]) == 2
    assert Path("rows").read_bytes() == before


@pytest.fixture
def run(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the tables of a finished run, with a second named run."""
    fake_results.made()
    fake_results.made("b", seed=2)
    (here / "link-to-folds").symlink_to("results/quickstart/folds")
    (here / "link-to-all").symlink_to("results/quickstart")
    return Path("results/quickstart")


@pytest.mark.parametrize(
    "out",
    [
        "results/quickstart/folds/full.parquet",
        "results/quickstart/runs/b/folds/full.parquet",
        "results/quickstart/tiny/../folds/full.parquet",
        "link-to-folds/full.parquet",
        "link-to-all/folds/full.parquet",
    ],
)
def test_published_files_are_not_overwritten(
    run: Path, capsys: pytest.CaptureFixture[str], out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Path(out).read_bytes()
    call = [*FOLDS, "none.parquet", "--out"]
    assert main([*call, out]) == 2
    err = capsys.readouterr().err
    assert f"{out} would replace a result of the workflow: " in err
    assert err.endswith("name a file or folder of your own\n")
    assert Path(out).read_bytes() == before
    # Other files are the user's, and a job of the workflow may write its outputs.
    assert main([*call, str(Path(out).with_name("mine.parquet"))]) == 6
    assert "a file of an earlier step is missing" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, str(run / "lock"))
    assert main([*call, out]) == 6


@pytest.mark.parametrize("out", ["corpus", ".", "tiny/embeddings/crane", "report", "run.json"])
def test_folders_and_maps_of_a_run_are_not_overwritten(
    run: Path, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    call = ["corpus", "--source", "data", "--word", "bank", "--out", str(run / out)]
    assert main(call) == 2
    assert "would replace a result of the workflow: " in capsys.readouterr().err
    assert main([*call[:-1], str(run / "mine")]) == 0


@pytest.mark.parametrize("out", ["x.parquet", "new@0123456789/x.parquet", "runs/x.parquet"])
def test_nothing_is_put_into_a_store_by_hand(
    run: Path, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    """A run would take the file for its own."""
    call = [*FOLDS, "none.parquet", "--out"]
    assert main([*call, str(run / "store" / out)]) == 2
    assert "is in a store, and runs own every file there" in capsys.readouterr().err


def test_next_to_a_damaged_map_nothing_is_written(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The map would name the files of the run."""
    (run / "run.json").write_text("{")
    call = [*FOLDS, "none.parquet", "--out"]
    assert main([*call, str(run / "scores.parquet")]) == 2
    err = capsys.readouterr().err
    assert "is next to results of a run" in err and "run.json" in err


def test_every_command_declares_its_outputs() -> None:
    """Outputs are --out and every option whose help says that the command writes the file."""
    _, each = parser()
    for name, command in each.items():
        command.fill()
        names = {action.dest for action in command._actions}
        writes = set(command.get_default("outputs"))
        assert "log" in writes and writes <= names | {"log"}, name
        assert ("out" in names) == ("out" in writes), name
    assert len(each) == len(COMMANDS)
    assert {"scores", "summary", "provenance"} <= set(each["evaluate"].get_default("outputs"))


@pytest.mark.parametrize(
    "files",
    [
        ["notes.txt"],
        ["index.html"],
        ["data/scores.csv", "assets/photo.png"],
        ["own/index.html", "mine.txt"],
    ],
)
@pytest.mark.parametrize("option", ["--out", "--portable"])
def test_a_report_replaces_no_foreign_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: list[str],
    option: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in files:
        path = tmp_path / "thesis" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE if name == "own/index.html" else "<title>mine</title>")
    Path("a-file").write_text("mine")
    for there in ("thesis", "a-file"):
        before = sealed(tmp_path)
        assert main([*REPORT, option, there]) == 2
        err = capsys.readouterr().err
        assert "did not write" in err and f"where: {option}" in err
        assert sealed(tmp_path) == before


def test_a_report_replaces_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command gets as far as reading its inputs, which are missing."""
    monkeypatch.chdir(tmp_path)
    for name in ("index.html", "words/crane.html", "assets/word.js", "data/.sums/scores.csv"):
        (tmp_path / "old" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "old" / name).write_text(PAGE)
    (tmp_path / "empty").mkdir()
    for there in ("old", "empty", "new"):
        assert main([*REPORT, "--out", there]) == 6
        assert "did not write" not in capsys.readouterr().err
    (tmp_path / "old" / "notes.txt").write_text("mine")
    assert main([*REPORT, "--out", "old"]) == 2
    monkeypatch.setenv(VARIABLE, str(tmp_path / "lock"))  # a job of the workflow
    assert main([*REPORT, "--out", "old"]) == 6


def test_a_report_needs_two_separate_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for out, portable in (("a", "a"), ("a", "a/b"), ("a/b", "a")):
        assert main([*REPORT, "--out", out, "--portable", portable]) == 2
        text = capsys.readouterr().err
        assert "have the same path" in text or "would replace one another" in text


def test_a_report_in_one_file_replaces_only_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command gets as far as reading its inputs if the file may be written."""
    monkeypatch.chdir(tmp_path)
    Path("own.html").write_text("<title>mine</title>")
    Path("old.html").write_text(PAGE)
    for file, problem in (
        ("own.html", "is not a page of a report"),
        ("fresh/all.html", "is in a folder that this command replaces"),
        ("single", "have the same path"),
    ):
        assert main([*REPORT, "--one-file", file]) == 2
        assert problem in capsys.readouterr().err
    for file in ("old.html", "new.html"):
        assert main([*REPORT, "--one-file", file]) == 6
        assert main(["one-file", ".", "--out", file]) == 6
        assert ". has no report of this version of wsd" in capsys.readouterr().err
    assert main(["one-file", ".", "--out", "own.html"]) == 2
    assert Path("own.html").read_text() == "<title>mine</title>"


PAGE = (REPOSITORY / "wsd/report/templates/base.html").read_text()
REPORT = [
    *("report", "--corpus", "corpus", "--words", "crane", "--dataset", "quickstart"),
    *("--predictions", "p", "--projections", "q", "--neighbours", "n", "--scores", "s"),
    *("--summary", "s", "--provenance", "p", "--comparison", "c", "--tables", "t"),
    *("--alignment", "a", "--out", "fresh", "--portable", "single"),
]


def sealed(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("changed", "says", "code"),
    [
        (["--summary", "a-file/x.csv"], "a-file is a file, not a folder", 7),
        (["--summary", "scores.csv"], "have the same path", 2),
        (["--summary", "./link.csv"], "have the same path", 2),
        (["--summary", "a-folder"], "it is a folder, not a file", 7),
        (["--provenance", "/dev/null"], "it is a device or a pipe", 7),
        (["--log", "scores.csv"], "have the same path", 2),
    ],
)
def test_no_output_is_written_if_one_cannot_be(
    here: Path, capsys: pytest.CaptureFixture[str], changed: list[str], says: str, code: int
) -> None:
    Path("a-file").write_text("mine")
    Path("a-folder").mkdir()
    Path("link.csv").symlink_to("scores.csv")
    call = ["evaluate", "--predictions", "p.parquet", "--dataset", "q", "--scores", "scores.csv"]
    call += ["--summary", "summary.csv", "--provenance", "provenance.json"]
    before = sealed(here)
    # The error comes before the inputs, which are missing, are read.
    called = [*changed, *call] if "--log" in changed else [*call, *changed]
    assert main(called) == code
    err = capsys.readouterr().err
    assert says in err and "what to do" in err
    assert sealed(here) == before


def test_a_file_as_output_folder_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["embed", "--model", "m.json", "--corpus", "results/q/corpus"]
    call += ["--words", "crane"]
    assert main([*call, "--out", "data/crane/classes_map.txt"]) == 7
    assert "it is a file, not a folder" in capsys.readouterr().err


def test_a_job_refuses_inputs_that_changed_since_the_run_began(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job would write results of changed inputs to the paths of the old ones."""
    about = {"config": {}, "command": "snakemake"}
    rows, digest = Path("rows.parquet"), read(Path("results/q/corpus/crane.parquet")).digest

    def write_rows(number: int) -> None:
        lines = {"crane": np.arange(number, dtype=np.int32)}
        write(rows, TrainingSet("part", lines, {"crane": digest}))

    write_rows(60)
    known = {PROGRAM: modules_of_step.package_checksum(), f"file {rows}": sha256(rows)}
    monkeypatch.setenv(MAP, str(here / "map.json"))
    monkeypatch.setenv(VARIABLE, str(here / "jobs"))
    call = [*FOLDS, str(rows), "--out"]

    def begun(**changes: str) -> None:
        write_map(Path("map.json"), [], "results/q", {**about, "digests": {**known, **changes}})

    begun()
    assert main([*call, "one.parquet"]) == 0
    begun(program="of an earlier program")
    assert main([*call, "two.parquet"]) == 6
    assert f"{modules_of_step.PACKAGE} has changed since the run began" in capsys.readouterr().err
    begun()
    write_rows(59)
    assert main([*call, "two.parquet"]) == 6
    err = capsys.readouterr().err
    assert "rows.parquet has changed since the run began" in err
    assert "what to do: run snakemake again" in err and not Path("two.parquet").exists()
