"""Foreign text: UTF-8, its lines, its JSON; what is wrong is named with its file and line."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wsd.errors import CorpusError

GZIP = b"\x1f\x8b"
UTF16 = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def refusing(where: str, fix: str | None = None) -> Iterator[None]:
    """Turn what is wrong with a foreign text, told as a ValueError, into one that names its place.

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
    """The text of a file in UTF-8 that is there and not empty."""
    if path.is_dir():
        raise CorpusError("a folder, and not a file", where=str(path), fix="name a file")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        fix = "name a file or folder that is there; snakemake makes those of a run"
        raise CorpusError("a corpus file is missing", where=str(path), fix=fix) from None
    if not raw:
        raise CorpusError("the file is empty", where=str(path), fix="have it written again")
    if raw.startswith(GZIP):
        raise CorpusError("the file is compressed", where=str(path), fix="unpack it first")
    if raw.startswith(UTF16):
        convert = f"iconv -f UTF-16 -t UTF-8 {shlex.quote(str(path))} > NEW-FILE"
        fix = f"save it as UTF-8, for example: {convert}"
        what = "the file is in UTF-16, as spreadsheets save Unicode text"
        raise CorpusError(what, where=str(path), fix=fix)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {raw[error.start]:#04x} is not UTF-8"
        fix = "open it in the encoding it was saved in (often Windows-1252), and save it as UTF-8"
        raise CorpusError(what, where=f"{path}:{line}", fix=fix) from None


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    return read_text_file(path).removeprefix("\ufeff")


def read_lines(path: Path) -> list[str]:
    """The lines of a text file; a last line without newline is fine."""
    text = read_text_file(path)
    if "\r" in text:
        what = "a carriage return: the file has Windows (CRLF) line ends"
        where = f"{path}:{text.count(chr(10), 0, text.index(chr(13))) + 1}"
        raise CorpusError(what, where=where, fix="convert the file to LF line ends")
    # Not splitlines(): that also breaks at U+2028, form feeds and others inside a sentence.
    return text.removesuffix("\n").split("\n")


def numbered(path: Path) -> Iterator[tuple[str, str]]:
    """(file and line, text) of every line, whatever its line end and byte order mark."""
    text = text_of(path)
    if "\r" in text.rstrip("\r") and "\n" not in text:
        what, fix = "lines that end in carriage returns alone", "save it with LF or CRLF line ends"
        raise CorpusError(what, where=str(path), fix=fix)
    for number, line in enumerate(text.split("\n"), start=1):
        yield f"{path}:{number}", line.removesuffix("\r")


Pairs = list[tuple[str, Any]]


def parse_json(text: str, pairs: Callable[[Pairs], Any] | None = None) -> Any:
    """What a foreign text in JSON says.

    Parameters
    ----------
    text : str
    pairs : callable, optional
        What is made of the pairs of an object.

    Raises
    ------
    ValueError
        In words for the user, so that :func:`refusing` can say where.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"not valid JSON: {error}") from None


def each_once(pairs: Pairs) -> dict[str, Any]:
    """Return an object of JSON, each of whose keys stands in it once; else a ValueError."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in an object twice")
    return found


def json_lines(path: Path, fix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file and line, object) of a file with a JSON object per line; empty lines are skipped."""
    for where, line in numbered(path):
        if line.strip():
            with refusing(where, fix):
                found = parse_json(line, each_once)
                if not isinstance(found, dict):
                    raise ValueError("not a JSON object")
            yield where, found
