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
report, whatever the verdict. (Both are in :mod:`wsd.studies.systems.verdict`.)
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wsd.arguments import add_embeddings, add_out, add_path
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.predictions import TEST, WordPredictions, read_test_split, versions
from wsd.classification.estimators.nearest_centroid import NearestCentroid
from wsd.classification.fit_and_predict import predict_word
from wsd.errors import ConfigError, CorpusError, ResultError, WsdError
from wsd.logs import log
from wsd.metrics.single_thread import one_thread
from wsd.storage.atomic import write_text
from wsd.storage.checksums import sha256
from wsd.storage.json import write_json
from wsd.storage.result_files import parsing
from wsd.studies.systems import verdict
from wsd.studies.systems.published_centroids import read_centroids

VIEW = "focal"
LAYERS = "sum-last-4"
# What the published predictions must be of, whatever layers of ours stand beside them.
SYSTEM = {"view": VIEW, "layers": LAYERS, "estimator": "nearest_centroid"}


class ReproductionError(WsdError):
    """What was published is not what we get."""


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
                f"no centroid of {missing[0]!r}, a sense of {word!r}",
                where=str(where),
                fix="give centroids of the same corpus, or leave the word out of --words",
            )
        theirs = [sense for sense in published if sense.split("_")[0] == word]
        if other := [sense for sense in theirs if sense not in corpus.senses]:
            raise CorpusError(
                f"a centroid of {other[0]!r}, but {word!r} has {', '.join(corpus.senses)}",
                where=str(where),
                fix="give centroids of the same corpus, or leave the word out of --words",
            )
        trained = verdict.training_counts(corpus)
        if not trained.all():
            raise CorpusError(
                f"{corpus.senses[trained.argmin()]!r} has no training instance, so that its "
                "centroid cannot be compared",
                fix="check the whole training set",
            )


def read_published(
    path: Path, corpora: Mapping[str, Corpus]
) -> tuple[dict[str, WordPredictions], Mapping[str, Any]]:
    """Read a published system's predictions of our words' test instances.

    Parameters
    ----------
    path : Path
        A file of ``wsd published``.
    corpora : mapping of word to Corpus

    Returns
    -------
    dict of word to WordPredictions, and their provenance

    Raises
    ------
    ResultError
        If the file is missing, damaged, of another system than nearest centroids on a focal
        word's vector, or of another corpus.
    """
    with parsing(path):
        read, provenance = read_test_split(path, corpora)
        encoder, found = provenance["encoder"], {key: provenance[key] for key in SYSTEM}
        name = encoder["model"]["name"]
    if "published" not in encoder or found != SYSTEM:
        raise ResultError(
            f"the predictions of {name!r} are not those of published nearest centroids",
            where=str(path),
            fix="give the file of `wsd published --system 1nn-bert-base-uncased`",
        )
    return {words.word: words for words in read}, provenance


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
        Of :func:`wsd.studies.systems.verdict.summarize`.

    Raises
    ------
    CorpusError, ResultError
        If a file is missing, malformed, or of other words, senses, instances or width.
    """
    their_centroids = read_centroids(centroids)
    check_senses(their_centroids, corpora, centroids)
    theirs, system = read_published(published, corpora)
    width = len(next(iter(their_centroids.values())))
    stored = StoredFeatures(embeddings, VIEW, layers)
    senses: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    differing: list[dict[Any, Any]] = []
    with one_thread():
        for word, corpus in corpora.items():
            vectors = stored.read(corpus)
            if vectors.shape[1] != width:
                raise ResultError(
                    f"the vectors of {word!r} have {vectors.shape[1]} numbers, the published "
                    f"centroids {width}: they are of another encoder",
                    where=str(embeddings),
                    fix="check the encoder of the published file: have bert-base-uncased, as in "
                    "config/config.yaml, under the config key `models`",
                )
            classifier = NearestCentroid(metric="cosine")
            predicted = predict_word(corpus, vectors, classifier)  # and fits it
            ours = next(of_split for of_split in predicted if of_split.split == TEST)
            # Every sense has training instances, so that there is a centroid of each.
            our_centroids = dict(zip(corpus.senses, classifier.centroids_, strict=True))
            senses += verdict.compare_centroids(corpus, our_centroids, their_centroids)
            of_word, differing_of_word = verdict.compare_predictions(ours, theirs[word])
            words.append(of_word)
            differing += differing_of_word
            log.debug("%s: %d of %d agree", word, of_word["agreeing"], of_word["n"])
    provenance = {
        **stored.provenance(embeddings),
        "published": {
            "model": system["encoder"]["model"],
            **system["encoder"]["published"],
            "centroids_sha256": sha256(centroids),
        },
        "versions": versions(),
    }
    return verdict.summarize(senses, words, differing, provenance)


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


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_embeddings(parser)
    parser.add_argument("--layers", default=LAYERS, help="a layer choice (default: the authors')")
    add_path(parser, "--centroids", "the published ones, .txt")
    add_path(parser, "--published", "of `wsd published`, .parquet")
    add_out(parser, "the findings, with a .txt of the same name to read", ".json")


def run(args: argparse.Namespace) -> None:
    """Make the check, write what it found, say it, and raise if it failed.

    Both files, ``.json`` and ``.txt``, are there when the check fails.

    Raises
    ------
    ConfigError
        If ``--out`` does not end with ``.json``.
    ReproductionError
        If the check fails; it names the worst sense, or the worst instance.
    """
    if args.out.suffix != ".json":
        raise ConfigError(
            f"{args.out.name!r} does not end with .json",
            where="--out",
            fix="name a file that ends with .json: the text lies beside it",
        )
    corpora = read_corpora(args.corpus, args.words)
    found = check(corpora, args.embeddings, args.layers, args.centroids, args.published)
    text, readable = verdict.as_text(found), args.out.with_suffix(".txt")
    write_json(args.out, found)
    write_text(readable, text)
    log.info("%s", text)
    if not found["passed"]:
        raise _failure(found, readable)
