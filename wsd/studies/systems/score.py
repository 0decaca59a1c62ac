"""Checks and scores what any system says of the test instances.

One JSON object per line: ``word``; ``split``, ``test`` if it is not given; ``id``, the instance's
line in that split's file from 0, the column ``index`` of our predictions; ``sense``; and, where
the system has them, ``scores``, an object with a number for every sense of the word, the higher
the better. Further keys are ignored. The lines may stand in any order.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.arguments import add_out, add_path, add_run
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.named_runs import choose_run, tables_of
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.artifacts.run_map import RUN_MAP, TABLES, RunMap, listed
from wsd.errors import ConfigError, CorpusError
from wsd.storage.checksums import sha256
from wsd.storage.text_files import at_place, json_lines
from wsd.studies.systems.published_systems import System
from wsd.studies.systems.system_predictions import Output, assemble, write_outputs

LARGEST = 1e300  # a score; NaN is below nothing
KEYS = ("word", "id", "sense")
FIX = 'write {"word": "crane", "id": 0, "sense": "crane_bird"}, with split and scores if needed'


def read(path: Path) -> Iterator[Output]:
    """The lines of a file of outputs.

    Raises
    ------
    CorpusError
        For a missing or empty file, or a line that is not what it should be. It names the line.
    """
    if not path.exists():
        raise CorpusError(
            "there is no such file", where=str(path), fix="name the file with the system's outputs"
        )
    for where, found in json_lines(path, FIX):
        with at_place(where, FIX):
            output = _output(found, where)
        yield output


def _output(found: Mapping[str, Any], where: str) -> Output:
    if lacking := [key for key in KEYS if key not in found]:
        raise ValueError(f"no {' and no '.join(lacking)}")
    output = {"split": TEST, "scores": None, **found}
    for key in ("word", "sense", "split"):
        if not isinstance(output[key], str):
            raise ValueError(f"the {key} {output[key]!r} is no text")
    index, scores = output["id"], output["scores"]
    if type(index) is not int:  # True is 1 in Python
        raise ValueError(f"the id {index!r} is no whole number")
    if scores is not None:
        if not isinstance(scores, dict) or not all(map(_is_score, scores.values())):
            raise ValueError("the scores are no object of senses and finite numbers")
        scores = {sense: float(number) for sense, number in scores.items()}
    return Output(where, output["word"], output["split"], index, output["sense"], scores)


def _is_score(number: Any) -> bool:
    return type(number) in (int, float) and abs(number) < LARGEST


def score_outputs(
    path: Path, name: str, corpora: Mapping[str, Corpus], out: Path
) -> list[WordPredictions]:
    """Check a system's outputs and write them as a file of predictions, as of a model of ours.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    name : str
        The system's, the model in all tables.
    corpora : mapping of word to Corpus
    out : Path
    """
    words = assemble(read(path), corpora, str(path))
    source = f"{path.name}, SHA-256 {sha256(path)[:16]}"
    system = System(name, name, source, protocol="what its training was is not known here")
    write_outputs(out, words, corpora, system)
    return words


def describe(name: str, words: Sequence[WordPredictions]) -> str:
    """The four figures of a system on every split, in percent, for the terminal."""
    from wsd.metrics.scores import MEAN_SCORES, confusion, mean_scores

    lines = []
    for split in dict.fromkeys(word.split for word in words):
        of = [word for word in words if word.split == split]
        figures = mean_scores([confusion(w.gold, w.predicted, len(w.senses)) for w in of])
        # From out of domain most words have one sense, of which macro-F1 says nothing.
        shown = [m for m in MEAN_SCORES if split == TEST or m != "mean_macro_f1"]
        text = ", ".join(f"{m.replace('_', ' ')} {100 * float(figures[m]):.2f}" for m in shown)
        count = sum(len(w.gold) for w in of)
        lines.append(f"{name}, {split}: {text} ({count} instances of {len(of)} words)")
    return "\n".join(lines)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    text = "JSON lines: word, id, sense, scores"
    parser.add_argument("file", type=Path, metavar="FILE", help=text)
    parser.add_argument("--name", required=True, help="the system's")
    add_path(parser, "--corpus", "folder of <word>.parquet")
    text = "(default: the run's words; without a run, all words of the folder)"
    parser.add_argument("--words", nargs="+", metavar="WORD", help=text)
    add_run(parser, "the words of this run (default: the one without a name, or the only one)")
    add_out(parser, "its predictions", ".parquet")


def _of_run(folder: Path, asked: str | None) -> tuple[Path, list[str]]:
    """The folder of a run's tables, and its words; without a run, all words of the folder."""
    run = choose_run(folder.parent, RUN_MAP, asked)
    if run is None:
        return folder, sorted(path.stem for path in folder.glob("*.parquet"))
    listing = RunMap(tables_of(folder.parent, run) / RUN_MAP).file(f"corpus/{TABLES}")
    return listing.parent, sorted(Path(name).stem for name in listed(listing))


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if (below := args.corpus / "corpus").is_dir():
        what, fix = "this is the folder of the results, not of their corpus", f"name {below}"
        raise ConfigError(what, where=str(args.corpus), fix=fix)
    folder, words = args.corpus, args.words
    if not words:
        folder, words = _of_run(args.corpus, args.of_run)
    if not words:
        what = "no tables of words in the folder"
        raise ConfigError(what, where=str(args.corpus), fix="run snakemake first")
    found = score_outputs(args.file, args.name, read_corpora(folder, words), args.out)
    logs.show(describe(args.name, found))
