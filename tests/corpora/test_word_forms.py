"""Finding the forms of a word in running text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wsd.artifacts.dataset import DATA
from wsd.corpora.find_word import Finder, within_word
from wsd.corpora.text_format import read_text


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
        ("the crane'll fall", "the|crane|'ll|fall", 1),
    ],
)
def test_positions_of_a_form(text: str, tokens: str, position: int) -> None:
    (actual,) = Finder(["crane"]).find(text)
    assert list(actual.tokens) == tokens.split("|")
    assert (actual.position, actual.words) == (position, ("crane",))
    assert actual.tokens[position] == actual.form == text[actual.start :][: len(actual.form)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "craned",
        "crane-like",
        "cranesbill",
        "cr ane",
        "'s",
        "crane\u2011like",
        "the crane's-bill",
        "a_crane",
        "o'crane",
        "over\u00adcrane",
        "the crane\u00adway",
    ],
)
def test_other_words_are_not_found(text: str) -> None:
    assert Finder(["crane"]).find(text) == []


@pytest.mark.parametrize(
    ("word", "text", "tokens", "position"),
    [
        # Accents as part of the letter or as separate characters, in the word or in the text.
        ("café", "the cafe\u0301, shut", "the|cafe\u0301|,|shut", 1),
        ("cafe\u0301", "the «Café»", "the|«|Café|»", 2),
        ("किताब", "यह किताब, वह", "यह|किताब|,|वह", 1),
        ("human", "the Humans left", "the|Humans|left", 1),
        ("银行", "我去银行取钱", "我去|银行|取钱", 1),
        ("은행", "나는 은행에 갔다", "나는|은행|에|갔다", 1),
    ],
)
def test_other_scripts(word: str, text: str, tokens: str, position: int) -> None:
    (actual,) = Finder([word]).find(text)
    assert (list(actual.tokens), actual.position) == (tokens.split("|"), position)


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
        ("over\u00adcrane", 4, True),
        ("over\u00adcrane", 5, True),
        ("crane\u00ad!", 5, False),
        ("crane\u00ad", 5, False),
    ],
)
def test_longer_words_are_not_found(text: str, place: int, within: bool) -> None:
    assert within_word(text, place) == within


def test_several_occurrences_of_several_words() -> None:
    actual = Finder(["crane", "bank"]).find("Cranes by the bank , a crane/crane .")
    assert [(o.words, o.form, o.start) for o in actual] == [
        (("crane",), "Cranes", 0),
        (("bank",), "bank", 14),
        (("crane",), "crane", 23),
        (("crane",), "crane", 29),
    ]
    assert actual[3].tokens == ("Cranes", "by", "the", "bank", ",", "a", "crane/", "crane", ".")


def test_a_form_of_two_words_names_both() -> None:
    (actual,) = Finder(["axe", "axis"]).find("two axes")
    assert actual.words == ("axe", "axis")


@pytest.mark.parametrize(
    ("word", "text", "tokens", "position"),
    [
        ("c++", "written in C++ today", "written|in|C++|today", 2),
        ("c++", "in c++.", "in|c++|.", 1),
        ("c++", "(c++)", "(|c++|)", 1),
        ("c++", "用c++写", "用|c++|写", 1),
        (".net", "in .NET, now", "in|.NET|,|now", 1),
        ("🍎", "🍎!", "🍎|!", 0),
        ("🍎", "an🍎🍌", "an|🍎|🍌", 1),
        ("❤", "a ❤\ufe0f.", "a|❤\ufe0f|.", 1),
        ("ice_cream", "the ice cream.", "the|ice cream|.", 1),
        ("ice_cream", "Ice  creams", "Ice creams", 0),
        ("ice_cream", "an ice-cream", "an|ice-cream", 1),
        ("ice_cream.n", "an ice_cream", "an|ice_cream", 1),
        ("New York", "in New York's east", "in|New York|'s|east", 1),
        ("o\u2019clock", "six o'clock.", "six|o'clock|.", 1),
        ("o'clock", "six o\u2019clock", "six|o\u2019clock", 1),
        ("serve.v", "he served!", "he|served|!", 1),
        ("look_up.v", "she looked up", "she|looked up", 1),
        ("age.noun", "of all ages", "of|all|ages", 2),
        ("node.js", "in node.js.", "in|node.js|.", 1),
        ("AI", "用AI技术", "用|AI|技术", 1),
        ("花", "他买了一朵花", "他买了一朵|花", 1),
        ("花.n", "老人眼花了", "老人眼|花|了", 1),
        ("讲.v", "他 讲 了", "他|讲|了", 1),
        ("C.n", "much vitamin C.", "much|vitamin|C|.", 2),
        ("X.n", "an X marks it", "an|X|marks|it", 1),
        ("K", "the K's end", "the|K|'s|end", 1),
        # Soft hyphens are visible only at the end of a line.
        ("crane", "two cra\u00adnes left", "two|cra\u00adnes|left", 1),
        ("crane", "a crane\u00ad, tall", "a|crane\u00ad|, tall".replace(" ", "|"), 1),
    ],
)
def test_any_word_is_found(word: str, text: str, tokens: str, position: int) -> None:
    (actual,) = Finder([word]).find(text)
    assert (list(actual.tokens), actual.position) == (tokens.split("|"), position)
    assert " ".join(actual.form.split()) == actual.tokens[position]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("c++", "c++11"),
        (".net", "asp.net"),
        ("👩", "👩\u200d🍳"),
        ("ice_cream", "ice, cream"),
        ("serve", "he served"),
        ("hope.v", "hopping"),
        ("age.n", "age.n.e"),
        ("C.n", "the CD and .cc"),
        ("u.s", "to u and me"),
    ],
)
def test_a_part_of_a_longer_word_is_not_found(word: str, text: str) -> None:
    assert [occurrence.form for occurrence in Finder([word]).find(text)] in ([], ["age"])


def test_the_forms_of_a_corpus() -> None:
    finder = Finder(["serve"], lambda word: ["served", "'S"])
    assert [occurrence.form for occurrence in finder.find("He served, it 's serving; he's")] == [
        "served",
        "'s",
    ]
    assert finder.words_of("Served") == ("serve",)
    assert finder.words_of("served ,") == finder.words_of("") == ()


def test_a_token_that_is_a_form_is_not_part_of_a_longer_one() -> None:
    finder = Finder(["new"], lambda word: ["New_York", "york"])
    assert [occurrence.form for occurrence in finder.find("New York New_York")] == [
        "New",
        "York",
        "New_York",
    ]
    several = Finder(["ice", "ice_cream"])
    assert [occurrence.words for occurrence in several.find("ice cream on ice")] == [
        ("ice_cream",),
        ("ice",),
    ]


@given(st.text())
def test_any_text_keeps_its_letters(text: str) -> None:
    for actual in Finder(["a", "is"]).find(text):
        assert "".join(actual.tokens) == "".join(text.split())
        assert actual.form.casefold() in {"a", "as", "is", "es"}


@pytest.mark.parametrize(
    "word", ["apple", "bank", "bat", "crane", "java", "mouse", "seal", "spring"]
)
def test_a_sentence_of_the_corpus_comes_back_as_its_tokens(word: str) -> None:
    corpus = read_text(DATA / "quickstart" / word, word)
    finder = Finder([word])
    for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True):
        actual = finder.find(" ".join(tokens))
        assert [(o.tokens, o.position) for o in actual] == [(tokens, position)]


TOKEN = st.text(st.sampled_from("ab'-_.+🍎ä银 \u2019\u0301*"), min_size=1).map(
    lambda text: "".join(text.split()) or "a"
)


@given(st.lists(st.tuples(st.lists(TOKEN), TOKEN, st.lists(TOKEN)), min_size=1))
def test_every_training_token_is_found_at_its_position(sentences) -> None:
    finder = Finder(["word"], lambda _: [token for _, token, _ in sentences])
    for before, token, after in sentences:
        tokens = (*before, token, *after)
        actual = [
            (occurrence.tokens, occurrence.position) for occurrence in finder.find(" ".join(tokens))
        ]
        assert (tokens, len(before)) in actual


PUNCTUATION = ".,;:!?()[]{}\"'/*&%$#@-\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e\u2026\u2013\u2014"


@given(
    st.sampled_from(["crane", "c++", "🍎", "o'clock", "ice_cream", "银行", ".net", "st.", "café"]),
    st.text(PUNCTUATION),
    st.text(PUNCTUATION),
)
def test_punctuation_sticks_to_anything(form: str, before: str, after: str) -> None:
    (actual,) = Finder([form]).find(f"x {before}{form}{after} x")
    assert (actual.form, actual.start) == (form, 2 + len(before))
