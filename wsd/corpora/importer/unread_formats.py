"""Recognise formats that ``wsd import`` does not read, and name the documented conversion."""

import re
from collections.abc import Sequence
from pathlib import Path

from wsd.corpora.importer.file_beginning import beginning
from wsd.errors import ConfigError

# The page with a conversion of about ten lines for each format, and an example.
PAGE = "docs/reference/formats.md"
_PROLOGUE = r"\s*(?:<[?!][^>]*>\s*)*+"
FORMATS = {
    "WebAnno TSV": re.compile(r"\s*#FORMAT=WebAnno TSV"),
    "CoNLL-U": re.compile(r"(?:#[^\n]*\n|\s*\n)*+1(?:-[0-9]+)?(?:\t[^\t\n]+){9}"),
    "FEWS": re.compile(r"[^\t\n]*<WSD>[^\t\n]*</WSD>[^\t\n]*\t\S+\.\w+\.[0-9]+\s*?(?:\n|\Z)"),
    "SemCor SGML": re.compile(rf"{_PROLOGUE}<contextfile\b"),
    "NAF": re.compile(rf"{_PROLOGUE}<NAF\b"),
}


def refuse(paths: Sequence[Path]) -> None:
    """Refuse files in a format that is only read after a conversion.

    Raises
    ------
    ConfigError
    """
    for path in paths:
        text = beginning(path)
        for name, pattern in FORMATS.items():
            if pattern.match(text):
                problem = f"{path} is {name}, which is not read"
                fix = f'convert it to a table with the ten lines under "{name}" in {PAGE}'
                raise ConfigError(problem, where=str(path), fix=fix)
