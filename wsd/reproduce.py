"""The golden check: do our vectors give the sense vectors and predictions that were published?

The authors' scripts (``create_1nn_vecs.py``, ``nlm_encoder.py`` and ``eval_1nn.py``, in the
repository of their outputs) do with bert-base-uncased, step by step, what we do:

* each token is cut into word pieces by itself, by the uncased tokenizer, which lower-cases; one
  sentence at a time runs between ``[CLS]`` and ``[SEP]``, in segment 0;
* the special tokens are dropped, a token's pieces averaged in each of the last four hidden
  states, and the four summed: our view ``focal``, layers ``sum-last-4``;
* a sense's vector is the mean of its training vectors as they are: scaled neither before nor
  after, summed in float32, printed with six decimals;
* a test vector and the vectors of its word's senses, read back from that file, are scaled to
  unit length; a score is their product in float32, the greatest is the prediction.

They leave out sentences of 512 tokens or more, of which there are none. Their tokenizer was the
one in Python; transformers' copy of it and the fast one give the same pieces for each of the
33,566 sentences. What is left to differ is arithmetic: six decimals (1e-14 of a cosine), float32
on their GPU and on ours.

Hence the thresholds. Measured with all-MiniLM-L6-v2 on ``crane`` and ``digit``, the lowest cosine
of our centroids with those that a fault gives: the focal piece off by one 0.22, the layers by one
0.981, the last three or five layers 0.993 and 0.995, segment 1 0.997, no special tokens 0.998;
and with the right ones computed in bfloat16, far worse than any float32, 0.99999. So ``COSINE``
lies between 0.998 and 0.99999. No two senses of a word come closer than 0.973.

Of the 10,196 published predictions 2 lead by less than 1e-4, and 28 by less than 1e-3:
``AGREEMENT`` lets 10 near ties fall otherwise. A greater lead that we contradict is in the
report, whatever the verdict.
"""

import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from wsd import features, predictions
from wsd.classifiers.centroid import NearestCentroid
from wsd.corpus import Corpus
from wsd.errors import ConfigError, CorpusError, ResultError, WsdError
from wsd.files import expecting, sha256, write_json, write_text
from wsd.predictions import TEST, WordPredictions
from wsd.published import read_centroids
from wsd.text_table import aligned

log = logging.getLogger("wsd")

VIEW = "focal"
LAYERS = "sum-last-4"
# What the published predictions must be of, whatever layers of ours stand beside them.
SYSTEM = {"view": VIEW, "layers": LAYERS, "estimator": "nearest_centroid"}

COSINE = 0.9999
AGREEMENT = 0.999

Rows = Sequence[Mapping[str, Any]]
WHOSE = ("our", "published")
SHOWN = 10  # rows of each of the text's lists; the JSON has all
DIFFERING = (
    "Test instances that differ, near ties last; a margin is the lead over the other's prediction"
)
# Of each list of the text: the columns, and what a cell shows of a row of the JSON's list.
SENSE_COLUMNS = {
    "cosine": "{cosine:.7f}",
    "length": "{length:.4f}",
    "training": "{n_train}",
    "sense": "{sense}",
}
WORD_COLUMNS = {
    "agreement": "{agreement:.4%}",
    "of": "{n}",
    "accuracy": "{our:.2%}",
    "theirs": "{published:.2%}",
    "scores apart": "{score_difference:.1e}",
    "word": "{word}",
}
DIFFERING_COLUMNS = {
    "index": "{index}",
    "our margin": "{our_margin:.2e}",
    "their margin": "{published_margin:.2e}",
    "word": "{word}",
    "gold": "{gold}",
    "ours": "{ours}",
    "theirs": "{published}",
}


class ReproductionError(WsdError):
    """What was published is not what we get."""


# Comparing: each gives rows as the JSON file has them.


def compare_centroids(
    corpus: Corpus, ours: Mapping[str, np.ndarray], published: Mapping[str, np.ndarray]
) -> list[dict[str, Any]]:
    """Our centroid of each sense of a word beside the published one.

    Parameters
    ----------
    corpus : Corpus
    ours, published : mappings of sense to array of shape (width,)
        ``published`` may have the senses of other words too.

    Returns
    -------
    list of dict
        ``word``; ``sense``; ``n_train``, the instances that ours is the mean of; ``cosine``, 0
        where one of them is zero, or too long for its length to be a number; ``length``, ours over
        theirs, to which a cosine is blind: 0.25 if layers were averaged, not summed.
    """
    rows = []
    for sense, n_train in zip(corpus.senses, training_counts(corpus).tolist(), strict=True):
        one, other = ours[sense], published[sense]
        with np.errstate(over="ignore"):
            length, their_length = float(np.linalg.norm(one)), float(np.linalg.norm(other))
        product = length * their_length
        cosine = min(1.0, float(one @ other) / product) if 0 < product < np.inf else 0.0
        ratio = length / their_length if their_length else 0.0
        row = {"word": corpus.word, "sense": sense, "n_train": n_train}
        rows.append(row | {"cosine": cosine, "length": ratio})
    return rows


