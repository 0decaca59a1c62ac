"""Measure the geometry of each layer's vectors, word by word, without a classifier.

All measures use training rows; a word with many rows is measured on a sample (:func:`sample`).

* *Anisotropy*: mean cosine of pairs of instances of different words. *Self-similarity*: mean
  cosine of pairs of instances of one word. Both after Ethayarajh (2019), "How contextual are
  contextualized word representations?", who takes the first as the baseline of the second.
* *Silhouette* (Rousseeuw 1987) of the gold senses, by cosine: mean within each sense, then over the
  senses, so that a rare sense counts as much as a frequent one.
* *Majority norm*: the length of the majority sense's centroid divided by the mean length of a
  vector.

Each is computed on unchanged vectors and under each transform (:mod:`wsd.metrics.transforms`),
which is fitted in two ways. A transform fitted on ``corpus``, the training instances of all words,
removes the common part of all vectors. Each word has the same weight; otherwise `pitcher` alone
would have a quarter of the weight. After this centring, anisotropy is about -1 / (number of
words - 1) by construction.

A transform fitted on ``word``, the word's own training instances, equals the classifiers'
``transform``. The table has it as a warning, too: if senses are imbalanced, the word's mean is
nearly the centroid of the majority sense. Centring leaves this centroid an arbitrary direction and
a small majority norm.
"""

import argparse
from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_embeddings, add_out, add_seed, add_transforms
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.feature_set import expand_layers, shared_provenance, vectors_file
from wsd.artifacts.transform_names import NONE
from wsd.artifacts.vectors import Embeddings
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.single_thread import one_thread
from wsd.metrics.transforms import Transform, fitted
from wsd.storage.csv import write_csv

MEASURES = ["anisotropy", "self_similarity", "silhouette", "majority_norm"]
COLUMNS = ["model", "view", "layers", "transform", "fitted_on", "word", "n", *MEASURES]
CORPUS, WORD, NOTHING = "corpus", "word", "-"
MEAN = "(mean)"  # instead of a word; with brackets, since `mean` is a word with several senses
# The most rows of a word, and the fewest of a sense that has as many.
SAMPLE, FEWEST = 1000, 25
# About the number of rows that a transform of all words is fitted on.
ROWS = 20_000


class WordVectors(NamedTuple):
    """The vectors of one word in one layer choice that the measures use.

    Attributes
    ----------
    vectors : array of shape (n, features)
        The sample of the training rows.
    gold : int array of shape (n,)
    mean, majority : arrays of shape (features,)
        The mean of all training rows, and of those of the most frequent sense.
    """

    vectors: np.ndarray
    gold: np.ndarray
    mean: np.ndarray
    majority: np.ndarray


