"""What any system says of the test instances, as predictions beside ours.

One JSON object per line: ``word``; ``split``, ``test`` if it is not given; ``id``, the instance's
line in that split's file from 0, the column ``index`` of our predictions; ``sense``; and, where
the system has them, ``scores``, an object with a number for every sense of the word, the higher
the better. Further keys are ignored. The lines may stand in any order.

Every test instance of every word has to be there, once. A system that says nothing of some
instances is refused: its figures would be of another test than all the others'. Of the instances
from out of domain it may leave out all, not some.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts import predictions
from wsd.artifacts.corpus import OUT_OF_DOMAIN, Corpus
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.errors import CorpusError
from wsd.storage.checksums import sha256
from wsd.storage.text import parse_json, text_of

VIEW, NONE = "system", "-"
SHOWN = 5
LARGEST = 1e300  # a score; NaN is below nothing
KEYS = ("word", "id", "sense")


@dataclass(frozen=True)
class Output:
    """What a system says of one instance.

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
    found: Iterable[Output], corpora: Mapping[str, Corpus], where: str
) -> list[WordPredictions]:
    """Outputs as predictions of every word and split, in the corpus's order.

    Parameters
    ----------
    found : iterable of Output
        Those of other words are left out.
    corpora : mapping of word to Corpus
    where : str
        The file or folder that all are from, for what is missing.

    Raises
    ------
    CorpusError
        For an instance or a sense that there is not, two outputs for one instance, a sense that
        does not have the highest score, or an instance without an output.
    """
    of: dict[tuple[str, str, int], Output] = {}
    instances = {
        (word, split): set(corpus.index[corpus.split == split].tolist())
        for word, corpus in corpora.items()
        for split in (TEST, OUT_OF_DOMAIN)
    }
    others: set[str] = set()
    for output in found:
        if output.word not in corpora:
            others.add(output.word)
            continue
        key = (output.word, output.split, output.index)
        if key in of:
            raise CorpusError(
                f"the {output.split} instance {output.index} of {output.word!r} has an output "
                f"already, in {of[key].where}",
                where=output.where,
                fix="keep one of the two",
            )
        _check(output, corpora[output.word], instances)
        of[key] = output
    made = []
    for split in (TEST, OUT_OF_DOMAIN):
        wanted = [(word, split, index) for word in corpora for index in instances[word, split]]
        missing = sorted(key for key in wanted if key not in of)
        if split != TEST and len(missing) == len(wanted):
            continue
        if missing:
            raise CorpusError(
                f"{len(missing)} of {len(wanted)} {split} instances have no output: "
                + ", ".join(f"{word} {index}" for word, _, index in missing[:SHOWN])
                + (", ..." if len(missing) > SHOWN else "")
                + (f"; passed over: {', '.join(sorted(others)[:SHOWN])}" if others else ""),
                where=where,
                fix="give an output for each; figures over fewer instances could not stand beside "
                "the others. Where the system says nothing, give what it falls back on, such as "
                "the most frequent sense",
            )
        tested = [corpus for word, corpus in corpora.items() if instances[word, split]]
        made += [_of_word(corpus, split, of) for corpus in tested]
    return made


def _check(output: Output, corpus: Corpus, instances: Mapping[tuple[str, str], set[int]]) -> None:
    known = instances.get((corpus.word, output.split), set())
    if output.index not in known:
        raise CorpusError(
            f"{corpus.word!r} has no {output.split} instance {output.index}",
            where=output.where,
            fix=f"the ids of its {output.split} instances are lines of that split's file, from 0"
            if known
            else f"only {TEST} and {OUT_OF_DOMAIN} instances are scored, where there are any",
        )
    if output.scores is not None and sorted(output.scores) != sorted(corpus.senses):
        raise CorpusError(
            f"the scores are of {', '.join(output.scores) or 'no sense'}, not of each of "
            f"{', '.join(corpus.senses)}",
            where=output.where,
        )
    if output.sense not in corpus.senses:
        raise CorpusError(
            f"{output.sense!r} is no sense of {corpus.word!r}",
            where=output.where,
            fix=f"choose among {', '.join(corpus.senses)}",
        )
    if output.scores is not None and output.scores[output.sense] < max(output.scores.values()):
        raise CorpusError(
            f"the sense {output.sense!r} does not have the highest score",
            where=output.where,
            fix="give scores of which the highest decides, or none",
        )


def _of_word(
    corpus: Corpus, split: str, of: Mapping[tuple[str, str, int], Output]
) -> WordPredictions:
    rows = np.flatnonzero(corpus.split == split)
    own = [of[corpus.word, split, index] for index in corpus.index[rows].tolist()]
    scores = [[math.nan if o.scores is None else o.scores[s] for s in corpus.senses] for o in own]
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


def read(path: Path) -> Iterator[Output]:
    """The lines of a file of outputs.

    Raises
    ------
    CorpusError
        For a missing or empty file, or a line that is not what it should be. It names the line.
    """
    if not path.exists():
        raise CorpusError("there is no such file", where=str(path))
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if line.strip():
            yield _parse(line, f"{path}:{number}")


def _parse(line: str, where: str) -> Output:
    fix = 'write {"word": "crane", "id": 0, "sense": "crane_bird"}, with split and scores if needed'
    found = parse_json(line, where, fix=fix)
    if not isinstance(found, dict):
        raise CorpusError("not an object", where=where, fix=fix)
    if lacking := [key for key in KEYS if key not in found]:
        raise CorpusError(f"no {' and no '.join(lacking)}", where=where, fix=fix)
    output = {"split": TEST, "scores": None, **found}
    for key in ("word", "sense", "split"):
        if not isinstance(output[key], str):
            raise CorpusError(f"the {key} {output[key]!r} is no text", where=where, fix=fix)
    index, scores = output["id"], output["scores"]
    if type(index) is not int:  # True is 1 in Python
        raise CorpusError(f"the id {index!r} is no whole number", where=where, fix=fix)
    if scores is not None:
        if not isinstance(scores, dict) or not all(map(_is_score, scores.values())):
            raise CorpusError(
                "the scores are no object of senses and finite numbers", where=where, fix=fix
            )
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
    about = {
        "title": name,
        "source": source,
        "protocol": "what its training was is not known here",
    }
    write_predictions(
        out,
        words,
        corpora,
        model={"name": name, "blocks": 0, "width": 0},
        published=about,
        view=VIEW,
        layers=NONE,
        classifier=NONE,
        estimator=NONE,
        parameters={},
    )
    return words


def write_predictions(
    out: Path,
    words: Sequence[WordPredictions],
    corpora: Mapping[str, Corpus],
    *,
    model: Mapping[str, Any],
    published: Mapping[str, str],
    **keys: Any,
) -> None:
    """Write outputs that were not made here, with the keys of a file of predictions.

    Parameters
    ----------
    out : Path
    words : sequence of WordPredictions
    corpora : mapping of word to Corpus
    model : mapping
        ``name``, ``blocks`` and ``width``.
    published : mapping
        ``title``, ``source`` and ``protocol``, in words.
    keys
        ``view``, ``layers``, ``classifier``, ``estimator`` and ``parameters``.
    """
    provenance = {
        "train": "full",
        "task": "sense",
        **keys,
        "encoder": {"model": model, "published": published},
        "corpus": {word: corpus.digest for word, corpus in corpora.items()},
        "versions": predictions.versions(),
    }
    predictions.write_predictions(out, words, provenance)


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
