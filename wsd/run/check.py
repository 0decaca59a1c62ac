"""Which results are no longer what was written, and the command that says so.

A file that later steps read has its checksum in ``.sums`` beside it (:mod:`wsd.storage.atomic`); a
file of vectors has one per layer in itself (:mod:`wsd.artifacts.vectors`); a downloaded file is in
the dataset's manifest (:mod:`wsd.corpora.archive`), or in that of the user's own corpus
(:mod:`wsd.corpora.own`).
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from wsd import logs
from wsd.artifacts.dataset import MANIFEST, read_manifest
from wsd.artifacts.vectors import check_vectors
from wsd.corpora.archive import changed_files
from wsd.corpora.own import changed_copies
from wsd.errors import DamageError, ResultError
from wsd.storage.checksums import set_aside, verify

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
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            path = Path(root) / name
            try:
                if path.suffix == VECTORS:
                    check_vectors(path, layers=not quick)
                else:
                    verify(path)
            except DamageError as error:
                yield path, error.what
    for path in changed_files(results / SOURCE):
        yield path, OTHER
    for manifest in sorted(results.glob(f"*/source/{MANIFEST}")):
        try:
            verify(manifest)
        except DamageError:
            continue  # said already; the copy is made again
        for path in changed_copies(manifest.parent, read_manifest(manifest).digests):
            yield path, OTHER


def put_away(path: Path) -> Path:
    """Set a damaged file aside, and say where it is now.

    One of the download would be in the way of the next one, which replaces the whole folder and
    nothing that is not the dataset's: it is moved beside that folder.
    """
    for parent in path.parents:
        if parent.parts[-2:] == SOURCE.parts:
            aside = parent.with_name(f"{path.name}.damaged")
            path.replace(aside)
            return aside
    return set_aside(path)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    text = "rename what is damaged, so that snakemake makes it again"
    parser.add_argument("--set-aside", action="store_true", help=text)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    found = list(damaged(args.results))
    for path, what in found:
        aside = f"; kept as {put_away(path).name}" if args.set_aside else ""
        logs.show(f"{path}: {what}{aside}")
    if found:
        again = "run snakemake: what is missing is made again"
        fix = again if args.set_aside else f"wsd check --set-aside, and then {again}"
        what = f"{len(found)} files are not what was written"
        raise ResultError(what, where=str(args.results), fix=fix)
    logs.show(f"{args.results}: every file that has a checksum is what was written")
