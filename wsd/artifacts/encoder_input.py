"""Parse what an encoder reads of an instance, and name the views that it returns.

The value of the config key ``input`` is a name or a mapping:

``plain``
    the sentence;
``masked``
    the sentence with one mask token in the place of the focal word;
``echo``
    the sentence twice. A decoder reads the second copy with the whole sentence before it
    (Springer et al., 2024, https://arxiv.org/abs/2402.15449);
``{template: 'In "{sentence}", "{word}" means', read: last}``
    the text, with the sentence and the focal word in their places;
``{mark: ['<t>', '</t>']}``
    the sentence with a token on each side of the focal word, as XL-LEXEME and CALE were trained
    on. It goes with a template too: then every copy of the sentence has the markers.

``{prefix: none}``
    any of these, without the token that comes first in a decoder. A decoder's first piece is an
    attention sink: in many layers its vector is far longer than all others, whatever it is (Xiao et
    al., 2024, https://arxiv.org/abs/2309.17453). So if a causal model's tokenizer adds no token
    before a text, a line break is put there, else the token for the beginning or end of a text.

``read`` names the pieces that the view ``focal`` pools: ``word``, the last occurrence of the focal
word; ``last``, the last piece of the text; ``mark``, the two markers in the last copy of the
sentence.

A view has a vector per hidden state:

``focal``
    the focal word: its word pieces pooled by ``mean``, ``first`` or ``last``;
``context``
    the mean of the other word pieces of the last copy of the sentence, without special tokens and
    padding; zero if the focal word is the only word;
``sentence``
    the mean of all word pieces of that copy, without special tokens and padding;
``cls``
    the tokenizer's ``[CLS]`` token, whether first or last.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any, NamedTuple

from wsd.errors import ConfigError

# The inputs that have a name (wsd/artifacts/encoder_input.py).
PLAIN, MASKED, ECHO = INPUTS = ("plain", "masked", "echo")
VIEWS = ("focal", "context", "cls", "sentence")
# The ways to pool the pieces of the focal word into one vector.
POOLINGS = ("mean", "first", "last")
DEVICES = ("auto", "cpu", "cuda")
# The precision of weights and computation. The encoder's vectors are always float32.
PRECISIONS = ("float32", "bfloat16", "float16")


SENTENCE, WORD = "sentence", "word"
READS = ("word", "last", "mark")
PREFIXES = ("auto", "none")
KEYS = ("template", "mark", "read", "prefix")
TEXTS = {PLAIN: "{sentence}", MASKED: "{sentence}", ECHO: "{sentence} {sentence}"}
# A value of the config key, as JSON has it.
InputValue = str | Mapping[str, Any]
TEMPLATE = (
    "give text with {sentence}, and {word} if it is wanted, with single spaces between words; "
    "write {{ and }} for other braces"
)
# The copy, or the place in the sentence, of what is not part of it.
NONE = -1


class InputWord(NamedTuple):
    """A word of the text that an encoder reads.

    Attributes
    ----------
    text : str
    before : str
        The space before it, if any.
    copy : int
        The number of its placeholder, from 0; NONE for text of the template.
    place : int
        Its number in the sentence, from 0; NONE for text of the template and for markers.
    """

    text: str
    before: str
    copy: int = NONE
    place: int = NONE


@dataclass(frozen=True)
class InputTemplate:
    """What an encoder reads of an instance.

    Attributes
    ----------
    template : str
        Text with the placeholders ``{sentence}`` and ``{word}``.
    read : {"word", "last", "mark"}
        The pieces that ``focal`` pools.
    mark : tuple of str
        The markers before and after the focal word; empty for none.
    name : str
        The name of the input; empty if it is a mapping.
    prefix : {"auto", "none"}
        Whether a causal model gets a token before the text if its tokenizer adds none.
    """

    template: str = TEXTS[PLAIN]
    read: str = READS[0]
    mark: tuple[str, ...] = ()
    name: str = ""
    prefix: str = PREFIXES[0]

    @property
    def masked(self) -> bool:
        """Return whether one mask token replaces the focal word."""
        return self.name == MASKED

    @property
    def adds_prefix(self) -> bool:
        """Return whether a causal model gets a token before the text if its tokenizer adds none."""
        return self.prefix == PREFIXES[0]

    @property
    def value(self) -> InputValue:
        """Return the input as a value for JSON, with all defaults."""
        mark = {"mark": list(self.mark)} if self.mark else {}
        first = {} if self.adds_prefix else {"prefix": self.prefix}
        return self.name or {"template": self.template, **mark, "read": self.read, **first}

    @cached_property
    def _parts(self) -> list[tuple[str, str | None]]:
        """Return each text with the placeholder that follows it; the last one may have none."""
        return [(text, field) for text, field, _, _ in Formatter().parse(self.template)]

    @cached_property
    def copies(self) -> list[int]:
        """Return the numbers of the placeholders that are a copy of the sentence."""
        return [i for i, (_, field) in enumerate(self._parts) if field == SENTENCE]

    @property
    def reads_after_sentence(self) -> bool:
        """Return whether a whole copy of the sentence comes before the pieces that are read."""
        if self.read == "word":
            return self.copies[0] < max(i for i, (_, field) in enumerate(self._parts) if field)
        return self.read == "last" or len(self.copies) > 1

    def words(self, left: str, focal: str, right: str) -> list[InputWord]:
        """Return the words of the text for an instance, which white space and the focal word cut.

        Parameters
        ----------
        left, focal, right : str
            The text before the focal word, this word, and the text after it.
        """
        words: list[InputWord] = []
        for copy, (text, field) in enumerate(self._parts):
            for i, word in enumerate(text.split()):
                words.append(InputWord(word, " " if i or text[0] == " " else ""))
            space = " " if text.endswith(" ") else ""
            if field == SENTENCE:
                words += self._sentence(left, focal, right, space, copy)
            elif field == WORD:
                words.append(InputWord(focal, space, copy, len(left.split())))
        return words

    def _sentence(
        self, left: str, focal: str, right: str, space: str, copy: int
    ) -> list[InputWord]:
        """Return a copy of the sentence, with markers that touch the focal word."""
        tokens, position = [*left.split(), focal, *right.split()], len(left.split())
        words = [InputWord(token, " ", copy, i) for i, token in enumerate(tokens)]
        for i, neighbour in ((position, left[-1:]), (position + 1, right[:1])):
            if neighbour.strip():
                words[i] = words[i]._replace(before="")
        words[0] = words[0]._replace(before=space)
        if self.mark:
            opening, closing = self.mark
            words[position : position + 1] = (
                InputWord(opening, words[position].before, copy),
                words[position]._replace(before=""),
                InputWord(closing, "", copy),
            )
        return words

    def describe(self) -> str:
        """Return a sentence that says what the encoder reads."""
        if self.name:
            return {
                PLAIN: "The encoder reads the sentence.",
                MASKED: "A mask token replaces the focal word.",
                ECHO: "The encoder reads the sentence twice; the vector is of the second copy.",
            }[self.name]
        what = {
            "word": "the last occurrence of the focal word",
            "last": "the last piece",
            "mark": "the markers",
        }[self.read]
        marks = f", with {' and '.join(self.mark)} around the focal word" if self.mark else ""
        first = "" if self.adds_prefix else ", with no token before it"
        return f"The encoder reads “{self.template}”{marks}{first}; the vector is of {what}."


def parse_input(value: "InputValue | InputTemplate", where: str = "input") -> InputTemplate:
    """Parse a value of the config key ``input``.

    Parameters
    ----------
    value : str, mapping or InputTemplate
        An InputTemplate is returned unchanged.
    where : str
        The place for error messages.

    Raises
    ------
    ConfigError
        If it names no input, or if its template or its markers cannot be used.
    """
    if isinstance(value, InputTemplate):
        return value
    if isinstance(value, str) and value in INPUTS:
        return InputTemplate(TEXTS[value], name=value)
    given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    keys = {*given}
    if keys <= {"read"} or keys - {*KEYS}:
        fix = f"use {', '.join(INPUTS)}, or a mapping of `template`, `mark`, `read`, `prefix`"
        raise ConfigError(f"no input {value!r}", where=where, fix=fix)
    defaults = {"template": TEXTS[PLAIN], "mark": (), "read": "word", "prefix": "auto"}
    values: dict[str, Any] = {**defaults, **given}
    template, mark, read, prefix = (values[key] for key in KEYS)

    def unusable(key: str, fix: str) -> ConfigError:
        return ConfigError(f"{values[key]!r} cannot be used", where=f"{where}.{key}", fix=fix)

    if not _is_template(template):
        raise unusable("template", TEMPLATE)
    if mark != () and not _is_mark(mark):
        raise unusable("mark", "give two tokens of the tokenizer: ['<t>', '</t>']")
    if read not in READS or (read == "mark" and mark == ()):
        raise unusable("read", "use word, last, or mark with `mark`")
    if prefix not in PREFIXES:
        raise unusable("prefix", f"use {' or '.join(PREFIXES)}")
    return InputTemplate(template, read, tuple(mark), prefix=prefix)


def _is_template(template: object) -> bool:
    """Return whether a text has single spaces, a sentence, and only the known placeholders."""
    if not isinstance(template, str) or " ".join(template.split()) != template:
        return False
    try:
        parts = list(Formatter().parse(template))
    except ValueError:  # a single brace
        return False
    fields = [part[1:] for part in parts if part[1] is not None]
    return (SENTENCE, "", None) in fields and {*fields} <= {(SENTENCE, "", None), (WORD, "", None)}


def _is_mark(mark: object) -> bool:
    marks = mark if isinstance(mark, list | tuple) else ()
    return len(marks) == 2 and all(isinstance(m, str) and m.split() == [m] for m in marks)


def input_argument(text: str) -> InputValue:
    """Parse an argument of a command: the name of an input, or a mapping as JSON.

    Raises
    ------
    ConfigError
        As in :func:`parse_input`.
    """
    if not text.lstrip().startswith("{"):
        return parse_input(text).value
    try:
        return parse_input(json.loads(text)).value
    except (RecursionError, ValueError):
        fix = """give a mapping in quotes: '{"template": "{sentence} {sentence}"}'"""
        raise ConfigError(f"{text!r} is not JSON", where="input", fix=fix) from None


def as_argument(value: InputValue) -> str:
    """Return a value as :func:`input_argument` reads it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
