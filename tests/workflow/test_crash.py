"""Power failures: a run is killed twice in a write, and ends like an undisturbed run."""

from collections.abc import Callable
from pathlib import Path

import crash
import pytest
import same_results
from checkout import Checkout

COMMAND = ("--cores", "2", "--configfile", "config/one.yaml")


@pytest.mark.slow
def test_a_killed_run_ends_like_an_undisturbed_run(
    finished: Callable[[Path], Checkout], tmp_path: Path
) -> None:
    """The machine lost power: can I give the same command again?"""
    reference = finished(tmp_path / "reference")
    checkout = Checkout.create(tmp_path / "killed")
    checkout.one_word("one")
    for log in (
        "results/logs/quickstart/corpus@*/words.log",
        "results/logs/quickstart/tiny@*/predictions/*/*/*.log",
    ):
        process = crash.start(checkout, COMMAND, tmp_path / "log")
        crash.wait_for_log(process, checkout.root, log)
        crash.kill_in_a_write(process, checkout.root)
        assert crash.half_written(checkout.root)
    checkout.run(*COMMAND)
    assert same_results.differences(checkout.root / "results", reference.root / "results") == []


def test_differences_are_reported(tmp_path: Path) -> None:
    """Published files and links count; logs and the store do not."""
    for folder in (a := tmp_path / "a", b := tmp_path / "b"):
        for name in ("logs/x.log", f"d/store/m@{folder.name}/w.csv", "d/p.html"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(folder.name if "log" in name else "same")
        (folder / "d/w.csv").symlink_to(folder / f"d/store/m@{folder.name}/w.csv")
    assert same_results.differences(a, b) == []
    (b / "d/p.html").write_text("other")
    (a / "d/w.csv").unlink()
    (a / "d/w.csv").write_text("other")
    (a / "d/.x.csv.part").write_text("half")
    expected = ["d/.x.csv.part: only in one", "d/p.html: differs", "d/w.csv: differs"]
    assert same_results.differences(a, b) == expected
