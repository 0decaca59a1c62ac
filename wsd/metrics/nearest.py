"""Find the nearest vectors, and let their senses vote."""

from collections.abc import Iterator

import numpy as np

from wsd.metrics.scores import confusion, word_scores


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of length 1; a vector of zeros stays unchanged, because it has no direction.

    scikit-learn's ``normalize`` sums in another order and differs in the last bits.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


K = 5
# The most numbers in a block of similarities: 64 MB, whatever the size of a word.
BLOCK = 2**23


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
