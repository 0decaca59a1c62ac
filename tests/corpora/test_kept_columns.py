"""Documents, and columns that the product does not use, stay with their instances."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.copy_corpus import copy
from wsd.corpora.text_format import extra_text, read_extra, read_text, read_unlabelled
from wsd.errors import CorpusError

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
ROWS = [
    {"word": "cell", "sense": sense, "sentence": f"A *cell* of kind {n} .", "split": split,
     "id": f"use-{n}", "note": note, "document": ("times", " two  words ", "")[n % 3]}
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
    documents = {row["id"]: " ".join(row["document"].split()) for row in ROWS} | {"use-6": ""}
    for folder in ("once", "twice", "copy"):
        further = tmp_path / folder / "outofdomain.tsv"
        corpus = read_text(tmp_path / folder / "cell", "cell", further)
        assert dict(zip(corpus.extra["id"], corpus.extra["note"], strict=True)) == expected
        assert corpus.document is not None
        assert dict(zip(corpus.extra["id"], corpus.document.tolist(), strict=True)) == documents
        assert [*corpus.extra] == ["id", "note"]
        test = corpus.take(corpus.split == "test")
        assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    manifest = json.loads((tmp_path / "once" / MANIFEST).read_text())
    assert "cell/train.extra.tsv" in manifest["files"]
    rows = [{k: v for k, v in row.items() if k not in ("id", "note", "document")} for row in ROWS]
    import_corpus([written(tmp_path / "plain.csv", rows)], out=tmp_path / "plain", name="mine")
    assert not [*(tmp_path / "plain").rglob("*.extra.tsv"), *(tmp_path / "plain").rglob("*docu*")]
    plain, extra = (read_text(tmp_path / name / "cell", "cell") for name in ("plain", "once"))
    assert plain.digest == extra.digest and plain.document is None
    hidden = [ROWS[0], {**ROWS[1], "document": "a\u200bb"}]
    with pytest.raises(CorpusError, match="invisible character in the document") as caught:
        import_corpus([written(source, hidden)], out=tmp_path / "no", name="mine")
    assert caught.value.where == f"{source}:3"


def test_files_of_documents_are_checked(tmp_path: Path) -> None:
    import_corpus([written(tmp_path / "cells.csv", ROWS)], out=tmp_path / "out", name="mine")
    folder = tmp_path / "out" / "cell"
    file = folder / "train.documents.txt"
    file.write_text(file.read_text() + "one more\n")
    with pytest.raises(CorpusError, match="4 sentences but 5 documents") as caught:
        read_text(folder, "cell")
    assert caught.value.where == f"{file}:5"
    file.write_text("\n" * 4)
    (folder / "test.documents.txt").unlink()
    assert read_text(folder, "cell").document is None
    # The manifest may list the optional files, but no others.
    manifest = tmp_path / "out" / MANIFEST
    facts = json.loads(manifest.read_text())
    facts["files"]["cell/dev.documents.txt"] = facts["files"]["cell/test.documents.txt"]
    manifest.write_text(json.dumps(facts))
    with pytest.raises(CorpusError, match="its files do not match its words"):
        read_manifest(manifest)


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
