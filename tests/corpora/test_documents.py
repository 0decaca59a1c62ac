"""The document of each instance, from every kind of import to the word's table."""

import json
from pathlib import Path

import pytest
from importing import import_corpus

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.copy_corpus import copy
from wsd.corpora.text_format import read_text
from wsd.errors import CorpusError

SENTENCES = ("{} cell divides", "the {} cell was locked", "a {} cell", "in {} cell, as usual")
NUMBERS = ("one", "two", "three", "four", "five")


def rows(documents: bool = True) -> list[dict[str, object]]:
    """Return 20 rows of one word; one document has an integer as its name, four have none."""
    names = dict(zip(NUMBERS, ("times", 7, "", " two  words ", "mail"), strict=True))
    return [
        {
            "word": "cell",
            "sense": f"s{i % 2}",
            "split": "train" if i else "test",
            "sentence": text.format(number),
            "start": text.format(number).index("cell"),
            "end": text.format(number).index("cell") + 4,
            **({"document": names[number]} if documents else {}),
        }
        for number in NUMBERS
        for i, text in enumerate(SENTENCES)
    ]


def write_rows(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def names_by_number(corpus: Corpus) -> dict[str, set[str]]:
    """Return the documents of the sentences with each number word."""
    assert corpus.document is not None
    pairs = list(zip(corpus.tokens, corpus.document.tolist(), strict=True))
    return {n: {name for tokens, name in pairs if n in tokens} for n in NUMBERS}


def test_a_column_names_the_documents(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", rows())
    import_corpus([path], out=tmp_path / "out", name="mine", any_form=True)
    corpus = read_text(tmp_path / "out" / "cell", "cell")
    plain = write_rows(tmp_path / "plain.jsonl", rows(documents=False))
    import_corpus([plain], out=tmp_path / "plain", name="mine", any_form=True)
    assert not list((tmp_path / "plain").rglob("*documents*"))
    assert read_text(tmp_path / "plain" / "cell", "cell").digest == corpus.digest
    expected = {"one": "times", "two": "7", "three": "", "four": "two words", "five": "mail"}
    assert names_by_number(corpus) == {number: {name} for number, name in expected.items()}
    # The corpus is copied into the run, and imported again, with its documents.
    copy(tmp_path / "out", tmp_path / "copy", name="mine")
    import_corpus([tmp_path / "copy"], out=tmp_path / "again", name="mine", any_form=True)
    for folder in ("copy", "again"):
        for file in ("train.documents.txt", "test.documents.txt"):
            texts = [(tmp_path / name / "cell" / file).read_bytes() for name in ("out", folder)]
            assert texts[0] == texts[1]
    lines = rows()
    lines[3]["document"] = "a\u200bb"
    with pytest.raises(CorpusError, match="invisible character in the document") as caught:
        import_corpus([write_rows(path, lines)], out=tmp_path / "no", name="mine")
    assert caught.value.where == f"{path}:4"


def test_files_of_documents_are_checked(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", rows())
    import_corpus([path], out=tmp_path / "out", name="mine", any_form=True)
    folder = tmp_path / "out" / "cell"
    file = folder / "train.documents.txt"
    lines = file.read_text()
    file.write_text(lines + "one more\n")
    with pytest.raises(CorpusError, match="15 sentences but 16 documents") as caught:
        read_text(folder, "cell")
    assert caught.value.where == f"{file}:16"
    file.write_text("\n" * 15)
    (folder / "test.documents.txt").unlink()
    assert read_text(folder, "cell").document is None
    # The manifest may list the optional files, but no others.
    manifest = tmp_path / "out" / MANIFEST
    facts = json.loads(manifest.read_text())
    facts["files"]["cell/dev.documents.txt"] = facts["files"]["cell/test.documents.txt"]
    manifest.write_text(json.dumps(facts))
    with pytest.raises(CorpusError, match="its files do not match its words"):
        read_manifest(manifest)
