"""Positions that are not the word: errors, warnings, or allowed; in imports and in runs."""

import json
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import DATA, MANIFEST
from wsd.cli import main
from wsd.corpora.focal_form_check import FormCheck, is_form
from wsd.corpora.text_format import read_text, read_unlabelled
from wsd.errors import CorpusError

FILLING = ("amber", "brass", "cedar", "dune", "ember", "fjord", "glade", "heath", "islet", "jade")
# Positions of another tokenizer, or counted from 1: the token after the word.
SHIFTED = [
    {"word": "cell", "sense": sense, "sentence": f"The {sense} cell {after} again", "position": 3}
    for sense in ("bio", "jail")
    for after in ("divides", "has", "grew", "was", "stood", "got")
]


def table(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(folder: Path, rows: Sequence[dict[str, Any]], **more: Any) -> str:
    return import_corpus([table(folder / "rows.jsonl", rows)], out=folder / "out", **more, name="m")


FORMS = (
    "go.v went Going|organise.v organizing ORGANISED|colour color|hot_dog.n hot-dog|go_with.v goes|"
    "tip_vb tipping Tipped|tooth teeth|sehen gesehen sieht|Haus Häuser|aller allait|"
    "город города городов|كتاب الكتب|银行 银行|花 花|C C|yahoo! Yahoo!|Celsius.n C|foot.n ft ft."
)
SIGNS = ("%", "'s", "\u2019ve", "$")


def test_forms_of_a_word() -> None:
    for word, *forms in map(str.split, FORMS.split("|")):
        for form in forms:
            assert is_form(word, form), form
    for form in ("has", "divides", "got", "the", "of", "walls", "divides again"):
        assert not is_form("cell", form), form


@pytest.mark.parametrize(
    ("word", "focal", "refused"),
    [("cell", (".", ",", "(", "..."), True), ("...", ("...",), False), ("cell", SIGNS, False)],
)
def test_signs_and_contractions_are_not_judged(
    word: str, focal: tuple[str, ...], refused: bool
) -> None:
    check = FormCheck()
    for form in focal:
        check.add(word, 0, (form,), "x:1")
    with pytest.raises(CorpusError) if refused else nullcontext():
        check.report("x", "fix")


def test_a_corpus_of_other_words_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CorpusError) as caught:
        imported(tmp_path, SHIFTED)
    assert "12 of 12 focal words are not a form of their word" in caught.value.problem
    assert f"'divides' for 'cell' ({tmp_path / 'rows.jsonl'}:1), 'has' for" in caught.value.problem
    assert caught.value.problem.count(" for 'cell' (") == 3
    assert "counted from 1: count from 0" in str(caught.value.fix)
    assert "--any-form" in str(caught.value.fix)
    assert not (tmp_path / "out").exists()
    # It may be meant; a run then knows.
    imported(tmp_path, SHIFTED, any_form=True)
    manifest = tmp_path / "out" / MANIFEST
    steps(tmp_path)
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]
    # Without the word of the import, a run refuses it before anything is computed.
    manifest.write_text(manifest.read_text().replace('  "any_form": true,\n', ""))
    (tmp_path / "corpus/words.json").unlink()
    steps(tmp_path, code=CorpusError.exit_code)
    message = capsys.readouterr().err
    assert f"for 'cell' ({tmp_path}/source/cell/train.data.txt:1)" in message
    assert not (tmp_path / "corpus/words.json").exists()


def steps(folder: Path, code: int = 0) -> None:
    """The first steps of a run."""
    source = str(folder / "source")
    assert main(["copy-corpus", str(folder / "out"), "--name", "m", "--out", source]) == 0
    into = str(folder / "corpus")
    assert main(["corpus", "--source", source, "--word=cell", "--out", into]) == code


def test_few_strange_focal_words_give_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [(sense, f"The {sense} cell {f} {f}ish") for sense in ("bio", "jail") for f in FILLING]
    right = [{"word": "cell", "sense": s, "sentence": text, "position": 2} for s, text in texts]
    imported(tmp_path, right)
    (tmp_path / "out").rename(tmp_path / "right")
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]
    # Three are wrong; three have punctuation.
    for row in right[:3]:
        row["sentence"] = row["sentence"].replace("cell", "cell.")
    imported(tmp_path, [*right, *SHIFTED[:3]])
    first, second = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert "3 of 23 focal words are not a form of their word, such as 'divides'" in first
    assert "3 focal words have punctuation at their ends" in second and "'cell.' (" in second
    # Users of snakemake see what a step writes to standard error.
    capsys.readouterr()
    steps(tmp_path)
    assert "3 of 23 focal words are not a form of their word" in capsys.readouterr().err


def test_the_built_in_corpora_give_no_warning() -> None:
    for path in sorted(DATA.glob("quickstart*/*/classes_map.txt")):
        corpus = read_text(path.parent, path.parent.name)
        assert all(is_form(corpus.word, focal) for focal in corpus.focal_tokens)


def test_one_wrong_word_among_many_right_ones() -> None:
    places = FormCheck()
    for i in range(200):
        places.add("crane", 1, ("a", "crane"), f"x:{i}")
        # An abbreviation is one form, however often it occurs.
        places.add("pound", 1, ("20", "lb"), f"x:{i}") if i < 10 else None
    places.report("x", "fix")
    for i, form in enumerate(("has", "the", "got")):
        places.add("cell", 0, (form, "x"), f"y:{i}")
    with pytest.raises(CorpusError) as error:
        places.report("x", "fix")
    assert "13 of 213" in str(error.value) and "'has' for 'cell' (y:0)" in str(error.value)
    assert "pound" not in str(error.value)
    for i in range(3):
        places.add("cell", 0, ("cell", "x"), f"z:{i}")
    places.report("x", "fix")  # half of them are right: a warning


@pytest.mark.parametrize("unlabelled", [False, pytest.param(True, marks=needs("unlabelled"))])
def test_characters_of_one_column(tmp_path: Path, unlabelled: bool) -> None:
    """``4:8`` means tokens in `position` and characters in `span`, the column of DWUG."""
    options = {"unlabelled": True} if unlabelled else {}
    rows = [
        {"lemma": "cell", "context": f"The {s} cell {f} {f}ish {f}er {s} , and {f}ed"}
        | ({} if unlabelled else {"label": s})
        | {"indexes_target_token": f"{5 + len(s)}:{9 + len(s)}"}
        for s in ("bio", "jail")
        for f in FILLING[:4]
    ]
    imported(tmp_path, rows, **options)
    folder = tmp_path / "out" / "cell"
    corpus = read_unlabelled(folder, "cell") if unlabelled else read_text(folder, "cell")
    assert {t[p] for t, p in zip(corpus.tokens, corpus.position, strict=True)} == {"cell"}
    (tmp_path / "out").rename(tmp_path / "first")
    with pytest.raises(CorpusError) as caught:
        columns = {"position": "indexes_target_token"}
        imported(tmp_path, rows, columns=columns, **options)
    assert "--columns span=COLUMN" in str(caught.value.fix)
    assert not (tmp_path / "out").exists()
