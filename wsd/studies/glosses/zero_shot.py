"""Predict the test instances from glosses alone: the sense whose gloss vector is nearest.

Nothing is fitted or tuned on the corpus. The gloss vector replaces the centroid of the training
vectors in nearest centroid. It is the vector of the focal word within the gloss, or the mean over
all word pieces of the gloss. If a sense has several glosses, it is the mean of their vectors.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wsd.arguments import add_embeddings, add_files, add_path, add_word_files, writes
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import ENCODER_KEYS, read_features, shared_provenance
from wsd.artifacts.predictions import WordPredictions, versions, write_predictions
from wsd.artifacts.run_json import Words
from wsd.artifacts.training_set import NO_TRAIN
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import predict_splits
from wsd.errors import ConfigError, wrong_file
from wsd.metrics.single_thread import one_thread
from wsd.studies.glosses.gloss_names import KINDS, VIEW


class SenseVectors(NamedTuple):
    """The gloss vectors of one word.

    Attributes
    ----------
    vectors : float32 array of shape (glosses, features)
    gold : int array of shape (glosses,)
        The sense of each gloss. Every sense of the word has at least one.
    """

    vectors: np.ndarray
    gold: np.ndarray


def read_gloss_vectors(
    folder: Words, glosses: Corpus, corpus: Corpus, layers: str, source: Mapping[str, Any]
) -> dict[str, SenseVectors]:
    """Return the gloss vectors of a word for one layer choice, by kind.

    Parameters
    ----------
    folder : Path
        Has ``<name of the word>/<view>.safetensors`` for the glosses.
    glosses, corpus : Corpus
        The word's glosses and its sentences.
    layers : str
        As in :func:`wsd.artifacts.feature_set.parse_features`.
    source : mapping
        The provenance of the sentences' vectors.

    Raises
    ------
    ResultError
        If the senses of the glosses differ from those of the corpus, or the encoders differ.
    """
    where = folder if isinstance(folder, Path) else folder.listings[0]
    if glosses.senses != corpus.senses or set(glosses.gold) != set(range(len(corpus.senses))):
        problem = f"the glosses of {corpus.word!r} are of other senses than its corpus"
        raise wrong_file(problem, where)
    kinds = {}
    for kind, view in KINDS.items():
        _, vectors, gloss_source = read_features(folder, glosses, view, layers)
        if other := [key for key in ENCODER_KEYS if gloss_source[key] != source[key]]:
            problem = f"the glosses of {corpus.word!r} were embedded with another {other[0]}"
            raise wrong_file(f"{problem} than its sentences", where)
        kinds[kind] = SenseVectors(vectors, glosses.gold)
    return kinds


def nearest_gloss(corpus: Corpus, vectors: Any, senses: SenseVectors) -> list[WordPredictions]:
    """Predict the sense of the nearest gloss for every instance outside the training split."""
    fitted = NearestCentroid().fit(senses.vectors, senses.gold)
    return predict_splits(corpus, vectors, fitted, n_train=0)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_embeddings(parser)
    parser.add_argument("--layers", required=True, help="a layer choice: 6, mean-last-4, ...")
    add_path(parser, "--glosses", "folder of `wsd glosses`")
    add_word_files(
        parser, "--gloss-vectors", f"of `wsd embed` for them, {' and '.join(KINDS.values())}"
    )
    add_files(parser, "--out", f"for the predictions, .parquet, of {' and '.join(KINDS)}")
    writes(parser, "out")


def run(args: argparse.Namespace) -> None:
    """Predict with both kinds of gloss vector, and write the files."""
    if len(args.out) != len(KINDS):
        fix = f"give one for {' and one for '.join(KINDS)}"
        raise ConfigError(f"{len(args.out)} outputs", where="--out", fix=fix)
    corpora = read_corpora(args.corpus, args.words)
    glosses = read_corpora(args.glosses, args.words)
    predictions: dict[str, list[WordPredictions]] = {kind: [] for kind in KINDS}
    sources: dict[str, Mapping[str, Any]] = {}
    # The number of threads changes the last bits of a product, which could decide a near-tie.
    with one_thread():
        for word, corpus in corpora.items():
            features, vectors, source = read_features(args.embeddings, corpus, VIEW, args.layers)
            folder, sources[word] = args.gloss_vectors, source
            kinds = read_gloss_vectors(folder, glosses[word], corpus, args.layers, source)
            for kind, senses in kinds.items():
                predictions[kind] += nearest_gloss(corpus, vectors, senses)
    for kind, out in zip(KINDS, args.out, strict=True):
        provenance = {
            "train": NO_TRAIN,
            "task": "sense",
            "versions": versions(),
            "view": VIEW,
            "layers": features.layers,
            **shared_provenance(sources),
            "classifier": kind,
            "estimator": "nearest_centroid",
            "parameters": {},
            "space": {},
            "glosses": {word: table.digest for word, table in glosses.items()},
        }
        write_predictions(out, predictions[kind], provenance)
