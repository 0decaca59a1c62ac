"""A run that measures change."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import Checkout

PAGE = "results/mine/tiny/change"


@pytest.mark.slow
def test_change_between_two_periods(tmp_path: Path) -> None:
    """Import a table with periods, measure, and write the pages; a second run does nothing."""
    checkout = Checkout.create(tmp_path / "wsd")
    rows = [
        f"crane,the crane {verb} {x} {y},{period}"
        for period, verb in (("1810", "flew"), ("1960", "lifted"))
        for x in ("near", "of")
        for y in "abcde"
    ]
    rows += [f"crane,a crane flew {y},1900" for y in "abcde"]
    (checkout.root / "s.csv").write_text("\n".join(["word,sentence,period", *rows]) + "\n")
    subprocess.run(
        [sys.executable, "-m", "wsd.cli", "import", "s.csv", "--unlabelled",
         "--out", "mine", "--name", "mine"],
        cwd=checkout.root, env={**os.environ, "PYTHONPATH": str(checkout.root)}, check=True,
    )  # fmt: skip
    config = checkout.configure(
        "own", dataset={"name": "mine", "path": "mine"}, models=[checkout.tiny_model()],
        layers=[0, 2], change={"group": "period", "groups": ["1810", "1960"]},
    )  # fmt: skip
    run = checkout.run("--cores", "1", "--no-hooks", "--configfile", config)
    once = ("copy_corpus", "corpus", "model", "embed", "alignment", "uses_page")
    assert run.jobs == {**dict.fromkeys((*once, "change", "change_page"), 1), "uses": 2}
    with (checkout.root / "results/mine/tiny/change.csv").open(newline="") as file:
        measured = {(row["layers"], row["measure"]) for row in csv.DictReader(file)}
    assert {("0", "apd"), ("2", "prototype"), ("bag-of-words", "jsd")} <= measured
    with (checkout.root / "results/mine/tiny/change-words.csv").open(newline="") as file:
        (word,) = csv.DictReader(file)
    assert (word["n_first"], word["n_second"]) == ("10", "10")
    assert (checkout.root / PAGE / "words/crane.html").exists()
    assert "mine/tiny/change/index.html" in (checkout.root / "results/index.html").read_text()
    assert checkout.run("-n", "--configfile", config).nothing
    settings = "change={group: period, groups: ['1810', '1960'], centre: form}"
    again = ("--cores", "1", "--no-hooks", "--configfile", config, "--config", settings)
    assert checkout.run(*again).jobs == {"change": 1, "change_page": 1}
    assert "centred for each form" in (checkout.root / PAGE / "index.html").read_text()
