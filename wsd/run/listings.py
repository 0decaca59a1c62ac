"""Whether the files that a listing names (:mod:`wsd.artifacts.listing`) are those that it says.

Snakemake knows the listing alone: that a word's file is gone or another is found here, before it
plans. The manifest of a copied corpus (:mod:`wsd.artifacts.dataset`) is such a listing too.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wsd.artifacts.dataset import MANIFEST
from wsd.storage.checksums import noted_checksum

# Folders of files that a listing there speaks for.
OF_WORDS, SOURCE = ("corpus", "embeddings", "substitutes"), "source"


def is_listing(path: Path) -> bool:
    """Whether a result is a listing, by its place."""
    if path.parent.name == SOURCE:
        return path.name == MANIFEST
    return path.parent.name in OF_WORDS and path.suffix == ".json"


def is_listed(path: Path) -> bool:
    """Whether a result is a file that listings speak for, and no rule names."""
    for folder in path.parents:
        if folder.name in OF_WORDS:
            return not is_listing(path)
        if folder.name == SOURCE:
            return not is_listing(path) and (folder / MANIFEST).is_file()
    return False


def is_whole(listing: Path) -> bool:
    """Whether every file of a listing is there, and is the one that was listed."""
    with suppress(OSError, ValueError, AttributeError, LookupError, TypeError):
        if listing.name == MANIFEST:
            return all((listing.parent / name).is_file() for name in _read(listing)["files"])
        return all(_checksum(listing.parent / name) == s for name, s in _read(listing).items())
    return False


def _checksum(path: Path) -> str | None:
    # Not above: every command looks at the notes, and --help needs no numpy.
    from wsd.artifacts.vectors import VECTORS, vectors_checksum

    if path.suffix == VECTORS:
        return vectors_checksum(path)
    return noted_checksum(path) if path.is_file() else None


def megabytes(path: Path) -> float:
    """Size of a file; of a listing, of all that it lists. What is not there has none."""
    with suppress(OSError, ValueError, AttributeError):
        status = path.stat()
        of_words = is_listing(path) and path.name != MANIFEST
        return _listed(path, status.st_mtime_ns) if of_words else status.st_size / 1e6
    return 0.0


@lru_cache
def _listed(listing: Path, _: int) -> float:
    return sum(int(said.split()[-1]) for said in _read(listing).values()) / 1e6


def _read(path: Path) -> Mapping[str, str]:
    found: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found
