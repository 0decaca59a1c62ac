"""Documents, and columns that the product does not use, stay with their instances."""

import json
from pathlib import Path

import pandas as pd
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
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(TEXTS.filter(bool), TEXTS.filter(bool), max_size=4), max_size=3))
def test_any_text_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("extra") / "train.extra.tsv"
    if text := extra_text(rows):
        path.write_text(text, encoding="utf-8", newline="\n")
    actual = [{n: cell for n, cell in row.items() if cell} for row in read_extra(path, len(rows))]
    assert actual == rows


def test_they_stay_from_the_table_to_the_corpus_and_its_copies(tmp_path: Path) -> None:
    source = written(tmp_path / "cells.csv", ROWS)
    import_corpus([source], out=tmp_path / "once", name="mine")
    # The folder can be imported again, and copied.
    import_corpus([tmp_path / "once"], out=tmp_path / "twice", name="mine")
    copy(tmp_path / "twice", tmp_path / "copy", name="mine")
    # An out-of-domain sentence has no document.
    documents = [" ".join(row["document"].split()) for row in ROWS[:6]] + [""]
    for folder in ("once", "twice", "copy"):
        further = tmp_path / folder / "outofdomain.tsv"
        corpus = read_text(tmp_path / folder / "cell", "cell", further)
        assert corpus.extra == {name: tuple(row[name] for row in ROWS) for name in ("id", "note")}
        assert corpus.document is not None and corpus.document.tolist() == documents
        test = corpus.take(corpus.split == "test")
        assert test.extra == {"id": ("use-4", "use-5"), "note": ("\u82b1", "")}
    assert "cell/train.extra.tsv" in read_manifest(tmp_path / "once" / MANIFEST).digests
    rows = [{name: row[name] for name in ("word", "sense", "sentence", "split")} for row in ROWS]
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
    rows = [{"word": "cell", "sentence": "A *cell* is small .", "id": name} for name in "abcc"]
    source = written(tmp_path / "uses.csv", rows)
    import_corpus([source], out=tmp_path / "out", name="mine", unlabelled=True)
    corpus = read_unlabelled(tmp_path / "out/cell", "cell")
    assert corpus.extra == {"id": ("a", "b", "c")}


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.extra.tsv"
    names = ("id\tid", "id\t", "id", "id\tnote\tmore")
    texts = [f"{header}\n1\t2\n3\t4\n" for header in names]
    for text in (*texts, "id\tnote\n1\t2\n3\n", "id\n1\n"):
        path.write_text(text)
        with pytest.raises(CorpusError):
            read_extra(path, 2)
