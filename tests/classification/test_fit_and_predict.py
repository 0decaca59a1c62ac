"""A classifier is fitted on the training rows and predicts the others."""

import numpy as np
from builders import make_corpus
from numpy.testing import assert_allclose, assert_array_equal

from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import predict_word


def test_exact_scores_and_only_the_rows_of_the_training_set() -> None:
    """With all rows, the mean of sense 0 would equal the second test row."""
    corpus = make_corpus([("train", 1), ("test", 0), ("train", 0), ("test", 1), ("train", 0)])
    vectors = np.array([[0.0, 2], [3, 4], [5, 0], [0, -1], [-5, -1]])
    for rows, n_train, expected in (
        (np.array([0, 2]), 2, [[0.6, 0.8], [0, -1]]),
        (None, 3, [[-0.8, 0.8], [1, -1]]),
    ):
        (actual,) = predict_word(corpus, vectors, NearestCentroid(), rows)
        assert_allclose(actual.scores, expected, rtol=1e-15)
        assert (actual.n_train, actual.predicted.tolist()) == (n_train, [1, 0])


def test_labels_stay_with_their_rows_whatever_the_order_of_the_splits() -> None:
    random = np.random.default_rng(5)
    splits = ("train", "test", "outofdomain")
    rows = [(str(s), int(g)) for s in splits for g in random.integers(3, size=30)]
    rows = [rows[i] for i in random.permutation(90)]
    corpus = make_corpus(rows, senses=("x", "y", "z"))
    vectors = np.eye(3)[corpus.gold] + 0.01 * random.normal(size=(90, 3))
    predicted = predict_word(corpus, vectors, Logistic())
    assert {actual.split for actual in predicted} == {"test", "outofdomain"}
    for actual in predicted:
        gold = [gold for split, gold in rows if split == actual.split]
        assert actual.index.tolist() == list(range(30))
        assert actual.gold.tolist() == actual.predicted.tolist() == gold
        assert_array_equal(actual.scores.argmax(axis=1), gold)
        assert (actual.word, actual.senses, actual.n_train) == ("mint", ("x", "y", "z"), 30)


def test_a_sense_without_training_instances_is_never_predicted() -> None:
    rows = [("train", 0), ("train", 0), ("train", 2), ("test", 1), ("test", 2), ("test", 0)]
    vectors = np.array([[1.0, 0], [1, 0.1], [0, 1], [-1, -1], [0, 1], [1, 0]])
    corpus = make_corpus(rows, senses=("x", "y", "z"))
    (actual,) = predict_word(corpus, vectors, NearestCentroid())
    assert_array_equal(np.isnan(actual.scores), [[False, True, False]] * 3)
    assert actual.predicted[1:].tolist() == [2, 0] and actual.predicted[0] != 1
