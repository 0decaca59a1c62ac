"""A run of a corpus without senses."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import Checkout


@pytest.mark.slow
def test_a_corpus_without_senses(tmp_path: Path) -> None:
    """Import, embed, uses: no step that needs senses, and the pages at the end."""
    checkout = Checkout.create(tmp_path / "wsd")
    lines = [
        f"the {form} {x} {y}\n"
        for form in ("crane", "cranes")
        for x in ("flew", "lifted")
        for y in "abcde"
    ]
    (checkout.root / "s.txt").write_text("".join(lines))
    subprocess.run(
        [sys.executable, "-m", "wsd.cli", "import", "s.txt", "--unlabelled", "--word", "crane",
         "--out", "mine", "--name", "mine"],
        cwd=checkout.root, env={**os.environ, "PYTHONPATH": str(checkout.root)}, check=True,
    )  # fmt: skip
    config = checkout.configure(
        "own", dataset={"name": "mine", "path": "mine"}, models=[checkout.tiny_model()],
        layers=[0, 2],
    )  # fmt: skip
    run = checkout.run("--cores", "1", "--no-hooks", "--configfile", config)
    once = ("copy_corpus", "corpus", "model", "embed", "alignment", "uses_page")
    assert run.jobs == {**dict.fromkeys(once, 1), "uses": 2}
    uses = checkout.root / "results/mine/uses"
    assert (uses / "tiny/crane.html").exists()
    with (uses / "uses.csv").open(encoding="utf-8", newline="") as file:
        assert {row["layers"] for row in csv.DictReader(file)} == {"0", "2"}
    assert "mine/uses/index.html" in (checkout.root / "results/index.html").read_text()
    assert checkout.run("-n", "--configfile", config).nothing
    refused = checkout.run("fit", "-n", "--configfile", config, code=1)
    assert "MissingRuleException" in refused.text
    assert "centred for each form" not in (uses / "tiny/crane.html").read_text()
    centred = ("--cores", "1", "--no-hooks", "--configfile", config)
    run = checkout.run(*centred, "--config", "clusters={centre: form}")
    assert run.jobs == {"uses": 2, "uses_page": 1}
    assert "centred for each form" in (uses / "tiny/crane.html").read_text()
