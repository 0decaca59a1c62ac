"""Baselines without an encoder: their input, their tuning, and the known scores."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from log_state import logs_as_before
from sklearn.model_selection import StratifiedKFold
from substitute_tables import write_made

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.corpus_table import write as write_corpus
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import Folds, WordFolds, write_folds
from wsd.classification import classify
from wsd.classification.estimators.logistic import BagOfWords
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_and_predict import LabelledWord, predict_word
from wsd.classification.text_features import SPACES, TextFeatures, documents, positions
from wsd.cli import main
from wsd.errors import ConfigError
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
    return Corpus(
        word="mole",
        senses=("mole_animal", "mole_spy"),
        split=np.array(["train"] * n_train + ["test"] * n_test),
        index=np.array([*range(n_train), *range(n_test)], dtype=np.int32),
        tokens=tuple(tokens),
        position=np.array(position, dtype=np.int32),
        gold=gold,
    )


CORPUS = moles()
ROWS = np.arange(60)


def folds_of(*corpora: Corpus, k: int = 5, repeats: int = 1, rows: np.ndarray = ROWS) -> Folds:
    """Return stratified folds of some training rows of each corpus."""
    words = {}
    for corpus in corpora:
        gold = corpus.gold[rows]
        held = np.empty((repeats, len(rows)), dtype=np.int8)
        for repeat in range(repeats):
            parts = StratifiedKFold(k, shuffle=True, random_state=repeat).split(gold, gold)
            for fold, (_, out) in enumerate(parts):
                held[repeat, out] = fold
        lines = corpus.index[rows]
        words[corpus.word] = WordFolds(lines, np.arange(len(lines), dtype=np.int32), held)
    return Folds("full", k, repeats, 0, words, {c.word: c.digest for c in corpora})


def word_of(name: str, corpus: Corpus) -> LabelledWord:
    features = TextFeatures(None, "-", name).read(corpus)
    return LabelledWord(corpus, corpus, features, lambda point: make_estimator(name, point))


def predictions_of(
    name: str, corpus: Corpus, rows: np.ndarray, parameters: dict[str, Any]
) -> list[WordPredictions]:
    word = word_of(name, corpus)
    return predict_word(corpus, word.vectors, word.unfitted(parameters), rows)


def tune(
    name: str, corpora: dict[str, Corpus], train: Folds, objective: str
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    words = [word_of(name, corpus) for corpus in corpora.values()]
    (result,) = classify.tune(words, [train], grid_points(SPACES[name]))
    return result.best(objective), result.untuned


def tuned(name: str, corpus: Corpus) -> WordPredictions:
    point, untuned = tune(name, {corpus.word: corpus}, folds_of(corpus), "mean_macro_f1")
    assert point is not None and not untuned
    (result,) = predictions_of(name, corpus, ROWS, point)
    return result


def test_documents_are_all_words_but_the_focal_one_lower_cased() -> None:
    corpus = replace(
        CORPUS,
        tokens=(("A", "mole", "or", "Mole", "."), ("mole",)),
        position=np.array([1, 0], dtype=np.int32),
    )
    assert documents(corpus).tolist() == [("a", "or", "mole", "."), ()]


def test_documents_of_one_length_stay_tuples() -> None:
    corpus = replace(CORPUS, tokens=(("a", "mole"),) * 3, position=np.ones(3, dtype=np.int32))
    assert documents(corpus).shape == (3,)
    assert documents(corpus)[0] == ("a",)


def test_positions_are_index_length_and_share() -> None:
    corpus = replace(
        CORPUS,
        tokens=(("a", "mole"), ("mole",), ("the", "mole", "dug", "on", ".")),
        position=np.array([1, 0, 1], dtype=np.int32),
    )
    assert positions(corpus).tolist() == [[1, 2, 1], [0, 1, 0], [1, 5, 0.25]]


def test_the_most_frequent_sense() -> None:
    (actual,) = predictions_of("most_frequent_sense", CORPUS, ROWS, {})
    assert (actual.word, actual.senses, actual.n_train) == ("mole", CORPUS.senses, 60)
    assert actual.predicted.tolist() == [0] * 30
    assert actual.scores.tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3)]] * 30
    assert actual.gold.tolist() == CORPUS.gold[60:].tolist()
    assert actual.index.tolist() == list(range(30))


def test_of_equally_frequent_senses_the_first_in_the_inventory() -> None:
    gold = np.array([2, 1, 0, 2, 1, *[0] * 85], dtype=np.int32)
    corpus = replace(CORPUS, senses=("a", "b", "c", "d"), gold=gold)
    (actual,) = predictions_of("most_frequent_sense", corpus, np.arange(5), {})
    assert set(actual.predicted.tolist()) == {1}
    assert actual.scores[0].tolist() == [0.2, 0.4, 0.4, pytest.approx(np.nan, nan_ok=True)]
    (actual,) = predictions_of("most_frequent_sense", corpus, np.array([3, 4]), {})
    assert set(actual.predicted.tolist()) == {1}


def test_a_bag_of_words_ignores_positions() -> None:
    accuracy = {name: score_word(tuned(name, CORPUS))["accuracy"] for name in SPACES}
    assert accuracy["bag_of_words"] == 1
    assert accuracy["position_length"] < 0.8


def test_position_separates_senses_by_position() -> None:
    """The words are the same; in one sense the focal word comes first."""
    position = np.where(CORPUS.gold == 0, 0, 4).astype(np.int32)
    tokens = tuple((*["so"] * place, "mole", *["so"] * (6 - place)) for place in position.tolist())
    corpus = replace(CORPUS, tokens=tokens, position=position)
    for name, expected in (("position_length", 1.0), ("bag_of_words", 2 / 3)):
        actual = tuned(name, corpus)
        assert score_word(actual)["accuracy"] >= expected - 1e-9
        assert (score_word(actual)["accuracy"] == 1) == (name == "position_length")


def test_only_the_given_rows_are_fitted_on() -> None:
    """Other rows with wrong labels have no effect."""
    rows = np.arange(0, 60, 2)
    gold = CORPUS.gold.copy()
    gold[1:60:2] = 1 - gold[1:60:2]
    for name in SPACES:
        other = replace(CORPUS, gold=gold)
        points = []
        for corpus in (CORPUS, other):
            folds = folds_of(corpus, k=3, rows=rows)
            points.append(tune(name, {"mole": corpus}, folds, "mean_macro_f1"))
        assert points[0] == points[1]
        (first,) = predictions_of(name, CORPUS, rows, {})
        (second,) = predictions_of(name, other, rows, {})
        assert first.n_train == 30
        assert np.array_equal(first.scores, second.scores)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bag_of_words", "position_length"])
def test_the_tuned_point_is_fitted_and_written(name: str, tmp_path: Path) -> None:
    kept = np.arange(90)
    few = replace(CORPUS.take((kept < 20) | (kept >= 60)), word="few")
    corpora = {"mole": CORPUS, "few": few}
    train = folds_of(CORPUS, repeats=2)
    lines = few.index[:20]
    train.words["few"] = WordFolds(lines, np.arange(20, dtype=np.int32), None)
    train.corpus["few"] = few.digest
    write_folds(tmp_path / "folds.parquet", train)
    out = tmp_path / "out.parquet"
    for word, corpus in corpora.items():
        write_corpus(tmp_path / f"{word}.parquet", corpus)
    arguments = ["--corpus", str(tmp_path), "--words", *corpora, "--estimator", name]
    arguments += ["--folds", str(tmp_path / "folds.parquet"), "--out", str(out)]
    arguments += ["--view", "text", "--layers", "-"]
    with logs_as_before():
        assert main(["classify", *arguments]) == 0
    read, provenance = predictions.read_predictions(out)
    mole, of_few = sorted(read, key=lambda prediction: prediction.n_train, reverse=True)
    point, untuned = tune(name, corpora, train, "mean_macro_f1")
    assert untuned == ("few",) and point in grid_points(SPACES[name])
    assert provenance["parameters"] == point and provenance["untuned"] == ["few"]
    assert provenance["objective"] == "mean_macro_f1"
    (expected,) = predictions_of(name, CORPUS, ROWS, point)
    assert np.array_equal(mole.scores, expected.scores)
    (default,) = predictions_of(name, few, np.arange(20), {})
    assert np.array_equal(of_few.scores, default.scores)


def test_the_search_gives_what_single_fits_give() -> None:
    X, y = documents(CORPUS), CORPUS.gold
    grid = grid_points(SPACES["bag_of_words"])
    assert len(grid) == 25
    actual = BagOfWords().search(X[:40], y[:40], X[40:60], grid)
    for point, probabilities in zip(grid, actual, strict=True):
        fitted = BagOfWords(**point).fit(X[:40], y[:40])
        assert probabilities == pytest.approx(fitted.predict_proba(X[40:60]), abs=1e-5)


def test_the_words_weights_come_from_the_training_rows_alone() -> None:
    X, y = documents(CORPUS), CORPUS.gold
    bag = BagOfWords().fit(X[:20], y[:20])
    assert set(bag.vectorizer_.vocabulary_) == {word for document in X[:20] for word in document}


def test_the_prior_shift_is_that_of_logistic() -> None:
    """Each instance has one type, so TF-IDF is one column per type: the rarer sense gains."""
    X, y = documents(CORPUS), CORPUS.gold
    shares = [
        BagOfWords(1.0, shift).fit(X[:60], y[:60]).predict_proba(X[60:])[:, 1].mean()
        for shift in (0.0, 0.5, 1.0)
    ]
    assert shares[0] < shares[1] < shares[2]
    plain = BagOfWords(1.0, 0.0).fit(X[:60], y[:60]).predict_proba(X[60:])
    odds = np.log(plain[:, 1] / plain[:, 0]) - 1.0 * np.log(20 / 40)
    expected = 1 / (1 + np.exp(-odds))
    assert BagOfWords(1.0, 1.0).fit(X[:60], y[:60]).predict_proba(X[60:])[:, 1] == pytest.approx(
        expected
    )


def test_one_sense_and_sentences_without_words() -> None:
    single_sense = replace(CORPUS, gold=np.zeros(90, dtype=np.int32))
    bare = replace(CORPUS, tokens=(("mole",),) * 90, position=np.zeros(90, dtype=np.int32))
    for name in SPACES:
        (actual,) = predictions_of(name, single_sense, ROWS, {})
        assert set(actual.predicted.tolist()) == {0}
        assert actual.scores[0, 0] == 1 and np.isnan(actual.scores[0, 1])
        (actual,) = predictions_of(name, bare, ROWS, {})
        assert len(set(actual.predicted.tolist())) == 1
        assert np.isfinite(actual.scores).all()


@pytest.mark.parametrize(
    ("view", "estimator", "embeddings"),
    [("focal", "bag_of_words", True), ("text", "logistic", False), ("focal", "logistic", False),
     ("text", "bag_of_words", True), ("substitutes", "bag_of_words", False)],
)  # fmt: skip
def test_a_baseline_needs_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str, estimator: str, embeddings: bool
) -> None:
    write_corpus(tmp_path / "mole.parquet", CORPUS)
    write_folds(tmp_path / "f.parquet", folds_of(CORPUS))
    arguments = ["classify", "--corpus", str(tmp_path), "--words", "mole", "--view", view]
    arguments += ["--layers", "1", "--estimator", estimator, "--folds", str(tmp_path / "f.parquet")]
    arguments += ["--out", str(tmp_path / "o.parquet")]
    arguments += ["--embeddings", str(tmp_path)] if embeddings else []
    with logs_as_before():
        assert main(arguments) == ConfigError.exit_code
    assert f"{estimator} on the view {view!r}" in capsys.readouterr().err


def test_every_space_has_parameters_of_its_estimator() -> None:
    for name, space in SPACES.items():
        for point in grid_points(space):
            make_estimator(name, point)


def test_the_known_scores_of_the_most_frequent_sense(real_corpora: dict[str, Corpus]) -> None:
    scores = []
    for corpus in real_corpora.values():
        rows = np.flatnonzero(corpus.split == "train")
        scores.append(score_word(predictions_of("most_frequent_sense", corpus, rows, {})[0]))
    right = sum(score["accuracy"] * score["n_test"] for score in scores)
    means = [
        right / sum(score["n_test"] for score in scores),
        *(
            np.mean([score[metric] for score in scores])
            for metric in ("accuracy", "macro_f1", "balanced_accuracy")
        ),
    ]
    assert [round(100 * float(mean), 2) for mean in means] == [73.43, 66.48, 33.23, 41.00]


@pytest.mark.slow
def test_a_bag_of_words_knows_most_of_the_real_corpus(real_corpora: dict[str, Corpus]) -> None:
    """The score lies below every encoder and far above the most frequent sense; it is untuned."""
    scores = [
        score_word(
            predictions_of("bag_of_words", corpus, np.flatnonzero(corpus.split == "train"), {})[0]
        )["macro_f1"]
        for corpus in real_corpora.values()
    ]
    assert 0.78 < np.mean(scores) < 0.92


def test_a_bag_of_substitutes_is_a_row_of_its_model(tmp_path: Path) -> None:
    corpora = {"mole": CORPUS}
    write_made(tmp_path / "said", corpora, "asked")
    write_corpus(tmp_path / "corpus/mole.parquet", CORPUS)
    write_folds(tmp_path / "f.parquet", folds_of(CORPUS))
    arguments = ["classify", "--corpus", str(tmp_path / "corpus"), "--words", "mole", "--folds"]
    arguments += [str(tmp_path / "f.parquet"), "--out", str(tmp_path / "o.parquet")]
    arguments += ["--view", "substitutes", "--layers", "masked", "--estimator", "bag_of_words"]
    arguments += ["--name", "bag_of_substitutes", "--embeddings", str(tmp_path / "said")]
    with logs_as_before():
        assert main(arguments) == 0
    (actual,), source = predictions.read_predictions(tmp_path / "o.parquet")
    names = (source["encoder"]["model"]["name"], source["view"], source["layers"])
    assert names == ("asked", "substitutes", "masked")
    assert source["classifier"] == "bag_of_substitutes"
    # The piece of the gold sense identifies the sense.
    assert np.array_equal(actual.predicted, actual.gold)
