"""Two runs on one dataset, side by side: each has its own tables, and neither undoes the other."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import Checkout
from same_results import differences, results

from wsd.report.overview import reports

# What a run has of its own, and what it shares.
OWN = ("alignment", "select", "classify_selected", "calibration", "evaluate", "compare",
       "layerwise", "strategies", "figures", "report")  # fmt: skip


@pytest.fixture(scope="module")
def checkout(
    finished: Callable[[Path], Checkout], tmp_path_factory: pytest.TempPathFactory
) -> Checkout:
    return finished(tmp_path_factory.mktemp("repository") / "wsd")


@pytest.mark.slow
def test_two_runs_and_back(checkout: Checkout, tmp_path: Path) -> None:
    config, here = str(checkout.root / "config/one.yaml"), checkout.root / "results"
    two = checkout.configure("two", run="two", layers=[0, 1])
    first = checkout.run("--cores", "2", "--configfile", config)
    assert f"All reports: {here / 'index.html'}" in first.text
    shutil.copytree(here, tmp_path / "before")

    # Of the other run only what is new, and its own tables.
    run = checkout.run("--cores", "2", "--configfile", config, two)
    assert run.jobs == {**dict.fromkeys(OWN, 1), "classify": 1, "project": 2, "neighbours": 1}
    assert str(here / "quickstart/runs/two/report/index.html") in run.text
    # Nothing that was there is another.
    assert [one for one in differences(tmp_path / "before", here) if "only in one" not in one] == []
    assert results(tmp_path / "before").keys() < results(here).keys()
    ones, twos = (
        json.loads((here / "quickstart" / folder / "provenance.json").read_text())
        for folder in (".", "runs/two")
    )
    assert "run" not in ones["config"] and twos["config"]["run"] == "two"
    assert (ones["layers"]["tiny"], twos["layers"]["tiny"]) == (
        ["1", "per-word"],
        ["0", "1", "per-word"],
    )
    page = here / "quickstart/runs/two/report/index.html"
    assert ", run two" in page.read_text()

    # Back and forth: nothing to do, of files or of time stamps.
    for files in ([config], [config, two], [config]):
        assert checkout.run("--cores", "2", "--configfile", *files).nothing
    # By a key of the command line, all that is shared is there.
    dry = checkout.run("-n", "--configfile", config, "--config", "run=3.d")
    assert dry.jobs == dict.fromkeys(OWN, 1)

    # All reports from one page, which a run puts right that has nothing to do.
    index = here / "index.html"
    listed = index.read_text()
    assert [of.run for of in reports(here)] == ["", "two"]
    for link in ("quickstart/report/index.html", "quickstart/runs/two/report/index.html"):
        assert f'href="{link}"' in listed and (here / link).is_file()
    index.unlink()
    assert checkout.run("-n", "--configfile", config).nothing and not index.exists()
    assert checkout.run("--cores", "1", "--no-hooks", "--configfile", config).nothing
    assert index.read_text() == listed

    # What a run that is gone had to itself is not missed, and not listed.
    shutil.rmtree(here / "quickstart/runs")
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert "runs/two" not in index.read_text()


@pytest.mark.slow
def test_settings_that_runs_should_share_are_told(checkout: Checkout) -> None:
    config = str(checkout.root / "config/one.yaml")
    checkout.run("--cores", "2", "--configfile", config)
    other = checkout.configure("other", run="other", tuning={"folds": 4})
    run = checkout.run("--cores", "2", "--configfile", config, other)
    said = "the run without a name of results/quickstart has other tuning: "
    assert said in run.text
    assert run.jobs["folds"] == run.jobs["classify"] == 1
    # Right, and slow: each makes again what both use.
    again = checkout.run("--cores", "2", "--configfile", config)
    assert again.jobs["classify"] == 1 and "run other of results/quickstart has" in again.text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../x", "$(touch x)"])
def test_a_run_that_is_no_file_name_is_refused(checkout: Checkout, name: str) -> None:
    run = checkout.run("-n", "--config", f"run={json.dumps(name)}", code=1)
    assert "config key run" in run.text and "Traceback" not in run.text
