"""Rows without an encoder: what each sees, how it is tuned, and the known figures."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from wsd.baselines import BASELINES, BagOfWords, baseline, documents, positions, tune
from wsd.classifiers.logistic import Logistic
from wsd.corpus import Corpus
from wsd.errors import ConfigError
from wsd.evaluation import score_word

ANIMAL = ["burrow", "fur", "soil", "claw", "tunnel"]
SPY = ["agent", "secret", "embassy", "cipher", "files"]


def moles(n_train: int = 60, n_test: int = 30) -> Corpus:
    """Animals in two thirds, told by one word that stands anywhere, and spies."""
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


def splits(gold: np.ndarray, k: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    return list(StratifiedKFold(k, shuffle=True, random_state=0).split(gold, gold))


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
    (found,) = baseline("most_frequent_sense", CORPUS, ROWS, folds=None)
    assert (found.word, found.senses, found.n_train) == ("mole", CORPUS.senses, 60)
    assert found.predicted.tolist() == [0] * 30
    assert found.scores.tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3)]] * 30
    assert found.gold.tolist() == CORPUS.gold[60:].tolist()
    assert found.index.tolist() == list(range(30))


def test_of_equally_frequent_senses_the_first_in_the_inventory() -> None:
    gold = np.array([2, 1, 0, 2, 1, *[0] * 85], dtype=np.int32)
    corpus = replace(CORPUS, senses=("a", "b", "c", "d"), gold=gold)
    (found,) = baseline("most_frequent_sense", corpus, np.arange(5), folds=None)
    assert set(found.predicted.tolist()) == {1}
    assert found.scores[0].tolist() == [0.2, 0.4, 0.4, pytest.approx(np.nan, nan_ok=True)]
    (found,) = baseline("most_frequent_sense", corpus, np.array([3, 4]), folds=None)
    assert set(found.predicted.tolist()) == {1}


def test_words_are_found_wherever_they_stand_and_their_place_says_nothing() -> None:
    folds = splits(CORPUS.gold[ROWS])
    accuracy = {
        name: score_word(baseline(name, CORPUS, ROWS, folds=folds)[0])["accuracy"]
        for name in BASELINES
    }
    assert accuracy["bag_of_words"] == 1
    assert accuracy["position_length"] < 0.8


def test_position_tells_where_it_can() -> None:
    """The same words; the focal one stands first in one sense."""
    position = np.where(CORPUS.gold == 0, 0, 4).astype(np.int32)
    tokens = tuple((*["so"] * place, "mole", *["so"] * (6 - place)) for place in position.tolist())
    corpus = replace(CORPUS, tokens=tokens, position=position)
    folds = splits(CORPUS.gold[ROWS])
    for name, expected in (("position_length", 1.0), ("bag_of_words", 2 / 3)):
        (found,) = baseline(name, corpus, ROWS, folds=folds)
        assert score_word(found)["accuracy"] >= expected - 1e-9
        assert (score_word(found)["accuracy"] == 1) == (name == "position_length")


def test_only_the_given_rows_are_fitted_on() -> None:
    """Other rows with wrong labels change nothing."""
    rows = np.arange(0, 60, 2)
    gold = CORPUS.gold.copy()
    gold[1:60:2] = 1 - gold[1:60:2]
    for name in BASELINES:
        for folds in (None, splits(CORPUS.gold[rows], k=3)):
            (one,) = baseline(name, CORPUS, rows, folds=folds)
            (two,) = baseline(name, replace(CORPUS, gold=gold), rows, folds=folds)
            assert one.n_train == 30
            assert np.array_equal(one.scores, two.scores)


def test_tuning_takes_the_point_with_the_highest_macro_f1_and_the_first_of_equals() -> None:
    gold = np.array([0, 0, 0, 0, 1, 1])

    class Known:
        """Per point, what it predicts of each instance; X is the instance's number."""

        points = (
            [0, 0, 0, 0, 0, 0],  # the highest accuracy but one, macro-F1 0.4
            [0, 0, 1, 1, 1, 1],  # the lower accuracy, macro-F1 0.67
            [1, 1, 0, 0, 1, 1],  # the same
        )

        def search(self, X, y, held, grid):
            assert not set(X) & set(held)
            return np.stack([np.eye(2)[np.array(self.points[p["point"]])[held]] for p in grid])

    folds = [(np.array([2, 3, 5, 1]), np.array([0, 4])), (np.array([0, 4]), np.array([5, 1, 2, 3]))]
    grid = [{"point": i} for i in range(3)]
    assert tune(Known(), grid, np.arange(6), gold, folds) == {"point": 1}
    assert tune(Known(), grid[::-1], np.arange(6), gold, folds) == {"point": 2}


