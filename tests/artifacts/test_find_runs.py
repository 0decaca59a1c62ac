"""The folders of runs' tables, and the list of runs."""

import os
from pathlib import Path

from wsd.artifacts.find_runs import (
    LOST,
    NAMELESS,
    PUBLISHED,
    REMOVED,
    UNFINISHED,
    run_state,
    runs_with,
    started_runs,
    tables_of,
)
from wsd.artifacts.run_json import RUN_MAP, RunMap, write_map

ABOUT = {"config": {}, "command": "snakemake", "digests": {}}


def published(*folders: Path) -> None:
    for folder in folders:
        write_map(folder / RUN_MAP, ["q/store/a.csv"], "q", ABOUT)


def test_only_existing_named_folders_are_runs(tmp_path: Path) -> None:
    dataset = tmp_path / "q"
    assert runs_with(dataset, RUN_MAP) == []
    assert tables_of(dataset, NAMELESS) == dataset
    assert tables_of(dataset, "a.1") == dataset / "runs/a.1"
    (dataset / "runs/empty").mkdir(parents=True)
    published(*(dataset / "runs" / name for name in ("b", ".b.part", "<i>", "a")))
    assert runs_with(dataset, RUN_MAP) == ["a", "b"]
    published(dataset)
    assert runs_with(dataset, RUN_MAP) == [NAMELESS, "a", "b"]


def test_the_last_map_of_a_begun_run_counts(tmp_path: Path) -> None:
    maps = tmp_path / "store/runs"
    names = ["@0123456789", "b@0123456789", "@1123456789", "b@0000000000"]
    for number, name in enumerate(names):
        path = maps / f"{name}.json"
        write_map(path, ["q/store/a.csv", "q/store/b.csv"], "q", ABOUT)
        os.utime(path, (number, number))
    last = started_runs(tmp_path)
    assert last == {"": maps / f"{names[2]}.json", "b": maps / f"{names[3]}.json"}


def test_the_progress_of_a_run(tmp_path: Path) -> None:
    begun_with, tables = tmp_path / "store/runs/b@0123456789.json", tmp_path / "runs/b"
    write_map(begun_with, ["q/store/a.csv", "q/store/b.csv"], "q", ABOUT)
    run = RunMap(begun_with)
    assert run_state(run, tables) == UNFINISHED
    for name in ("a.csv", "b.csv"):
        assert run_state(run, tables) == UNFINISHED
        (tmp_path / "store" / name).touch()
    assert run_state(run, tables) == REMOVED
    tables.mkdir(parents=True)
    (tables / "a.csv").touch()
    assert run_state(run, tables) == LOST
    published(tables)
    assert run_state(run, tables) == PUBLISHED
    write_map(tables / RUN_MAP, ["q/store/c.csv"], "q", ABOUT)
    assert run_state(run, tables) == UNFINISHED
