"""Snakemake's notes beside the results, read and written as Snakemake does."""

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest
from snakemake.persistence import RECORD_FORMAT_VERSION, MetadataRecord
from snakemake.persistence.file import FilePersistence

from wsd.artifacts.listing import write_listing
from wsd.errors import StorageError
from wsd.run.noted import STATE, not_of_a_step
from wsd.run.notes import MISSING, UNKNOWN, keep_beside, redo
from wsd.storage.atomic import write_text
from wsd.storage.checksums import checksum

LONG = "results/q/" + "m" * 200 + "/predictions/full/focal/" + "concat-" * 20 + ".parquet"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a run is, with two results."""
    monkeypatch.chdir(tmp_path)
    for name in ("results/q/scores.csv", LONG):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("a,b")
    return tmp_path


def note(path: str, **said: Any) -> None:
    """What Snakemake does when a job has ended."""
    record = MetadataRecord(code="x", record_format_version=RECORD_FORMAT_VERSION, **said)
    FilePersistence()._write_record(path, record)


def noted(path: str) -> MetadataRecord | None:
    """What Snakemake reads when it looks at a file."""
    return FilePersistence()._read_record(path)


def run() -> None:
    keep_beside(Path("results"), Path(".snakemake"))
    redo(Path("results"), RECORD_FORMAT_VERSION)


def test_notes_outlive_snakemakes_folder(here: Path) -> None:
    run()
    note("results/q/scores.csv", rule="evaluate")
    note(LONG, rule="classify")
    shutil.rmtree(".snakemake")
    run()
    for path, rule in (("results/q/scores.csv", "evaluate"), (LONG, "classify")):
        found = noted(path)
        assert found is not None and (found.rule, found.code) == (rule, "x")


def test_notes_that_snakemake_has_are_taken_over_once(here: Path) -> None:
    note("results/q/scores.csv", rule="evaluate")
    assert not Path(".snakemake/metadata").is_symlink()
    run()
    assert Path(".snakemake/metadata").is_symlink()
    found = noted("results/q/scores.csv")
    assert found is not None and found.rule == "evaluate"
    # Those of another checkout, about results that others have made since.
    Path(".snakemake/metadata").unlink()
    note("results/q/scores.csv", rule="old")
    run()
    found = noted("results/q/scores.csv")
    assert found is not None and found.rule == "evaluate"


@pytest.mark.parametrize("said", [None, "half", "older", "without a version", "a list"])
def test_what_has_no_note_is_made_again(
    here: Path, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_beside(Path("results"), Path(".snakemake"))
    Path("results/index.html").write_text("no result of a rule")
    if said:
        note(LONG)
        (path,) = (p for p in Path("results", STATE, "metadata").rglob("*") if p.is_file())
        whole = path.read_text()
        old = f'"record_format_version": {RECORD_FORMAT_VERSION}'
        assert old in whole
        others = {"half": whole[:20], "without a version": '{"code": "x"}', "a list": "[1]"}
        path.write_text(others.get(said, whole.replace(old, old[:-1] + "1")))
    redo(Path("results"), RECORD_FORMAT_VERSION)
    for path in ("results/q/scores.csv", LONG):
        found = noted(str(path))
        assert found is not None and found.code == UNKNOWN
        assert found.record_format_version == RECORD_FORMAT_VERSION
    assert "nobody noted what made the 2 files" in capsys.readouterr().err
    redo(Path("results"), RECORD_FORMAT_VERSION)
    assert capsys.readouterr().err == ""


def test_what_is_missing_is_made_again(here: Path) -> None:
    run()
    note("results/q/scores.csv", rule="evaluate")
    note("results/q/gone.csv", rule="evaluate")
    run()
    gone, there = noted("results/q/gone.csv"), noted("results/q/scores.csv")
    assert gone is not None and (gone.code, gone.rule) == (MISSING, "evaluate")
    assert there is not None and there.code == "x"


def test_a_listing_without_one_of_its_files_is_made_again(here: Path) -> None:
    table, listing = Path("results/q/corpus/crane.parquet"), "results/q/corpus/words.json"
    table.parent.mkdir()
    table.write_bytes(b"a table")
    write_text(Path("results/q/corpus/.sums/crane.parquet"), checksum(table))
    write_listing(Path(listing), {table: checksum(table)})
    keep_beside(Path("results"), Path(".snakemake"))
    note(listing, rule="corpus")
    run()
    found = noted(listing)
    assert found is not None and found.code == "x"
    assert noted(str(table)) is None, "Snakemake knows the listing alone"
    table.unlink()
    run()
    found = noted(listing)
    assert found is not None and found.code == MISSING


def test_the_files_of_a_folder_that_a_rule_names_get_no_note(here: Path) -> None:
    Path("results/q/words").mkdir()
    Path("results/q/words/crane.html").write_text("a page")
    keep_beside(Path("results"), Path(".snakemake"))
    note("results/q/words")
    run()
    assert noted("results/q/words/crane.html") is None
    assert noted("results/q/scores.csv") is not None


def test_what_is_no_result_gets_no_note(here: Path) -> None:
    for name in (
        "README.md",
        "logs/q/a.log",
        "benchmarks/q/a.tsv",
        "q/.sums/x.csv",
        "q/x.csv.damaged",
        ".steps/a",
    ):
        path = Path("results", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    run()
    notes = Path("results", STATE, "metadata")
    assert sum(path.is_file() for path in notes.rglob("*")) == 2


def test_which_files_no_step_has_written(here: Path) -> None:
    results, own = Path("results"), Path("results/notes.csv")
    scores, page = results / "q/scores.csv", results / "q/words/data.json"
    for path in (own, page):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a,b")
    run()
    assert not_of_a_step(results, [own, scores]) == [], "every file may be a step's"
    note("results/q/scores.csv", rule="evaluate")
    note("results/q/words", rule="report")
    table = results / "q/corpus/crane.parquet"  # named by a listing
    for _ in range(2):
        assert not_of_a_step(results, [own, scores, page, table]) == [own]
        run()  # which notes of every file without a note that nobody knows it
    assert not_of_a_step(here / "results", [here / own, here / scores]) == [here / own]


def test_results_that_are_a_link(here: Path, tmp_path: Path) -> None:
    shutil.move("results", tmp_path / "shared")
    Path("results").symlink_to(tmp_path / "shared")
    run()
    note("results/q/scores.csv", rule="evaluate")
    assert any((tmp_path / "shared" / STATE / "metadata").iterdir())
    found = noted("results/q/scores.csv")
    assert found is not None and found.rule == "evaluate"


def test_notes_that_cannot_be_written_are_one_error(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_beside(Path("results"), Path(".snakemake"))

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StorageError, match="make room"):
        redo(Path("results"), RECORD_FORMAT_VERSION)
