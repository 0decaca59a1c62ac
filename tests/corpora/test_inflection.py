"""Forms of English words, and the parts of a word's name."""

import pytest

from wsd.artifacts.senses import lemma_and_part
from wsd.corpora.word_forms import forms, matching_words


@pytest.mark.parametrize(
    ("word", "plurals"),
    [
        ("crane", ["cranes"]),
        ("bass", ["basses"]),
        ("box", ["boxes"]),
        ("church", ["churches", "churchs"]),
        ("quiz", ["quizes", "quizzes"]),
        ("person", ["people", "persons"]),
        ("wish", ["wishes"]),
        ("deity", ["deities"]),
        ("toy", ["toys"]),
        ("potato", ["potatos", "potatoes"]),
        ("radio", ["radios"]),
        ("wolf", ["wolfs", "wolves"]),
        ("knife", ["knifes", "knives"]),
        ("cliff", ["cliffs"]),
        ("chairman", ["chairmen", "chairmans"]),
        ("axis", ["axes", "axises"]),
        ("mouse", ["mice"]),
        ("die", ["dice", "dies"]),
        ("Java", ["javas"]),
    ],
)
def test_plurals(word: str, plurals: list[str]) -> None:
    assert list(forms(word)) == [word.lower(), *plurals]


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("serve.v", "serves served serving"),
        ("stop.v", "stops stopped stopping"),
        ("quit.v", "quits quit quitting"),
        ("travel.v", "travels traveled travelled traveling travelling"),
        ("panic.v", "panicked panicking"),
        ("try.v", "tries tried trying"),
        ("play.v", "plays played playing"),
        ("die.v", "dies died dying"),
        ("agree.v", "agreed agreeing"),
        ("age.v", "aged ageing aging"),
        ("go.v", "goes went gone going"),
        ("have.v", "has had having"),
        ("take.v", "takes took taken taking"),
        ("undertake.verb", "undertakes undertook undertaken undertaking"),
        ("rewrite.VERB", "rewrote rewritten"),
        ("focus.v", "focuses focusses focused focussed"),
        ("look_up.v", "looks_up looked_up looking_up"),
        ("big.a", "bigger biggest"),
        ("happy.adj", "happier happiest"),
        ("large.a", "larger largest"),
        ("good.s", "better best"),
        ("soon.r", "sooner soonest"),
        ("well.adv", "better best"),
        ("grandchild.n", "grandchildren"),
        ("criterion.n", "criteria"),
    ],
)
def test_forms_of_a_part_of_speech(word: str, some: str) -> None:
    assert set(some.split()) <= set(forms(word))


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("hop.v", "hoping"),
        ("stop.v", "stoped"),
        ("see.v", "seed"),
        ("be.v", "bed"),
        ("be.v", "bing"),
        ("die.v", "diing"),
        ("serve", "served"),
        ("serve.n", "served"),
        ("own.a", "owner"),
        ("interesting.a", "interestinger"),
        ("here.r", "herer"),
        ("so.conj", "sos"),
        ("\u82b1.n", "\u82b1.n"),
        ("C.n", "c.n"),
    ],
)
def test_another_word_is_not_a_form(word: str, other: str) -> None:
    assert other not in forms(word)


@pytest.mark.parametrize(
    ("word", "lemma", "part"),
    [
        ("age.n", "age", "noun"),
        ("Age.NOUN", "Age", "noun"),
        ("serve.v", "serve", "verb"),
        ("run.VBD", "run", "verb"),
        ("light.a", "light", "adjective"),
        ("well.adv", "well", "adverb"),
        ("st.louis.n", "st.louis", "noun"),
        ("c++.n", "c++", "noun"),
        *(
            (word, word, None)
            for word in ("age", "node.js", "St.", ".n", "U.S", "U.S.A", "...", "")
        ),
        *((word, word, None) for word in ("u.s", "p.s", "u.s.a", "d.n.a", "P.R")),
        ("\u82b1.n", "\u82b1", "noun"),
        ("\u8bb2.v", "\u8bb2", "verb"),
        ("\u82b1.s", "\u82b1", "adjective"),
        ("C.n", "C", "noun"),
        ("K.n", "K", "noun"),
        ("x.n", "x", "noun"),
        ("X.NOUN", "X", "noun"),
        ("U.S.n", "U.S", "noun"),
        ("cold.s", "cold", "adjective"),
        ("so.conj", "so", "conj"),
    ],
)
def test_lemma_and_tag(word: str, lemma: str, part: str | None) -> None:
    assert lemma_and_part(word) == (lemma, part)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("run.n", ["run.n"]),
        ("run", ["run.n", "run.v"]),
        ("Run.noun", ["run.n"]),
        ("run.a", []),
        ("bank", ["bank"]),
        ("bank.n", []),
        ("java", ["Java"]),
        ("serve", ["serve.v"]),
        ("served", []),
    ],
)
def test_the_lemma_of_a_form(asked: str, meant: list[str]) -> None:
    assert matching_words(asked, ["run.n", "run.v", "bank", "Java", "serve.v"]) == meant


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("\u82b1", ["\u82b1.n"]),
        ("\u82b1.NOUN", ["\u82b1.n"]),
        ("x", ["X.n"]),
        ("x.noun", ["X.n"]),
        ("us", []),
        ("U.S", ["u.s"]),
        ("u", []),
    ],
)
def test_words_of_one_character_are_meant(asked: str, meant: list[str]) -> None:
    assert matching_words(asked, ["\u82b1.n", "X.n", "u.s"]) == meant