def training_counts(corpus: Corpus) -> np.ndarray:
    """How many training instances each sense has."""
    return np.bincount(corpus.gold[corpus.split == "train"], minlength=len(corpus.senses))


def compare_predictions(
    ours: WordPredictions, published: WordPredictions
) -> tuple[dict[str, Any], list[dict[Any, Any]]]:
    """Which test instances of a word get the same sense, and how far their scores are apart.

    Parameters
    ----------
    ours, published : WordPredictions
        Of the same instances, in the same order.

    Returns
    -------
    dict
        ``word``; ``n``, ``agreeing`` and ``agreement``, the instances, those for which the same
        sense is predicted, and their share; ``our_right``, ``published_right`` and
        ``accuracy_difference``, by the gold senses; ``score_difference`` and
        ``mean_score_difference``, absolute, over instances and senses.
    list of dict
        For each instance with another prediction ``word``; ``index``, the 0-based line of the test
        file; the senses ``gold``, ``ours`` and ``published``; ``our_margin`` and
        ``published_margin``, by how much the score of one's own prediction exceeds that of the
        other's.
    """
    for name in ("word", "senses", "index", "gold"):
        if not np.array_equal(getattr(ours, name), getattr(published, name)):
            raise ValueError(f"predictions of {ours.word} with another {name}")
    n, apart = len(ours.index), np.abs(ours.scores - published.scores)
    right, their_right = (int((of.predicted == of.gold).sum()) for of in (ours, published))
    at = np.flatnonzero(ours.predicted != published.predicted)
    mine, theirs, names = ours.predicted[at], published.predicted[at], np.array(ours.senses)
    differing = pd.DataFrame(
        {
            "word": ours.word,
            "index": ours.index[at],
            "gold": names[ours.gold[at]],
            "ours": names[mine],
            "published": names[theirs],
            "our_margin": ours.scores[at, mine] - ours.scores[at, theirs],
            "published_margin": published.scores[at, theirs] - published.scores[at, mine],
        }
    )
    word: dict[str, Any] = {
        "word": ours.word,
        "n": n,
        "agreeing": n - len(at),
        "agreement": (n - len(at)) / n,
        "our_right": right,
        "published_right": their_right,
        "accuracy_difference": (right - their_right) / n,
        "score_difference": float(apart.max()),
        "mean_score_difference": float(apart.mean()),
    }
    return word, differing.to_dict("records")


