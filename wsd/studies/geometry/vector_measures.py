"""Measures of how a word's vectors lie, with no classifier fitted.

All are of training rows and by cosine; a word with many is measured on a sample (:func:`sample`).

* *Anisotropy*: mean cosine of pairs of instances of different words. *Self-similarity*: mean
  cosine of pairs of instances of one word. Both after Ethayarajh (2019), "How contextual are
  contextualized word representations?", who takes the first as the baseline of the second.
* *Silhouette* (Rousseeuw 1987) of the gold senses: mean within each sense, then over the senses,
  so that a rare sense counts as much as a frequent one.
* *Pair AUC*: the probability that a pair of instances of one sense has a higher cosine than a
  pair of two senses of the word.
* *k-means* on unit vectors with as many clusters as senses, against gold: the adjusted Rand index
  (Hubert and Arabie 1985) and the V-measure (Rosenberg and Hirschberg 2007).

Of the centroids there are two more, for what a transformation does to them (:func:`consequence`).
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

OF_PAIRS = ["self_similarity", "silhouette", "pair_auc", "kmeans_ari", "kmeans_v"]
MEASURES = ["anisotropy", *OF_PAIRS, "majority_norm", "centroid_macro_f1"]
SAMPLE = 1000
FEWEST = 25
STARTS = 10


class WordVectors(NamedTuple):
    """What is measured of one word in one layer choice.

    Attributes
    ----------
    vectors : array of shape (n, features)
        The sample of the training rows.
    gold : int array of shape (n,)
    mean : array of shape (features,)
        Over all training rows.
    codes : int array of shape (senses with training rows,)
    centroids : array of shape (len(codes), features)
        Means over all training rows of each sense.
    majority : int
        Row of ``centroids``: the sense with the most training rows.
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
    """Rows of a stratified sample: the same for every layer of every model.

    A sense gets its share of ``size``, but no fewer than 25 rows where it has as many (in
    CoarseWSD-20 this lifts `pitcher`'s rare sense from 2 of 18 rows to all); a word with at most
    ``size`` rows is taken whole.

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
    """Keep of a word's vectors what the measures need.

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
    """Per word, the mean cosine of its instances with those of every other word.

    Over all pairs: the mean of the cosines is the dot product of the mean unit vectors. Every
    other word weighs the same.

    Parameters
    ----------
    directions : sequence of arrays of shape (n of the word, features)
        Unit vectors.

    Returns
    -------
    array of shape (words,)
        NaN for a single word.
    """
    means = np.stack([of_word.mean(axis=0) for of_word in directions])
    cosines = means @ means.T
    others = len(means) - 1
    if not others:
        return np.array([np.nan])
    return (cosines.sum(axis=1) - np.diag(cosines)) / others


def of_pairs(directions: np.ndarray, gold: np.ndarray, seed: int) -> dict[str, float]:
    """The measures within one word.

    Parameters
    ----------
    directions : array of shape (n, features)
        Unit vectors.
    gold : int array of shape (n,)
    seed : int
        Of the k-means' starts.

    Returns
    -------
    dict with the keys ``OF_PAIRS``
        NaN where there are not the pairs, or the senses, to measure.
    """
    n = len(gold)
    found = dict.fromkeys(OF_PAIRS, np.nan)
    if n < 2:
        return found
    cosines = np.clip(directions @ directions.T, -1, 1)
    pairs = np.triu_indices(n, 1)
    found["self_similarity"] = float(cosines[pairs].mean())
    senses = np.unique(gold)
    if len(senses) < 2 or n == len(senses):
        return found
    found["silhouette"] = _silhouette(cosines, gold)
    same = gold[pairs[0]] == gold[pairs[1]]
    found["pair_auc"] = float(auc(cosines[pairs], same, np.ones((1, len(same))))[0])
    found["kmeans_ari"], found["kmeans_v"] = _kmeans(directions, gold, len(senses), seed)
    return found


def _silhouette(cosines: np.ndarray, gold: np.ndarray) -> float:
    distances = 1 - cosines
    np.fill_diagonal(distances, 0)
    values = metrics.silhouette_samples(distances, gold, metric="precomputed")
    return float(np.mean([values[gold == sense].mean() for sense in np.unique(gold)]))


def _kmeans(
    directions: np.ndarray, gold: np.ndarray, clusters: int, seed: int
) -> tuple[float, float]:
    with warnings.catch_warnings():
        # Fewer distinct vectors than clusters: the measures then say so themselves.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(clusters, n_init=STARTS, random_state=seed).fit_predict(directions)
    ari, v = metrics.adjusted_rand_score(gold, found), metrics.v_measure_score(gold, found)
    return float(ari), float(v)


def consequence(word: WordVectors, transform: Transform) -> dict[str, float]:
    """What a transformation does to the centroids.

    It commutes with means, so that a transformed centroid is that of transformed vectors.

    Parameters
    ----------
    word : WordVectors
    transform : Transform

    Returns
    -------
    dict with majority_norm and centroid_macro_f1
        The latter over the senses that occur in gold or predicted, as in
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
