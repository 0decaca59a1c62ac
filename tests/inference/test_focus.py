"""Sentences with a focal word in the forms that users give."""

import numpy as np
import pytest

from wsd.artifacts.dataset import DATA
from wsd.errors import ConfigError
from wsd.inference.sentences import (
    Focus,
    as_corpus,
    cut,
    find,
    labelled,
    quickstart,
    read_instances,
)


@pytest.mark.parametrize(
    ("sentence", "span", "tokens", "position"),
    [
        ("a crane is flying", (2, 7), ("a", "crane", "is", "flying"), 1),
        ("Bank, he said", (0, 4), ("Bank", ",", "he", "said"), 0),
        ('the "crane\'s" arm', (5, 10), ("the", '"', "crane", "'s\"", "arm"), 2),
        ("in New  York now", (3, 12), ("in", "New York", "now"), 1),
        ("the U.S. won", (4, 8), ("the", "U.S.", "won"), 1),
        ("goin' home", (0, 5), ("goin'", "home"), 0),
        ("we use C++.", (7, 10), ("we", "use", "C++", "."), 2),
    ],
)
def test_a_span_is_cut_out(sentence, span, tokens, position) -> None:
    assert cut(sentence, span) == Focus(tokens, position)


@pytest.mark.parametrize(
    ("sentence", "span", "says"),
    [
        ("a crane", (2, 8), "not within"),
        ("a crane", (-5, 7), "not within"),
        ("a crane", (3, 3), "empty"),
        ("a hot dog", (9, 2), "the end is before the start"),
        ("a hot dog", (2, 10), "not within"),
        ("a crane", (1, 2), "the focal word is empty"),
        ("the crane ", (3, 10), "' crane ' begins or ends with white space: take 'crane' alone"),
        ("in his cell.", (7, 12), "'cell.' begins or ends with punctuation: take 'cell' alone"),
        ("ask Yahoo! now", (4, 10), "'Yahoo!' begins or ends with punctuation"),
        ("a crane", (2, 6), "part of a word"),
        ("a crane", (3, 7), "part of a word"),
        ("a cafe\u0301", (2, 6), "part of a word"),
        ("a \ud800 crane", (4, 9), "half a character"),
    ],
)
def test_invalid_spans_are_refused(sentence, span, says) -> None:
    with pytest.raises(ConfigError, match=says):
        cut(sentence, span)


def test_the_only_occurrence_is_found() -> None:
    assert find("Two cranes.", "crane") == Focus(("Two", "cranes", "."), 1)
    with pytest.raises(ConfigError, match="2 forms of 'crane' in the sentence") as error:
        find("a crane by a crane", "crane")
    assert "mark the whole focal word once" in str(error.value)
    for word in ("bird", "", " "):
        with pytest.raises(ConfigError, match="no form of"):
            find("a crane by a crane", word)


def test_a_word_is_spelt_with_its_own_punctuation() -> None:
    text = "ask Yahoo!!"
    assert cut(text, (4, 10), "yahoo!").tokens == ("ask", "Yahoo!", "!")
    with pytest.raises(
        ConfigError, match="'Yahoo!!' begins or ends with punctuation: take 'Yahoo!'"
    ):
        cut(text, (4, 11), "yahoo!")


def test_a_marked_word_is_found() -> None:
    assert find("A crane by a [[crane]].", "crane") == Focus(
        ("A", "crane", "by", "a", "crane", "."), 4
    )
    assert find("a crane, a *crane*", "crane").position == 3
    # Emphasis of another word is text.
    assert find("a *tall* crane", "crane") == Focus(("a", "*tall*", "crane"), 2)
    for text, says in (
        ("a [[crane]] by a [[bank]]", "2 words are marked"),
        ("a [[crane by a crane", "not opened or not closed"),
        ("a [[ crane ]]", "white space"),
        ("[[crane]]s", "part of a word"),
        ("a crane [[1]]", "'1' is marked, which is not a form of 'crane'"),
    ):
        with pytest.raises(ConfigError, match=says):
            find(text, "crane")


def test_instances_come_as_pairs_or_as_a_table() -> None:
    rows = [("a crane", "crane"), ("the crane's arm", (4, 9))]
    wanted = [Focus(("a", "crane"), 1), Focus(("the", "crane", "'s", "arm"), 1)]
    assert read_instances(rows) == wanted
    # Numbers of a column with gaps, and a script without spaces.
    assert read_instances([("the crane's arm", (4.0, 9.0)), ("我去银行取钱", (2, 4))]) == [
        wanted[1],
        Focus(("我去", "银行", "取钱"), 1),
    ]
    array = np.empty((2, 2), dtype=object)
    array[:] = rows
    assert read_instances(array) == wanted


@pytest.mark.parametrize(
    "row",
    [
        *("a crane", ("a crane", 2), ("a crane",), (2, "crane"), 3.0),
        *(("a crane", (2.5, 7)), ("a crane", (float("inf"), 7)), ("a crane", (float("nan"), 7))),
    ],
)
def test_invalid_instances_are_named(row) -> None:
    with pytest.raises(ConfigError, match="instance 1"):
        read_instances([("a crane", "crane"), row])


def test_instances_of_the_corpus_keep_their_tokens() -> None:
    for word in ("apple", "bank", "crane", "java", "spring"):
        corpus = quickstart(word)
        for split in ("train", "test"):
            X, y = labelled(corpus, split)
            rows = np.flatnonzero(corpus.split == split)
            assert [corpus.tokens[row] for row in rows] == [
                entry.tokens for entry in read_instances(X)
            ]
            assert [corpus.position[row] for row in rows] == [
                entry.position for entry in read_instances(X)
            ]
            assert y.tolist() == [corpus.senses[gold] for gold in corpus.gold[rows]]
    with pytest.raises(ConfigError, match="no split 'outofdomain'"):
        labelled(corpus, "outofdomain")
    with pytest.raises(ConfigError, match="apple, bank, bat, charge, crane, java, light"):
        quickstart("bass")
    assert (DATA / "quickstart" / "crane").is_dir()


def test_a_table_of_instances_has_their_positions() -> None:
    actual = as_corpus([Focus(("a", "crane"), 1), Focus(("bank",), 0)])
    assert actual.tokens == (("a", "crane"), ("bank",))
    assert actual.position.tolist() == [1, 0]
