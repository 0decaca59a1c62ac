"""One function decides the part of speech, for tables, forms, glosses and names."""

import pytest

from wsd.artifacts.senses import lemma_and_part, parts_of_speech
from wsd.corpora.word_forms import matching_words


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("age.n", "age.noun"), ("noun", "noun")),
        (("\u82b1.n", "\u8bb2.v", "C.n"), ("noun", "verb", "noun")),
        (("cold.s", "cold.a", "COLD.JJ"), ("adjective",) * 3),
        (("so.conj", "well.r"), ("conj", "adverb")),
        (("node.js", "cell.n"), None),
        (("U.S", "cell.n"), None),
        (("cell", "cell.n"), None),
        (("so.conj", "that.det"), None),
        (("node.js", "asp.net"), None),
        ((), None),
    ],
)
def test_the_parts_of_speech_of_a_corpus(
    words: tuple[str, ...], parts: tuple[str, ...] | None
) -> None:
    assert parts_of_speech(words) == (dict(zip(words, parts, strict=True)) if parts else {})


@pytest.mark.parametrize("word", ["age.noun", "\u82b1.n", "cold.s", "so.conj", "X.n"])
def test_tables_and_predict_agree(word: str) -> None:
    lemma, part = lemma_and_part(word)
    assert parts_of_speech([word, "bank.n"])[word] == part
    assert matching_words(lemma, [word, "bank.n"]) == [word]
