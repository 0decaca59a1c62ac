"""Near-duplicate sentences within one word.

Two sentences are compared by the sets of their token trigrams, with every digit read as 0, so
that two lines of one table of sports results, which differ in a date or a score, count as alike:
their similarity is the Jaccard index, common trigrams over all trigrams. A sentence of fewer
than three tokens has one shingle, the whole of it. These are the shingles and the resemblance of
Broder (1997), "On the resemblance and containment of documents", computed exactly.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

Sentences = Sequence[Sequence[str]]
THRESHOLD = 0.5
BLOCK = 2**24  # pairs of sentences held at once, if all have a trigram in common


def shingles(tokens: Sequence[str]) -> set[tuple[str, ...]]:
    """The set of a sentence's token trigrams, digits masked; never empty."""
    # A focal word of several tokens is one with spaces in it.
    single = " ".join(tokens).split(" ")
    masked = [token if token.isalpha() else re.sub(r"\d", "0", token) for token in single]
    return {tuple(masked[i : i + 3]) for i in range(max(len(masked) - 2, 1))}


def similarity(tokens: Sentences, threshold: float = THRESHOLD) -> sparse.csr_array:
    """The Jaccard index of all pairs of sentences that reach a threshold.

    Parameters
    ----------
    tokens : sequence of n sentences
    threshold : float
        Above 0 and at most 1; a lower similarity is left out of the matrix.

    Returns
    -------
    sparse array of shape (n, n), symmetric, with ones on the diagonal
    """
    if not tokens:
        return sparse.csr_array((0, 0))
    (incidence,) = _incidence(tokens)
    some = _with_rare_ones_in_common(incidence, threshold)
    blocks = []
    for jaccard in _jaccard(incidence[some], incidence[some]) if len(some) else ():
        jaccard.data[jaccard.data < threshold] = 0
        jaccard.eliminate_zeros()
        blocks.append(jaccard)
    n = len(tokens)
    others = np.setdiff1d(np.arange(n), some)
    found = sparse.coo_array(sparse.vstack(blocks)) if blocks else sparse.coo_array((0, 0))
    rows, columns = (np.concatenate([some[of], others]) for of in found.coords)
    data = np.concatenate([found.data, np.ones(len(others))])
    return sparse.csr_array((data, (rows, columns)), shape=(n, n))


def _with_rare_ones_in_common(incidence: sparse.csr_array, threshold: float) -> np.ndarray:
    """The rows that may reach the threshold with another one: seen without comparing any two.

    Two sets that reach it have a shingle in common among the rarest of either, as many as are left
    of it where only what they must have in common is taken away (Chaudhuri et al. 2006, "A
    primitive operator for similarity joins in data cleaning").
    """
    sizes = np.diff(incidence.indptr)
    row = np.repeat(np.arange(len(sizes)), sizes)
    times = np.bincount(incidence.indices)
    order = np.lexsort((incidence.indices, times[incidence.indices], row))
    place = np.arange(len(order)) - np.repeat(incidence.indptr[:-1], sizes)
    # Less a rounding error: rather one too many.
    rare = order[place <= (sizes - np.ceil(threshold * sizes - 1e-9))[row]]
    again = np.bincount(incidence.indices[rare], minlength=incidence.shape[1]) > 1
    return np.unique(row[rare][again[incidence.indices[rare]]])


def components(tokens: Sentences, threshold: float = THRESHOLD) -> np.ndarray:
    """Groups of sentences that a chain of near-duplicates connects.

    Parameters
    ----------
    tokens : sequence of n sentences
    threshold : float
        As in :func:`similarity`.

    Returns
    -------
    int array of shape (n,)
        A group's number, from 0, in the order of the groups' first sentences.
    """
    if not tokens:
        return np.zeros(0, dtype=np.int64)
    _, labels = csgraph.connected_components(similarity(tokens, threshold), directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def nearest(tokens: Sentences, among: Sentences) -> tuple[np.ndarray, np.ndarray]:
    """The most similar sentence among others, for each of some sentences.

    Parameters
    ----------
    tokens : sequence of n sentences
    among : sequence of m sentences

    Returns
    -------
    float array of shape (n,)
        The Jaccard index with the most similar one; 0 where no trigram is common.
    int array of shape (n,)
        Its place in ``among``, the first of equals; -1 where no trigram is common.
    """
    highest, place = np.zeros(len(tokens)), np.full(len(tokens), -1, dtype=np.int64)
    if not tokens or not among:
        return highest, place
    start = 0
    for jaccard in _jaccard(*_incidence(tokens, among)):
        rows = np.repeat(np.arange(jaccard.shape[0]), np.diff(jaccard.indptr))
        # By row, then the highest first, then the first in `among`: the first entry of each row.
        order = np.lexsort((jaccard.indices, -jaccard.data, rows))
        found, first = np.unique(rows[order], return_index=True)
        highest[start + found] = jaccard.data[order][first]
        place[start + found] = jaccard.indices[order][first]
        start += jaccard.shape[0]
    return highest, place


def _incidence(*several: Sentences) -> list[sparse.csr_array]:
    """For each list of sentences, which (row) has which shingle (column, common to all lists)."""
    number: defaultdict[tuple[str, ...], int] = defaultdict()
    number.default_factory = number.__len__
    rows = [[number[shingle] for shingle in shingles(one)] for one in chain(*several)]
    starts = np.cumsum([0, *map(len, rows)])
    places = np.fromiter(chain(*rows), dtype=np.int32, count=starts[-1])
    parts = np.ones(len(places)), places, starts
    counts = sparse.csr_array(parts, shape=(len(rows), len(number)))
    ends = np.cumsum([len(one) for one in several]).tolist()
    return [counts[start:end] for start, end in pairwise([0, *ends])]


def _jaccard(left: sparse.csr_array, right: sparse.csr_array) -> Iterator[sparse.csr_array]:
    """The Jaccard index of every pair with a common shingle, some rows of ``left`` at a time."""
    of_left, of_right, columns = left.sum(axis=1), right.sum(axis=1), right.T.tocsr()
    step = max(1, BLOCK // right.shape[0])
    for start in range(0, left.shape[0], step):
        common = sparse.csr_array(left[start : start + step] @ columns)
        rows = start + np.repeat(np.arange(common.shape[0]), np.diff(common.indptr))
        common.data /= of_left[rows] + of_right[common.indices] - common.data
        yield common
