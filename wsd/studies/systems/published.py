"""Read the predictions that the authors of CoarseWSD-20 published.

A system has a file per word, with a line for each test instance in the order of the test file. A
line is a JSON object with ``idx``, ``gold``, ``tokens`` and ``matches``, the pairs of sense and
score, best first. Each line is compared with the test instance at the same position.
"""

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wsd.arguments import add_corpora, add_out, add_path
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.errors import CorpusError, unknown_choice
from wsd.storage.file_names import file_name
from wsd.storage.text_files import at_place, parse_json, read_lines
from wsd.studies.systems.convert_predictions import Output, assemble, write_outputs
from wsd.studies.systems.system_descriptions import SYSTEMS

KEYS = {"gold", "idx", "matches", "tokens"}


def read_word(path: Path, corpus: Corpus) -> WordPredictions:
    """Read a system's predictions for one word, and compare each line with its test instance.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    corpus : Corpus

    Returns
    -------
    WordPredictions
        ``predicted`` is the first match, as in the authors' evaluation; the scores are theirs.

    Raises
    ------
    CorpusError
        Naming file and line: if the file is missing, if it has another number of lines than the
        test split, or if a line is malformed or belongs to another instance.
    """
    test = np.flatnonzero(corpus.split == "test")
    lines = read_lines(path)
    if len(lines) != len(test):
        problem = f"{len(lines)} outputs for the {len(test)} test instances of {corpus.word!r}"
        where = f"{path}:{min(len(lines), len(test)) + 1}"
        fix = "give the published file as it was downloaded"
        raise CorpusError(problem, where=where, fix=fix)
    outputs = []
    for n, (line, row) in enumerate(zip(lines, test.tolist(), strict=True), start=1):
        where = f"{path}:{n}"
        with at_place(where):
            output = parse_json(line)
            _check_instance(output, corpus, row)
            matches = _matches(output["matches"])
        best = next(iter(matches), "")
        outputs.append(Output(where, corpus.word, TEST, output["idx"], best, matches))
    (words,) = assemble(outputs, {corpus.word: corpus}, str(path))
    return words


def _check_instance(output: Any, corpus: Corpus, row: int) -> None:
    if not isinstance(output, dict) or set(output) != KEYS:
        raise ValueError(f"not an object with {', '.join(sorted(KEYS))}")
    ours = {
        "idx": int(corpus.index[row]),
        "gold": corpus.senses[corpus.gold[row]],
        "tokens": list(corpus.tokens[row]),
    }
    for key, value in ours.items():
        # In Python, True and 1.0 equal 1.
        if type(output[key]) is not type(value) or output[key] != value:
            shown = "other tokens" if key == "tokens" else f"{key} {output[key]!r}, not {value!r}"
            instance = f"test instance {ours['idx']} of {corpus.word!r}"
            raise ValueError(f"{shown}: not the output for {instance}")


def _matches(matches: Any) -> dict[str, float]:
    """Return the score of each sense, best first."""
    if not isinstance(matches, list) or not all(map(_is_match, matches)):
        raise ValueError("the matches are not pairs of a sense and a finite score")
    if len(dict(matches)) != len(matches):
        raise ValueError("the matches have a sense twice")
    values = [score for _, score in matches]
    if values != sorted(values, reverse=True):
        raise ValueError("the matches are not in the order of their scores")
    return dict(matches)


def _is_match(match: Any) -> bool:
    well_formed = isinstance(match, list) and list(map(type, match)) == [str, float]
    return well_formed and math.isfinite(match[1])


def read_system(source: Path, system: str, corpora: Mapping[str, Corpus]) -> list[WordPredictions]:
    """Read a system's predictions for every word of ``corpora``.

    Parameters
    ----------
    source : Path
        The folder of the download.
    system : str
        A name in ``SYSTEMS``.
    corpora : mapping of word to Corpus
    """
    if system not in SYSTEMS:
        raise unknown_choice(f"no published system {system!r}", SYSTEMS)
    folder = source / "published" / system
    return [
        read_word(folder / f"{file_name(word)}.jsonl", corpus) for word, corpus in corpora.items()
    ]


def make_published(source: Path, system: str, corpora: Mapping[str, Corpus], out: Path) -> None:
    """Check a system's predictions and write them in our own format.

    Parameters
    ----------
    source, system, corpora
        See :func:`read_system`.
    out : Path
    """
    write_outputs(out, read_system(source, system, corpora), corpora, SYSTEMS[system])


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_path(parser, "--source", "folder of the download")
    parser.add_argument("--system", required=True)
    add_out(parser, "its predictions", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Check the predictions of a published system and write them."""
    make_published(args.source, args.system, read_corpora(args.corpus, args.words), args.out)
