"""Check and score any system's predictions of the test instances; the command ``wsd score``.

The file has a JSON object per line, in any order, as :class:`Line` describes it. Every test
instance of every word needs one prediction: a system that leaves out some is refused, because its
scores could not be compared with other systems. It may leave out all out-of-domain instances, but
not only some of them.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from wsd import logs
from wsd.arguments import add_out, add_path, add_run
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus, read_corpora
from wsd.artifacts.find_runs import choose_run, tables_of
from wsd.artifacts.predictions import TEST, WordPredictions, versions, write_predictions
from wsd.artifacts.run_json import RUN_MAP, TABLES, RunMap, read_listing
from wsd.errors import ConfigError, CorpusError
from wsd.metrics.scores import MEAN_SCORES, confusion, mean_scores
from wsd.storage.checksums import sha256
from wsd.storage.result_files import validated
from wsd.storage.text_files import at_place, json_lines
from wsd.studies.systems.published import COLUMNS, SYSTEMS, System

SHOWN = 5  # missing instances, or ignored words, in an error
FIX = 'write {"word": "crane", "id": 0, "sense": "crane_bird"}, with split and scores if needed'
COMPLETE = (
    "give an output for each: scores over fewer instances cannot be compared; without an answer, "
    "give the system's fallback, such as the most frequent sense"
)
Instance = tuple[str, str, int]  # word, split, index


class Line(BaseModel):
    """A system's prediction of one instance; further keys are ignored.

    Attributes
    ----------
    word : str
    id : int
        The instance's line in the file of the split, from 0: the column ``index`` of our
        predictions.
    sense : str
    split : str
    scores : dict of every sense of the word to a number, or None
        Higher is better.
    """

    model_config = ConfigDict(strict=True)

    word: str
    id: int
    sense: str
    split: str = TEST
    scores: dict[str, Annotated[float, Field(gt=-1e300, lt=1e300)]] | None = None


def read_outputs(path: Path, corpora: Mapping[str, Corpus]) -> list[WordPredictions]:
    """Return the predictions of a file for every word and split, in the corpus's order.

    Lines about other words are ignored.

    Raises
    ------
    CorpusError
        For a malformed line, an unknown instance or sense, two lines about one instance, a sense
        without the highest score, or an instance without a line.
    """
    if not path.exists():
        fix = "name the file with the predictions"
        raise CorpusError("there is no such file", where=str(path), fix=fix)
    instances = [
        (word, *instance)
        for word, corpus in corpora.items()
        for instance in zip(corpus.split.tolist(), corpus.index.tolist(), strict=True)
        if instance[0] in (TEST, OUT_OF_DOMAIN)
    ]
    lines: dict[Instance, Line] = {}
    places = dict.fromkeys(instances, "")
    others: set[str] = set()
    for where, fields in json_lines(path, FIX):
        with at_place(where, FIX):
            line = validated(Line, fields)
        if line.word not in corpora:
            others.add(line.word)
            continue
        key = (line.word, line.split, line.id)
        with at_place(where):
            _check(line, corpora[line.word].senses, places.get(key))
        lines[key], places[key] = line, where
    predictions = []
    for split in (TEST, OUT_OF_DOMAIN):
        wanted = [key for key in instances if key[1] == split]
        missing = sorted(key for key in wanted if key not in lines)
        if split != TEST and len(missing) == len(wanted):
            continue
        if missing:
            names = [f"{word} {index}" for word, _, index in missing[:SHOWN]]
            listed = ", ".join([*names, "..."] if len(missing) > SHOWN else names)
            ignored = f"; ignored words: {', '.join(sorted(others)[:SHOWN])}" if others else ""
            problem = f"{len(missing)} of {len(wanted)} {split} instances have no output: "
            raise CorpusError(problem + listed + ignored, where=str(path), fix=COMPLETE)
        tested = dict.fromkeys(word for word, _, _ in wanted)
        predictions += [_word_predictions(corpora[word], split, lines) for word in tested]
    return predictions


def _check(line: Line, senses: Sequence[str], place: str | None) -> None:
    """Refuse a line, given the word's senses and the place of an earlier line of the instance.

    The place is empty without an earlier line, and None if there is no such instance.
    """
    instance = f"{line.split} instance {line.id}"
    if place is None:
        raise ValueError(
            f"{line.word!r} has no {instance}; only {TEST} and {OUT_OF_DOMAIN} instances are "
            "scored, and an id is a line of that split's file, from 0"
        )
    if place:
        raise ValueError(f"the {instance} of {line.word!r} has an output already, in {place}")
    if line.sense not in senses:
        choices = ", ".join(senses)
        raise ValueError(f"{line.sense!r} is not a sense of {line.word!r}; use one of {choices}")
    scores = dict.fromkeys(senses, 0.0) if line.scores is None else line.scores
    if sorted(scores) != sorted(senses):
        scored = ", ".join(scores) or "no sense"
        raise ValueError(f"the scores are of {scored}, not of each of {', '.join(senses)}")
    if scores[line.sense] < max(scores.values()):
        raise ValueError(f"the sense {line.sense!r} does not have the highest score")


def _word_predictions(
    corpus: Corpus, split: str, lines: Mapping[Instance, Line]
) -> WordPredictions:
    rows = np.flatnonzero(corpus.split == split)
    own = [lines[corpus.word, split, index] for index in corpus.index[rows].tolist()]
    scores = [[(o.scores or {}).get(s, math.nan) for s in corpus.senses] for o in own]
    return WordPredictions(
        word=corpus.word,
        senses=corpus.senses,
        n_train=int((corpus.split == "train").sum()),
        index=corpus.index[rows],
        gold=corpus.gold[rows],
        predicted=np.array([corpus.senses.index(o.sense) for o in own], dtype=np.int32),
        scores=np.array(scores, dtype=np.float64),
        split=split,
    )


def score_outputs(
    path: Path, name: str, corpora: Mapping[str, Corpus], out: Path
) -> list[WordPredictions]:
    """Check a system's predictions and write them in our own format.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` file.
    name : str
        The name of the system, which all tables show as its model. The name of a published system
        adds its description.
    corpora : mapping of word to Corpus
    out : Path
    """
    words = read_outputs(path, corpora)
    source = f"{path.name}, SHA-256 {sha256(path)[:16]}"
    system = SYSTEMS.get(name) or System(name, source, "its training is unknown here")
    provenance = {
        "train": "full",
        "task": "sense",
        **dict(zip(COLUMNS, system.settings, strict=True)),
        "encoder": {
            "model": {"name": name, "blocks": system.blocks, "width": system.width},
            "published": {key: getattr(system, key) for key in ("title", "source", "protocol")},
        },
        "corpus": {word: corpus.digest for word, corpus in corpora.items()},
        "versions": versions(),
    }
    write_predictions(out, words, provenance)
    return words


def describe(name: str, words: Sequence[WordPredictions]) -> str:
    """Return the four metrics of a system on every split, in percent, as text."""
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
    folder, words = args.corpus, args.words
    if not words:
        folder, words = _words_of_run(args.corpus, args.of_run)
    if not words:
        fix = "run snakemake first, and name the folder corpus of its results"
        raise ConfigError("no tables of words in the folder", where=str(args.corpus), fix=fix)
    words_scored = score_outputs(args.file, args.name, read_corpora(folder, words), args.out)
    logs.show(describe(args.name, words_scored))
