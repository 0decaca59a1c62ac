"""Inputs are parsed from a config, a command or a dict, and bad ones are refused with a reason."""

import json
from typing import Any

import pytest

from wsd.artifacts.encoder_input import as_argument, input_argument, parse_input
from wsd.errors import ConfigError

PARTS = [*map("the crane flew".partition, ("the", "crane", "flew"))]
VALUES: list[Any] = ["plain", "echo", {"template": '"{sentence}", {word}', "read": "last"}]


def text(value: Any, position: int = 1) -> str:
    words = parse_input(value).words(*PARTS[position])
    return "".join(word.before + word.text for word in words)


def test_the_text_of_every_input() -> None:
    assert text("plain") == text("masked") == "the crane flew"
    assert text("echo") == "the crane flew the crane flew"
    assert text({"template": 'In "{sentence}", ({word}) is'}) == 'In "the crane flew", (crane) is'
    assert text({"template": "{word}{sentence}{word}"}) == "cranethe crane flewcrane"
    assert text({"template": "{{{word}}} : {sentence} }}"}) == "{crane} : the crane flew }"
    assert text({"mark": ["<t>", "</t>"]}) == "the <t>crane</t> flew"
    assert text({"mark": ["<t>", "</t>"]}, 0) == "<t>the</t> crane flew"
    marked = {"template": "{sentence} = {sentence} {word}", "mark": ["[", "]"]}
    assert text(marked, 2) == "the crane [flew] = the crane [flew] flew"


def test_a_word_knows_its_copy_and_its_place() -> None:
    words = parse_input({"template": "a {word} b {sentence}", "mark": ["<", ">"]}).words(*PARTS[1])
    assert [(word.text, word.copy, word.place) for word in words] == [
        ("a", -1, -1), ("crane", 0, 1), ("b", -1, -1),
        ("the", 1, 0), ("<", 1, -1), ("crane", 1, 1), (">", 1, -1), ("flew", 1, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_values_go_through_a_command_and_json(value: Any) -> None:
    parsed = parse_input(value)
    assert parsed.value == value
    assert input_argument(as_argument(parsed.value)) == value
    assert parse_input(json.loads(json.dumps(parsed.value))) == parsed
    assert parse_input(parsed) is parsed and parsed.describe()


def test_what_reads_after_a_whole_sentence() -> None:
    marks = {"mark": ["<", ">"], "read": "mark"}
    before: list[Any] = ["plain", {"template": "{word} : {sentence}"}, marks]
    after: list[Any] = ["echo", {"template": "{sentence} : {word}"}]
    after += [{"template": "{sentence} is", "read": "last"}]
    after += [{"template": "{sentence} {sentence}", **marks}]
    assert [parse_input(value).reads_after_sentence for value in before] == [False] * 3
    assert [parse_input(value).reads_after_sentence for value in after] == [True] * 4


NO_INPUT: list[Any] = ["twice", 3, {}, {"read": "last"}, {"template": "{sentence}", "pool": "last"}]
TEMPLATES: list[Any] = [
    *(3, "the word", "{word} means", "{sentence} {sense}", "{sentence} {}", "{sentence!r}"),
    *("{sentence} {word:>9}", "{sentence", "{sentence} }", "{sentence}\nmeans", "{sentence} "),
]
UNUSABLE = {
    "template": [{"template": template} for template in TEMPLATES],
    "mark": [{"mark": mark} for mark in (["<t>"], "<t>", ["<t>", "< /t>"], ["<t>", ""])],
    "read": [{"template": "{sentence}", "read": read} for read in ("first", ["last"], "mark")],
    "prefix": [{"template": "{sentence}", "prefix": "always"}],
}


def test_an_input_that_cannot_be_used_is_refused() -> None:
    for value in NO_INPUT:
        with pytest.raises(ConfigError, match="no input"):
            parse_input(value)
    for key, values in UNUSABLE.items():
        for value in values:
            with pytest.raises(ConfigError, match="cannot be used") as caught:
                parse_input(value, "input")
            assert caught.value.where == f"input.{key}"
    with pytest.raises(ConfigError):
        input_argument("{1: 2}")
