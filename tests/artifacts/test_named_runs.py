"""Where the tables of a run lie, and which runs there are."""

from pathlib import Path

import pytest

from wsd.artifacts.runs import NAMELESS, SELECTION, described_runs, runs_with, tables_of
from wsd.storage.file_names import is_plain_name


def selected(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SELECTION).write_text("")


def test_a_run_with_a_name_has_its_tables_apart() -> None:
    dataset = Path("results/q")
    assert tables_of(dataset, NAMELESS) == dataset
    assert tables_of(dataset, "a.1") == dataset / "runs/a.1"


def test_only_what_is_there_and_has_a_name_is_a_run(tmp_path: Path) -> None:
    dataset = tmp_path / "q"
    assert runs_with(dataset, SELECTION) == []
    (dataset / "runs/empty").mkdir(parents=True)
    selected(dataset / "runs/b", dataset / "runs/.b.part", dataset / "runs/<i>", dataset / "runs/a")
    assert runs_with(dataset, SELECTION) == ["a", "b"]
    selected(dataset)
    assert runs_with(dataset, SELECTION) == [NAMELESS, "a", "b"]
    (tmp_path / "logs").mkdir()
    assert described_runs(tmp_path) == [f"{dataset}: the run without a name, run a, run b"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "a/b", ".a", "-a", "a b", "a\n", "ä", "{a}"]
)
def test_what_is_no_name(name: str) -> None:
    assert not is_plain_name(name)
