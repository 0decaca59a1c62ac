"""Forms of English words, the user's forms, and the parts of a word's name."""

from pathlib import Path
from typing import Any

import pytest
from importing import import_corpus
from require import needs

from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.artifacts.senses import lemma_and_part
from wsd.corpora.text_format import read_unlabelled
from wsd.corpora.word_forms import forms, matching_words, read_forms
from wsd.errors import CorpusError

PLURALS = """
crane cranes; bass basses; box boxes; church churches churchs; quiz quizes quizzes; wish wishes
person people persons; deity deities; toy toys; potato potatos potatoes; radio radios; java javas
wolf wolfs wolves; knife knifes knives; cliff cliffs; chairman chairmen chairmans; mouse mice
axis axes axises; die dice dies
"""
FORMS = """
serve.v serves served serving; stop.v stops stopped stopping; quit.v quits quit quitting
travel.v travels traveled travelled traveling travelling; panic.v panicked panicking
try.v tries tried trying; play.v plays played playing; die.v dies died dying; have.v has had having
agree.v agreed agreeing; age.v aged ageing aging; go.v goes went gone going; take.v took taken
undertake.verb undertakes undertook undertaken; rewrite.VERB rewrote rewritten; good.s better best
focus.v focuses focusses focused focussed; look_up.v looks_up looked_up looking_up
big.a bigger biggest; happy.adj happier happiest; large.a larger largest; soon.r sooner soonest
well.adv better best; grandchild.n grandchildren; criterion.n criteria
"""
NO_FORMS = """
hop.v hoping; stop.v stoped; see.v seed; be.v bed bing; die.v diing; serve served; serve.n served
own.a owner; interesting.a interestinger; here.r herer; so.conj sos; C.n c.n
"""


def entries(table: str) -> list[list[str]]:
    return [entry.split() for entry in table.strip().replace("\n", ";").split(";")]


def test_forms_of_each_part_of_speech() -> None:
    for word, *plurals in entries(PLURALS):
        assert list(forms(word)) == [word, *plurals]
    for word, *some in entries(FORMS):
        assert {*some} <= {*forms(word)}, word
    for word, *others in entries(NO_FORMS):
        assert not {*others} & {*forms(word)}, word
    assert forms("Kind.n", "de") == ("Kind",)


PARTS = """
age.n age noun; Age.NOUN Age noun; serve.v serve verb; run.VBD run verb; light.a light adjective
well.adv well adverb; st.louis.n st.louis noun; c++.n c++ noun; C.n C noun; X.NOUN X noun
U.S.n U.S noun; cold.s cold adjective; so.conj so conj
\u82b1.n \u82b1 noun; \u82b1.s \u82b1 adjective
"""


def test_lemma_and_part_of_speech() -> None:
    for word, lemma, part in entries(PARTS):
        assert lemma_and_part(word) == (lemma, part)
    for word in ("age", "node.js", "St.", ".n", "U.S", "...", "u.s", "p.s", "u.s.a", "P.R"):
        assert lemma_and_part(word) == (word, None)


MEANT = """
run.n run.n; run run.n run.v; Run.noun run.n; run.a; bank.n; java Java; served; \u82b1 \u82b1.n
x.noun X.n; us; U.S u.s
"""


def test_the_words_that_a_name_may_mean() -> None:
    words = ["run.n", "run.v", "bank", "Java", "serve.v", "\u82b1.n", "X.n", "u.s"]
    for asked, *meant in entries(MEANT):
        assert matching_words(asked, words) == meant


def table(tmp_path: Path, text: str) -> Path:
    (tmp_path / "forms.tsv").write_text(text, encoding="utf-8")
    return tmp_path / "forms.tsv"


def test_a_faulty_table_of_forms_is_refused(tmp_path: Path) -> None:
    for text in ("other\na\tb\n", "form\na\t\n", "form\na\tavo\u200bcats\n", "form\n"):
        with pytest.raises(CorpusError, match="form"):
            read_forms(table(tmp_path, f"word\t{text}"))


def focal_words(tmp_path: Path, text: str, word: str, **options: Any) -> list[str]:
    path, out = tmp_path / "uses.txt", tmp_path / "out"
    path.write_text(text, encoding="utf-8")
    import_corpus([path], out=out, name="xx", unlabelled=True, word=word, **options)
    return sorted(read_unlabelled(out / word, word).focal_tokens)


@needs("unlabelled")
def test_forms_of_a_table_are_found(tmp_path: Path) -> None:
    text = "L'avocat parle .\nUn avocat mange .\nLes avocats sont verts .\nL\u2019avocat dort .\n"
    forms = table(tmp_path, "word\tform\navocat\tavocats\navocat\tadvocat\n")
    actual = focal_words(tmp_path, text, "avocat", language="fr", forms=forms)
    assert actual == ["avocat", "avocat", "avocat", "avocats"]
    dataset = read_manifest(tmp_path / "out" / MANIFEST)
    assert (dataset.language, dataset.forms) == ("fr", {"avocat": ("avocats", "advocat")})


@needs("unlabelled")
def test_forms_of_marked_uses_are_found_elsewhere(tmp_path: Path) -> None:
    text = "Des avocats .\nLes [[avocats]] sont verts .\nUn avocat .\nRien .\n"
    actual = focal_words(tmp_path, text, "avocat", language="fr")
    assert actual == ["avocat", "avocats", "avocats"]
    left_out = read_manifest(tmp_path / "out" / MANIFEST).left_out
    assert left_out == {"sentences in which the word is not found": 1}


def test_the_language_of_a_file_is_kept(tmp_path: Path) -> None:
    source = Path(__file__).parent / "formats/onechar/zh.data.xml"
    import_corpus([source], out=tmp_path / "xml", name="zh")
    import_corpus([tmp_path / "xml"], out=tmp_path / "again", name="zh")
    for folder in ("xml", "again"):
        assert read_manifest(tmp_path / folder / MANIFEST).language == "zh"
