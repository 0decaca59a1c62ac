"""Counts and scores: by hand, and against scikit-learn."""

import numpy as np
import pytest
from random_labels import random_words
from sklearn.metrics import accuracy_score, f1_score, recall_score

from wsd.metrics.scores import WORD_SCORES, confusion, count_kinds, mean_scores, word_scores


def test_counts() -> None:
    gold, a, b = np.array([0, 0, 2, 2]), np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])
    assert confusion(gold, a, 3).tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 2]]
    joint = count_kinds([gold, a, b], 3, np.array([7, 7, 9, 9]))
    assert joint.kinds.tolist() == [[0, 0, 0], [0, 1, 1], [2, 2, 1], [2, 2, 2]]
    assert joint.numbers.tolist() == [1, 1, 1, 1]
    assert joint.documents is not None
    assert joint.documents.names.tolist() == [7, 9]
    assert joint.documents.numbers.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
    last = joint.select(np.array([False, False, False, True]))
    assert last.documents is not None and last.documents.names.tolist() == [9]
    with pytest.raises(ValueError, match="lengths differ"):
        confusion(gold, a[:3], 3)
    with pytest.raises(ValueError, match="invalid entry"):
        confusion(gold, a, 2)
    with pytest.raises(ValueError, match="no word"):
        mean_scores([])


def test_scores_are_scikit_learns_and_their_means() -> None:
    for seed in range(6):
        words, by_word = random_words(seed), []
        for gold, a, _, n_senses in words:
            occurring, labels = np.union1d(gold, a), np.unique(gold)
            by_word.append(
                (
                    accuracy_score(gold, a),
                    f1_score(gold, a, labels=occurring, average="macro", zero_division=0.0),
                    recall_score(gold, a, labels=labels, average="macro"),
                )
            )
            actual = word_scores(confusion(gold, a, n_senses))
            assert [float(actual[name]) for name in WORD_SCORES] == pytest.approx(by_word[-1])
        micro = np.mean(np.concatenate([gold == a for gold, a, *_ in words]))
        over = mean_scores([confusion(gold, a, n) for gold, a, _, n in words])
        assert [float(mean) for mean in over.values()] == pytest.approx(
            [micro, *np.mean(by_word, axis=0)]
        )
