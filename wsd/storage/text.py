"""Foreign text: UTF-8, its lines, its JSON; what is wrong is named with its file and line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wsd.errors import CorpusError


def read_text_file(path: Path) -> str:
    """The text of a file in UTF-8 that is there and not empty."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError("a corpus file is missing", where=str(path)) from None
    if not raw:
        raise CorpusError("the file is empty", where=str(path))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"byte {raw[error.start]:#04x} is not UTF-8",
            where=f"{path}:{line}",
            fix="save the file as UTF-8",
        ) from None


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    return read_text_file(path).removeprefix("\ufeff")


def read_lines(path: Path) -> list[str]:
    """The lines of a text file; a last line without newline is fine."""
    text = read_text_file(path)
    if "\r" in text:
        raise CorpusError(
            "a carriage return: the file has Windows (CRLF) line ends",
            where=f"{path}:{text.count(chr(10), 0, text.index(chr(13))) + 1}",
            fix="convert the file to LF line ends",
        )
    # Not splitlines(): that also breaks at U+2028, form feeds and others inside a sentence.
    return text.removesuffix("\n").split("\n")


def parse_json(
    text: str,
    where: str,
    *,
    fix: str | None = None,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """What a foreign text in JSON says; ``pairs`` is what is made of the pairs of an object."""
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (RecursionError, ValueError) as error:
        raise CorpusError(f"not valid JSON: {error}", where=where, fix=fix) from None
