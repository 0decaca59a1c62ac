"""The nearest vectors: unit length, the five highest of a row of similarities, and how their senses
vote.
"""

from collections.abc import Iterator

import numpy as np

from wsd.metrics.scores import confusion, word_scores


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Vectors at length 1; one of zeros, which has no direction, stays as it is.

    scikit-learn's ``normalize`` sums in another order: it differs in the last bits.

    Parameters
    ----------
    vectors : float array of shape (n, features)
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


K = 5
# Numbers of one block of similarities: 64 MB, whatever the size of a word.
BLOCK = 2**23
GROUP = 32  # columns that are looked at together, at most
CROWD = 64  # as many of a row may be nearly as high as its k highest


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of the rows of a matrix that is too large to be held whole."""
    step = max(1, BLOCK // max(1, columns))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def highest(similarity: np.ndarray, k: int = K) -> tuple[np.ndarray, np.ndarray]:
    """The five highest of each row, of equal ones the first.

    Parameters
    ----------
    similarity : float array of shape (n, columns)
        Minus infinity for what does not count.
    k : int
        Another number than five.

    Returns
    -------
    int32 array of shape (n, k), -1 where fewer than k count, and their values
    """
    rows, columns, crowded = _likely(similarity, k)
    found, values = _first(rows, columns, similarity[rows, columns], len(similarity), k)
    found[crowded], values[crowded] = _one_by_one(similarity[crowded], k)
    return found, values


def most_alike(
    roughly: np.ndarray, directions: np.ndarray, among: np.ndarray, k: int = K
) -> tuple[np.ndarray, np.ndarray]:
    """The k directions of highest cosine with each of some others, of equally near ones the first.

    Cosines are compared in float32 of a sum in float64, so that equal vectors are equally near.
    Those in float32 only say which cannot be among the k.

    Parameters
    ----------
    roughly : float32 array of shape (n, m)
        ``directions @ among.T`` in single precision.
    directions : float64 array of shape (n, features)
        Of unit length.
    among : float64 array of shape (m, features)
    k : int

    Returns
    -------
    int32 array of shape (n, k), -1 where there are fewer, and their cosines
    """
    # By as much can two sums of so many products in float32 be off, each half of it.
    margin = (directions.shape[1] + 4) * float(np.finfo(np.float32).eps)
    rows, columns, crowded = _likely(roughly, k, margin)
    exact = np.empty(len(rows), dtype=np.float32)
    for block in blocks(len(rows), directions.shape[1]):
        pairs = directions[rows[block]], among[columns[block]]
        exact[block] = np.einsum("id,id->i", *pairs)
    found, values = _first(rows, columns, exact, len(roughly), k)
    if crowded.any():
        alike = (directions[crowded] @ among.T).astype(np.float32)
        found[crowded], values[crowded] = _one_by_one(alike, k)
    return found, values


def _likely(
    similarity: np.ndarray, k: int, margin: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns of all that may be among the k highest of their row.

    The highest of groups of columns, of which every row has many, say at one look how high the k
    highest are at least. Rows in which nearly equal ones crowd there are left out, and flagged.
    """
    n, columns = similarity.shape
    size = min(GROUP, max(1, columns // (GROUP * k)))
    groups = columns // size
    if groups <= k:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.ones(n, dtype=bool)
    grouped = similarity[:, : size * groups].reshape(n, size, groups).max(axis=1)
    least = np.partition(grouped, groups - k, axis=1)[:, groups - k] - similarity.dtype.type(margin)
    likely = similarity >= least[:, None]
    crowded = np.count_nonzero(likely, axis=1) > CROWD
    likely[crowded] = False
    rows, places = np.divmod(np.flatnonzero(likely), columns)
    return rows, places, crowded


def _first(
    rows: np.ndarray, columns: np.ndarray, values: np.ndarray, n: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k highest values of each row, of equal ones the first column."""
    found = np.full((n, k), -1, dtype=np.int32)
    of_found = np.full((n, k), np.nan, dtype=values.dtype)
    order = np.lexsort((columns, -values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = (place < k) & (values > -np.inf)
    found[rows[kept], place[kept]] = columns[kept]
    of_found[rows[kept], place[kept]] = values[kept]
    return found, of_found


def _one_by_one(similarity: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k highest of each row, by k looks at all of it. The similarities are overwritten."""
    n, columns = similarity.shape
    found = np.full((n, k), -1, dtype=np.int32)
    values = np.full((n, k), np.nan, dtype=similarity.dtype)
    each = np.arange(n)
    for i in range(min(k, columns)):
        # The first of equal ones, which a partition or a sort from behind would not promise.
        best = similarity.argmax(axis=1)
        value = similarity[each, best]
        counts = value > -np.inf
        found[counts, i], values[counts, i] = best[counts], value[counts]
        similarity[each, best] = -np.inf
    return found, values


def vote(senses: np.ndarray, n_senses: int) -> np.ndarray:
    """The sense that most neighbours have.

    Of several senses with equally many, the one whose nearest neighbour is nearest.

    Parameters
    ----------
    senses : int array of shape (n, k)
        Of the neighbours, the nearest first; -1 where there is none, never in the first place.
    n_senses : int

    Returns
    -------
    int array of shape (n,)
    """
    votes = (senses[:, :, None] == np.arange(n_senses)).sum(axis=1)
    most = votes == votes.max(axis=1, keepdims=True)
    # No neighbour's -1 picks the last sense: it comes after all neighbours.
    first = np.take_along_axis(most, senses, axis=1).argmax(axis=1)
    return senses[np.arange(len(senses)), first]


def vote_macro_f1(
    voters: np.ndarray, trained: np.ndarray, gold: np.ndarray, n_senses: int
) -> float:
    """Macro-F1 of the votes of training instances.

    Parameters
    ----------
    voters : int array of shape (n_test, k)
        Per test instance the nearest training instances, numbered among themselves; -1 for none.
    trained : int array of shape (n_train,)
        Senses of the training instances.
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
