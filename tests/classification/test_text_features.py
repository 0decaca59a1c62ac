"""Baselines without an encoder: their input, their tuning, and the known scores."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_corpus, write_folds
from call_step import call_step
from substitute_tables import write_made

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.predictions import WordPredictions, read_predictions
from wsd.artifacts.training_set import WordFolds
from wsd.classification import classify as classification
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_and_predict import predict_word
from wsd.classification.text_features import SPACES, TextFeatures, documents, positions
from wsd.evaluation.evaluate import score_word

ANIMAL = ["burrow", "fur", "soil", "claw", "tunnel"]
SPY = ["agent", "secret", "embassy", "cipher", "files"]


def moles(n_train: int = 60, n_test: int = 30) -> Corpus:
    """Return animals in two thirds of the rows, spies in the rest; one word shows the sense."""
    rng = np.random.default_rng(1)
    n = n_train + n_test
    gold = (np.arange(n) % 3 == 2).astype(np.int32)
    tokens, position = [], []
    for sense in gold:
        telling = str(rng.choice((ANIMAL, SPY)[sense]))
        words = [str(w) for w in rng.choice(["The", "one", "saw", "old", "."], size=6)]
        words.insert(int(rng.integers(7)), telling.title())
        place = int(rng.integers(8))
        tokens.append((*words[:place], "mole", *words[place:]))
        position.append(place)
    rows = [("train" if i < n_train else "test", sense) for i, sense in enumerate(gold.tolist())]
    corpus = make_corpus(rows, word="mole", senses=("mole_animal", "mole_spy"))
    return replace(corpus, tokens=tuple(tokens), position=np.array(position, dtype=np.int32))


CORPUS = moles()
ROWS = np.arange(60)


def predictions_of(
    name: str, corpus: Corpus, rows: np.ndarray = ROWS, **parameters: Any
) -> WordPredictions:
    features = TextFeatures(None, "-", name).read(corpus)
    (result,) = predict_word(corpus, features, make_estimator(name, parameters), rows)
    return result


def classify(folder: Path, corpus: Corpus, estimator: str, **arguments: Any) -> Path:
    """Run the command on four folds of the training rows."""
    held = (np.arange(60)[None] // 3 % 4).astype(np.int8)
    folds = WordFolds(corpus.index[:60], np.arange(60, dtype=np.int32), held)
    write_folds(folder / "folds.parquet", {"mole": corpus}, mole=folds)
    files = {"folds": [folder / "folds.parquet"], "out": [folder / "o.parquet"]}
    call_step(classification, {"mole": corpus}, estimator=[estimator], **files, **arguments)
    return folder / "o.parquet"


def test_the_features_of_a_sentence() -> None:
    """All words but the focal one, lower-cased; index, length and share of the focal word."""
    corpus = replace(
        CORPUS,
        tokens=(("A", "mole", "or", "Mole", "."), ("mole",), ("the", "mole", "dug", "on", ".")),
        position=np.array([1, 0, 1], dtype=np.int32),
    )
    bags = [("a", "or", "mole", "."), (), ("the", "dug", "on", ".")]
    assert documents(corpus).tolist() == bags
    assert positions(corpus).tolist() == [[1, 5, 0.25], [0, 1, 0], [1, 5, 0.25]]


def test_the_most_frequent_sense_of_the_training_rows() -> None:
    """Of equally frequent ones, the first in the inventory."""
    actual = predictions_of("most_frequent_sense", CORPUS)
    assert actual.predicted.tolist() == [0] * 30
    assert actual.scores.tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3)]] * 30
    gold = np.array([2, 1, 0, 2, 1, *[0] * 85], dtype=np.int32)
    corpus = replace(CORPUS, senses=("a", "b", "c", "d"), gold=gold)
    for rows in (np.arange(5), np.array([3, 4])):
        actual = predictions_of("most_frequent_sense", corpus, rows)
        assert set(actual.predicted.tolist()) == {1} and actual.n_train == len(rows)
    assert actual.scores[0] == pytest.approx([np.nan, 0.5, 0.5, np.nan], nan_ok=True)


def test_a_bag_has_words_and_the_other_baseline_positions(tmp_path: Path) -> None:
    """In the second corpus the words are the same, and in one sense the focal word comes first."""
    position = np.where(CORPUS.gold == 0, 0, 4).astype(np.int32)
    tokens = tuple((*["so"] * place, "mole", *["so"] * (6 - place)) for place in position.tolist())
    placed = replace(CORPUS, tokens=tokens, position=position)
    expected = {"bag_of_words": (1, 2 / 3), "position_length": (2 / 3, 1)}
    for name, accuracies in expected.items():
        for corpus, accuracy in zip((CORPUS, placed), accuracies, strict=True):
            out = classify(tmp_path, corpus, name, view="text", layers=["-"])
            (actual,), provenance = read_predictions(out)
            assert score_word(actual)["accuracy"] == pytest.approx(accuracy, abs=0.12)
            assert (score_word(actual)["accuracy"] == 1) == (accuracy == 1)
            assert provenance["parameters"] in grid_points(SPACES[name])
            again = predictions_of(name, corpus, **provenance["parameters"])
            assert np.array_equal(again.scores, actual.scores)


def test_a_bag_of_substitutes_is_a_row_of_its_model(tmp_path: Path) -> None:
    write_made(tmp_path / "said", {"mole": CORPUS}, "asked")
    asked: dict[str, Any] = {"view": "substitutes", "layers": ["masked"], "name": ["bag"]}
    out = classify(tmp_path, CORPUS, "bag_of_words", embeddings=tmp_path / "said", **asked)
    (actual,), source = read_predictions(out)
    names = (source["encoder"]["model"]["name"], source["view"], source["layers"])
    assert names == ("asked", "substitutes", "masked") and source["classifier"] == "bag"
    # The piece of the gold sense identifies the sense.
    assert np.array_equal(actual.predicted, actual.gold)


@pytest.mark.slow
def test_the_known_scores_of_the_real_corpus(real_corpora: dict[str, Corpus]) -> None:
    """An untuned bag of words lies below every encoder and far above the most frequent sense."""

    def scores(name: str) -> list[dict[str, Any]]:
        return [
            score_word(predictions_of(name, corpus, np.flatnonzero(corpus.split == "train")))
            for corpus in real_corpora.values()
        ]

    frequent = scores("most_frequent_sense")
    right = sum(score["accuracy"] * score["n_test"] for score in frequent)
    names = ("accuracy", "macro_f1", "balanced_accuracy")
    means = [right / sum(score["n_test"] for score in frequent)]
    means += [np.mean([score[metric] for score in frequent]) for metric in names]
    assert [round(100 * float(mean), 2) for mean in means] == [73.43, 66.48, 33.23, 41.00]
    assert 0.78 < np.mean([score["macro_f1"] for score in scores("bag_of_words")]) < 0.92
