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
from wsd.artifacts.reserved_names import RESERVED
from wsd.storage.checksums import noted_checksum

# The folders of files that a listing there speaks for: of a dataset, and of a model.
CORPUS, SOURCE, OF_MODEL = "corpus", "source", ("embeddings", "substitutes")


def _folder(result: Path) -> Path | None:
    """The folder with listings that a result lies in.

    By its place, not by its name alone: datasets, runs, models and words may be called alike.
    """
    dataset, model = result.parts[2:3], result.parts[3:4]
    if dataset in ((CORPUS,), (SOURCE,)):
        depth = 3
    elif model and model[0] in OF_MODEL and dataset[0] not in RESERVED["model"]:
        depth = 4
    else:
        return None
    return Path(*result.parts[:depth]) if len(result.parts) > depth else None


def is_listing(result: Path) -> bool:
    """Whether a result is a listing, by its place.

    Parameters
    ----------
    result : Path
        As Snakemake names it: ``results/<dataset>/...``.
    """
    folder = _folder(result)
    if folder is None or result.parent != folder:
        return False
    return result.name == MANIFEST if folder.name == SOURCE else result.suffix == ".json"


def is_listed(result: Path, within: Path) -> bool:
    """Whether a result is a file that listings speak for, and no rule names.

    Parameters
    ----------
    result : Path
        As for :func:`is_listing`.
    within : Path
        The folder in which the results lie.
    """
    folder = _folder(result)
    if folder is None or is_listing(result):
        return False
    return folder.name != SOURCE or (within / folder / MANIFEST).is_file()


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
