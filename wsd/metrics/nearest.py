"""Find the nearest vectors, let their senses vote, and measure what is out of distribution.

A sentence is out of distribution if it is unlike all training sentences of the word. The cosine
distance of a vector to the nearest training vector is compared with the distances of training
instances to their nearest neighbours. Near-duplicates do not count as neighbours, because they make
the training set look denser than new text can be. A distance beyond the 99th percentile is out of
distribution.
"""

from collections.abc import Iterator

import numpy as np

from wsd.metrics.scores import confusion, word_scores
from wsd.metrics.single_thread import one_thread

K = 5
# The most numbers in a block of similarities: 16 MB, whatever the size of a word.
BLOCK = 2**21
# A cosine distance beyond this quantile is out of distribution.
QUANTILE = 0.99
# Vectors have half precision: smaller distances than this are zero.
ROUNDING = 1e-4


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of length 1; a vector of zeros stays unchanged, because it has no direction.

    scikit-learn's ``normalize`` sums in another order and differs in the last bits.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Return slices of the rows of a matrix that is too large for the memory."""
    step = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def highest(similarity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the five highest values of each row; of equal ones, the first.

    Parameters
    ----------
    similarity : float array of shape (n, columns)
        Minus infinity excludes a column. Overwritten.

    Returns
    -------
    int32 array of shape (n, 5)
        The columns; -1 if a row has fewer than five.
    float array of shape (n, 5)
        Their values.
    """
    n, columns = similarity.shape
    places = np.full((n, K), -1, dtype=np.int32)
    values = np.full((n, K), np.nan, dtype=similarity.dtype)
    rows = np.arange(n)
    for k in range(min(K, columns)):
        # argmax returns the first of equal values; np.partition does not guarantee that.
        best = similarity.argmax(axis=1)
        value = similarity[rows, best]
        included = value > -np.inf
        places[included, k], values[included, k] = best[included], value[included]
        similarity[rows, best] = -np.inf
    return places, values


def vote(senses: np.ndarray, n_senses: int) -> np.ndarray:
    """Return the sense that most neighbours have.

    If several senses have equally many, the nearest neighbour among them decides.

    Parameters
    ----------
    senses : int array of shape (n, k)
        The senses of the neighbours, nearest first; -1 if there are fewer than k, but at least one.
    n_senses : int

    Returns
    -------
    int array of shape (n,)
    """
    votes = (senses[:, :, None] == np.arange(n_senses)).sum(axis=1)
    most = votes == votes.max(axis=1, keepdims=True)
    # A -1 selects the last sense, but it comes after all neighbours.
    first = np.take_along_axis(most, senses, axis=1).argmax(axis=1)
    return senses[np.arange(len(senses)), first]


def vote_macro_f1(
    voters: np.ndarray, trained: np.ndarray, gold: np.ndarray, n_senses: int
) -> float:
    """Return the macro-F1 of the votes of training instances.

    Parameters
    ----------
    voters : int array of shape (n_test, k)
        The nearest training instances of each test instance, as indices into ``trained``; -1 if
        there are fewer than k.
    trained : int array of shape (n_train,)
        The senses of the training instances.
    gold : int array of shape (n_test,)
    n_senses : int

    Returns
    -------
    float, NaN if there is no test or no training instance
    """
    if not (len(gold) and len(trained)):
        return float("nan")
    predicted = vote(np.where(voters >= 0, trained[voters], -1), n_senses)
    return float(word_scores(confusion(gold, predicted, n_senses))["macro_f1"])


def half_units(vectors: np.ndarray) -> np.ndarray:
    """Return directions in half precision, which take half the space; cosines are right to 1e-4.

    Parameters
    ----------
    vectors : array of shape (n, features)

    Returns
    -------
    float16 array of shape (n, features); a vector of zeros stays zero
    """
    return unit_vectors(np.asarray(vectors, dtype=np.float64)).astype(np.float16)


def nearest_trained(vectors: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the five nearest training instances of each vector.

    Parameters
    ----------
    vectors : array of shape (n, features)
        Vectors of any length.
    train : float32 array of shape (n_train, features)
        From :func:`half_units`.

    Returns
    -------
    int32 array of shape (n, 5)
        Rows of ``train``; -1 if there are fewer.
    float32 array of shape (n, 5)
        Their cosines.
    """
    with one_thread():
        alike = half_units(vectors).astype(np.float32) @ train.T
    return highest(alike)


def ood_threshold(train: np.ndarray, component: np.ndarray) -> float | None:
    """Return the 99th percentile of the distances of training instances to their neighbours.

    Parameters
    ----------
    train : float32 array of shape (n_train, features)
        From :func:`half_units`.
    component : int array of shape (n_train,)
        Near-duplicates have the same number.

    Returns
    -------
    float, a cosine distance of at least ``ROUNDING``; None if all instances are near-duplicates
    """
    n = len(train)
    similarity = np.empty(n)
    for block in blocks(n, n):
        with one_thread():
            alike = train[block] @ train.T
        alike[component[block, None] == component] = -np.inf
        similarity[block] = alike.max(axis=1)
    known = similarity[np.isfinite(similarity)]
    return max(float(np.quantile(1 - known, QUANTILE)), ROUNDING) if len(known) else None
