"""Test sentences that have a near-duplicate in training, and predictions without them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.metrics.near_duplicates import THRESHOLD, nearest

UNLIKE = 0.3


@dataclass(frozen=True, eq=False)
class Twins:
    """The most similar training sentence of each test instance of a word.

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


def find_twins(corpus: Corpus) -> Twins:
    """Find the twin of each test instance, in the order of the corpus's test rows."""
    train, test = (np.flatnonzero(corpus.split == split) for split in ("train", TEST))
    similarity, place = nearest(
        [corpus.tokens[row] for row in test], [corpus.tokens[row] for row in train]
    )
    index, gold = np.full(len(test), -1), np.full(len(test), -1)
    found = place >= 0
    index[found] = corpus.index[train[place[found]]]
    gold[found] = corpus.gold[train[place[found]]]
    return Twins(similarity, index, gold)


def count_duplicates(corpora: Mapping[str, Corpus]) -> pd.DataFrame:
    """Per word: test sentences with a near-duplicate in training, and those with nothing alike.

    Parameters
    ----------
    corpora : mapping of word to Corpus

    Returns
    -------
    DataFrame: word, n_test, near_duplicates, same_sense and without
        near_duplicates have similarity 0.5 or more; of these, same_sense have the gold sense of
        their twin; without have less than 0.3. The rest lies between.
    """
    rows = []
    for word, corpus in corpora.items():
        found, gold = find_twins(corpus), corpus.gold[corpus.split == TEST]
        near = found.similarity >= THRESHOLD
        rows.append(
            {
                "word": word,
                "n_test": len(gold),
                "near_duplicates": int(near.sum()),
                "same_sense": int((found.gold == gold)[near].sum()),
                "without": int((found.similarity < UNLIKE).sum()),
            }
        )
    return pd.DataFrame(rows)


def without_duplicates(corpora: Mapping[str, Corpus]) -> dict[str, np.ndarray]:
    """Which test rows of each word have nothing alike in training (less than 0.3)."""
    return {word: find_twins(corpus).similarity < UNLIKE for word, corpus in corpora.items()}


def without_some_rows(
    words: Sequence[WordPredictions], keep: Mapping[str, np.ndarray]
) -> list[WordPredictions]:
    """Predictions less some of their rows.

    Parameters
    ----------
    words : sequence of WordPredictions
    keep : mapping of word to bool array of shape (n,)
        As from :func:`without_duplicates`.

    Returns
    -------
    list of WordPredictions
        A word that keeps no row is left out: it has no score.
    """
    kept = []
    for word in words:
        rows = keep[word.word]
        if len(rows) != len(word.index):
            raise ValueError(f"{len(rows)} flags for {len(word.index)} rows of {word.word}")
        if rows.any():
            columns = ("index", "gold", "predicted", "scores")
            kept.append(replace(word, **{name: getattr(word, name)[rows] for name in columns}))
    return kept
