"""Read the user's text files: encodings, lines, JSON. Every error names the file and the line."""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from wsd.errors import ConfigError, CorpusError

GZIP = b"\x1f\x8b"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# The bracket or comma before an item of a JSON array.
_BEFORE_ITEM = re.compile(r"\s*[\[,]\s*(?=[^\]\s])")


@contextmanager
def at_place(where: str, fix: str | None = None) -> Iterator[None]:
    """Turn a ValueError about a text into a CorpusError that names its place.

    Parameters
    ----------
    where : str
        File and line.
    fix : str, optional
        What the user can do about it.
    """
    try:
        yield
    except ValueError as error:
        raise CorpusError(str(error), where=where, fix=fix) from None


def _read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; refuse a missing, empty or compressed file."""
    if path.is_dir():
        raise CorpusError("a folder in place of a file", where=str(path), fix="name a file")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        fix = "name an existing file or folder; snakemake creates the files of a run"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    if not raw:
        raise CorpusError("the file is empty", where=str(path), fix="save it again")
    if raw.startswith(GZIP):
        raise CorpusError("the file is compressed", where=str(path), fix="unpack it first")
    return raw


def _decode(raw: bytes, path: Path, encoding: str, fix: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        name = "UTF-8" if encoding == "utf-8" else encoding
        problem = f"byte {raw[error.start]:#04x} is not {name}"
        raise CorpusError(problem, where=f"{path}:{line}", fix=fix) from None
    except LookupError:
        problem, fix = f"unknown encoding {encoding!r}", "give a name such as cp1252 or utf-8"
        raise ConfigError(problem, where="--encoding", fix=fix) from None


def read_text_file(path: Path) -> str:
    """Return the text of a file in UTF-8; refuse a missing or empty file."""
    raw = _read_bytes(path)
    fix = "open it in the encoding it was saved in (often Windows-1252), and save it as UTF-8"
    return _decode(raw, path, "utf-8", fix)


def decode_file(path: Path, encoding: str | None = None) -> tuple[str, str]:
    """Return the text of a user's file, and the name of its encoding.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        The encoding. By default, this is UTF-16 for a file that begins with its byte order mark,
        and UTF-8 for other files. A byte order mark is removed.

    Raises
    ------
    CorpusError
        For a missing or empty file, and bytes that the encoding does not have.
    ConfigError
        For an unknown encoding.
    """
    raw = _read_bytes(path)
    name = "UTF-16" if raw.startswith(UTF16) else "UTF-8"
    if encoding is None and name == "UTF-8" and b"\0" in raw[:100]:
        fix = "if it is text in UTF-16, add --encoding utf-16-le, or utf-16-be; or save it as UTF-8"
        raise CorpusError("a zero byte: this is not text in UTF-8", where=str(path), fix=fix)
    fix = "save it as UTF-8, or import it in the encoding it was saved in: often --encoding cp1252"
    text = _decode(raw, path, encoding or name.lower(), fix)
    return text.removeprefix("\ufeff"), encoding or name


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file with LF line ends."""
    text = read_text_file(path)
    if "\r" in text:
        problem = "a carriage return: the file has Windows (CRLF) line ends"
        where = f"{path}:{text.count(chr(10), 0, text.index(chr(13))) + 1}"
        raise CorpusError(problem, where=where, fix="convert the file to LF line ends")
    # Not splitlines(), which also breaks a sentence at U+2028, form feeds and other characters.
    return text.removesuffix("\n").split("\n")


def numbered_lines(path: Path, encoding: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield (file and line, text) of every line; accept CRLF and a byte order mark."""
    yield from lines_of(path, decode_file(path, encoding)[0])


def lines_of(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield (file and line, text) of every line of a file's text; accept CRLF."""
    if "\r" in text.rstrip("\r") and "\n" not in text:
        problem, fix = "lines end in carriage returns alone", "save it with LF or CRLF line ends"
        raise CorpusError(problem, where=str(path), fix=fix)
    for number, line in enumerate(text.split("\n"), start=1):
        yield f"{path}:{number}", line.removesuffix("\r")


Pairs = list[tuple[str, Any]]


def parse_json(text: str, pairs: Callable[[Pairs], Any] | None = None) -> Any:
    """Parse JSON that the user wrote.

    Parameters
    ----------
    text : str
    pairs : callable, optional
        Function that turns the pairs of an object into a value (default: dict).

    Raises
    ------
    ValueError
        With a message for the user, to which :func:`at_place` adds the place.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"not valid JSON: {error}") from None


def unique_keys(pairs: Pairs) -> dict[str, Any]:
    """Return an object of JSON; raise a ValueError if it has a key twice."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("an object has a key twice")
    return values


Guard = Callable[[], AbstractContextManager[None]]


def json_lines(
    path: Path, fix: str, text: str | None = None, guard: Guard = nullcontext
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file and line, object) of a file with a JSON object per line; skip empty lines."""
    for where, line in lines_of(path, decode_file(path)[0] if text is None else text):
        if line.strip():
            with guard(), at_place(where, fix):
                values = parse_json(line, unique_keys)
                if not isinstance(values, dict):
                    raise ValueError("not a JSON object")
                yield where, values


def json_objects(
    path: Path, fix: str, encoding: str | None = None, guard: Guard = nullcontext
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file and line, object) of a JSON array of objects, or of a JSON object per line.

    The items of an array in one line are numbered from 0: ``file.json[8]``.

    Parameters
    ----------
    path : Path
    fix : str
        The advice about a file that is neither.
    encoding : str, optional
        As :func:`decode_file` takes it.
    guard : function
        Returns a context in which a line is parsed. It may collect the line's error.
    """
    text = decode_file(path, encoding)[0]
    if not is_array(text):
        yield from json_lines(path, fix, text, guard)
        return
    with at_place(str(path), fix):
        parse_json(text, unique_keys)
    in_one_line = "\n" not in text.strip()
    number, line, end = 0, 1, 0
    while item := _BEFORE_ITEM.match(text, end):
        line += text.count("\n", end, item.end())
        value, end = json.JSONDecoder().raw_decode(text, item.end())
        where = f"{path}[{number}]" if in_one_line else f"{path}:{line}"
        with guard(), at_place(where, fix):
            if not isinstance(value, dict):
                raise ValueError("not a JSON object")
            yield where, value
        number += 1
        line += text.count("\n", item.end(), end)


def is_array(text: str) -> bool:
    """Return whether a text of JSON is an array."""
    return text.lstrip().startswith("[")
