"""The commands of docs/how-to/own-corpus.md, from a table to the pages."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import REPOSITORY, Checkout

from wsd.artifacts.corpus_table import read
from wsd.artifacts.dataset import read_manifest
from wsd.corpora.glosses import read_senses
from wsd.corpora.importer import labelled_tables
from wsd.corpora.importer.labelled_tables import Options
from wsd.studies.registry import STUDIES

DOCS = REPOSITORY / "docs"
TEXT = (DOCS / "how-to/own-corpus.md").read_text(encoding="utf-8")
NAME = "my-system"


def blocks(kind: str, text: str = TEXT) -> list[str]:
    fences = re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
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


def outputs(folder: Path) -> list[dict[str, Any]]:
    """Write the outputs of a system that is wrong only on the first instance of each word."""
    lines = []
    for path in sorted(folder.glob("*.parquet")):
        corpus = read(path)
        gold = corpus.gold[corpus.split == "test"].tolist()
        for i, code in enumerate(gold):
            sense = corpus.senses[code if i else (code + 1) % len(corpus.senses)]
            lines.append({"word": corpus.word, "id": i, "sense": sense})
    return lines


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
    assert "systems</h3>" not in index
    page = (results / "report" / "words" / "cell.html").read_text(encoding="utf-8")
    assert '<bdi title="cell_prison">room</bdi> <small dir="auto">behind &lt;bars&gt;' in page
    dataset = read_manifest(checkout.root / "data" / "mine" / "dataset.json")
    rows = table(results / "scores.csv")
    assert {row["word"] for row in rows} == set(dataset.words) == {"cell", "pitch"}
    assert {row["n_test"] for row in rows} == {"12"}

    if "systems" not in STUDIES:
        return
    # Add another system, by hand and in the run.
    lines = outputs(results / "corpus")
    text = "".join(json.dumps(line) + "\n" for line in reversed(lines))
    (checkout.root / "outputs.jsonl").write_text(text)
    page = (DOCS / "how-to/systems.md").read_text(encoding="utf-8")
    (score,), (of_systems,) = (blocks(kind, page) for kind in ("console", "yaml"))
    assert f"mean word accuracy {100 * 11 / 12:.2f}" in command(checkout, score.strip())
    (checkout.root / "systems.yaml").write_text(of_systems)
    again = checkout.run(
        *("--cores", "2", "--configfile", "config/minilm.yaml", "docs/own-corpus.yaml"),
        "systems.yaml",
    )
    # Nothing is embedded or fitted again.
    assert set(again.jobs) == {"score", "evaluate", "compare", "figures", "report"}
    (of_system,) = (row for row in table(results / "comparison.csv") if row["model"] == NAME)
    assert of_system["kind"] == "system"
    assert of_system["micro_accuracy"] == f"{22 / 24:.6f}"
    assert float(of_system["micro_accuracy_low"]) < 22 / 24
    for name in ("comparison/words", "comparison/rare-senses", "comparison/differences"):
        assert any(row["model"] == NAME for row in table(results / f"{name}.csv")), name
    for name in ("scores", "summary"):
        assert any(row["model"] == NAME for row in table(results / f"{name}.csv")), name
    assert not any(row["model"] == NAME for row in table(results / "comparison/learning.csv"))
    assert NAME in json.loads((results / "provenance.json").read_text())["systems"]
    index = (results / "report" / "index.html").read_text(encoding="utf-8")
    assert "Other systems</h3>" in index and NAME in index
