"""Which forms of a noun are found in running text, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wsd.artifacts.dataset import DATA
from wsd.corpora.inflection import forms
from wsd.corpora.text_format import read_text
from wsd.corpora.word_forms import Finder, within_word


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
    ("text", "tokens", "position"),
    [
        ("The crane flew", "The|crane|flew", 1),
        ("Crane!", "Crane|!", 0),
        ("two CRANES, high", "two|CRANES|,|high", 1),
        ("the crane's nest", "the|crane|'s|nest", 1),
        ("the crane\u2019s nest", "the|crane|\u2019s|nest", 1),
        ("the cranes' nest", "the|cranes|'|nest", 1),
        ('a ("crane") b', 'a|("|crane|")|b', 2),
        ("bird/crane/man ran", "bird/|crane|/man|ran", 1),
        ("a lift\u2014crane\u2014here", "a|lift\u2014|crane|\u2014here", 2),
        ("wait...crane", "wait...|crane", 1),
        ("a lift--crane--here", "a|lift--|crane|--here", 2),
        ("the _crane_ flew", "the|_|crane|_|flew", 2),
        ("the crane\u02bcs nest", "the|crane|\u02bcs|nest", 1),
    ],
)
def test_where_it_stands(text: str, tokens: str, position: int) -> None:
    (found,) = Finder(["crane"]).find(text)
    assert list(found.tokens) == tokens.split("|")
    assert (found.position, found.words) == (position, ("crane",))
    assert found.tokens[position] == found.form == text[found.start :][: len(found.form)]


@pytest.mark.parametrize(
    "text", ["", " ", "craned", "crane-like", "cranesbill", "cr ane", "'s", "crane\u2011like"]
)
def test_what_is_no_form(text: str) -> None:
    assert Finder(["crane"]).find(text) == []


@pytest.mark.parametrize(
    ("word", "text", "tokens", "position"),
    [
        # Accents in the letters or beside them, in the word or in the text.
        ("café", "the cafe\u0301, shut", "the|cafe\u0301|,|shut", 1),
        ("cafe\u0301", "the «Café»", "the|«|Café|»", 2),
        ("किताब", "यह किताब, वह", "यह|किताब|,|वह", 1),
        ("human", "the Humans left", "the|Humans|left", 1),
        ("银行", "我去银行取钱", "我去|银行|取钱", 1),
        ("은행", "나는 은행에 갔다", "나는|은행|에|갔다", 1),
    ],
)
def test_other_scripts(word: str, text: str, tokens: str, position: int) -> None:
    (found,) = Finder([word]).find(text)
    assert (list(found.tokens), found.position) == (tokens.split("|"), position)


@pytest.mark.parametrize(
    ("word", "text"),
    [("pin", "a pin\u0303a colada"), ("cafe", "the cafe\u0301"), ("re", "re\u0301su")],
)
def test_a_letter_without_its_accent_is_another(word: str, text: str) -> None:
    assert Finder([word]).find(text) == []


@pytest.mark.parametrize(
    ("text", "place", "within"),
    [
        ("a crane", 3, True),
        ("a crane", 2, False),
        ("a crane", 7, False),
        ("a crane's", 7, False),
        ("cafe\u0301", 4, True),
        ("किताब", 2, True),
        ("我去银行", 2, False),
        ("AI技术", 2, False),
    ],
)
def test_where_a_word_goes_on(text: str, place: int, within: bool) -> None:
    assert within_word(text, place) == within


def test_several_occurrences_of_several_words() -> None:
    found = Finder(["crane", "bank"]).find("Cranes by the bank , a crane/crane .")
    assert [(o.words, o.form, o.start) for o in found] == [
        (("crane",), "Cranes", 0),
        (("bank",), "bank", 14),
        (("crane",), "crane", 23),
        (("crane",), "crane", 29),
    ]
    assert found[3].tokens == ("Cranes", "by", "the", "bank", ",", "a", "crane/", "crane", ".")


def test_a_form_of_two_words_names_both() -> None:
    (found,) = Finder(["axe", "axis"]).find("two axes")
    assert found.words == ("axe", "axis")


def test_a_word_with_signs_in_it() -> None:
    (found,) = Finder(["c++"]).find("written in C++ today")
    assert found.tokens[found.position] == "C++"


@given(st.text())
def test_any_text_keeps_its_letters(text: str) -> None:
    for found in Finder(["a", "is"]).find(text):
        assert "".join(found.tokens) == "".join(text.split())
        assert found.form.casefold() in {"a", "as", "is", "es"}


@pytest.mark.parametrize("word", ["apple", "bank", "crane", "java", "spring"])
def test_a_sentence_of_the_corpus_comes_back_as_its_tokens(word: str) -> None:
    corpus = read_text(DATA / "quickstart" / word, word)
    finder = Finder([word])
    for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True):
        found = finder.find(" ".join(tokens))
        assert [(o.tokens, o.position) for o in found] == [(tokens, position)]
