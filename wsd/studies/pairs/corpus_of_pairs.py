"""Read and check a corpus of pairs in the step ``wsd corpus``."""

import argparse
from dataclasses import replace
from pathlib import Path

from wsd.artifacts.dataset import ABOUT, MANIFEST, OF_PAIRS
from wsd.artifacts.manifest import read_manifest
from wsd.corpora.focal_form_check import FormCheck
from wsd.studies.pairs.pair_table import PAIRS_FILE, read_pairs, write_pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def write_tables(source: Path, out: Path, forms: FormCheck) -> list[Path] | None:
    """Write the tables of a corpus of pairs, and return their paths; None for another corpus.

    Parameters
    ----------
    source, out : Path
        The folder of the corpus, and the folder of its tables.
    forms : FormCheck
        All focal words are added to it.
    """
    if not (source / PAIRS_FILE).exists():
        return None
    dataset, pairs = read_manifest(source / MANIFEST), read_pairs(source)
    for i, word in enumerate(pairs.word.tolist()):
        where = f"the {pairs.split[i]} pair {pairs.line[i]}"
        for row in pairs.rows[i].tolist():
            position = int(pairs.sentences.position[row])
            forms.add(word, position, pairs.sentences.tokens[row], where)
    about = {key: getattr(dataset, key) for key in ("name", *ABOUT)}
    write_pairs(out, replace(pairs, about=about))
    return [out / file for file in OF_PAIRS]
