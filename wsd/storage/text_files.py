"""Read the user's text files: UTF-8, lines, JSON. Every error names the file and the line."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.errors import CorpusError

GZIP = b"\x1f\x8b"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
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


def read_text_file(path: Path) -> str:
    """Return the text of a file in UTF-8; refuse a missing or empty file."""
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
    if raw.startswith(UTF16):
        convert = f"iconv -f UTF-16 -t UTF-8 {shlex.quote(str(path))} > NEW-FILE"
        fix = f"save it as UTF-8, for example: {convert}"
        problem = "the file is in UTF-16, as spreadsheets save Unicode text"
        raise CorpusError(problem, where=str(path), fix=fix)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"byte {raw[error.start]:#04x} is not UTF-8"
        fix = "open it in the encoding it was saved in (often Windows-1252), and save it as UTF-8"
        raise CorpusError(problem, where=f"{path}:{line}", fix=fix) from None


def text_without_bom(path: Path) -> str:
    """Return the text of a file in UTF-8 without a byte order mark."""
    return read_text_file(path).removeprefix("\ufeff")


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file with LF line ends."""
    text = read_text_file(path)
    if "\r" in text:
        problem = "a carriage return: the file has Windows (CRLF) line ends"
        where = f"{path}:{text.count(chr(10), 0, text.index(chr(13))) + 1}"
        raise CorpusError(problem, where=where, fix="convert the file to LF line ends")
    # Not splitlines(), which also breaks a sentence at U+2028, form feeds and other characters.
    return text.removesuffix("\n").split("\n")


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (file and line, text) of every line; accept CRLF and a byte order mark."""
    text = text_without_bom(path)
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


def json_lines(path: Path, fix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file and line, object) of a file with a JSON object per line; skip empty lines."""
    for where, line in numbered_lines(path):
        if line.strip():
            with at_place(where, fix):
                values = parse_json(line, unique_keys)
                if not isinstance(values, dict):
                    raise ValueError("not a JSON object")
            yield where, values


def json_objects(path: Path, fix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file and line, object) of a JSON array of objects, or of a JSON object per line."""
    text = text_without_bom(path)
    if not text.lstrip().startswith("["):
        yield from json_lines(path, fix)
        return
    with at_place(str(path), fix):
        parse_json(text, unique_keys)
    line, end = 1, 0
    while item := _BEFORE_ITEM.match(text, end):
        line += text.count("\n", end, item.end())
        value, end = json.JSONDecoder().raw_decode(text, item.end())
        with at_place(f"{path}:{line}", fix):
            if not isinstance(value, dict):
                raise ValueError("not a JSON object")
        yield f"{path}:{line}", value
        line += text.count("\n", item.end(), end)
