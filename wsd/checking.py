"""Which results are no longer what was written.

A file that later steps read has its checksum in ``.sums`` beside it (:mod:`wsd.files`); a file of
vectors has one per layer in itself (:mod:`wsd.embeddings`); a downloaded file is in the dataset's
manifest (:mod:`wsd.download`), or in that of the user's own corpus (:mod:`wsd.owncorpus`).
"""

import os
from collections.abc import Iterator
from pathlib import Path

from wsd.datasets import MANIFEST, read_manifest
from wsd.download import changed_files
from wsd.embeddings import check_file
from wsd.errors import DamageError
from wsd.files import SUMS, set_aside, sha256, verify

VECTORS = ".safetensors"
SOURCE = Path("coarsewsd20/source")
OTHER = "not the dataset's file: its SHA-256 is another"


def damaged(results: Path, *, quick: bool = False) -> Iterator[tuple[Path, str]]:
    """Every file below ``results`` that is not what was written, and what is wrong with it.

    Parameters
    ----------
    results : Path
    quick : bool
        Of vectors look at the header and the size alone; their layers are checked when they
        are read.
    """
    for root, folders, files in os.walk(results):
        folders.sort()
        sums = Path(root) / SUMS
        noted = sorted(path.name for path in sums.iterdir()) if SUMS in folders else []
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in noted:
            try:
                if name in files:
                    verify(Path(root) / name)
            except DamageError as error:
                yield error.path, error.what
        for name in sorted(files):
            if name.endswith(VECTORS) and not name.startswith("."):
                try:
                    check_file(Path(root) / name, layers=not quick)
                except DamageError as error:
                    yield error.path, error.what
    source = results / SOURCE
    if source.is_dir():
        for path in changed_files(source):
            yield path, OTHER
    for manifest in sorted(results.glob(f"*/source/{MANIFEST}")):
        for path in _changed_copies(manifest):
            yield path, OTHER


def _changed_copies(manifest: Path) -> Iterator[Path]:
    """The files of a user's corpus that are not those of its manifest."""
    try:
        verify(manifest)
    except DamageError:
        return  # said already; the copy is made again
    for name, expected in read_manifest(manifest).digests.items():
        path = manifest.parent / name
        if path.exists() and sha256(path) != expected:
            yield path


def put_away(path: Path) -> Path:
    """Set a damaged file aside, and say where it is now.

    One of the download would be in the way of the next one, which replaces the whole folder and
    nothing that is not the dataset's: it is moved beside that folder.
    """
    for parent in path.parents:
        if parent.name == SOURCE.name and parent.parent.name == SOURCE.parent.name:
            aside = parent.with_name(f"{path.name}.damaged")
            path.replace(aside)
            return aside
    return set_aside(path)
