"""Names of senses, from labels and from a corpus, and parts of speech of words."""

from itertools import product

import pytest

from wsd.artifacts.senses import (
    SenseText,
    find_clash,
    parse_sense_texts,
    parts_of_speech,
    readable,
    sense_texts,
)


def names(word: str, labels: list[str], **given: SenseText) -> list[str]:
    return [text.name for text in sense_texts(word, labels, given)]


READABLE = (
    "crane crane_bird bird|serve.v serve_food food|serve.v serve.v_food food|apple Apple_Inc Inc|"
    "serve.v serve.v.1 serve.v.1|cell.n cell%1:03:00:: cell%1:03:00::|ice~cream ice_cream_x x|"
    "ice_cream ice~cream_x x|bank bank bank|bank bank_ bank_|bank bank~robber bank~robber|"
    "bank banker_of_note banker~of~note|c++ c++_x x|.net .net_x x|银行 银行_钱 钱|b _ _|"
    # Labels of CoarseWSD-20.
    "apple apple_apple_inc. apple~inc.|bass bass_bass_(voice_type) bass~(voice~type)|"
    "chair chair_chairman chairman|java java_java java|seal seal_pinniped pinniped"
)


def test_readable() -> None:
    for word, label, name in map(str.split, READABLE.split("|")):
        assert readable(word.replace("~", " "), label.replace("~", " ")) == name.replace("~", " ")


def test_no_two_senses_have_the_same_name() -> None:
    assert names("w", ["w_x", "x", "w_y", "x "]) == ["w_x", "x", "y", "x "]
    assert names("w", ["a_b", "a b", "c_d"]) == ["a_b", "a b", "c d"]
    labels = sorted({"".join(entry) for entry in product(["w", "x", "_", "W_"], repeat=3)})
    actual = names("w", labels)
    assert len(set(actual)) == len(labels) and all(actual)


@pytest.mark.parametrize(
    ("given", "clash"),
    [
        ({"w_a": SenseText("same"), "w_b": SenseText("same")}, ("w_a", "w_b")),
        ({"w_a": SenseText("b")}, ("w_a", "w_b")),
        ({"w_a": SenseText("w_b")}, ("w_a", "w_b")),
        ({"w_b": SenseText("c"), "w_a": SenseText("b")}, None),
        ({"w_a": SenseText("", "gloss"), "w_b": SenseText("", "gloss")}, None),
    ],
)
def test_a_name_belongs_to_one_sense(
    given: dict[str, SenseText], clash: tuple[str, str] | None
) -> None:
    assert find_clash("w", ["w_a", "w_b"], given) == clash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SenseText("a\x1b[2J"), "cannot be seen"),
        (SenseText("a", "b\nc"), "cannot be seen"),
        (SenseText("a  b"), "white space"),
        (SenseText("a", "b" * 1001), "gloss of 1001 characters"),
        (SenseText(3), "not a text"),  # type: ignore[arg-type]
    ],
)
def test_invisible_names_are_refused(text: SenseText, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_sense_texts("w", {"w_a": text._asdict(), "w_b": {}})


def test_names_from_a_manifest() -> None:
    given = {"w_a": SenseText("alpha", "the first"), "w_b": SenseText("", "the second")}
    expected = (SenseText("alpha", "the first"), SenseText("b", "the second"), SenseText("c"))
    assert sense_texts("w", ["w_a", "w_b", "w_c"], given) == expected
    senses = {"w_a": {"train": 3, "name": "alpha"}, "w_b": {"train": 2}, "w_c": {"gloss": "third"}}
    parsed = {"w_a": SenseText("alpha"), "w_c": SenseText("", "third")}
    assert parse_sense_texts("w", senses) == parsed
    with pytest.raises(ValueError, match="is the name or the label of 'w_b'"):
        parse_sense_texts("w", {**senses, "w_b": {"name": "alpha"}})


def test_the_parts_of_speech_of_a_corpus() -> None:
    words = "age.n age.noun \u8bb2.v cold.s cold.a COLD.JJ so.conj well.r"
    parts = "noun noun verb adjective adjective adjective conj adverb"
    expected = dict(zip(words.split(), parts.split(), strict=True))
    assert parts_of_speech(words.split()) == expected
    # A word has no tag, or all classes are closed.
    for words in ("node.js cell.n", "U.S cell.n", "cell cell.n", "so.conj that.det", ""):
        assert parts_of_speech(words.split()) == {}
