"""Convert any system's predictions of the test instances to our own format.

Every test instance of every word needs one prediction. A system that leaves out some instances is
refused, because its scores could not be compared with other systems. It may leave out all
out-of-domain instances, but not only some of them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.predictions import TEST, WordPredictions, versions, write_predictions
from wsd.errors import CorpusError
from wsd.studies.systems.system_descriptions import System

SHOWN = 5  # missing instances, or ignored words, in an error
# The attributes of a system that the provenance of its predictions has.
KEYS = ("view", "layers", "classifier", "estimator", "parameters")


@dataclass(frozen=True)
class Output:
    """A system's prediction for one instance.

    Attributes
    ----------
    where : str
        File and line.
    word, split : str
    index : int
        0-based line in the split's file.
    sense : str
    scores : mapping of every sense of the word to a number, or None
    """

    where: str
    word: str
    split: str
    index: int
    sense: str
    scores: Mapping[str, float] | None = None


def assemble(
    outputs: Iterable[Output], corpora: Mapping[str, Corpus], where: str
) -> list[WordPredictions]:
    """Return the predictions of every word and split, in the corpus's order.

    Parameters
    ----------
    outputs : iterable of Output
        Outputs for other words are ignored.
    corpora : mapping of word to Corpus
    where : str
        The file or folder of the outputs, for errors about missing ones.

    Raises
    ------
    CorpusError
        For an unknown instance or sense, two outputs for one instance, a sense without the highest
        score, or an instance without an output.
    """
    by_instance: dict[tuple[str, str, int], Output] = {}
    instances = {
        (word, split): set(corpus.index[corpus.split == split].tolist())
        for word, corpus in corpora.items()
        for split in (TEST, OUT_OF_DOMAIN)
    }
    others: set[str] = set()
    for output in outputs:
        if output.word not in corpora:
            others.add(output.word)
            continue
        key = (output.word, output.split, output.index)
        if key in by_instance:
            instance = f"the {output.split} instance {output.index} of {output.word!r}"
            problem = f"{instance} has an output already, in {by_instance[key].where}"
            raise CorpusError(problem, where=output.where, fix="keep one of the two")
        _check(output, corpora[output.word], instances)
        by_instance[key] = output
    predictions = []
    for split in (TEST, OUT_OF_DOMAIN):
        wanted = [(word, split, index) for word in corpora for index in instances[word, split]]
        missing = sorted(key for key in wanted if key not in by_instance)
        if split != TEST and len(missing) == len(wanted):
            continue
        if missing:
            raise CorpusError(
                f"{len(missing)} of {len(wanted)} {split} instances have no output: "
                + ", ".join(f"{word} {index}" for word, _, index in missing[:SHOWN])
                + (", ..." if len(missing) > SHOWN else "")
                + (f"; ignored words: {', '.join(sorted(others)[:SHOWN])}" if others else ""),
                where=where,
                fix="give an output for each: scores over fewer instances cannot be compared; "
                "without an answer, give the system's fallback, such as the most frequent sense",
            )
        tested = [corpus for word, corpus in corpora.items() if instances[word, split]]
        predictions += [_word_predictions(corpus, split, by_instance) for corpus in tested]
    return predictions


def _check(output: Output, corpus: Corpus, instances: Mapping[tuple[str, str], set[int]]) -> None:
    known = instances.get((corpus.word, output.split), set())
    if output.index not in known:
        problem = f"{corpus.word!r} has no {output.split} instance {output.index}"
        fix = f"only {TEST} and {OUT_OF_DOMAIN} instances are scored, where there are any"
        if known:
            fix = f"the ids of its {output.split} instances are lines of that split's file, from 0"
        raise CorpusError(problem, where=output.where, fix=fix)
    if output.scores is not None and sorted(output.scores) != sorted(corpus.senses):
        scored = ", ".join(output.scores) or "no sense"
        problem = f"the scores are of {scored}, not of each of {', '.join(corpus.senses)}"
        raise CorpusError(problem, where=output.where)
    if output.sense not in corpus.senses:
        problem = f"{output.sense!r} is not a sense of {corpus.word!r}"
        fix = f"choose among {', '.join(corpus.senses)}"
        raise CorpusError(problem, where=output.where, fix=fix)
    if output.scores is not None and output.scores[output.sense] < max(output.scores.values()):
        problem = f"the sense {output.sense!r} does not have the highest score"
        fix = "give the sense with the highest score, or no scores"
        raise CorpusError(problem, where=output.where, fix=fix)


def _word_predictions(
    corpus: Corpus, split: str, by_instance: Mapping[tuple[str, str, int], Output]
) -> WordPredictions:
    rows = np.flatnonzero(corpus.split == split)
    own = [by_instance[corpus.word, split, index] for index in corpus.index[rows].tolist()]
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


def write_outputs(
    out: Path, words: Sequence[WordPredictions], corpora: Mapping[str, Corpus], system: System
) -> None:
    """Write a system's predictions in our own format."""
    provenance = {
        "train": "full",
        "task": "sense",
        **{key: getattr(system, key) for key in KEYS},
        "encoder": {
            "model": {"name": system.name, "blocks": system.blocks, "width": system.width},
            "published": {key: getattr(system, key) for key in ("title", "source", "protocol")},
        },
        "corpus": {word: corpus.digest for word, corpus in corpora.items()},
        "versions": versions(),
    }
    write_predictions(out, words, provenance)
