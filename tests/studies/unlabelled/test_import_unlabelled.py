"""Sentences without senses: the uses, the skipped sentences, and errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts.corpus_table import UNLABELLED
from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.corpora.text_format import read_unlabelled
from wsd.errors import CorpusError
from wsd.storage.file_names import file_name

LINES = """The cell divides.
Two Cells, said she: "cell!"

No such word here.
The cell divides.
He sat in his *cell*, *alone*.
"""


def imported(tmp_path: Path, text: str, name: str = "s.txt", **more: Any) -> str:
    (tmp_path / name).write_text(text, encoding="utf-8")
    given = {"unlabelled": True, "word": "cell", **more}
    return import_corpus([tmp_path / name], out=tmp_path / "out", name="mine", **given)


def uses(tmp_path: Path, word: str = "cell") -> list[tuple[int, str]]:
    corpus = read_unlabelled(tmp_path / "out" / file_name(word), word)
    assert corpus.senses == UNLABELLED and not corpus.is_labelled
    assert set(corpus.split.tolist()) == {"train"} and not corpus.gold.any()
    return [(int(p), " ".join(t)) for p, t in zip(corpus.position, corpus.tokens, strict=True)]


def test_lines_of_text(tmp_path: Path) -> None:
    output = imported(tmp_path, LINES)
    assert uses(tmp_path) == [
        (1, "The cell divides ."),
        (1, 'Two Cells , said she : " cell ! "'),
        (7, 'Two Cells , said she : " cell ! "'),
        (5, "He sat in his * cell * , * alone * ."),
    ]
    assert "cell: 4 uses" in output and f"{tmp_path}/s.txt:4" in output
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["labelled"] is False and sum(manifest["left_out"].values()) == 2
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert not dataset.labelled and dataset.sizes == {"cell": 4}


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        # Without spaces between the words, and with.
        ("\u82b1", "\u4e00\u6735\u82b1\n\u82b1 \u5f00\n\u773c\u82b1\u4e86\n",
         [(1, "\u4e00\u6735 \u82b1"), (0, "\u82b1 \u5f00"), (1, "\u773c \u82b1 \u4e86")]),
        ("C.n", "Vitamin C.\nCD, C\nA C!\n", [(1, "Vitamin C ."), (2, "CD , C"), (1, "A C !")]),
        # A mark decides.
        ("cell", "a cell, a [[cell]]\na *cell* and a cell\na cell *is* a cell\n",
         [(4, "a cell , a cell"), (1, "a cell and a cell"), (1, "a cell * is * a cell"),
          (6, "a cell * is * a cell")]),
        # A marked form is found in the other sentences.
        ("cell", "my [[kell]]\nsome kell\na cell\nthe cell\n",
         [(1, "my kell"), (1, "a cell"), (1, "the cell"), (1, "some kell")]),
    ],
)  # fmt: skip
def test_words_of_one_character_and_marks(
    tmp_path: Path, word: str, text: str, expected: list[tuple[int, str]]
) -> None:
    imported(tmp_path, text, word=word)
    assert uses(tmp_path, word) == expected


def test_tables(tmp_path: Path) -> None:
    words = '{"word": "cell", "sentence": ["a", "cell"], "position": 1}\n'
    found = ("the cell grew", "cells grew")
    text = words + "".join(f'{{"word": "cell", "sentence": "{own}"}}\n' for own in found)
    imported(tmp_path, text, "s.jsonl", word=None)
    assert uses(tmp_path) == [(1, "a cell"), (1, "the cell grew"), (0, "cells grew")]


def test_several_words_and_those_with_too_few(tmp_path: Path) -> None:
    table = "word,sentence\n" + "cell,a cell {}\nbat,a bat {}\n" * 3 + "crane,a crane\ncrane,x\n"
    output = imported(tmp_path, table.format(*"abcdef"), "s.csv", word=None)
    assert "2 words without senses" in output
    assert "left out: words with fewer than 3 uses: 1" in output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bat", "cell", MANIFEST]


@pytest.mark.parametrize(
    ("text", "more", "problem"),
    [
        ("\n \n", {}, "no sentence"),
        ("word,sentence\n", {"name": "s.csv", "word": None}, "no sentence"),
        ("a cell\tone\n", {}, "a tab"),
        ("a dog\na cat\n", {}, "no sentence has a form of 'cell'"),
        ("a cell\na cell\na cell\n", {}, "too few uses"),
        ("a dog\n", {"word": None}, "no word is marked"),
        ("sense,sentence\nx,a cell\n", {"name": "s.csv"}, "'sense' is a column of senses"),
        ("word,sentence\ncell,a cell\n", {"name": "s.csv"}, "there is a column 'word'"),
    ],
)
def test_refused_with_its_place(
    tmp_path: Path, text: str, more: dict[str, Any], problem: str
) -> None:
    with pytest.raises(CorpusError) as caught:
        imported(tmp_path, text, **more)
    assert problem in caught.value.problem
    assert caught.value.where and str(tmp_path / more.get("name", "s.txt")) in caught.value.where
    assert caught.value.fix and not (tmp_path / "out").exists()
