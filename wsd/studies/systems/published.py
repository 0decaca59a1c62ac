"""The authors' own results on CoarseWSD-20, read from the outputs they published, to compare with.

Per system and word there is a file with a line for each test instance, in the order of the test
file: a JSON object with ``idx``, ``gold``, ``tokens`` and ``matches``, the pairs of sense and
score, best first. Nothing is taken on trust: a line that is not about the instance of ours in
that place is an error.
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
from wsd.studies.systems.published_systems import SYSTEMS
from wsd.studies.systems.system_predictions import Output, assemble, write_outputs

KEYS = {"gold", "idx", "matches", "tokens"}


def read_word(path: Path, corpus: Corpus) -> WordPredictions:
    """Read a system's outputs for one word, and check each line against the test instance.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    corpus : Corpus

    Returns
    -------
    WordPredictions
        ``predicted`` is the first of the matches, as the authors count; scores are theirs.

    Raises
    ------
    CorpusError
        If the file is missing, has another number of lines than the test split, or a line is
        malformed or not about our instance. It names file and line.
    """
    test = np.flatnonzero(corpus.split == "test")
    lines = read_lines(path)
    if len(lines) != len(test):
        what = f"{len(lines)} outputs for the {len(test)} test instances of {corpus.word!r}"
        raise CorpusError(
            what,
            where=f"{path}:{min(len(lines), len(test)) + 1}",
            fix="give the published file as it was downloaded",
        )
    found = []
    for n, (line, row) in enumerate(zip(lines, test.tolist(), strict=True), start=1):
        where = f"{path}:{n}"
        with at_place(where):
            output = parse_json(line)
            _check_instance(output, corpus, row)
            matches = _matches(output["matches"])
        best = next(iter(matches), "")
        found.append(Output(where, corpus.word, TEST, output["idx"], best, matches))
    (words,) = assemble(found, {corpus.word: corpus}, str(path))
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
        # In Python, True is 1 and 1.0 is 1.
        if type(output[key]) is not type(value) or output[key] != value:
            shown = "other tokens" if key == "tokens" else f"{key} {output[key]!r}, not {value!r}"
            what = f"{shown}: not the output for test instance {ours['idx']} of {corpus.word!r}"
            raise ValueError(what)


def _matches(matches: Any) -> dict[str, float]:
    """Sense -> score, best first."""
    if not isinstance(matches, list) or not all(map(_is_match, matches)):
        raise ValueError("the matches are not pairs of a sense and a finite score")
    if len(dict(matches)) != len(matches):
        raise ValueError("a sense stands twice in the matches")
    values = [score for _, score in matches]
    if values != sorted(values, reverse=True):
        raise ValueError("the matches are not in the order of their scores")
    return dict(matches)


def _is_match(match: Any) -> bool:
    """Whether this is a pair of a sense and a finite score."""
    well_formed = isinstance(match, list) and list(map(type, match)) == [str, float]
    return well_formed and math.isfinite(match[1])


def read_system(source: Path, system: str, corpora: Mapping[str, Corpus]) -> list[WordPredictions]:
    """Read a system's outputs for every word of ``corpora``.

    Parameters
    ----------
    source : Path
        Where the dataset was downloaded to.
    system : str
        Among ``SYSTEMS``.
    corpora : mapping of word to Corpus
    """
    if system not in SYSTEMS:
        raise unknown_choice(f"no published system {system!r}", SYSTEMS)
    folder = source / "published" / system
    return [
        read_word(folder / f"{file_name(word)}.jsonl", corpus) for word, corpus in corpora.items()
    ]


def make_published(source: Path, system: str, corpora: Mapping[str, Corpus], out: Path) -> None:
    """Check a system's outputs and write them as a file of predictions, as of a model of ours.

    Parameters
    ----------
    source, system, corpora
        As in :func:`read_system`.
    out : Path
    """
    write_outputs(out, read_system(source, system, corpora), corpora, SYSTEMS[system])


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    add_path(parser, "--source", "folder of the download")
    parser.add_argument("--system", required=True)
    add_out(parser, "its predictions", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    make_published(args.source, args.system, read_corpora(args.corpus, args.words), args.out)