def summarize(
    senses: Rows, words: Rows, differing: Rows, provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """What the JSON file holds: the verdict, the figures, and all rows, the worst first.

    Parameters
    ----------
    senses : rows of :func:`compare_centroids`
    words, differing : rows of :func:`compare_predictions`
    provenance : mapping
    """
    senses = sorted(senses, key=lambda sense: sense["cosine"])
    n = sum(word["n"] for word in words)
    agreement = sum(word["agreeing"] for word in words) / n
    ours, published = (sum(word[f"{of}_right"] for word in words) / n for of in WHOSE)
    differing = sorted(differing, key=lambda d: -min(d["our_margin"], d["published_margin"]))
    lowest = senses[0]["cosine"]
    passed = {"centroids": lowest >= COSINE, "predictions": agreement >= AGREEMENT}
    words = sorted(words, key=lambda word: word["agreement"])
    return {
        "passed": all(passed.values()),
        "thresholds": {"cosine": COSINE, "agreement": AGREEMENT},
        "centroids": {"passed": passed["centroids"], "lowest_cosine": lowest, "senses": senses},
        "predictions": {
            "passed": passed["predictions"],
            "n": n,
            "agreement": agreement,
            "accuracy": {"ours": ours, "published": published, "difference": ours - published},
            "score_difference": {
                "largest": max(word["score_difference"] for word in words),
                "mean": sum(word["mean_score_difference"] for word in words) / len(words),
            },
            "words": words,
            # Near ties last.
            "differing": sorted(
                differing, key=lambda d: -min(d["our_margin"], d["published_margin"])
            ),
        },
        "provenance": dict(provenance),
    }


def as_text(found: Mapping[str, Any]) -> str:
    """What :func:`summarize` gave, to read: the verdict, the figures, the worst cases."""
    centroids, predicted, source = found["centroids"], found["predictions"], found["provenance"]
    senses, words = centroids["senses"], predicted["words"]
    accuracy, apart = predicted["accuracy"], predicted["score_difference"]
    lengths = [sense["length"] for sense in senses]
    accuracies = [
        word | {whose: word[f"{whose}_right"] / word["n"] for whose in WHOSE} for word in words
    ]
    lines = [
        f"{_verdict(found).upper()}: {source['encoder']['model']['name']}, {source['layers']}, "
        f"beside the published {source['published']['model']['name']}",
        "",
        f"centroids    {_verdict(centroids)}: the lowest cosine of {len(senses)} senses is "
        f"{centroids['lowest_cosine']:.7f}, to be {COSINE:.4f} at least; "
        f"lengths {min(lengths):.4f} to {max(lengths):.4f} times theirs",
        f"predictions  {_verdict(predicted)}: {sum(word['agreeing'] for word in words)} of "
        f"{predicted['n']} test instances agree, {predicted['agreement']:.4%}, to be "
        f"{AGREEMENT:.1%} at least",
        f"accuracy     ours {accuracy['ours']:.2%}, theirs {accuracy['published']:.2%}, "
        f"{100 * accuracy['difference']:+.2f} points",
        f"scores       at most {apart['largest']:.1e} apart, {apart['mean']:.1e} in the mean of "
        "words",
        "",
        *_listed("Senses, lowest cosine first", SENSE_COLUMNS, senses),
        "",
        *_listed("Words, lowest agreement first", WORD_COLUMNS, accuracies),
        "",
        *_listed(DIFFERING, DIFFERING_COLUMNS, predicted["differing"]),
    ]
    return "\n".join(lines) + "\n"


def _verdict(part: Mapping[str, Any]) -> str:
    return "pass" if part["passed"] else "fail"


def _listed(title: str, columns: Mapping[str, str], rows: Rows) -> list[str]:
    """Lines: the first rows below a title that says how many there are."""
    if not rows:
        return [f"{title}: none"]
    cells = [[cell.format_map(row) for cell in columns.values()] for row in rows[:SHOWN]]
    count = f"{SHOWN} of {len(rows)}" if len(rows) > SHOWN else str(len(rows))
    return [f"{title} ({count})", *(f"  {line}" for line in aligned([list(columns), *cells]))]


# The check


def check_senses(
    published: Mapping[str, np.ndarray], corpora: Mapping[str, Corpus], where: Path
) -> None:
    """Check that the published centroids are those of our words' senses.

    A sense belongs to the word before its first underscore, as with the authors. Senses of words
    that are not checked may be there.

    Raises
    ------
    CorpusError
        If a sense lacks a centroid, there is one of a sense that the word does not have, or a
        sense has no training instance, so that we can have none.
    """
    for word, corpus in corpora.items():
        if missing := [sense for sense in corpus.senses if sense not in published]:
            raise CorpusError(
                f"no centroid of {missing[0]!r}, a sense of {word!r}", where=str(where)
            )
        theirs = [sense for sense in published if sense.split("_")[0] == word]
        if other := [sense for sense in theirs if sense not in corpus.senses]:
            raise CorpusError(
                f"a centroid of {other[0]!r}, but {word!r} has {', '.join(corpus.senses)}",
                where=str(where),
            )
        trained = training_counts(corpus)
        if not trained.all():
            raise CorpusError(
                f"{corpus.senses[trained.argmin()]!r} has no training instance, so that its "
                "centroid cannot be compared",
                fix="check the whole training set",
            )


def read_predictions(
    path: Path, corpora: Mapping[str, Corpus]
) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
    """Read a published system's predictions of our words' test instances.

    Parameters
    ----------
    path : Path
        A file of ``wsd published``.
    corpora : mapping of word to Corpus

    Returns
    -------
    dict of word to WordPredictions, of all words of the file, and its provenance

    Raises
    ------
    ResultError
        If the file is missing, damaged, of another system than nearest centroids on a focal
        word's vector, or of another corpus.
    """
    read, provenance = predictions.read(path)
    with expecting(path):
        encoder, digests = provenance["encoder"], dict(provenance["corpus"])
        name = encoder["model"]["name"]
        is_the_system = "published" in encoder and all(
            provenance[key] == value for key, value in SYSTEM.items()
        )
    if not is_the_system:
        raise ResultError(
            f"the predictions of {name!r} are not those of published nearest centroids",
            where=str(path),
            fix="give the file of `wsd published --system 1nn-bert-base-uncased`",
        )
    tested = {words.word: words for words in read if words.split == TEST}
    for word, corpus in corpora.items():
        if word not in tested:
            raise ResultError(f"no predictions of {word!r}", where=str(path))
        if digests.get(word) != corpus.digest:
            raise ResultError(
                f"the predictions belong to another table than the corpus of {word!r}",
                where=str(path),
                fix="delete the file and run again",
            )
    return tested, provenance


def check(
    corpora: Mapping[str, Corpus], embeddings: Path, layers: str, centroids: Path, published: Path
) -> dict[str, Any]:
    """Compare our centroids and predictions of some words with the published ones.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/focal.safetensors``.
    layers : str
        A layer choice.
    centroids : Path
        The published sense vectors.
    published : Path
        The published predictions, a file of ``wsd published``.

    Returns
    -------
    dict
        Of :func:`summarize`.

    Raises
    ------
    CorpusError, ResultError
        If a file is missing, malformed, or of other words, senses, instances or width.
    """
    their_centroids = read_centroids(centroids)
    check_senses(their_centroids, corpora, centroids)
    theirs, system = read_predictions(published, corpora)
    width = len(next(iter(their_centroids.values())))
    sources: dict[str, Any] = {}
    senses: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    differing: list[dict[Any, Any]] = []
    with threadpool_limits(1):
        for word, corpus in corpora.items():
            found, vectors, sources[word] = features.read(embeddings, corpus, VIEW, layers)
            if vectors.shape[1] != width:
                raise ResultError(
                    f"the vectors of {word!r} have {vectors.shape[1]} numbers, the published "
                    f"centroids {width}: they are of another encoder",
                    where=str(embeddings),
                    fix="check the encoder of the published file: have bert-base-uncased, as in "
                    "config/config.yaml, under the config key `models`",
                )
            classifier = NearestCentroid(metric="cosine")
            predicted = predictions.predict_word(corpus, vectors, classifier)  # and fits it
            ours = next(of_split for of_split in predicted if of_split.split == TEST)
            # Every sense has training instances, so that there is a centroid of each.
            our_centroids = dict(zip(corpus.senses, classifier.centroids_, strict=True))
            senses += compare_centroids(corpus, our_centroids, their_centroids)
            with expecting(published):
                of_word, differing_of_word = compare_predictions(ours, theirs[word])
            words.append(of_word)
            differing += differing_of_word
            log.debug("%s: %d of %d agree", word, of_word["agreeing"], of_word["n"])
    provenance = {
        "view": found.view,
        "layers": found.layers,
        **features.shared(sources, embeddings),
        "published": {
            "model": system["encoder"]["model"],
            **system["encoder"]["published"],
            "centroids_sha256": sha256(centroids),
        },
        "versions": {package: version(package) for package in predictions.PACKAGES},
    }
    return summarize(senses, words, differing, provenance)


def reproduce(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    layers: str = LAYERS,
    centroids: Path,
    published: Path,
    out: Path,
) -> None:
    """Make the check, write what it found, say it, and raise if it failed.

    Parameters
    ----------
    corpora, embeddings, layers, centroids, published
        As in :func:`check`.
    out : Path
        The JSON file; the text is written beside it, with the ending ``.txt``. Both are there
        when the check fails.

    Raises
    ------
    ConfigError
        If ``out`` does not end with ``.json``.
    ReproductionError
        If the check fails; it names the worst sense, or the worst instance.
    """
    if out.suffix != ".json":
        raise ConfigError(f"{out.name!r} does not end with .json", where="--out")
    found = check(corpora, embeddings, layers, centroids, published)
    text, readable = as_text(found), out.with_suffix(".txt")
    write_json(out, found)
    write_text(readable, text)
    log.info("%s", text)
    if not found["passed"]:
        raise _failure(found, readable)


def _failure(found: Mapping[str, Any], where: Path) -> ReproductionError:
    centroids, predicted = found["centroids"], found["predictions"]
    reasons, fix = [], "look at the instances that differ, those with the greatest margins first"
    if not centroids["passed"]:
        worst = centroids["senses"][0]
        reasons.append(f"the centroid of {worst['sense']!r} has cosine {worst['cosine']:.5f}")
        fix = "check the encoder and its revision, the layers, and where the focal word is sought"
    if not predicted["passed"]:
        differing = predicted["differing"]
        reasons.append(
            f"{len(differing)} of {predicted['n']} predictions differ, such as that of "
            f"{differing[0]['word']} test {differing[0]['index']}"
        )
    return ReproductionError(
        f"what was published is not reproduced: {'; '.join(reasons)}", where=str(where), fix=fix
    )
