"""Find the training sentence that is most similar to each test sentence, and near-duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.metrics.near_duplicates import THRESHOLD, components, nearest


@dataclass(frozen=True, eq=False)
class MostSimilar:
    """The training sentence that is most similar to each test instance of a word.

    Attributes
    ----------
    similarity : float array of shape (n_test,)
        Jaccard index; 0 where no training sentence has a trigram in common.
    index : int array of shape (n_test,)
        The training sentence's 0-based line in its file; -1 for none.
    gold : int array of shape (n_test,)
        Its sense, an index into the corpus's senses; -1 for none.
    """

    similarity: np.ndarray
    index: np.ndarray
    gold: np.ndarray


def find_most_similar(corpora: Mapping[str, Corpus]) -> dict[str, MostSimilar]:
    """Find the most similar training sentence of each test instance, per word in row order."""
    similar = {}
    for word, corpus in corpora.items():
        train, test = (np.flatnonzero(corpus.split == split) for split in ("train", TEST))
        tested, trained = ([corpus.tokens[row] for row in rows] for rows in (test, train))
        similarity, place = nearest(tested, trained)
        exists = place >= 0
        index, gold = np.full(len(test), -1), np.full(len(test), -1)
        index[exists] = corpus.index[train[place[exists]]]
        gold[exists] = corpus.gold[train[place[exists]]]
        similar[word] = MostSimilar(similarity, index, gold)
    return similar


def without_duplicates(corpora: Mapping[str, Corpus]) -> dict[str, np.ndarray]:
    """Return which test rows of each word have no near-duplicate in training."""
    return {word: most.similarity < THRESHOLD for word, most in find_most_similar(corpora).items()}


def near_duplicate_groups(corpora: Mapping[str, Corpus]) -> dict[str, np.ndarray]:
    """Return the group of near-duplicates of each test row, by word; all words count them alike."""
    groups: dict[str, np.ndarray] = {}
    for word, corpus in corpora.items():
        tested = [corpus.tokens[i] for i in np.flatnonzero(corpus.split == TEST)]
        groups[word] = components(tested) + sum(map(len, groups.values()))
    return groups


def without_some_rows(
    words: Sequence[WordPredictions], keep: Mapping[str, np.ndarray]
) -> list[WordPredictions]:
    """Return predictions of the rows to keep.

    Parameters
    ----------
    words : sequence of WordPredictions
    keep : mapping of word to bool array of shape (n,)
        As from :func:`without_duplicates`.

    Returns
    -------
    list of WordPredictions
        A word that keeps no row is left out, because it has no score.
    """
    columns, kept = ("index", "gold", "predicted", "scores"), []
    for word in words:
        rows = keep[word.word]
        if rows.any():
            kept.append(replace(word, **{name: getattr(word, name)[rows] for name in columns}))
    return kept
