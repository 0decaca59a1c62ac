"""The commands of docs/how-to/own-corpus.md, from a table to the pages."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

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
    assert len(rows) == 84
    assert {row.word for row in rows} == {"cell", "pitch"}
    assert len({row.sense for row in rows}) == 6
    header, first, *_ = (DOCS / "own-corpus.tsv").read_text(encoding="utf-8").splitlines()
    assert f"```\n{header}\n{first}\n```" in TEXT
    (of_dataset,) = map(yaml.safe_load, blocks("yaml"))
    assert yaml.safe_load((DOCS / "own-corpus.yaml").read_text()) == of_dataset
    (senses,) = (entry for entry in blocks("") if entry.startswith("word\tsense\tname"))
    (tmp_path / "senses.tsv").write_text(senses)
    assert read_senses(tmp_path / "senses.tsv", rows)["cell"]["cell_prison"].gloss
    assert len(blocks("console")[0].splitlines()) == 3


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Replace config/minilm.yaml's model by one of two blocks, and shorten the search."""
    made = Checkout.create(tmp_path_factory.mktemp("checkout"))
    (made.root / "docs").mkdir()
    for file in ("own-corpus.tsv", "own-corpus.yaml"):
        (made.root / "docs" / file).write_bytes((DOCS / file).read_bytes())
    made.configure(
        "minilm",
        models=[made.tiny_model()],
        layers=["all"],
        classifiers=[{"name": "nearest_centroid"}],
        views={"store": ["focal"], "classify": ["focal"]},
        tuning={"repeats": 1},
    )
    return made


def command(checkout: Checkout, line: str) -> str:
    """Run a command of the page."""
    done = subprocess.run(
        ["bash", "-ec", line],
        cwd=checkout.root,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(checkout.root),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_commands_of_the_page(checkout: Checkout) -> None:
    imported, planned, run = blocks("console")[0].splitlines()
    assert "cell_battery 10 + 4" in command(checkout, imported)
    command(checkout, planned)
    # Users may name senses in the folder itself.
    manifest = checkout.root / "data" / "mine" / "dataset.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["words"]["cell"]["senses"]["cell_prison"] |= {"name": "room", "gloss": "behind <bars>"}
    manifest.write_text(json.dumps(content), encoding="utf-8")
    command(checkout, run)
    results = checkout.root / "results" / "mine"
    index = (results / "report" / "index.html").read_text(encoding="utf-8")
    assert "<bdi>Cells and pitches</bdi>, licence CC0 1.0." in " ".join(index.split())
    page = (results / "report" / "words" / "cell.html").read_text(encoding="utf-8")
    assert '<bdi title="cell_prison">room</bdi> <small dir="auto">behind &lt;bars&gt;' in page
    dataset = read_manifest(checkout.root / "data" / "mine" / "dataset.json")
    rows = table(results / "scores.csv")
    assert {row["word"] for row in rows} == set(dataset.words) == {"cell", "pitch"}
    assert {row["n_test"] for row in rows} == {"12"}
