"""The harness of tests/helpers/crash.py, on a run that takes less: a tiny encoder and one word."""

from pathlib import Path

import crash
import pytest
from checkout import Checkout

KILLS, WRITES = 2, 1


@pytest.mark.slow
def test_a_killed_run_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "base")
    checkout.one_word("crash")
    command = ("--cores", "2", "--configfile", "config/crash.yaml")
    kills = crash.run(tmp_path, checkout.root, command, KILLS, seed=9, writes=WRITES)
    print(crash.tally(kills, tmp_path / "reference.log"))
    assert [crash.line(found) for found in kills if not found.well] == []
    assert len(kills) == KILLS
    assert all(found.half_written for found in kills[-WRITES:])


def test_the_moments_are_spread_over_the_whole_run() -> None:
    found = crash.moments(50, 1, 100.0)
    assert [int(moment // 2) for moment in sorted(found)] == list(range(50))
    assert found == crash.moments(50, 1, 100.0) != crash.moments(50, 2, 100.0)


def test_a_difference_is_seen(tmp_path: Path) -> None:
    for run in ("a", "b"):
        for name in ("logs/x.log", "models/m.json", "quickstart/scores.csv", "p.html"):
            path = tmp_path / run / "results" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(run if name.startswith("logs") else "same")
    a, b = tmp_path / "a", tmp_path / "b"
    assert crash.differences(a, b) == []
    (b / "results/p.html").write_text("other")
    (a / "results/quickstart/.x.csv.k3.part").write_text("half")
    assert crash.differences(a, b) == ["p.html: differs", "quickstart/.x.csv.k3.part: only in one"]
    assert crash.half_written(a) == ["results/quickstart/.x.csv.k3.part"]
