"""Check and score any system's predictions of the test instances; the command ``wsd score``.

The file has a JSON object per line, in any order. Its keys are ``word``; ``split``, by default
``test``; ``id``, the instance's line in the file of the split, from 0, which is the column
``index`` of our predictions; ``sense``; and optionally ``scores``, an object with a number for
every sense of the word, where higher is better. Further keys are ignored.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.arguments import add_out, add_path, add_run
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.find_runs import choose_run, tables_of
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.artifacts.run_json import RUN_MAP, TABLES, RunMap, read_listing
from wsd.errors import ConfigError, CorpusError
from wsd.storage.checksums import sha256
from wsd.storage.text_files import at_place, json_lines
from wsd.studies.systems.convert_predictions import Output, assemble, write_outputs
from wsd.studies.systems.system_descriptions import System

LARGEST = 1e300  # a score is closer to 0; NaN is not
KEYS = ("word", "id", "sense")
FIX = 'write {"word": "crane", "id": 0, "sense": "crane_bird"}, with split and scores if needed'


def read(path: Path) -> Iterator[Output]:
    """Yield the predictions of a file.

    Raises
    ------
    CorpusError
        If the file is missing or empty, or a line is malformed. It names the line.
    """
    if not path.exists():
        fix = "name the file with the predictions"
        raise CorpusError("there is no such file", where=str(path), fix=fix)
    for where, fields in json_lines(path, FIX):
        with at_place(where, FIX):
            output = _parse(fields, where)
        yield output


def _parse(fields: Mapping[str, Any], where: str) -> Output:
    if lacking := [key for key in KEYS if key not in fields]:
        raise ValueError(f"no {' and no '.join(lacking)}")
    output = {"split": TEST, "scores": None, **fields}
    for key in ("word", "sense", "split"):
        if not isinstance(output[key], str):
            raise ValueError(f"the {key} {output[key]!r} is not text")
    index, scores = output["id"], output["scores"]
    if type(index) is not int:  # True is 1 in Python
        raise ValueError(f"the id {index!r} is not a whole number")
    if scores is not None:
        if not isinstance(scores, dict) or not all(map(_is_score, scores.values())):
            raise ValueError("the scores are not an object of senses and finite numbers")
        scores = {sense: float(number) for sense, number in scores.items()}
    return Output(where, output["word"], output["split"], index, output["sense"], scores)


def _is_score(number: Any) -> bool:
    return type(number) in (int, float) and abs(number) < LARGEST


def score_outputs(
    path: Path, name: str, corpora: Mapping[str, Corpus], out: Path
) -> list[WordPredictions]:
    """Check a system's predictions and write them in our own format.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    name : str
        The name of the system, which all tables show as its model.
    corpora : mapping of word to Corpus
    out : Path
    """
    words = assemble(read(path), corpora, str(path))
    source = f"{path.name}, SHA-256 {sha256(path)[:16]}"
    system = System(name, name, source, protocol="its training is unknown here")
    write_outputs(out, words, corpora, system)
    return words


def describe(name: str, words: Sequence[WordPredictions]) -> str:
    """Return the four metrics of a system on every split, in percent, as text."""
    from wsd.metrics.scores import MEAN_SCORES, confusion, mean_scores

    lines = []
    for split in dict.fromkeys(word.split for word in words):
        tested = [word for word in words if word.split == split]
        scores = mean_scores([confusion(w.gold, w.predicted, len(w.senses)) for w in tested])
        # Out of domain, most words have a single sense, for which macro-F1 is meaningless.
        shown = [m for m in MEAN_SCORES if split == TEST or m != "mean_macro_f1"]
        text = ", ".join(f"{m.replace('_', ' ')} {100 * float(scores[m]):.2f}" for m in shown)
        count = sum(len(w.gold) for w in tested)
        lines.append(f"{name}, {split}: {text} ({count} instances of {len(tested)} words)")
    return "\n".join(lines)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    text = "JSON lines: word, id, sense, scores"
    parser.add_argument("file", type=Path, metavar="FILE", help=text)
    parser.add_argument("--name", required=True, help="the system's name")
    add_path(parser, "--corpus", "folder of <word>.parquet")
    text = "(default: the run's words; without a run, all words of the folder)"
    parser.add_argument("--words", nargs="+", metavar="WORD", help=text)
    add_run(parser, "the words of this run (default: the one without a name, or the only one)")
    add_out(parser, "its predictions", ".parquet")


def _words_of_run(folder: Path, name: str | None) -> tuple[Path, list[str]]:
    """Return the folder of a run's word tables and its words; without a run, all words there."""
    run = choose_run(folder.parent, RUN_MAP, name)
    if run is None:
        return folder, sorted(path.stem for path in folder.glob("*.parquet"))
    listing = RunMap(tables_of(folder.parent, run) / RUN_MAP).file(f"corpus/{TABLES}")
    return listing.parent, sorted(Path(name).stem for name in read_listing(listing))


def run(args: argparse.Namespace) -> None:
    """Check the predictions of a system, write them, and show its scores."""
    if (below := args.corpus / "corpus").is_dir():
        problem, fix = "this is the folder of the results, not of the corpus", f"name {below}"
        raise ConfigError(problem, where=str(args.corpus), fix=fix)
    folder, words = args.corpus, args.words
    if not words:
        folder, words = _words_of_run(args.corpus, args.of_run)
    if not words:
        problem = "no tables of words in the folder"
        raise ConfigError(problem, where=str(args.corpus), fix="run snakemake first")
    words_scored = score_outputs(args.file, args.name, read_corpora(folder, words), args.out)
    logs.show(describe(args.name, words_scored))
