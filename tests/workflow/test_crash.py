"""The crash harness of tests/helpers/crash.py, on a short run: a tiny encoder and one word."""

from pathlib import Path

import crash
import pytest
from checkout import Checkout

KILLS, WRITES = 2, 1


@pytest.mark.slow
def test_a_killed_run_ends_like_an_undisturbed_run(tmp_path: Path) -> None:
    """The machine lost power: can I give the same command again?"""
    checkout = Checkout.create(tmp_path / "base")
    checkout.one_word("crash")
    command = ("--cores", "2", "--configfile", "config/crash.yaml")
    kills = crash.run(tmp_path, checkout.root, command, KILLS, seed=9, writes=WRITES)
    print(crash.tally(kills, tmp_path / "reference.log"))
    assert [crash.line(actual) for actual in kills if not actual.well] == []
    assert len(kills) == KILLS
    assert all(actual.half_written for actual in kills[-WRITES:])


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_differences_are_reported(tmp_path: Path) -> None:
    """(The harness of the test above.) Published files and links count; logs and keys do not."""
    a, b = tmp_path / "a/results", tmp_path / "b/results"
    for results in (a, b):
        put(results / "logs/x.log", str(results))
        put(results / "p.html", "same")
        kept = put(results / f"d/store/m@{results.parent.name}/v/w.csv", "same")
        (results / "d/m").mkdir(parents=True)
        (results / "d/m/w.csv").symlink_to(kept)
        (results / "d/v").symlink_to(kept.parent)
    assert crash.differences(tmp_path / "a", tmp_path / "b") == []
    put(b / "p.html", "other")
    put(a / "d/.x.csv.k3.part", "half")
    put(a / "d/m/w.csv", "other")
    actual = crash.differences(tmp_path / "a", tmp_path / "b")
    half, *others = actual
    assert half == "d/.x.csv.k3.part: only in one"
    assert others == ["d/m/w.csv: differs", "d/v/w.csv: differs", "p.html: differs"]
    assert crash.half_written(tmp_path / "a") == ["results/d/.x.csv.k3.part"]
    (b / "d/m/w.csv").unlink()
    (b / "d/m/w.csv").symlink_to("nowhere")
    (a / "d/m/w.csv").unlink()
    assert "d/m/w.csv: only in one" in crash.differences(tmp_path / "a", tmp_path / "b")
