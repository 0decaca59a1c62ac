"""Predictions of the test split, checked against the corpora that they are of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts import predictions
from wsd.artifacts.corpus import Corpus
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.errors import ResultError

# The predictions of a file, word by word, and their provenance.
PredictionFile = tuple[Sequence[WordPredictions], Mapping[str, Any]]


def read_test_split(
    path: Path, corpora: Mapping[str, Corpus], *, relabelled: bool = False
) -> PredictionFile:
    """Read the predictions of the test split of every word, checked against the corpora.

    Parameters
    ----------
    path : Path
    corpora : mapping of word to Corpus
    relabelled : bool
        Gold may be other than the corpora's, as that of a control task is.

    Returns
    -------
    list of WordPredictions
        In the order of ``corpora``.
    dict
        Their provenance.

    Raises
    ------
    ResultError
        If the file was made from other instances than the corpora have.
    """
    words, source = predictions.read_predictions(path)
    by_word = {one.word: one for one in words if one.split == TEST}
    for word, corpus in corpora.items():
        found, test = by_word.get(word), corpus.split == TEST
        if (
            found is None
            or source["corpus"].get(word) != corpus.digest
            or found.senses != corpus.senses
            or not np.array_equal(found.index, corpus.index[test])
            or not (relabelled or np.array_equal(found.gold, corpus.gold[test]))
        ):
            raise ResultError(
                f"the table was made from other instances of {word!r} than the corpus has",
                where=str(path),
                fix="delete the file and run again",
            )
    return [by_word[word] for word in corpora], source
