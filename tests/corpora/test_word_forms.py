"""Forms of English words, the user's forms, and the parts of a word's name."""

from pathlib import Path

import pytest

from wsd.artifacts.senses import lemma_and_part
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
    for word in [
        "age",
        "node.js",
        "St.",
        ".n",
        "U.S",
        "U.S.A",
        "...",
        "u.s",
        "p.s",
        "u.s.a",
        "d.n.a",
        "P.R",
    ]:
        assert lemma_and_part(word) == (word, None)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("run.n", ["run.n"]),
        ("run", ["run.n", "run.v"]),
        ("Run.noun", ["run.n"]),
        ("run.a", []),
        ("bank.n", []),
        ("java", ["Java"]),
        ("served", []),
        ("\u82b1", ["\u82b1.n"]),
        ("x.noun", ["X.n"]),
        ("us", []),
        ("U.S", ["u.s"]),
    ],
)
def test_the_words_that_a_name_may_mean(asked: str, meant: list[str]) -> None:
    words = ["run.n", "run.v", "bank", "Java", "serve.v", "\u82b1.n", "X.n", "u.s"]
    assert matching_words(asked, words) == meant


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("word\tother\na\tb\n", "form"),
        ("word\tform\navocat\t\n", "the form is empty"),
        ("word\tform\n\tavocats\n", "the word is empty"),
        ("word\tform\navocat\tavo\u200bcats\n", "an invisible character"),
        ("word\tform\n", "no form"),
    ],
)
def test_a_faulty_table_of_forms_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "forms.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=problem):
        read_forms(tmp_path / "forms.tsv")
