"""Read and check a corpus of pairs in the step ``wsd corpus``."""

import argparse
from dataclasses import replace
from pathlib import Path

from wsd.artifacts.dataset import ABOUT, MANIFEST, OF_PAIRS
from wsd.artifacts.manifest import read_manifest
from wsd.studies.pairs.pair_tables import PAIRS_FILE, read_pairs, write_pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def write_tables(source: Path, out: Path) -> list[Path] | None:
    """Write the tables of a corpus of pairs, and return their paths; None for another corpus.

    Parameters
    ----------
    source, out : Path
        The folder of the corpus, and the folder of its tables.
    """
    if not (source / PAIRS_FILE).exists():
        return None
    dataset, pairs = read_manifest(source / MANIFEST), read_pairs(source)
    about = {key: getattr(dataset, key) for key in ("name", *ABOUT)}
    write_pairs(out, replace(pairs, about=about))
    return [out / file for file in OF_PAIRS]
