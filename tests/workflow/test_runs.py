"""Two named runs on one dataset: each has its own tables, and neither changes the other's."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import Checkout
from same_results import differences, results

from wsd.report.overview import reports

# Files that a run owns, and files that it shares.
OWN = ("select", "classify_selected", "calibration", "evaluate", "compare",
       "layerwise", "figures", "report")  # fmt: skip


@pytest.fixture(scope="module")
def checkout(
    finished: Callable[[Path], Checkout], tmp_path_factory: pytest.TempPathFactory
) -> Checkout:
    return finished(tmp_path_factory.mktemp("repository") / "wsd")


@pytest.mark.slow
def test_two_runs_and_back(checkout: Checkout, tmp_path: Path) -> None:
    """Can I keep two runs of one dataset next to each other?"""
    config, here = str(checkout.root / "config/one.yaml"), checkout.root / "results"
    second = checkout.configure("two", run="two", layers=[0, 1])
    first = checkout.run("--cores", "2", "--configfile", config)
    assert f"All reports: {here / 'index.html'}" in first.text
    shutil.copytree(here, tmp_path / "before")

    # The second run makes only its own tables and new files.
    run = checkout.run("--cores", "2", "--configfile", config, second)
    assert run.jobs == {**dict.fromkeys(OWN, 1), "classify": 1, "project": 2, "neighbours": 1}
    assert str(here / "quickstart/runs/two/report/index.html") in run.text
    # No existing file has changed.
    assert [
        difference
        for difference in differences(tmp_path / "before", here)
        if "only in one" not in difference
    ] == []
    assert results(tmp_path / "before").keys() < results(here).keys()
    two = here / "quickstart/runs/two"
    assert json.loads((two / "provenance.json").read_text())["config"]["run"] == "two"
    assert ", run two" in (two / "report/index.html").read_text()

    # Both runs are up to date, in either order, by files and by time stamps.
    for files in ([config], [config, second], [config]):
        assert checkout.run("--cores", "2", "--configfile", *files).nothing
    # `run` on the command line changes only the pages, which name the command.
    dry = checkout.run("-n", "--configfile", config, "--config", "run=3.d")
    assert dry.jobs == {"report": 1}

    # One page lists all reports; a run that has nothing to do still corrects it.
    index = here / "index.html"
    listed = index.read_text()
    assert [report.run for report in reports(here)] == ["", "two"]
    for link in ("quickstart/report/index.html", "quickstart/runs/two/report/index.html"):
        assert f'href="{link}"' in listed and (here / link).is_file()
    index.unlink()
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert index.read_text() == listed

    # The files of a deleted run are neither missed nor listed.
    shutil.rmtree(here / "quickstart/runs")
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert "runs/two" not in index.read_text()


def wsd(checkout: Checkout, *arguments: str, code: int = 0) -> str:
    """Call a command of the checkout and return its output."""
    done = subprocess.run(
        [sys.executable, "-m", "wsd.cli", *arguments],
        cwd=checkout.root,
        env={**os.environ, "PYTHONPATH": str(checkout.root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    message = done.stdout + done.stderr
    assert done.returncode == code and "Traceback" not in message, message
    return message


@pytest.mark.slow
def test_a_run_of_fewer_words_does_not_change_the_first_run(tmp_path: Path) -> None:
    """I tried fewer words under another name: does the first run still predict the same?"""
    checkout = Checkout.create(tmp_path / "wsd")
    common = {
        **{"dataset": "quickstart", "models": [checkout.tiny_model()]},
        **{"controls": {"baselines": False}, "classifiers": [{"name": "nearest_centroid"}]},
    }
    folds = {"folds": 3, "repeats": 1}
    first = checkout.configure("first", **common, layers=[1], words=["crane", "seal"], tuning=folds)
    mine = checkout.configure("mine", run="mine", layers=[2], words=["crane"])
    checkout.run("--cores", "1", "--configfile", first)
    ask = ("predict", "--results", "results/quickstart", "The seal barked at the boat.")
    answer = wsd(checkout, *ask)
    assert "seal (character 4)" in answer
    checkout.run("--cores", "1", "--configfile", first, mine)
    assert wsd(checkout, *ask) == answer
    # The first run stays the same with other folds, another seed and another layer too.
    other = checkout.configure("other", run="other", tuning={"folds": 2}, seed=5, layers=[2])
    checkout.run("--cores", "1", "--configfile", first, other)
    assert wsd(checkout, *ask) == answer
    assert wsd(checkout, *ask, "--run", "other") != answer
    wsd(checkout, "fit", "--results", "results/quickstart", "--out", "first.wsd")
    assert "seal (character 4)" in wsd(checkout, "predict", "--model-file", "first.wsd", ask[-1])
