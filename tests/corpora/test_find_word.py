"""The focal word of a text: by a mark, by its place, and by its forms in running text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wsd.corpora import find_word
from wsd.corpora.find_word import Finder

FOUND = [
    ("crane", "two CRANES, high", "two|*CRANES|,|high"),
    ("crane", "the crane's nest", "the|*crane|'s|nest"),
    ("crane", "the cranes\u2019 nest", "the|*cranes|\u2019|nest"),
    ("crane", "bird/crane/man ran", "bird/|*crane|/man|ran"),
    ("crane", "the _crane_ flew", "the|_|*crane|_|flew"),
    # Soft hyphens are visible only at the end of a line.
    ("crane", "two cra\u00adnes left", "two|*cra\u00adnes|left"),
    ("crane", "a crane\u00ad, tall", "a|*crane\u00ad|,|tall"),
    # Accents as part of the letter or as separate characters, in the word or in the text.
    ("café", "the cafe\u0301, shut", "the|*cafe\u0301|,|shut"),
    ("cafe\u0301", "the «Café»", "the|«|*Café|»"),
    ("किताब", "यह किताब, वह", "यह|*किताब|,|वह"),
    ("银行", "我去银行取钱", "我去|*银行|取钱"),
    ("은행", "나는 은행에 갔다", "나는|*은행|에|갔다"),
    ("花.n", "老人眼花了", "老人眼|*花|了"),
    ("c++", "用c++写", "用|*c++|写"),
    (".net", "in .NET, now", "in|*.NET|,|now"),
    ("🍎", "an🍎🍌", "an|*🍎|🍌"),
    ("❤", "a ❤\ufe0f.", "a|*❤\ufe0f|."),
    ("ice_cream", "an Ice  Creams", "an|*Ice Creams"),
    ("ice_cream.n", "an ice-cream", "an|*ice-cream"),
    ("New York", "in New York's east", "in|*New York|'s|east"),
    ("o\u2019clock", "six o'clock.", "six|*o'clock|."),
    ("look_up.v", "she looked up", "she|*looked up"),
    ("C.n", "much vitamin C.", "much|vitamin|*C|."),
]


@pytest.mark.parametrize(("word", "text", "tokens"), FOUND)
def test_a_word_is_found_and_cut_out(word: str, text: str, tokens: str) -> None:
    (actual,) = Finder([word]).find(text)
    position, shown = actual.sentence.position, [*actual.sentence.tokens]
    shown[position] = f"*{shown[position]}"
    assert "|".join(shown) == tokens
    assert actual.form == text[actual.start : actual.end]
    assert " ".join(actual.form.split()) == actual.sentence.word


ABSENT = {
    "crane": [
        *("", "craned", "crane-like", "cranesbill", "cr ane", "crane\u2011like", "a_crane"),
        *("the crane's-bill", "o'crane", "a crane-技", "over\u00adcrane", "the crane\u00adway"),
    ],
    **{"pin": ["a pin\u0303a colada"], "cafe": ["the cafe\u0301"], "कित": ["किताब"]},
    **{"c++": ["c++11"], ".net": ["asp.net"], "👩": ["👩\u200d🍳"], "ice_cream": ["ice, cream"]},
    **{"serve": ["he served"], "hope.v": ["hopping"], "C.n": ["CD, .cc"], "u.s": ["u and me"]},
}


@pytest.mark.parametrize("word", ABSENT)
def test_a_part_of_another_word_is_not_found(word: str) -> None:
    assert [text for text in ABSENT[word] if Finder([word]).find(text)] == []


def test_several_occurrences_of_several_words() -> None:
    actual = Finder(["crane", "bank"]).find("Cranes by the bank , a crane/crane .")
    assert [(*o.words, o.form, o.start) for o in actual] == [
        *(("crane", "Cranes", 0), ("bank", "bank", 14)),
        *(("crane", "crane", 23), ("crane", "crane", 29)),
    ]
    expected = "Cranes by the bank , a crane/ crane ."
    assert " ".join(actual[3].sentence.tokens) == expected
    several = Finder(["ice", "ice_cream", "axe", "axis"]).find("ice cream on ice and axes")
    assert [o.words for o in several] == [("ice_cream",), ("ice",), ("axe", "axis")]


@pytest.mark.parametrize(
    ("word", "forms", "text", "found"),
    [
        ("serve", ["served", "'S"], "He served, it 's serving; he's", ["served", "'s"]),
        # A token that is a form is not part of a longer one.
        ("new", ["New_York", "york"], "New York New_York", ["New", "York", "New_York"]),
        # A word of several tokens is found whole, if it has been seen whole.
        ("new_york.n", ["new york", "york"], "to New York today", ["New York"]),
    ],
)
def test_the_forms_of_a_corpus(word: str, forms: list[str], text: str, found: list[str]) -> None:
    finder = Finder([word], lambda _: forms)
    assert [occurrence.form for occurrence in finder.find(text)] == found
    assert finder.words_of(forms[0].upper()) == (word,)
    assert finder.words_of(f"{forms[0]} ,") == finder.words_of("") == ()


TOKEN = st.text(st.sampled_from("ab'-_.+🍎ä银 \u2019\u0301*"), min_size=1).map(
    lambda text: "".join(text.split()) or "a"
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.lists(TOKEN), TOKEN, st.lists(TOKEN)), min_size=1))
def test_every_training_token_is_found_at_its_position(sentences) -> None:
    finder = Finder(["word"], lambda _: [token for _, token, _ in sentences])
    for before, token, after in sentences:
        tokens = (*before, token, *after)
        actual = [occurrence.sentence[:2] for occurrence in finder.find(" ".join(tokens))]
        assert (len(before), tokens) in actual


@pytest.mark.parametrize(
    ("text", "word", "language", "found"),
    [
        ("L\u2019avocat", "avocat", "fr", True),
        ("dell'acqua", "acqua", "it", True),
        ("aujourd'hui", "hui", "fr", False),
        ("l'avocat", "avocat", "en", False),
        ("I\u015eIK", "\u0131\u015f\u0131k", "tr", True),
        ("DIYAR", "diyar", "tr", False),
        ("DIYAR", "diyar", "de", True),
        ("\u0e01\u0e34\u0e19\u0e02\u0e49\u0e32\u0e27", "\u0e02\u0e49\u0e32\u0e27", "th", True),
    ],
)
def test_rules_of_other_languages(text: str, word: str, language: str, found: bool) -> None:
    assert bool(Finder([word], language=language).find(text)) == found


# Marks and places

MARKED = {
    "The *crane*, tall, flew.": "The|*crane|,|tall|,|flew|.",
    "«*Cranes*» 3.5 kg": "«|*Cranes|»|3.5|kg",
    "don't *spring*-clean": "don't|*spring|-|clean",
    "5 * 3 is no [[spring]]!": "5|*|3|is|no|*spring|!",
    "我去*银行*取钱。": "我去|*银行|取钱|。",
    'A <head id="3">crane</head> flew': "A|*crane|flew",
    "A [TGT]crane[/TGT] by the [sic] bank": "A|*crane|by|the|[|sic|]|bank",
    "the *crane* <b>flew</b>": "the|*crane|<b>flew</b>",  # other marks win over tags
    "*Yahoo!*, he said": "*Yahoo!|,|he|said",
    "the *U.S.*": "the|*U.S.",
    "in [[C#]] and C": "in|*C#|and|C",
}
NAMES = {"*Yahoo!*, he said": "yahoo!", "the *U.S.*": "u.s..n"}


@pytest.mark.parametrize("text", MARKED)
def test_marked_sentences(text: str) -> None:
    position, tokens, _ = find_word.from_mark(text, NAMES.get(text, ""))
    shown = [f"*{token}" if i == position else token for i, token in enumerate(tokens)]
    assert "|".join(shown) == MARKED[text]


MISMARKED = {
    "2 words are marked in double brackets": ["A [[crane]] by a [[bank]]."],
    "not opened or not closed": ["A [[crane by", "A ]]crane[[ here.", "A [[crane]] here]]."],
    "white space: take 'crane' alone": ["A [[ crane ]].", "a <b> crane</b>"],
    "punctuation: take 'crane' alone": ["A [[[crane]]].", "A [[crane.]]"],
    "is part of a word": ["[[crane]]s", "A *bank*er", "*un*usual", "a <b>ban</b>ker"],
    "asterisks, not two": ["a **crane** here", "a *crane* and a crane*"],
    "white space": ["5 * 3 * 2"],
    "no word is marked": ["a crane", "a <b>crane</i>"],
    "2 words are marked with tags": ["<b>a</b> <b>crane</b>", "a <b>tall [T]crane[/T]</b>"],
}


@pytest.mark.parametrize("says", MISMARKED)
def test_invalid_marks_are_refused(says: str) -> None:
    for text in MISMARKED[says]:
        with pytest.raises(ValueError, match=says):
            find_word.from_mark(text)


def test_tags_are_marks_of_forms_only() -> None:
    text = "<i>Two</i> <b>cranes</b> flew"
    mark = find_word.find_mark(text, "cranes".__eq__)
    assert mark is not None and mark.text == "<i>Two</i> cranes flew"
    assert mark.text[mark.start : mark.end] == "cranes" == text[mark.at :][:6]
    assert find_word.find_mark("<i>Two</i> cranes", "cranes".__eq__) is None


def test_brackets_are_text_next_to_a_place() -> None:
    text = "see [[1]] on *his* cell"
    assert find_word.from_span(text, 19, 23).tokens[-1] == "cell"
    assert find_word.from_tokens(text, 4).tokens == ("see", "[[1]]", "on", "*his*", "cell")
    assert find_word.from_span("in his cell.", 7, 11) == find_word.from_mark("in his *cell*.")
    assert find_word.from_tokens("a hot dog", 1, 3) == find_word.from_mark("a *hot dog*")
