"""The files that docs/how-to/own-corpus.md shows."""

import re
from pathlib import Path

import yaml
from checkout import REPOSITORY

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
