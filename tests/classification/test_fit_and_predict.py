"""A classifier is fitted on the training rows and predicts the others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus
from numpy.testing import assert_allclose, assert_array_equal

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import write
from wsd.artifacts.predictions import WordPredictions
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import predict_word, tuned_parameters
from wsd.errors import ResultError
from wsd.storage.parquet import read_table

BOTH = pytest.mark.parametrize("classifier", [NearestCentroid(), Logistic()], ids=str)


def test_exact_scores_and_only_the_rows_of_the_training_set(make_corpus: MakeCorpus) -> None:
    """With all rows, the mean of sense 0 would equal the second test row."""
    rows = [("train", 1), ("test", 0), ("train", 0), ("test", 1), ("train", 0)]
    vectors = np.array([[0.0, 2], [3, 4], [5, 0], [0, -1], [-5, -1]])
    (actual,) = predict_word(make_corpus(rows), vectors, NearestCentroid(), np.array([0, 2]))
    assert_allclose(actual.scores, [[0.6, 0.8], [0, -1]], rtol=1e-15)
    assert (actual.n_train, actual.predicted.tolist()) == (2, [1, 0])
    (actual,) = predict_word(make_corpus(rows), vectors, NearestCentroid())
    assert_allclose(actual.scores, [[-0.8, 0.8], [1, -1]], rtol=1e-15)
    assert (actual.n_train, actual.predicted.tolist()) == (3, [1, 0])


@BOTH
def test_the_test_rows_take_no_part_in_fitting(make_corpus: MakeCorpus, classifier: Any) -> None:
    """Each sense has one training row; its three test rows are near the other sense."""
    rows = [("train", 0), ("train", 1)] + [("test", 0)] * 3 + [("test", 1)] * 3
    vectors = np.array([[1.0, 0], [0, 1]] + [[0, 1.0]] * 3 + [[1.0, 0]] * 3)
    (actual,) = predict_word(make_corpus(rows), vectors, classifier)
    assert actual.gold.tolist() == [0, 0, 0, 1, 1, 1]
    assert actual.predicted.tolist() == [1, 1, 1, 0, 0, 0]
    vectors[-1] = 1e6
    (moved,) = predict_word(make_corpus(rows), vectors, classifier)
    assert_allclose(moved.scores[:-1], actual.scores[:-1], rtol=1e-12)


@BOTH
def test_labels_stay_with_their_rows_whatever_the_order_of_the_splits(
    make_corpus: MakeCorpus, classifier: Any
) -> None:
    random = np.random.default_rng(5)
    splits = ("train", "test", "outofdomain")
    rows = [(str(s), int(g)) for s in splits for g in random.integers(3, size=30)]
    rows = [rows[i] for i in random.permutation(90)]
    corpus = make_corpus(rows, senses=("x", "y", "z"))
    vectors = np.eye(3)[corpus.gold] + 0.01 * random.normal(size=(90, 3))
    predicted = predict_word(corpus, vectors, classifier)
    assert {actual.split for actual in predicted} == {"test", "outofdomain"}
    for actual in predicted:
        gold = [gold for split, gold in rows if split == actual.split]
        assert actual.index.tolist() == list(range(30))
        assert actual.gold.tolist() == actual.predicted.tolist() == gold
        assert_array_equal(actual.scores.argmax(axis=1), gold)
        assert (actual.word, actual.senses, actual.n_train) == ("mint", ("x", "y", "z"), 30)


@BOTH
def test_a_sense_without_training_instances_is_never_predicted(
    make_corpus: MakeCorpus, classifier: Any
) -> None:
    rows = [("train", 0), ("train", 0), ("train", 2), ("test", 1), ("test", 2), ("test", 0)]
    vectors = np.array([[1.0, 0], [1, 0.1], [0, 1], [-1, -1], [0, 1], [1, 0]])
    (actual,) = predict_word(make_corpus(rows, senses=("x", "y", "z")), vectors, classifier)
    assert np.isnan(actual.scores[:, 1]).all()
    assert np.isfinite(actual.scores[:, [0, 2]]).all()
    assert actual.predicted[1:].tolist() == [2, 0] and actual.predicted[0] != 1
    (actual,) = predict_word(make_corpus(rows[:2] + rows[-1:], senses=("only",)),
                             vectors[[0, 1, 5]], classifier)  # fmt: skip
    assert actual.predicted.tolist() == [0] and actual.scores.shape == (1, 1)


def test_a_word_without_folds_has_the_parameters_that_are_fixed() -> None:
    source = {"untuned": ["few"], "space": {"C": [0.1, 1], "prior_shift": 0.5}}
    source["parameters"] = {"C": 1, "prior_shift": 0.5}
    assert tuned_parameters(source, "many") == {"C": 1, "prior_shift": 0.5}
    assert tuned_parameters(source, "few") == {"prior_shift": 0.5}


# The file of predictions


def words_of(word: str, senses: tuple[str, ...], rows: int, split: str = "test") -> WordPredictions:
    random = np.random.default_rng(rows)
    scores = random.normal(size=(rows, len(senses)))
    scores[:, -1] = np.nan
    return WordPredictions(
        word=word,
        senses=senses,
        n_train=7,
        index=np.arange(rows, dtype=np.int32)[::-1].copy(),
        gold=random.integers(len(senses), size=rows).astype(np.int32),
        predicted=random.integers(len(senses), size=rows).astype(np.int32),
        scores=scores,
        split=split,
    )


def test_predictions_are_read_as_they_were_written(tmp_path: Path) -> None:
    yard = words_of("yard", ("yard_z", "yard_a", "yard_é ü"), 4)
    words = [yard, replace(words_of("yard", yard.senses, 3), split="outofdomain")]
    words += [words_of("arm", ("only one",), 1), words_of("bow", ("b", "a"), 30)]
    # The folder's name looks like a partition of a dataset, but is not one.
    path = tmp_path / "a=b" / "6.logistic.parquet"
    predictions.write_predictions(path, words, {"layers": "6"})
    columns = ["word", "split", "index", "gold", "predicted", "scores"]
    assert read_table(path)[0].column_names == columns
    again, provenance = predictions.read_predictions(path)
    assert provenance["layers"] == "6"
    by_name = {(word.word, word.split): word for word in again}
    assert len(again) == len(by_name) == len(words)
    for word in words:
        actual = by_name[word.word, word.split]
        assert (actual.senses, actual.n_train) == (word.senses, word.n_train)
        for column in ("index", "gold", "predicted", "scores"):
            assert_array_equal(getattr(actual, column), getattr(word, column))
            assert getattr(actual, column).dtype == getattr(word, column).dtype


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    write(tmp_path / "corpus.parquet", make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        predictions.read_predictions(tmp_path / "corpus.parquet")
