"""Exports and boards: one run gives the merged tables, and wrong files are refused."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from checkout import REPOSITORY
from log_state import logs_as_before
from made_exports import ERRORS, export
from two_words import SENSES, corpora

from wsd.cli import main
from wsd.studies.board.board import check_together, read_export
from wsd.studies.board.export import ABOUT, PREDICTIONS, SCORES, SUMS, checksums

TABLES = ("encoders", "layers", "differences")
Change = Callable[[dict[str, bytes]], Any]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    with logs_as_before():
        yield


def board(out: Path, *exports: Path) -> dict[str, bytes]:
    """Write a board and return its tables."""
    assert main(["board", *map(str, exports), "--out", str(out)]) == 0
    return {name: (out / f"{name}.csv").read_bytes() for name in TABLES}


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


# Merging


@pytest.fixture(scope="module")
def merged(folder: Path) -> dict[str, bytes]:
    return board(folder / "merged", folder / "small.zip", folder / "large.zip")


def test_two_exports_merge_to_the_tables_of_one_run(
    folder: Path, tmp_path: Path, merged: dict[str, bytes]
) -> None:
    """In any order; and of a run of both, the exports of one model each."""
    both = [export(folder / "both", tmp_path / f"{m}.zip", "--model", m) for m in ERRORS]
    assert merged == board(tmp_path / "a", *both) == board(tmp_path / "b", folder / "both.zip")


@pytest.mark.usefixtures("merged")
def test_the_tables_are_those_of_the_run_itself(folder: Path) -> None:
    """Its comparison has no baselines, so that the families of tests are the same."""
    layers, own = read(folder / "merged/layers.csv"), read(folder / "both/comparison/layers.csv")
    pd.testing.assert_frame_equal(layers, own)
    differences = read(folder / "both/comparison/differences.csv")
    differences = differences[differences["kind"] == "selected"].reset_index(drop=True)
    ours = read(folder / "merged/differences.csv")
    assert len(ours) == 8 and (ours["p_holm"] != "").all()
    pd.testing.assert_frame_equal(ours, differences[ours.columns])
    comparison = read(folder / "both/comparison.csv")
    comparison = comparison[comparison["kind"] == "selected"].drop_duplicates("model")
    encoders = read(folder / "merged/encoders.csv")
    shared = [name for name in comparison if name in encoders]
    assert set(comparison) - set(shared) == {"kind", "about", "reference_model"}
    pd.testing.assert_frame_equal(encoders[shared], comparison[shared].reset_index(drop=True))
    assert encoders["in_confidence_set"].tolist() == ["True", "False"]
    # Layer 2 was selected on folds, although layer 1 is better on the test set.
    assert encoders["layers"].tolist() == ["2", "2"]
    assert encoders["relative_depth"].astype(float).tolist() == [1, 1]


def test_an_export_has_no_sentence_and_no_path(folder: Path) -> None:
    with zipfile.ZipFile(folder / "both.zip") as archive:
        tables = [pq.read_table(io.BytesIO(archive.read(n))) for n in (SCORES, PREDICTIONS)]
        about = archive.read(ABOUT).decode()
    content = json.dumps([table.to_pylist() for table in tables]) + about
    tokens = {token for c in corpora().values() for s in c.tokens for token in s} - {*SENSES}
    assert len(tokens) > 50 and not [token for token in tokens if f'"{token}"' in content]
    assert "somebody" not in content and '"path": "large"' in content


# The public board

SHIPPED = sorted((REPOSITORY / "docs/board").glob("*/"))


@pytest.mark.parametrize("entries", SHIPPED, ids=lambda path: path.name)
def test_the_shipped_exports_can_be_merged(entries: Path) -> None:
    paths = sorted(entries.glob("*.zip"))
    assert all(path.stat().st_size < 2**20 for path in paths)
    exports = [read_export(path) for path in paths]
    check_together(exports)
    assert {export.about["dataset"]["name"] for export in exports} == {entries.name}


# Refused files


def rewritten(source: Path, out: Path, change: Change) -> Path:
    """Copy an export with other content, by default with the right checksums."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    del members[SUMS]
    change(members)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in {SUMS: checksums(members), **members}.items():
            archive.writestr(name, content)
    return out


def in_about(change: Callable[[Any], Any]) -> Change:
    def apply(members: dict[str, bytes]) -> None:
        about = json.loads(members[ABOUT])
        change(about)
        members[ABOUT] = json.dumps(about).encode()

    return apply


PARTIAL = "not a whole export"
CHANGES: dict[str, tuple[Change, str]] = {
    "no record": (in_about(lambda a: a["models"]["small"]["encoder"].pop("model")), PARTIAL),
    "a newer format": (in_about(lambda about: about.update(format=2)), PARTIAL),
    "another kind": (in_about(lambda about: about.update(kind="x")), PARTIAL),
    "no table": (lambda members: members.update({SCORES: b"PAR1"}), PARTIAL),
    "another checksum": (lambda members: members.update({SUMS: b""}), PARTIAL),
    "a member less": (lambda members: members.pop(PREDICTIONS), PARTIAL),
    "another corpus": (
        in_about(lambda about: about["corpus"]["words"]["bat"].update(digest="1" * 64)),
        "the corpora differ"),
    "another objective": (
        in_about(lambda about: about.update(objective="mean_word_accuracy")),
        "the objectives differ"),
}  # fmt: skip


def assert_refused(path: Path, says: str, capsys: Capture, tmp_path: Path, *others: Path) -> None:
    out = tmp_path / "board"
    capsys.readouterr()
    assert main(["board", *map(str, others), str(path), "--out", str(out)]) == 6
    err = capsys.readouterr().err
    assert says in err and str(path) in err and err.count("error: ") == 1, err
    assert "Traceback" not in err and not out.exists() and not [*tmp_path.glob(".*")]


@pytest.mark.parametrize(("change", "says"), CHANGES.values(), ids=CHANGES)
def test_wrong_content_is_refused(
    folder: Path, tmp_path: Path, capsys: Capture, change: Change, says: str
) -> None:
    small = folder / "small.zip"
    same = rewritten(small, tmp_path / "x.zip", lambda members: None)
    assert read_export(same).checksum == read_export(small).checksum
    path = rewritten(small, tmp_path / "x.zip", change)
    assert_refused(path, says, capsys, tmp_path, folder / "large.zip")


def test_a_truncated_file_is_refused(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes((folder / "both.zip").read_bytes()[:-30])
    assert_refused(path, "not a whole export", capsys, tmp_path, folder / "large.zip")
    assert_refused(tmp_path / "no.zip", "is missing", capsys, tmp_path)


def test_two_encoders_of_one_name_are_refused(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Wherever they are among the exports."""
    small, large = folder / "small.zip", folder / "large.zip"
    assert_refused(small, "the name 'small'", capsys, tmp_path, folder / "both.zip")
    again = Path(shutil.copy(small, tmp_path / "again.zip"))
    assert_refused(again, "the name 'small'", capsys, tmp_path, small, large)
