"""Positions that are not the word: errors, warnings, or allowed; in imports and in runs."""

import json
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus

from wsd.artifacts.dataset import MANIFEST
from wsd.cli import main
from wsd.corpora.find_word import KnownForms
from wsd.corpora.focal_form_check import FormCheck, is_form
from wsd.errors import CorpusError

FILLING = ("amber", "brass", "cedar", "dune", "ember", "fjord", "glade", "heath", "islet", "jade")
# Positions counted from 1: the token after the word.
SHIFTED = [
    {"word": "cell", "sense": sense, "sentence": f"The {sense} cell {after} again", "position": 3}
    for sense in ("bio", "jail")
    for after in ("divides", "has", "grew", "was", "stood", "got")
]


def imported(folder: Path, rows: Sequence[dict[str, Any]], **more: Any) -> None:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_corpus([path], out=folder / "out", name="m", **more)


FORMS = (
    "go.v went Going|organise.v organizing ORGANISED|colour color|hot_dog.n hot-dog|go_with.v goes|"
    "tip_vb tipping Tipped|tooth teeth|sehen gesehen sieht|Haus Häuser|aller allait|"
    "город города городов|كتاب الكتب|银行 银行|花 花|C C|yahoo! Yahoo!|Celsius.n C|foot.n ft ft."
)


def test_forms_of_a_word() -> None:
    for word, *forms in map(str.split, FORMS.split("|")):
        for form in forms:
            assert is_form(word, form), form
    for form in ("has", "divides", "got", "the", "of", "walls", "divides again"):
        assert not is_form("cell", form), form


@pytest.mark.parametrize(
    ("word", "focal", "language", "refused"),
    [
        ("cell", ". , ( ...", "en", True),
        # Signs and contractions are not judged, unless they are punctuation.
        ("...", "...", "en", False),
        ("cell", "% 's \u2019ve $", "en", False),
        # Unknown forms of another language are a remark.
        *(("\u0643\u062a\u0628", "\u0645\u062f \u062f\u0631 \u0631\u0633", language, refused)
          for language, refused in (("ar", False), ("en", True))),
    ],
)  # fmt: skip
def test_what_is_refused(word: str, focal: str, language: str, refused: bool) -> None:
    check = FormCheck(KnownForms(language))
    for form in focal.split():
        check.add(word, 0, (form,), "x:1")
    with pytest.raises(CorpusError, match="not a form") if refused else nullcontext():
        check.report("x", "fix")


def test_a_corpus_of_other_words_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CorpusError, match="12 of 12 focal words are not a form") as caught:
        imported(tmp_path, SHIFTED)
    assert f"'divides' for 'cell' ({tmp_path / 'rows.jsonl'}:1), 'has' for" in caught.value.problem
    assert "--any-form" in str(caught.value.fix) and not (tmp_path / "out").exists()
    # It may be meant; a run then knows.
    imported(tmp_path, SHIFTED, any_form=True)
    manifest = tmp_path / "out" / MANIFEST
    steps(tmp_path)
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]
    # Without the word of the import, a run refuses it before anything is computed.
    manifest.write_text(manifest.read_text().replace('  "any_form": true,\n', ""))
    (tmp_path / "corpus/words.json").unlink()
    steps(tmp_path, code=CorpusError.exit_code)
    assert f"for 'cell' ({tmp_path}/source/cell/train.data.txt:1)" in capsys.readouterr().err
    assert not (tmp_path / "corpus/words.json").exists()


def steps(folder: Path, code: int = 0) -> None:
    """The first steps of a run."""
    source = str(folder / "source")
    assert main(["copy-corpus", str(folder / "out"), "--name", "m", "--out", source]) == 0
    into = str(folder / "corpus")
    assert main(["corpus", "--source", source, "--word=cell", "--out", into]) == code


def test_few_strange_focal_words_give_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Three are wrong; three have punctuation.
    rows = [
        {"word": "cell", "sense": sense, "sentence": f"A {sense} {cell} {f} {f}ish", "position": 2}
        for sense, cells in (("bio", ["cell."] * 3 + ["cell"] * 7), ("jail", ["cell"] * 10))
        for f, cell in zip(FILLING, cells, strict=True)
    ]
    imported(tmp_path, [*rows, *SHIFTED[:3]])
    first, second = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert "3 of 23 focal words are not a form" in first and "'divides'" in first
    assert "3 focal words have punctuation" in second and "'cell.' (" in second


def test_one_wrong_word_among_many_right_ones() -> None:
    places = FormCheck()
    for i in range(200):
        places.add("crane", 1, ("a", "crane"), f"x:{i}")
    for i in range(10):  # an abbreviation is one form, however often it occurs
        places.add("pound", 1, ("20", "lb"), f"x:{i}")
    places.report("x", "fix")
    for i, form in enumerate(("has", "the", "got")):
        places.add("cell", 0, (form, "x"), f"y:{i}")
    with pytest.raises(CorpusError, match="13 of 213") as error:
        places.report("x", "fix")
    assert "'has' for 'cell' (y:0)" in str(error.value) and "pound" not in str(error.value)
