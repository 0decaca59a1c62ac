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
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from wsd import features, predictions
from wsd.classifiers.centroid import NearestCentroid
from wsd.corpus import Corpus
from wsd.errors import ConfigError, CorpusError, ResultError, WsdError
from wsd.files import expecting, sha256, write_json, write_text
from wsd.predictions import TEST, WordPredictions
from wsd.published import read_centroids

log = logging.getLogger("wsd")

VIEW = "focal"
LAYERS = "sum-last-4"

COSINE = 0.9999
AGREEMENT = 0.999

SHOWN = 10  # rows of each of the text's lists; the JSON has all


class ReproductionError(WsdError):
    """What was published is not what we get."""


@dataclass(frozen=True)
class SenseMatch:
    """Our centroid of a sense beside the published one.

    Attributes
    ----------
    word, sense : str
    n_train : int
        Training instances that ours is the mean of.
    cosine : float
        0 where one of them is zero, or too long for its length to be a number.
    length : float
        Ours over theirs, to which a cosine is blind: 0.25 if layers were averaged, not summed.
    """

    word: str
    sense: str
    n_train: int
    cosine: float
    length: float


@dataclass(frozen=True)
class Disagreement:
    """A test instance for which we predict another sense than was published.

    Attributes
    ----------
    word : str
    index : int
        0-based line of the test file.
    gold, ours, published : str
        Senses.
    our_margin, published_margin : float
        By how much the score of one's own prediction exceeds that of the other's.
    """

    word: str
    index: int
    gold: str
    ours: str
    published: str
    our_margin: float
    published_margin: float


@dataclass(frozen=True)
class WordMatch:
    """Our predictions of one word's test instances beside the published ones.

    Attributes
    ----------
    word : str
    n, agreeing : int
        Test instances, and those for which the same sense is predicted.
    our_right, published_right : int
        Instances for which the gold sense is predicted.
    score_difference, mean_score_difference : float
        Largest and mean absolute difference, over instances and senses.
    differing : tuple of Disagreement
    """

    word: str
    n: int
    agreeing: int
    our_right: int
    published_right: int
    score_difference: float
    mean_score_difference: float
    differing: tuple[Disagreement, ...]


@dataclass(frozen=True)
class Report:
    """What the check found, the worst cases first.

    Attributes
    ----------
    senses : tuple of SenseMatch
        Ascending by cosine.
    words : tuple of WordMatch
        Ascending by agreement.
    differing : tuple of Disagreement
        Descending by the lesser of the two margins: near ties last.
    provenance : mapping
    """

    senses: tuple[SenseMatch, ...]
    words: tuple[WordMatch, ...]
    differing: tuple[Disagreement, ...]
    provenance: Mapping[str, Any]

    @property
    def cosine(self) -> float:
        """The lowest of all senses."""
        return self.senses[0].cosine

    @property
    def n(self) -> int:
        """Number of test instances."""
        return sum(word.n for word in self.words)

    @property
    def agreement(self) -> float:
        """The share of test instances with the same prediction."""
        return sum(word.agreeing for word in self.words) / self.n

    @property
    def accuracy(self) -> tuple[float, float]:
        """Ours and the published one, over all instances."""
        return (
            sum(word.our_right for word in self.words) / self.n,
            sum(word.published_right for word in self.words) / self.n,
        )

    @property
    def score_difference(self) -> tuple[float, float]:
        """Largest absolute difference of two scores, and the mean of the words' means."""
        means = [word.mean_score_difference for word in self.words]
        return max(word.score_difference for word in self.words), sum(means) / len(means)

    @property
    def centroids_pass(self) -> bool:
        """Whether every cosine is at least ``COSINE``."""
        return self.cosine >= COSINE

    @property
    def predictions_pass(self) -> bool:
        """Whether the agreement is at least ``AGREEMENT``."""
        return self.agreement >= AGREEMENT

    @property
    def passed(self) -> bool:
        """The verdict."""
        return self.centroids_pass and self.predictions_pass