def test_a_sense_that_a_fold_lacks_keeps_its_number() -> None:
    """Columns are the senses that were fitted on: here 0 and 2, the second column being 2."""
    gold = np.array([0, 2, 0, 2, 1, 0, 2])

    class Second:
        def search(self, X, y, held, grid):
            n = len(np.unique(y))
            return np.stack([np.eye(n)[np.full(len(held), p["column"])] for p in grid])

    folds = [(np.array([0, 1, 2]), np.array([3, 6]))]
    grid = [{"column": 0}, {"column": 1}]
    assert tune(Second(), grid, np.arange(7), gold, folds) == {"column": 1}


@pytest.mark.parametrize("name", ["bag_of_words", "position_length"])
def test_tuning_sets_what_is_fitted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folds = splits(CORPUS.gold[ROWS])
    grid = BASELINES[name].grid
    X = BASELINES[name].features(CORPUS)
    for point in (grid[0], grid[-1]):
        monkeypatch.setattr("wsd.baselines.tune", lambda *_, point=point: point)
        (found,) = baseline(name, CORPUS, ROWS, folds=folds)
        estimator = BASELINES[name].estimator().set_params(**point)
        expected = estimator.fit(X[ROWS], CORPUS.gold[ROWS]).predict_proba(X[60:])
        assert np.array_equal(found.scores, expected)
    (untuned,) = baseline(name, CORPUS, ROWS, folds=None)
    default = BASELINES[name].estimator().fit(X[ROWS], CORPUS.gold[ROWS])
    assert np.array_equal(untuned.scores, default.predict_proba(X[60:]))


def test_the_search_gives_what_single_fits_give() -> None:
    X, y = documents(CORPUS), CORPUS.gold
    grid = BASELINES["bag_of_words"].grid
    assert len(grid) == 25
    found = BagOfWords().search(X[:40], y[:40], X[40:60], grid)
    for point, probabilities in zip(grid, found, strict=True):
        fitted = BagOfWords(**point).fit(X[:40], y[:40])
        assert probabilities == pytest.approx(fitted.predict_proba(X[40:60]), abs=1e-5)


def test_the_words_weights_come_from_the_training_rows_alone() -> None:
    X, y = documents(CORPUS), CORPUS.gold
    bag = BagOfWords().fit(X[:20], y[:20])
    assert set(bag.vectorizer_.vocabulary_) == {word for document in X[:20] for word in document}


def test_the_prior_shift_is_that_of_logistic() -> None:
    """One type per instance, so that TF-IDF is one column per type: the rarer sense gains."""
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
    one = replace(CORPUS, gold=np.zeros(90, dtype=np.int32))
    bare = replace(CORPUS, tokens=(("mole",),) * 90, position=np.zeros(90, dtype=np.int32))
    for name in BASELINES:
        (found,) = baseline(name, one, ROWS, folds=None)
        assert set(found.predicted.tolist()) == {0}
        assert found.scores[0, 0] == 1 and np.isnan(found.scores[0, 1])
        (found,) = baseline(name, bare, ROWS, folds=splits(bare.gold[ROWS]))
        assert len(set(found.predicted.tolist())) == 1
        assert np.isfinite(found.scores).all()


def test_an_unknown_baseline_is_named() -> None:
    with pytest.raises(ConfigError, match="no baseline 'oracle'") as error:
        baseline("oracle", CORPUS, ROWS, folds=None)
    assert "most_frequent_sense" in str(error.value)


def test_every_grid_names_parameters_of_its_estimator() -> None:
    for one in BASELINES.values():
        for point in one.grid:
            one.estimator().set_params(**point)
    assert BASELINES["most_frequent_sense"].grid == [{}]
    assert isinstance(BASELINES["position_length"].estimator(), Logistic)


def test_the_known_figures_of_the_most_frequent_sense(real_corpora: dict[str, Corpus]) -> None:
    scores = []
    for corpus in real_corpora.values():
        rows = np.flatnonzero(corpus.split == "train")
        scores.append(score_word(baseline("most_frequent_sense", corpus, rows, folds=None)[0]))
    right = sum(score["accuracy"] * score["n_test"] for score in scores)
    means = [
        right / sum(score["n_test"] for score in scores),
        *(
            np.mean([score[figure] for score in scores])
            for figure in ("accuracy", "macro_f1", "balanced_accuracy")
        ),
    ]
    assert [round(100 * float(mean), 2) for mean in means] == [73.43, 66.48, 33.23, 41.00]


@pytest.mark.slow
def test_a_bag_of_words_knows_most_of_the_real_corpus(real_corpora: dict[str, Corpus]) -> None:
    """Below every encoder and far above the most frequent sense; untuned, to be quick."""
    figures = [
        score_word(
            baseline("bag_of_words", corpus, np.flatnonzero(corpus.split == "train"), folds=None)[0]
        )["macro_f1"]
        for corpus in real_corpora.values()
    ]
    assert 0.78 < np.mean(figures) < 0.92
