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
