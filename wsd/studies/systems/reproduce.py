"""Check that our vectors reproduce the published sense vectors and predictions.

The authors' scripts (``create_1nn_vecs.py``, ``nlm_encoder.py`` and ``eval_1nn.py``, in the
repository of their outputs) take the same steps with bert-base-uncased as we do:

* the uncased tokenizer cuts each token into word pieces; a sentence runs alone, between ``[CLS]``
  and ``[SEP]``, in segment 0;
* the states of the focal word's pieces are averaged in each of the last four hidden states, and the
  four averages are summed: our view ``focal``, layers ``sum-last-4``;
* the vector of a sense is the mean of its training vectors, which are not scaled; they are summed
  in float32 and printed with six decimals;
* a test vector and the printed vectors of its word's senses are scaled to unit length; a score is
  their product in float32, and the sense with the highest score is predicted.

They leave out sentences of 512 tokens or more, but the corpus has none. They used the tokenizer in
Python; transformers' copy of it and the fast tokenizer give the same pieces for all 33,566
sentences. So only arithmetic can differ: six decimals (1e-14 of a cosine), and float32 on another
machine.

The thresholds are in :mod:`wsd.studies.systems.reproduction_verdict`. We measured the lowest cosine
of our centroids with centroids from faulty steps, with all-MiniLM-L6-v2 on ``crane`` and ``digit``:
0.22 with the focal piece off by one, 0.981 with the layers off by one, 0.993 and 0.995 with the
last three or five layers, 0.997 with segment 1, 0.998 without special tokens. With the right steps
in bfloat16, far less precise than any float32, it is 0.99999. So ``COSINE`` lies between 0.998 and
0.99999. Two senses of a word have a cosine of at most 0.973.

2 of the 10,196 published predictions lead by less than 1e-4, and 28 by less than 1e-3;
``AGREEMENT`` allows for 10 near ties that are resolved differently. The report lists every
different prediction with its lead, whatever the verdict.
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
from wsd.storage.text_files import at_place
from wsd.studies.systems import reproduction_verdict
from wsd.studies.systems.published_centroids import read_centroids

VIEW = "focal"
LAYERS = "sum-last-4"
# The published predictions must have this configuration, whatever layers are compared with them.
SYSTEM = {"view": VIEW, "layers": LAYERS, "estimator": "nearest_centroid"}


class ReproductionError(WsdError):
    """Our vectors do not reproduce the published results."""


def check_senses(
    published: Mapping[str, np.ndarray], corpora: Mapping[str, Corpus], where: Path
) -> None:
    """Check that the published centroids are of the senses of our words.

    A sense belongs to the word before its first underscore, as in the authors' scripts. Centroids
    of other words are ignored.

    Raises
    ------
    CorpusError
        If a sense has no centroid, a centroid has a sense that the word lacks, or a sense has no
        training instance, so that our centroid of it does not exist.
    """
    fix = "give centroids of the same corpus, or leave the word out of --words"
    for word, corpus in corpora.items():
        with at_place(str(where), fix):
            if missing := [sense for sense in corpus.senses if sense not in published]:
                raise ValueError(f"no centroid of {missing[0]!r}, a sense of {word!r}")
            theirs = [sense for sense in published if sense.split("_")[0] == word]
            if other := [sense for sense in theirs if sense not in corpus.senses]:
                senses = ", ".join(corpus.senses)
                raise ValueError(f"a centroid of {other[0]!r}, but {word!r} has {senses}")
        trained = reproduction_verdict.training_counts(corpus)
        if not trained.all():
            problem = f"{corpus.senses[trained.argmin()]!r} has no training instance"
            raise CorpusError(problem, fix="use the whole training set, or another word")


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
        encoder, settings = provenance["encoder"], {key: provenance[key] for key in SYSTEM}
        name = encoder["model"]["name"]
    if "published" not in encoder or settings != SYSTEM:
        problem = f"the predictions of {name!r} are not those of published nearest centroids"
        fix = "give the file of `wsd published --system 1nn-bert-base-uncased`"
        raise ResultError(problem, where=str(path), fix=fix)
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
        As from :func:`wsd.studies.systems.reproduction_verdict.summarize`.

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
                problem = f"the vectors of {word!r} have {vectors.shape[1]} numbers, the published "
                problem += f"centroids {width}: they are of another encoder"
                fix = (
                    "use bert-base-uncased under the config key `models`, as in config/config.yaml"
                )
                raise ResultError(problem, where=str(embeddings), fix=fix)
            classifier = NearestCentroid(metric="cosine")
            predicted = predict_word(corpus, vectors, classifier)  # and fits it
            ours = next(predictions for predictions in predicted if predictions.split == TEST)
            # Every sense has a centroid, because every sense has training instances.
            our_centroids = dict(zip(corpus.senses, classifier.centroids_, strict=True))
            senses += reproduction_verdict.compare_centroids(corpus, our_centroids, their_centroids)
            agreement, instances = reproduction_verdict.compare_predictions(ours, theirs[word])
            words.append(agreement)
            differing += instances
            log.debug("%s: %d of %d agree", word, agreement["agreeing"], agreement["n"])
    provenance = {
        **stored.provenance(embeddings),
        "published": {
            "model": system["encoder"]["model"],
            **system["encoder"]["published"],
            "centroids_sha256": sha256(centroids),
        },
        "versions": versions(),
    }
    return reproduction_verdict.summarize(senses, words, differing, provenance)


def _failure(summary: Mapping[str, Any], where: Path) -> ReproductionError:
    centroids, predicted = summary["centroids"], summary["predictions"]
    reasons, fix = [], "look at the instances that differ, those with the greatest margins first"
    if not centroids["passed"]:
        worst = centroids["senses"][0]
        reasons.append(f"the centroid of {worst['sense']!r} has cosine {worst['cosine']:.5f}")
        fix = "check the encoder and its revision, the layers, and the position of the focal word"
    if not predicted["passed"]:
        differing = predicted["differing"]
        reasons.append(
            f"{len(differing)} of {predicted['n']} predictions differ, such as that of "
            f"{differing[0]['word']} test {differing[0]['index']}"
        )
    problem = f"the published results are not reproduced: {'; '.join(reasons)}"
    return ReproductionError(problem, where=str(where), fix=fix)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_embeddings(parser)
    parser.add_argument("--layers", default=LAYERS, help="a layer choice (default: the authors')")
    add_path(parser, "--centroids", "the published sense vectors, .txt")
    add_path(parser, "--published", "of `wsd published`, .parquet")
    add_out(parser, "the comparison, with a .txt of the same name to read", ".json")


def run(args: argparse.Namespace) -> None:
    """Compare, write the comparison as ``.json`` and ``.txt``, and show it; then fail if it fails.

    Raises
    ------
    ConfigError
        If ``--out`` does not end with ``.json``.
    ReproductionError
        If the check fails; it names the worst sense, or the worst instance.
    """
    if args.out.suffix != ".json":
        problem = f"{args.out.name!r} does not end with .json"
        fix = "name a file that ends with .json; the text is written next to it"
        raise ConfigError(problem, where="--out", fix=fix)
    corpora = read_corpora(args.corpus, args.words)
    summary = check(corpora, args.embeddings, args.layers, args.centroids, args.published)
    text, readable = reproduction_verdict.as_text(summary), args.out.with_suffix(".txt")
    write_json(args.out, summary)
    write_text(readable, text)
    log.info("%s", text)
    if not summary["passed"]:
        raise _failure(summary, readable)
