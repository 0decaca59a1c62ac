"""Columns that the product does not use stay with their instances."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importing import import_corpus
from require import needs

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import MANIFEST
from wsd.corpora.copy_corpus import copy
from wsd.corpora.text_format import extra_text, read_extra, read_text, read_unlabelled
from wsd.errors import CorpusError

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
ROWS = [
    {"word": "cell", "sense": sense, "sentence": f"A *cell* of kind {n} .", "split": split,
     "id": f"use-{n}", "note": note}
    for n, (sense, split, note) in enumerate([
        ("room", "train", "a\ttab and \"quotes\""), ("room", "train", ""),
        ("battery", "train", "line\nbreak"), ("battery", "train", "=1+1"),
        ("room", "test", "\u82b1"), ("battery", "test", ""), ("room", "outofdomain", "elsewhere"),
    ])
]  # fmt: skip


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def notes(corpus: Corpus) -> dict[str, str]:
    return dict(zip(corpus.extra["id"], corpus.extra["note"], strict=True))


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=4), st.lists(TEXTS, max_size=3))
def test_any_text_is_read_back(tmp_path_factory: pytest.TempPathFactory, first: dict[str, str],
                               second: list[str]) -> None:  # fmt: skip
    rows = [first, dict(zip(["a", "b", "c"], second, strict=False)), {}]
    path = tmp_path_factory.mktemp("extra") / "train.extra.tsv"
    if text := extra_text(rows):
        path.write_text(text, encoding="utf-8", newline="\n")
    actual = [{n: cell for n, cell in row.items() if cell} for row in read_extra(path, 3)]
    assert actual == [{n: cell for n, cell in row.items() if cell} for row in rows]


def test_they_stay_from_the_table_to_the_corpus_and_its_copies(tmp_path: Path) -> None:
    source = written(tmp_path / "cells.csv", ROWS)
    import_corpus([source], out=tmp_path / "once", name="mine")
    # The folder can be imported again, and copied.
    import_corpus([tmp_path / "once"], out=tmp_path / "twice", name="mine")
    copy(tmp_path / "twice", tmp_path / "copy", name="mine")
    expected = {row["id"]: row["note"] for row in ROWS}
    for folder in ("once", "twice", "copy"):
        further = tmp_path / folder / "outofdomain.tsv"
        corpus = read_text(tmp_path / folder / "cell", "cell", further)
        assert notes(corpus) == expected
        assert [*corpus.extra] == ["id", "note"]
        test = corpus.take(corpus.split == "test")
        assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    manifest = json.loads((tmp_path / "once" / MANIFEST).read_text())
    assert "cell/train.extra.tsv" in manifest["files"]
    rows = [{k: v for k, v in row.items() if k not in ("id", "note")} for row in ROWS]
    import_corpus([written(tmp_path / "plain.csv", rows)], out=tmp_path / "plain", name="mine")
    assert not [*(tmp_path / "plain").rglob("*.extra.tsv")]
    plain, extra = (read_text(tmp_path / name / "cell", "cell") for name in ("plain", "once"))
    assert plain.digest == extra.digest


@needs("unlabelled")
def test_uses_without_senses_keep_them_and_equal_sentences_with_other_identifiers(
    tmp_path: Path,
) -> None:
    rows = [
        {"word": "cell", "sentence": "A *cell* is small .", "id": identifier}
        for identifier in ("a", "b", "c", "c")
    ]
    source = written(tmp_path / "uses.csv", rows)
    import_corpus([source], out=tmp_path / "out", name="mine", unlabelled=True)
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert corpus.extra == {"id": ("a", "b", "c")}


@pytest.mark.parametrize("names", ["id\tid", "id\t", "id", "id\tnote\tmore"])
def test_a_damaged_file_is_refused(names: str, tmp_path: Path) -> None:
    path = tmp_path / "train.extra.tsv"
    for text in (f"{names}\n1\t2\n3\t4\n", "id\tnote\n1\t2\n3\n", "id\n1\n"):
        path.write_text(text)
        with pytest.raises(CorpusError):
            read_extra(path, 2)