def summarize(
    senses: Sequence[SenseMatch], words: Sequence[WordMatch], provenance: Mapping[str, Any]
) -> Report:
    """Put the worst cases first."""
    differing = [one for word in words for one in word.differing]
    return Report(
        senses=tuple(sorted(senses, key=lambda s: s.cosine)),
        words=tuple(sorted(words, key=lambda w: w.agreeing / w.n)),
        differing=tuple(sorted(differing, key=lambda d: -min(d.our_margin, d.published_margin))),
        provenance=provenance,
    )


def fit(corpus: Corpus, vectors: np.ndarray) -> tuple[dict[str, np.ndarray], WordPredictions]:
    """Our centroids of a word's senses on its whole training split, and our test predictions.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), width)

    Returns
    -------
    dict of sense to float64 array, and WordPredictions
        A sense without training instances has no centroid.
    """
    classifier = NearestCentroid(metric="cosine")
    tested = predictions.predict_word(corpus, vectors, classifier)
    centroids = {
        corpus.senses[code]: centroid
        for code, centroid in zip(classifier.classes_, classifier.centroids_, strict=True)
    }
    return centroids, next(words for words in tested if words.split == TEST)


def compare_centroids(
    corpus: Corpus, ours: Mapping[str, np.ndarray], published: Mapping[str, np.ndarray]
) -> list[SenseMatch]:
    """Cosine and ratio of lengths of each sense's two centroids.

    Parameters
    ----------
    corpus : Corpus
    ours, published : mappings of sense to array of shape (width,)
        ``published`` may have the senses of other words too.
    """
    counts = np.bincount(corpus.gold[corpus.split == "train"], minlength=len(corpus.senses))
    matches = []
    for sense, n_train in zip(corpus.senses, counts.tolist(), strict=True):
        one, other = ours[sense], published[sense]
        with np.errstate(over="ignore"):
            length, their_length = float(np.linalg.norm(one)), float(np.linalg.norm(other))
        product = length * their_length
        matches.append(
            SenseMatch(
                word=corpus.word,
                sense=sense,
                n_train=n_train,
                cosine=min(1.0, float(one @ other) / product) if 0 < product < np.inf else 0.0,
                length=length / their_length if their_length else 0.0,
            )
        )
    return matches


def compare_predictions(ours: WordPredictions, published: WordPredictions) -> WordMatch:
    """Which test instances of a word get the same sense, and how far their scores are apart.

    Parameters
    ----------
    ours, published : WordPredictions
        Of the same instances, in the same order.
    """
    for name in ("word", "senses"):
        if getattr(ours, name) != getattr(published, name):
            raise ValueError(f"predictions of another {name}")
    for name in ("index", "gold"):
        if not np.array_equal(getattr(ours, name), getattr(published, name)):
            raise ValueError(f"predictions of {ours.word} with another {name}")
    apart = np.abs(ours.scores - published.scores)
    differing = np.flatnonzero(ours.predicted != published.predicted)
    return WordMatch(
        word=ours.word,
        n=len(ours.index),
        agreeing=len(ours.index) - len(differing),
        our_right=int((ours.predicted == ours.gold).sum()),
        published_right=int((published.predicted == published.gold).sum()),
        score_difference=float(apart.max()),
        mean_score_difference=float(apart.mean()),
        differing=tuple(_disagreement(ours, published, int(i)) for i in differing),
    )


