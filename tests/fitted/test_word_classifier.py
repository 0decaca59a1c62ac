"""A fitted word answers with the scores and probabilities of the stored predictions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_results
from numpy.testing import assert_allclose, assert_array_equal
from tiny import corpus_of

from wsd.artifacts.predictions import CV, WordPredictions, read_predictions, write_predictions
from wsd.artifacts.senses import SenseText
from wsd.classification.estimators.vector_classifiers import KNN
from wsd.errors import ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import (
    FittedWord,
    Fitting,
    Learner,
    nearest_gloss,
    stored_probabilities,
    stored_temperatures,
)
from wsd.metrics import nearest, reliability
from wsd.storage.parquet import read_table, write_table

FOLDER = Path("results/quickstart")
LOGISTIC = Configuration("tiny", "focal", "2", "logistic")


@pytest.fixture
def results(small_once: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.chdir(small_once)
    return Results(FOLDER)


@pytest.mark.parametrize("names", small_results.CONFIGURATIONS, ids=lambda names: names[2])
def test_test_vectors_get_the_stored_scores_and_their_probabilities(
    results: Results, names: tuple[str, ...]
) -> None:
    chosen = Configuration("tiny", *names[:3])
    fitting, temperatures = (
        Fitting(results, chosen),
        stored_temperatures(results.predictions(chosen)),
    )
    for word in small_results.WORDS:
        fitted, stored = fitting.word(word), fitting.stored["test", word]
        learner = Learner(fitting, word)
        answers = fitted.answer(learner.vectors[learner.corpus.split == "test"])
        assert_array_equal(answers.predicted, stored.predicted)
        assert_allclose(answers.scores, stored.scores, rtol=1e-6)
        assert fitted.temperature == temperatures.get(word)
        expected = stored_probabilities(stored, fitting.source, fitted.temperature)
        assert_allclose(answers.probabilities, expected, rtol=1e-6)
        assert_allclose(answers.probabilities.sum(axis=1), 1)
        # Training instances are their own neighbours.
        rows = fitting.folds.rows(learner.corpus)
        own = fitted.answer(learner.vectors[rows])
        assert_allclose(own.distance, 0, atol=1e-3)
        assert not fitted.is_ood(own.distance).any()
        assert_array_equal(fitted.gold, learner.corpus.gold[rows])
        assert_array_equal(fitted.lines, learner.corpus.index[rows])
        assert fitting.sentences(word)[3] == " ".join(learner.corpus.tokens[rows[3]])


TRAIN = np.array([[1.0, 0], [0.8, 0.6], [0, 1], [-1, 0]])


def by_hand(**changes: Any) -> FittedWord:
    gold = np.array([0, 0, 2, 2], dtype=np.int32)
    fitted = FittedWord(
        word="crane", senses=("a", "b", "c"), called=(), estimator="knn", parameters={"k": 3},
        classifier=KNN(3).fit(TRAIN, gold), temperature=None, threshold=0.25,
        train=nearest.half_units(TRAIN).astype(np.float32), gold=gold,
        lines=np.arange(4, dtype=np.int32), corpus="",
    )  # fmt: skip
    return replace(fitted, **changes)


def test_answers_by_hand() -> None:
    """A vector on a training instance has its vote alone; one vote of three more is spread."""
    vectors = np.array([[4.0, 3], [-5, -5], [3, 4]])
    answers = by_hand().answer(vectors)
    assert_allclose(answers.scores[0], [1, np.nan, 0])
    # The nearest three of (3, 4) have the cosines 0.96, 0.8 and 0.6: votes 25, 5 and 2.5.
    share = 5 / 32.5
    assert_allclose(answers.scores[2], [1 - share, np.nan, share])
    expected = [(3 * (1 - share) + 0.5) / 4, 0, (3 * share + 0.5) / 4]
    assert_allclose(answers.probabilities[2], expected)
    sharp = by_hand(temperature=0.5).answer(vectors).probabilities[2]
    assert_allclose(sharp, np.square(expected) / np.square(expected).sum())
    assert answers.predicted.tolist() == [0, 2, 0]
    assert answers.neighbours[0].tolist() == [1, 0, 2, 3, -1]
    assert_allclose(answers.distance, [0, 1 - np.sqrt(0.5), 0.04], atol=1e-3)
    assert by_hand().is_ood(answers.distance).tolist() == [False, True, False]
    assert not by_hand(threshold=None).is_ood(answers.distance).any()


def test_the_nearest_gloss_is_the_mean_of_a_sense_s_glosses() -> None:
    corpus = corpus_of(("a crane", 1), ("the crane", 1), ("crane", 0))
    glosses = replace(corpus, gold=np.array([0, 0, 1], dtype=np.int32))
    vectors = np.array([[2.0, 0], [0, 2], [-1, 0]], dtype=np.float32)
    fitted = nearest_gloss(glosses, vectors, (SenseText("a"), SenseText("b")))
    answers = fitted.answer(np.array([[1.0, 0]]))
    assert_allclose(answers.scores, [[np.sqrt(0.5), -1]], rtol=1e-6)
    assert answers.distance[0] == pytest.approx(0, abs=1e-6)  # of the nearest gloss itself
    assert np.isnan(answers.probabilities).all() and not fitted.is_ood(answers.distance).any()


# Temperatures


def test_the_temperature_is_that_of_the_training_set_alone(
    results: Results, tmp_path: Path
) -> None:
    """Scores and labels of test rows do not change it; out-of-fold rows do."""
    path, out = results.predictions(LOGISTIC), tmp_path / "changed.parquet"
    (test, source), (held_out, _) = (read_predictions(path, split) for split in ("test", CV))

    def written(words: list[WordPredictions], **model: str) -> dict[str, float]:
        encoder = {"model": {**source["encoder"]["model"], **model}}
        write_predictions(out, words, {**source, "encoder": encoder})
        return stored_temperatures(out)

    def spoilt(words: list[WordPredictions]) -> list[WordPredictions]:
        return [replace(word, gold=1 - word.gold) for word in words]

    logits = {word.word: (np.log(word.scores), word.gold) for word in held_out}
    temperatures = stored_temperatures(path)
    assert temperatures == reliability.fit_temperatures(logits)
    assert written([*spoilt(test), *held_out]) == temperatures
    assert written([*test, *spoilt(held_out)]) != temperatures
    # A word without folds has one too, from the others.
    assert written([*test, held_out[0]]).keys() == temperatures.keys()
    assert written(test) == {}
    # An encoder that was trained on the labels has seen those of every fold.
    assert written(held_out, finetuned_from="tiny") == {}


def test_cosines_without_a_temperature_are_no_probabilities(results: Results) -> None:
    near = Configuration("tiny", "focal", "1", "nearest_centroid")
    words, source = read_predictions(results.predictions(near))
    for word in words:
        assert np.isnan(stored_probabilities(word, source, None)).all()
        assert_allclose(stored_probabilities(word, source, 0.1).sum(axis=1), 1)


# Results that do not fit


def test_predictions_of_other_data_are_refused_when_fitting(
    small_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_results.copy(small_once, tmp_path / "copy"))
    path = FOLDER / "tiny/predictions/full/focal/2.logistic.parquet"
    table, source = read_table(path)
    source["parameters"]["C"] = 7.0
    write_table(path, table, source)
    with pytest.raises(ResultError, match="not reproduce the stored predictions"):
        Fitting(Results(FOLDER), LOGISTIC).word("crane")
