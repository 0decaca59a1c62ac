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
    config, here = str(checkout.root / "config/one.yaml"), checkout.root / "results"
    two = checkout.configure("two", run="two", layers=[0, 1])
    first = checkout.run("--cores", "2", "--configfile", config)
    assert f"All reports: {here / 'index.html'}" in first.text
    shutil.copytree(here, tmp_path / "before")

    # The second run makes only its own tables and new files.
    run = checkout.run("--cores", "2", "--configfile", config, two)
    assert run.jobs == {**dict.fromkeys(OWN, 1), "classify": 1, "project": 2, "neighbours": 1}
    assert str(here / "quickstart/runs/two/report/index.html") in run.text
    # No existing file has changed.
    assert [
        difference
        for difference in differences(tmp_path / "before", here)
        if "only in one" not in difference
    ] == []
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

    # Both runs are up to date, in either order, by files and by time stamps.
    for files in ([config], [config, two], [config]):
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
    assert checkout.run("-n", "--configfile", config).nothing and not index.exists()
    # Snakemake is called in another folder.
    call = ("--snakefile", "../Snakefile", "--directory", "..", "--cores", "1", "--no-hooks")
    below = Checkout(checkout.root / "config")
    assert below.run(*call, "--configfile", config, PYTHONPATH=str(checkout.root)).nothing
    assert index.read_text() == listed and not (below.root / "results").exists()

    # The files of a deleted run are neither missed nor listed.
    shutil.rmtree(here / "quickstart/runs")
    assert checkout.run("--cores", "1", "--configfile", config).nothing
    assert "runs/two" not in index.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../x", "$(touch x)"])
def test_a_run_whose_name_is_no_file_name_is_refused(checkout: Checkout, name: str) -> None:
    run = checkout.run("-n", "--config", f"run={json.dumps(name)}", code=1)
    assert "config key run" in run.text and "Traceback" not in run.text


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
    """README's sequence: a run of all words, a run of fewer words, then a prediction."""
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


@pytest.mark.slow
def test_names_of_folders_are_up_to_date(tmp_path: Path) -> None:
    """A dataset, a run, a model and words have the names of folders of listings."""
    checkout = Checkout.create(tmp_path / "wsd")
    lines = [
        f"{split}\t{word}\t{sense}\tthe [[{word}]] {text} {number}\n"
        for word in ("model", "source")
        for sense, text in (("a", "went up on"), ("b", "came down by"))
        for split, numbers in (("train", "one two three four"), ("test", "five six"))
        for number in numbers.split()
    ]
    (checkout.root / "s.tsv").write_text("split\tword\tsense\tsentence\n" + "".join(lines))
    wsd(checkout, "import", "s.tsv", "--out", "mine", "--name", "corpus")
    model = {**checkout.tiny_model(), "name": "embeddings"}
    config = {
        **{"dataset": {"name": "corpus", "path": "mine"}, "models": [model], "layers": [1]},
        **{"classifiers": [{"name": "nearest_centroid"}], "controls": {"baselines": False}},
        **{"tuning": {"folds": 2, "repeats": 1}, "words": "all"},
    }
    for run in ({}, {"run": "substitutes"}):
        path = checkout.configure("names", **config, **run)
        checkout.run("--cores", "1", "--configfile", path)
        assert checkout.run("-n", "--configfile", path).nothing
        assert wsd(checkout, "check")
        # A run that has nothing to do changes nothing.
        assert checkout.run("--cores", "1", "--configfile", path).nothing
        assert checkout.run("-n", "--configfile", path).nothing

    # `wsd check` finds damage in every word.
    vectors = checkout.root / "results/corpus/embeddings/embeddings/model/focal.safetensors"
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(data)
    output = wsd(checkout, "check", code=6)
    name = vectors.resolve().relative_to(checkout.root)
    assert f"{name}: layer 2 has changed since it was written" in output
    # A file of the user among the results stays.
    (checkout.root / "results/notes.csv").write_text("a,b\n")
    checkout.run("--cores", "1", "--configfile", path)
    assert "notes.csv" not in wsd(checkout, "check")
    assert (checkout.root / "results/notes.csv").exists()
