"""The commands of docs/how-to/own-corpus.md, from a table to the pages."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from checkout import REPOSITORY, Checkout

from wsd.artifacts.dataset import read_manifest
from wsd.corpora.glosses import read_senses
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options

DOCS = REPOSITORY / "docs"
TEXT = (DOCS / "how-to/own-corpus.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    fences = re.findall(r"^```([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [content for header, content in fences if header == kind]


def test_the_example_matches_the_page(tmp_path: Path) -> None:
    rows = labelled_tables.read(DOCS / "own-corpus.tsv", Options()).rows
    header, first, *_ = (DOCS / "own-corpus.tsv").read_text(encoding="utf-8").splitlines()
    assert f"```\n{header}\n{first}\n```" in TEXT
    (of_dataset,) = blocks("yaml")
    assert yaml.safe_load((DOCS / "own-corpus.yaml").read_text()) == yaml.safe_load(of_dataset)
    (senses,) = (entry for entry in blocks("") if entry.startswith("word\tsense\tname"))
    (tmp_path / "senses.tsv").write_text(senses)
    assert read_senses(tmp_path / "senses.tsv", rows)["cell"]["cell_prison"].gloss


def command(checkout: Checkout, line: str) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", line],
        cwd=checkout.root,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(checkout.root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    (checkout.root / "docs").mkdir()
    for file in ("own-corpus.tsv", "own-corpus.yaml"):
        (checkout.root / "docs" / file).write_bytes((DOCS / file).read_bytes())
    # A model of two blocks, and a short search.
    checkout.configure(
        "minilm",
        models=[checkout.tiny_model()],
        layers=["all"],
        classifiers=[{"name": "nearest_centroid"}],
        views={"store": ["focal"], "classify": ["focal"]},
        tuning={"repeats": 1},
    )
    imported, planned, run = blocks("console")[0].splitlines()
    assert "cell_battery 10 + 4" in command(checkout, imported)
    command(checkout, planned)
    # Users may name senses in the folder itself.
    manifest = checkout.root / "data/mine/dataset.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["words"]["cell"]["senses"]["cell_prison"] |= {"name": "room", "gloss": "behind <bars>"}
    manifest.write_text(json.dumps(content), encoding="utf-8")
    command(checkout, run)
    results = checkout.root / "results/mine"
    index = (results / "report/index.html").read_text(encoding="utf-8")
    assert "<bdi>Cells and pitches</bdi>, licence CC0 1.0." in " ".join(index.split())
    page = (results / "report/words/cell.html").read_text(encoding="utf-8")
    assert '<bdi title="cell_prison">room</bdi> <small dir="auto">behind &lt;bars&gt;' in page
    scores = pd.read_csv(results / "scores.csv")
    assert {*scores["word"]} == {*read_manifest(manifest).words} == {"cell", "pitch"}
    assert {*scores["n_test"]} == {12}
