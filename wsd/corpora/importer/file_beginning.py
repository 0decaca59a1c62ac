"""The beginning of a file, by which its format is recognised."""

import json
import re
from pathlib import Path
from typing import Any

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


def first_object(path: Path) -> dict[str, Any]:
    """Return the first JSON object of a file that begins with an object, or with an array."""
    if beginning(path).lstrip()[:1] not in ("[", "{"):
        return {}
    # An annotated document may be longer than the beginning.
    text = path.read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff")
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip().removeprefix("[").lstrip())
    except (RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
