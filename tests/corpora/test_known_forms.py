"""Forms of words in any language: a user's table, forms of marked uses, elision, scripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.text_format import read_unlabelled
from wsd.errors import ConfigError
from wsd.storage.file_names import file_name

FRENCH = "L'avocat parle .\nUn avocat mange .\nLes avocats sont verts .\nL\u2019avocat dort .\n"


def focal_words(tmp_path: Path, text: str, word: str, **options: Any) -> list[str]:
    (tmp_path / "uses.txt").write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    import_corpus([tmp_path / "uses.txt"], out=out, name="xx", unlabelled=True, word=word,
                  **options)  # fmt: skip
    corpus = read_unlabelled(out / file_name(word), word)
    return [tokens[at] for tokens, at in zip(corpus.tokens, corpus.position, strict=True)]


def table(tmp_path: Path, text: str) -> Path:
    (tmp_path / "forms.tsv").write_text(text, encoding="utf-8")
    return tmp_path / "forms.tsv"


@needs("unlabelled")
def test_forms_of_a_table_are_found(tmp_path: Path) -> None:
    forms = table(tmp_path, "word\tform\navocat\tavocats\navocat\tadvocat\n")
    actual = focal_words(tmp_path, FRENCH, "avocat", language="fr", forms=forms)
    assert actual == ["avocat", "avocat", "avocats", "avocat"]
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert (dataset.language, dataset.forms) == ("fr", {"avocat": ("avocats", "advocat")})


@needs("unlabelled")
def test_forms_of_marked_uses_are_found_elsewhere(tmp_path: Path) -> None:
    text = "Des avocats .\nLes [[avocats]] sont verts .\nUn avocat .\nRien .\n"
    actual = focal_words(tmp_path, text, "avocat", language="fr")
    assert sorted(actual) == ["avocat", "avocats", "avocats"]
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["left_out"] == {"sentences in which the word is not found": 1}


@needs("unlabelled")
def test_codes_of_languages(tmp_path: Path) -> None:
    text = "One cell .\nTwo cells .\nA cell .\n"
    assert len(focal_words(tmp_path, text, "cell", language="en-GB")) == 3
    assert read_manifest(tmp_path / "out" / MANIFEST).language == "en"
    with pytest.raises(ConfigError, match="is no code of a language"):
        focal_words(tmp_path, text, "cell", language="French!")


def test_the_language_of_a_file_is_kept(tmp_path: Path) -> None:
    source = Path(__file__).parent / "formats/onechar/zh.data.xml"
    import_corpus([source], out=tmp_path / "xml", name="zh")
    import_corpus([tmp_path / "xml"], out=tmp_path / "again", name="zh")
    for folder in ("xml", "again"):
        assert read_manifest(tmp_path / folder / MANIFEST).language == "zh"
