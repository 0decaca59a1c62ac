"""Print the notes of a release from CHANGELOG.md, after checking that every file has its version.

python tools/release_notes.py v1.0.0
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
# Where each file has the version of the program.
VERSIONS = {
    "wsd/__init__.py": re.compile(r'^__version__ = "(.+)"$', re.MULTILINE),
    "CITATION.cff": re.compile(r"^version: (.+)$", re.MULTILINE),
}
SECTION = r"^## \[{}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"


def notes(tag: str, texts: Mapping[str, str], changelog: str) -> str:
    """Return the section of the change log about a release.

    Parameters
    ----------
    tag : str
        ``v`` and the version.
    texts : mapping of path to str
        The content of the files in ``VERSIONS``.
    changelog : str

    Raises
    ------
    ValueError
        If a file has another version, or the change log has no dated section of this one.
    """
    version = tag.removeprefix("v")
    for path, pattern in VERSIONS.items():
        match = pattern.search(texts[path])
        if match is None or match[1] != version:
            found = match[1] if match else "no version"
            raise ValueError(f"the tag is {tag}, but {path} has {found}")
    section = re.search(SECTION.format(re.escape(version)), changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD'")
    return section[1].strip()


def read(path: str) -> str:
    """Return the content of a file of the repository."""
    return (REPOSITORY / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    try:
        (tag,) = sys.argv[1:]
        print(notes(tag, {path: read(path) for path in VERSIONS}, read("CHANGELOG.md")))
    except ValueError as error:
        sys.exit(f"error: {error}")