def sample(gold: np.ndarray, seed: int, size: int = SAMPLE) -> np.ndarray:
    """Return the rows of a stratified sample, the same for every layer of every model.

    A sense gets its share of ``size``, but at least 25 rows if it has as many. In CoarseWSD-20 this
    lifts the rare sense of `pitcher` from 2 of 18 rows to all. A word with at most ``size`` rows is
    taken whole.

    Parameters
    ----------
    gold : int array of shape (n,)
    seed : int
    size : int

    Returns
    -------
    int array of at most about ``size`` rows, ascending
    """
    if len(gold) <= size:
        return np.arange(len(gold))
    random = np.random.default_rng(seed)
    chosen = []
    for sense in np.unique(gold):
        rows = np.flatnonzero(gold == sense)
        share = max(size * len(rows) // len(gold), min(len(rows), FEWEST))
        chosen.append(random.choice(rows, share, replace=False))
    return np.sort(np.concatenate(chosen))


def gather(corpus: Corpus, vectors: np.ndarray, seed: int) -> WordVectors:
    """Return the vectors of a word that the measures use, of shape (len(corpus), features)."""
    train = corpus.split == "train"
    trained, gold = vectors[train], corpus.gold[train]
    rows, majority = sample(gold, seed), trained[gold == np.bincount(gold).argmax()]
    means = [own.mean(axis=0, dtype=np.float64) for own in (trained, majority)]
    return WordVectors(trained[rows], gold[rows], *means)


def measure(words: Mapping[str, WordVectors], name: str, on: str) -> pd.DataFrame:
    """Return all measures of all words in one layer choice, under one transform.

    Parameters
    ----------
    words : mapping of word to WordVectors
    name : str
        The name of the transform.
    on : {"corpus", "word"}
        The instances that it is fitted on.

    Returns
    -------
    DataFrame with the columns word, n and ``MEASURES``
        One row per word; then :data:`MEAN`, with the sum of n and the means over words, without
        missing values.
    """
    if on == WORD:
        transforms = {w: fitted(name, data.vectors, mean=data.mean) for w, data in words.items()}
    else:
        transforms = dict.fromkeys(words, fit_together(words, name))
    transformed = {word: transforms[word].apply(data.vectors) for word, data in words.items()}
    directions = {word: unit_vectors(vectors) for word, vectors in transformed.items()}
    rows = []
    for (word, data), mean_cosine in zip(words.items(), anisotropy(directions), strict=True):
        centroid = transforms[word].apply(data.majority[None])
        typical = np.linalg.norm(transformed[word], axis=1).mean()
        norm = np.linalg.norm(centroid) / typical if typical > 0 else np.nan
        within = within_word(directions[word], data.gold)
        rows.append((word, len(data.gold), mean_cosine, *within, norm))
    table = pd.DataFrame(rows, columns=["word", "n", *MEASURES])
    table.loc[len(table)] = {"word": MEAN, "n": table["n"].sum(), **table[MEASURES].mean()}
    return table


def fit_together(words: Mapping[str, WordVectors], name: str) -> Transform:
    """Fit one transform for all words, with equal weights of the words."""
    most = max(1, ROWS // len(words))
    rows = [data.vectors[:: -(-len(data.vectors) // most)] for data in words.values()]
    weights = np.concatenate([np.full(len(own), 1 / len(own) / len(words)) for own in rows])
    mean = np.mean([data.mean for data in words.values()], axis=0)
    return fitted(name, np.concatenate(rows), weights, mean)


def anisotropy(directions: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return per word the mean cosine of its unit vectors with those of all other words.

    The mean of the cosines of all pairs is the dot product of the mean unit vectors. All other
    words have the same weight. A single word has NaN.
    """
    means = np.stack([vectors.mean(axis=0) for vectors in directions.values()])
    cosines = means @ means.T
    if len(means) == 1:
        return np.array([np.nan])
    return (cosines.sum(axis=1) - np.diag(cosines)) / (len(means) - 1)


def within_word(directions: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Return self-similarity and silhouette; NaN if there are not enough pairs or senses.

    Parameters
    ----------
    directions : array of shape (n, features)
        Unit vectors.
    gold : int array of shape (n,)
    """
    from sklearn.metrics import silhouette_samples

    n, senses = len(gold), np.unique(gold)
    if n < 2:
        return np.nan, np.nan
    cosines = np.clip(directions @ directions.T, -1, 1)
    self_similarity = float(cosines[np.triu_indices(n, 1)].mean())
    if len(senses) < 2 or n == len(senses):
        return self_similarity, np.nan
    np.fill_diagonal(cosines, 1)
    values = silhouette_samples(1 - cosines, gold, metric="precomputed")
    return self_similarity, float(np.mean([values[gold == sense].mean() for sense in senses]))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_embeddings(parser)
    parser.add_argument("--view", default="focal")
    parser.add_argument("--layers", nargs="+", required=True, help="layer choices")
    add_transforms(parser)
    add_seed(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Measure one view of one model, and write a table in the order of the layer choices."""
    corpora = read_corpora(args.corpus, args.words)
    opened = {}
    for word, corpus in corpora.items():
        opened[word] = Embeddings(vectors_file(args.embeddings, corpus, args.view), corpus)
    sources, first = {w: own.provenance for w, own in opened.items()}, next(iter(opened.values()))
    model = shared_provenance(sources)["encoder"]["model"]["name"]
    choices = expand_layers(args.layers, first.blocks, where="--layers", stored=first.stored)
    both = product(args.transforms, (CORPUS, WORD))
    kinds = dict.fromkeys((name, NOTHING if name == NONE else on) for name, on in both)
    tables = []
    # On one thread, the scores do not depend on the number of cores.
    with one_thread():
        for choice in choices:
            words = {}
            for word, embeddings in opened.items():
                layers = {layer: embeddings.layer(layer) for layer in choice.layers}
                words[word] = gather(corpora[word], choice.combine(layers), args.seed)
            for name, on in kinds:
                table = measure(words, name, on)
                tables.append(table.assign(layers=choice.name, transform=name, fitted_on=on))
    table = pd.concat(tables, ignore_index=True).assign(model=model, view=args.view)
    write_csv(args.out, table[COLUMNS])
