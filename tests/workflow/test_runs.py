"""Two named runs on one dataset: each has its own tables, and neither changes the other's."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import Checkout
from same_results import differences, results

from wsd.report.overview import reports

# Files that a run owns, and files that it shares.
OWN = ("select", "classify_selected", "calibration", "evaluate", "compare",
       "layerwise", "figures", "report")  # fmt: skip


@pytest.mark.slow
def test_two_runs_and_back(finished: Callable[[Path], Checkout], tmp_path: Path) -> None:
    """Can I keep two runs of one dataset next to each other?"""
    checkout = finished(tmp_path / "wsd")
    config, here = str(checkout.root / "config/one.yaml"), checkout.root / "results"
    second = checkout.configure("two", run="two", layers=[0, 1])
    shutil.copytree(here, tmp_path / "before")

    # The second run makes only its own tables and new files.
    run = checkout.run("--cores", "2", "--configfile", config, second)
    assert run.jobs == {**dict.fromkeys(OWN, 1), "classify": 1, "project": 2, "neighbours": 1}
    assert f"All reports: {here / 'index.html'}" in run.text
    assert str(here / "quickstart/runs/two/report/index.html") in run.text
    # No existing file has changed.
    changed = differences(tmp_path / "before", here)
    assert [difference for difference in changed if "only in one" not in difference] == []
    assert results(tmp_path / "before").keys() < results(here).keys()
    two = here / "quickstart/runs/two"
    assert json.loads((two / "provenance.json").read_text())["config"]["run"] == "two"
    assert ", run two" in (two / "report/index.html").read_text()

    # One page lists all reports; a run that has nothing to do still corrects it.
    index = here / "index.html"
    listed = index.read_text()
    assert [report.run for report in reports(here)] == ["", "two"]
    for link in ("quickstart/report/index.html", "quickstart/runs/two/report/index.html"):
        assert f'href="{link}"' in listed and (here / link).is_file()
    index.unlink()
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert index.read_text() == listed
    assert checkout.run("--cores", "1", "--configfile", config, second).nothing

    # The files of a deleted run are neither missed nor listed.
    shutil.rmtree(here / "quickstart/runs")
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert "runs/two" not in index.read_text()
