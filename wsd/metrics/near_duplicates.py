"""Find near-duplicate sentences of one word.

The similarity of two sentences is the Jaccard index of their sets of token trigrams: the number of
common trigrams divided by the number of all trigrams. Every digit counts as 0, so that two lines of
a table of sports results are similar although their dates and scores differ. A sentence of fewer
than three tokens is a single shingle. Broder (1997), "On the resemblance and containment of
documents", calls these measures shingles and resemblance; here they are computed exactly.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

Sentences = Sequence[Sequence[str]]
# Two sentences are near-duplicates from this similarity on.
THRESHOLD = 0.5
BLOCK = 2**24  # the most pairs of sentences to compare at a time


def shingles(tokens: Sequence[str]) -> set[tuple[str, ...]]:
    """Return the token trigrams of a sentence, with masked digits; never an empty set."""
    # A focal word of several tokens is a single token with spaces in it.
    single = " ".join(tokens).split(" ")
    masked = [token if token.isalpha() else re.sub(r"\d", "0", token) for token in single]
    return {tuple(masked[i : i + 3]) for i in range(max(len(masked) - 2, 1))}


def similarity(tokens: Sentences, threshold: float = THRESHOLD) -> sparse.csr_array:
    """Return the Jaccard indices of all pairs of sentences that reach a threshold.

    Parameters
    ----------
    tokens : sequence of n sentences
    threshold : float
        Above 0 and at most 1. The matrix leaves out lower indices.

    Returns
    -------
    sparse array of shape (n, n), symmetric, with ones on the diagonal
    """
    incidence = _incidence(tokens)
    blocks = []
    for _, jaccard in _jaccard(incidence, incidence):
        jaccard.data[jaccard.data < threshold] = 0
        jaccard.eliminate_zeros()
        blocks.append(jaccard)
    return sparse.csr_array(sparse.vstack(blocks)) if blocks else incidence


def components(tokens: Sentences, threshold: float = THRESHOLD) -> np.ndarray:
    """Return the groups of sentences that a chain of near-duplicates connects.

    Parameters
    ----------
    tokens : sequence of n sentences
    threshold : float
        See :func:`similarity`.

    Returns
    -------
    int array of shape (n,)
        The number of each sentence's group, from 0, in the order of the groups' first sentences.
    """
    if not tokens:
        return np.zeros(0, dtype=np.int64)
    _, labels = csgraph.connected_components(similarity(tokens, threshold), directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def nearest(tokens: Sentences, among: Sentences) -> tuple[np.ndarray, np.ndarray]:
    """Return the most similar of other sentences for each sentence.

    Parameters
    ----------
    tokens : sequence of n sentences
    among : sequence of m sentences

    Returns
    -------
    float array of shape (n,)
        The highest Jaccard index; 0 if no sentence has a common trigram.
    int array of shape (n,)
        The first sentence of ``among`` with this index; -1 if none has a common trigram.
    """
    highest, place = np.zeros(len(tokens)), np.full(len(tokens), -1, dtype=np.int64)
    if not (tokens and among):
        return highest, place
    incidence = _incidence([*tokens, *among])
    for start, jaccard in _jaccard(incidence[: len(tokens)], incidence[len(tokens) :]):
        rows = slice(start, start + jaccard.shape[0])
        highest[rows] = jaccard.max(axis=1).toarray()
        # argmax returns the first of equals.
        place[rows] = np.where(highest[rows] > 0, jaccard.argmax(axis=1), -1)
    return highest, place


def has_duplicate(tokens: Sentences, among: Sentences) -> np.ndarray:
    """Return which sentences have a near-duplicate among others: bool array of shape (n,)."""
    return nearest(tokens, among)[0] >= THRESHOLD


def _incidence(sentences: Sentences) -> sparse.csr_array:
    """Return a matrix with a row per sentence, and ones in the columns of its shingles."""
    number: defaultdict[tuple[str, ...], int] = defaultdict()
    number.default_factory = number.__len__
    rows = [[number[shingle] for shingle in shingles(tokens)] for tokens in sentences]
    starts = np.cumsum([0, *map(len, rows)])
    places = np.fromiter(chain(*rows), dtype=np.int32, count=starts[-1])
    return sparse.csr_array((np.ones(len(places)), places, starts), (len(rows), len(number)))


def _jaccard(
    left: sparse.csr_array, right: sparse.csr_array
) -> Iterator[tuple[int, sparse.csr_array]]:
    """Yield blocks of rows of ``left``: the first row, and the index of each similar pair."""
    left_sizes, right_sizes, columns = left.sum(axis=1), right.sum(axis=1), right.T.tocsr()
    step = max(1, BLOCK // max(1, right.shape[0]))
    for start in range(0, left.shape[0], step):
        common = sparse.csr_array(left[start : start + step] @ columns)
        rows = start + np.repeat(np.arange(common.shape[0]), np.diff(common.indptr))
        common.data /= left_sizes[rows] + right_sizes[common.indices] - common.data
        yield start, common
