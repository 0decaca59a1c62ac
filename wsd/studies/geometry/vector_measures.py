"""Measures of the geometry of a word's vectors, without a classifier.

All use training rows and cosines; a word with many rows is measured on a sample (:func:`sample`).

* *Anisotropy*: mean cosine of pairs of instances of different words. *Self-similarity*: mean
  cosine of pairs of instances of one word. Both after Ethayarajh (2019), "How contextual are
  contextualized word representations?", who takes the first as the baseline of the second.
* *Silhouette* (Rousseeuw 1987) of the gold senses: mean within each sense, then over the senses,
  so that a rare sense counts as much as a frequent one.
* *Pair AUC*: the probability that two instances of the same sense have a higher cosine than two
  instances of different senses of the word.
* *k-means* on unit vectors with as many clusters as senses, against gold: the adjusted Rand index
  (Hubert and Arabie 1985) and the V-measure (Rosenberg and Hirschberg 2007).

Two more measures show the effect of a transform on the centroids (:func:`centroid_measures`).
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from wsd.artifacts.corpus_table import Corpus
from wsd.metrics.nearest import unit_vectors
from wsd.metrics.pair_scores import auc
from wsd.metrics.transforms import Transform

WITHIN_WORD = ["self_similarity", "silhouette", "pair_auc", "kmeans_ari", "kmeans_v"]
MEASURES = ["anisotropy", *WITHIN_WORD, "majority_norm", "centroid_macro_f1"]
SAMPLE = 1000
FEWEST = 25
STARTS = 10


class WordVectors(NamedTuple):
    """The vectors of one word in one layer choice that the measures use.

    Attributes
    ----------
    vectors : array of shape (n, features)
        The sample of the training rows.
    gold : int array of shape (n,)
    mean : array of shape (features,)
        The mean of all training rows.
    codes : int array of shape (senses with training rows,)
    centroids : array of shape (len(codes), features)
        The means of all training rows of each sense.
    majority : int
        The row of ``centroids`` for the sense with the most training rows.
    tested : array of shape (n_test, features)
    tested_gold : int array of shape (n_test,)
    """

    vectors: np.ndarray
    gold: np.ndarray
    mean: np.ndarray
    codes: np.ndarray
    centroids: np.ndarray
    majority: int
    tested: np.ndarray
    tested_gold: np.ndarray


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
    """Return the vectors, means and centroids that the measures use.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
    seed : int
    """
    train, test = corpus.split == "train", corpus.split == "test"
    trained, gold = vectors[train], corpus.gold[train]
    rows = sample(gold, seed)
    codes, counts = np.unique(gold, return_counts=True)
    means = [trained[gold == code].mean(axis=0, dtype=np.float64) for code in codes]
    return WordVectors(
        vectors=trained[rows],
        gold=gold[rows],
        mean=trained.mean(axis=0, dtype=np.float64),
        codes=codes,
        centroids=np.stack(means),
        majority=int(counts.argmax()),
        tested=vectors[test],
        tested_gold=corpus.gold[test],
    )


def anisotropy(directions: Sequence[np.ndarray]) -> np.ndarray:
    """Return per word the mean cosine of its instances with the instances of all other words.

    The mean of the cosines of all pairs is the dot product of the mean unit vectors. All other
    words have the same weight.

    Parameters
    ----------
    directions : sequence of arrays of shape (n of the word, features)
        Unit vectors.

    Returns
    -------
    array of shape (words,)
        NaN for a single word.
    """
    means = np.stack([vectors.mean(axis=0) for vectors in directions])
    cosines = means @ means.T
    others = len(means) - 1
    if not others:
        return np.array([np.nan])
    return (cosines.sum(axis=1) - np.diag(cosines)) / others


def within_word(directions: np.ndarray, gold: np.ndarray, seed: int) -> dict[str, float]:
    """Return the measures within one word.

    Parameters
    ----------
    directions : array of shape (n, features)
        Unit vectors.
    gold : int array of shape (n,)
    seed : int
        The seed of the starts of k-means.

    Returns
    -------
    dict with the keys ``WITHIN_WORD``
        NaN if there are not enough pairs or senses.
    """
    n = len(gold)
    measures = dict.fromkeys(WITHIN_WORD, np.nan)
    if n < 2:
        return measures
    cosines = np.clip(directions @ directions.T, -1, 1)
    pairs = np.triu_indices(n, 1)
    measures["self_similarity"] = float(cosines[pairs].mean())
    senses = np.unique(gold)
    if len(senses) < 2 or n == len(senses):
        return measures
    measures["silhouette"] = _silhouette(cosines, gold)
    same = gold[pairs[0]] == gold[pairs[1]]
    measures["pair_auc"] = float(auc(cosines[pairs], same, np.ones((1, len(same))))[0])
    ari, v = _kmeans(directions, gold, len(senses), seed)
    return {**measures, "kmeans_ari": ari, "kmeans_v": v}


def _silhouette(cosines: np.ndarray, gold: np.ndarray) -> float:
    distances = 1 - cosines
    np.fill_diagonal(distances, 0)
    values = metrics.silhouette_samples(distances, gold, metric="precomputed")
    return float(np.mean([values[gold == sense].mean() for sense in np.unique(gold)]))


def _kmeans(
    directions: np.ndarray, gold: np.ndarray, clusters: int, seed: int
) -> tuple[float, float]:
    with warnings.catch_warnings():
        # With fewer distinct vectors than clusters, the measures are low anyway.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(clusters, n_init=STARTS, random_state=seed).fit_predict(directions)
    ari, v = metrics.adjusted_rand_score(gold, labels), metrics.v_measure_score(gold, labels)
    return float(ari), float(v)


def centroid_measures(word: WordVectors, transform: Transform) -> dict[str, float]:
    """Return two measures of the centroids after a transform.

    A transform commutes with means: a transformed centroid is the centroid of transformed vectors.

    Parameters
    ----------
    word : WordVectors
    transform : Transform

    Returns
    -------
    dict with majority_norm and centroid_macro_f1
        The latter is over the senses that occur in gold or predictions, as in
        :mod:`wsd.evaluation.evaluate`.
    """
    centroids = transform.apply(word.centroids)
    majority = np.linalg.norm(centroids[word.majority])
    typical = np.linalg.norm(transform.apply(word.vectors), axis=1).mean()
    similarity = unit_vectors(transform.apply(word.tested)) @ unit_vectors(centroids).T
    predicted = word.codes[similarity.argmax(axis=1)]
    macro_f1 = metrics.f1_score(word.tested_gold, predicted, average="macro", zero_division=0.0)
    return {
        "majority_norm": float(majority / typical) if typical > 0 else np.nan,
        "centroid_macro_f1": macro_f1,
    }
