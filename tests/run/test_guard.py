"""No command writes over what it reads, or over what the workflow has made."""

import json
import shutil
from pathlib import Path

import pytest
from checkout import REPOSITORY
from snakemake.persistence import RECORD_FORMAT_VERSION, MetadataRecord
from snakemake.persistence.file import FilePersistence

from wsd.cli import main, parser
from wsd.commands import COMMANDS
from wsd.run.lock import VARIABLE
from wsd.run.notes import keep_beside

LINE = {"word": "crane", "id": 0, "sense": "crane_bird"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs.jsonl").write_text(json.dumps(LINE) + "\n")
    source = ["--source", "data", "--word", "crane", "--out", "results/q/corpus"]
    shutil.copytree(Path(__file__).parents[2] / "wsd/data/quickstart", tmp_path / "data")
    assert main(["corpus", *source]) == 0
    keep_beside(Path("results"), Path(".snakemake"))
    record = MetadataRecord(code="x", record_format_version=RECORD_FORMAT_VERSION)
    FilePersistence()._write_record("results/q/corpus/words.json", record)
    return tmp_path


def test_an_input_is_not_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Without the suffix of another format than the output's.
    Path("outputs.jsonl").rename("outputs")
    call = ["score", "outputs", "--name", "mine", "--corpus", "results/q/corpus", "--out"]
    before = Path("outputs").read_bytes()
    Path("link").symlink_to("outputs")
    for same in ("outputs", "../" + here.name + "/outputs", "link"):
        assert main([*call, same]) == 2
        err = capsys.readouterr().err
        assert "is an input of this command" in err and "--out" in err
    assert main(["--log", "outputs", *call, "other.parquet"]) == 2
    assert Path("outputs").read_bytes() == before


@pytest.mark.parametrize("out", ["results/q/corpus/words.json", "results/q/corpus"])
def test_a_result_of_the_workflow_is_not_written_over(
    here: Path, capsys: pytest.CaptureFixture[str], out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Path("results/q/corpus/words.json")
    before = table.read_bytes()
    call = ["corpus", "--source", "data", "--word", "bank", "--out"]
    assert main([*call, out]) == 2
    assert f"would replace what the workflow made: {table}" in capsys.readouterr().err
    assert table.read_bytes() == before
    # What lies beside it is the user's, and a job of the workflow may write what it makes.
    assert main([*call, "results/q/mine"]) == 0
    monkeypatch.setenv(VARIABLE, str(here / "lock"))
    assert main([*call, str(table.parent)]) == 0
    assert table.read_bytes() != before


def test_every_command_says_what_it_writes() -> None:
    """What is called --out, and whatever else its help calls a file to be made."""
    _, each = parser()
    for name, of in each.items():
        of.fill()
        names = {action.dest for action in of._actions}
        writes = set(of.get_default("outputs"))
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
def test_a_report_replaces_no_folder_of_somebody_elses(
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
        assert "will not replace" in err and f"where: {option}" in err
        assert sealed(tmp_path) == before


def test_a_report_replaces_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So far as to read its inputs, of which there are none."""
    monkeypatch.chdir(tmp_path)
    for name in ("index.html", "words/crane.html", "assets/word.js", "data/.sums/scores.csv"):
        (tmp_path / "old" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "old" / name).write_text(PAGE)
    (tmp_path / "empty").mkdir()
    for there in ("old", "empty", "new"):
        assert main([*REPORT, "--out", there]) == 6
        assert "will not replace" not in capsys.readouterr().err
    (tmp_path / "old" / "notes.txt").write_text("mine")
    assert main([*REPORT, "--out", "old"]) == 2
    monkeypatch.setenv(VARIABLE, str(tmp_path / "lock"))  # a job of the workflow
    assert main([*REPORT, "--out", "old"]) == 6


def test_a_reports_two_folders_lie_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for out, portable in (("a", "a"), ("a", "a/b"), ("a/b", "a")):
        assert main([*REPORT, "--out", out, "--portable", portable]) == 2
        assert "would replace one another" in capsys.readouterr().err


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
        (["--summary", "scores.csv"], "would replace one another", 2),
        (["--summary", "./link.csv"], "would replace one another", 2),
        (["--summary", "a-folder"], "it is a folder, not a file", 7),
        (["--provenance", "/dev/null"], "it is a device or a pipe", 7),
        (["--log", "scores.csv"], "would replace one another", 2),
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
    # Said before the inputs are looked at, of which there are none.
    called = [*changed, *call] if "--log" in changed else [*call, *changed]
    assert main(called) == code
    err = capsys.readouterr().err
    assert says in err and "what to do" in err
    assert sealed(here) == before


def test_a_file_is_no_folder_to_write_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["embed", "--model", "m.json", "--corpus", "results/q/corpus"]
    call += ["--words", "crane"]
    assert main([*call, "--out", "data/crane/classes_map.txt"]) == 7
    assert "it is a file, not a folder" in capsys.readouterr().err