def _disagreement(ours: WordPredictions, published: WordPredictions, i: int) -> Disagreement:
    mine, theirs = int(ours.predicted[i]), int(published.predicted[i])
    return Disagreement(
        word=ours.word,
        index=int(ours.index[i]),
        gold=ours.senses[ours.gold[i]],
        ours=ours.senses[mine],
        published=ours.senses[theirs],
        our_margin=float(ours.scores[i, mine] - ours.scores[i, theirs]),
        published_margin=float(published.scores[i, theirs] - published.scores[i, mine]),
    )


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
        trained = np.bincount(corpus.gold[corpus.split == "train"], minlength=len(corpus.senses))
        if not trained.all():
            raise CorpusError(
                f"{corpus.senses[int(trained.argmin())]!r} has no training instance, so that its "
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
        A file of ``wsd published``; of further words too, if it has them.
    corpora : mapping of word to Corpus

    Returns
    -------
    dict of word to WordPredictions, and the file's provenance

    Raises
    ------
    ResultError
        If the file is missing, damaged, of another system than nearest centroids on a focal
        word's vector, or of another corpus.
    """
    read, provenance = predictions.read(path)
    with expecting(path):
        system = {key: provenance[key] for key in ("view", "layers", "estimator")}
        name, published = (
            provenance["encoder"]["model"]["name"],
            "published" in provenance["encoder"],
        )
        digests = dict(provenance["corpus"])
    if not published or system != {
        "view": VIEW,
        "layers": LAYERS,
        "estimator": "nearest_centroid",
    }:
        raise ResultError(
            f"the predictions of {name!r} are not those of published nearest centroids",
            where=str(path),
            fix="give the file of `wsd published --system 1nn-bert-base-uncased`",
        )
    of_word = {words.word: words for words in read if words.split == TEST}
    for word, corpus in corpora.items():
        if word not in of_word:
            raise ResultError(f"no predictions of {word!r}", where=str(path))
        if digests.get(word) != corpus.digest:
            raise ResultError(
                f"the predictions belong to another table than the corpus of {word!r}",
                where=str(path),
                fix="delete the file and run again",
            )
    return {word: of_word[word] for word in corpora}, provenance


def check(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    layers: str = LAYERS,
    centroids: Path,
    published: Path,
) -> Report:
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

    Raises
    ------
    CorpusError, ResultError
        If a file is missing, malformed, or of other words, senses, instances or width.
    """
    from threadpoolctl import threadpool_limits

    theirs = read_centroids(centroids)
    check_senses(theirs, corpora, centroids)
    predicted, system = read_predictions(published, corpora)
    sources: dict[str, Any] = {}
    senses: list[SenseMatch] = []
    words: list[WordMatch] = []
    with threadpool_limits(1):
        for word, corpus in corpora.items():
            found, vectors, sources[word] = features.read(embeddings, corpus, VIEW, layers)
            width = len(theirs[corpus.senses[0]])
            if vectors.shape[1] != width:
                raise ResultError(
                    f"the vectors of {word!r} have {vectors.shape[1]} numbers, the published "
                    f"centroids {width}: they are of another encoder",
                    where=str(embeddings),
                    fix="check the encoder of the published file: have bert-base-uncased, as in "
                    "config/config.yaml, under the config key `models`",
                )
            ours, tested = fit(corpus, vectors)
            senses += compare_centroids(corpus, ours, theirs)
            with expecting(published):
                words.append(compare_predictions(tested, predicted[word]))
            log.debug("%s: %d of %d agree", word, words[-1].agreeing, words[-1].n)
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
    return summarize(senses, words, provenance)


def as_json(report: Report) -> dict[str, Any]:
    """All of a report, for a machine to read."""
    ours, published = report.accuracy
    largest, mean = report.score_difference
    return {
        "passed": report.passed,
        "thresholds": {"cosine": COSINE, "agreement": AGREEMENT},
        "centroids": {
            "passed": report.centroids_pass,
            "lowest_cosine": report.cosine,
            "senses": [asdict(sense) for sense in report.senses],
        },
        "predictions": {
            "passed": report.predictions_pass,
            "n": report.n,
            "agreement": report.agreement,
            "accuracy": {"ours": ours, "published": published, "difference": ours - published},
            "score_difference": {"largest": largest, "mean": mean},
            "words": [
                {k: v for k, v in asdict(word).items() if k != "differing"}
                | {
                    "agreement": word.agreeing / word.n,
                    "accuracy_difference": (word.our_right - word.published_right) / word.n,
                }
                for word in report.words
            ],
            "differing": [asdict(one) for one in report.differing],
        },
        "provenance": dict(report.provenance),
    }


def as_text(report: Report) -> str:
    """A report for a person to read: the verdict, the figures, the worst cases."""
    ours, published = report.accuracy
    largest, mean = report.score_difference
    encoder = report.provenance["encoder"]["model"]["name"]
    lengths = sorted(sense.length for sense in report.senses)
    agreeing = sum(word.agreeing for word in report.words)
    lines = [
        f"{_verdict(report.passed).upper()}: {encoder}, {report.provenance['layers']}, "
        f"beside the published {report.provenance['published']['model']['name']}",
        "",
        f"centroids    {_verdict(report.centroids_pass)}: the lowest cosine of "
        f"{len(report.senses)} senses is {report.cosine:.7f}, to be {COSINE:.4f} at least; "
        f"lengths {lengths[0]:.4f} to {lengths[-1]:.4f} times theirs",
        f"predictions  {_verdict(report.predictions_pass)}: {agreeing} of {report.n} test "
        f"instances agree, {report.agreement:.4%}, to be {AGREEMENT:.1%} at least",
        f"accuracy     ours {ours:.2%}, theirs {published:.2%}, {100 * (ours - published):+.2f} "
        "points",
        f"scores       at most {largest:.1e} apart, {mean:.1e} in the mean of words",
        "",
        *_table(
            "Senses, lowest cosine first",
            ("cosine", "length", "training", "sense"),
            [
                (f"{s.cosine:.7f}", f"{s.length:.4f}", str(s.n_train), s.sense)
                for s in report.senses
            ],
        ),
        "",
        *_table(
            "Words, lowest agreement first",
            ("agreement", "of", "accuracy", "theirs", "scores apart", "word"),
            [
                (
                    *(f"{w.agreeing / w.n:.4%}", str(w.n)),
                    *(f"{w.our_right / w.n:.2%}", f"{w.published_right / w.n:.2%}"),
                    *(f"{w.score_difference:.1e}", w.word),
                )
                for w in report.words
            ],
        ),
        "",
        *_table(
            "Test instances that differ, near ties last; a margin is the lead over the other's "
            "prediction",
            ("index", "our margin", "their margin", "word", "gold", "ours", "theirs"),
            [
                (
                    *(str(d.index), f"{d.our_margin:.2e}", f"{d.published_margin:.2e}"),
                    *(d.word, d.gold, d.ours, d.published),
                )
                for d in report.differing
            ],
        ),
    ]
    return "\n".join(lines) + "\n"


def _verdict(passed: bool) -> str:
    return "pass" if passed else "fail"


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines: the first rows below a title that says how many there are."""
    if not rows:
        return [f"{title}: none"]
    shown = [head, *rows[:SHOWN]]
    widths = [max(len(row[i]) for row in shown) for i in range(len(head))]
    count = f"{SHOWN} of {len(rows)}" if len(rows) > SHOWN else str(len(rows))
    return [
        f"{title} ({count})",
        *(
            "  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in shown
        ),
    ]


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
    report = check(corpora, embeddings, layers=layers, centroids=centroids, published=published)
    text = as_text(report)
    write_json(out, as_json(report))
    write_text(out.with_suffix(".txt"), text)
    log.info("%s", text)
    if not report.passed:
        raise _failure(report, out.with_suffix(".txt"))


def _failure(report: Report, where: Path) -> ReproductionError:
    reasons, fix = [], "look at the instances that differ, those with the greatest margins first"
    if not report.centroids_pass:
        worst = report.senses[0]
        reasons.append(f"the centroid of {worst.sense!r} has cosine {worst.cosine:.5f}")
        fix = "check the encoder and its revision, the layers, and where the focal word is sought"
    if not report.predictions_pass:
        instance = report.differing[0]
        reasons.append(
            f"{len(report.differing)} of {report.n} predictions differ, such as that of "
            f"{instance.word} test {instance.index}"
        )
    return ReproductionError(
        f"what was published is not reproduced: {'; '.join(reasons)}", where=str(where), fix=fix
    )
