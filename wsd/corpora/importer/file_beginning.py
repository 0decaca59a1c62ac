"""The beginning of a file, by which its format is recognised."""

import re
from pathlib import Path

from wsd.storage.text_files import UTF16

# Read of a file that may be long.
FIRST = 1 << 16
_FIRST_ELEMENT = re.compile(r"\s*(?:<[?!][^>]*>\s*)*+<(\w+)")


def beginning(path: Path) -> str:
    """Return the first characters of a file; nothing for a folder or a missing file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        raw = file.read(FIRST)
    encoding = "utf-16" if raw.startswith(UTF16) else "utf-8"
    return raw.decode(encoding, "replace").removeprefix("\ufeff")


def first_element(path: Path) -> str:
    """Return the name of the outermost element of an XML file; empty for other files."""
    element = _FIRST_ELEMENT.match(beginning(path))
    return element[1] if element else ""
