"""Cross-validation scores: equal to a naive loop, and independent of the test rows."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus, WriteFolds, WriteVectors, classify, turns
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, f1_score, recall_score
from sklearn.neighbors import KNeighborsClassifier

from wsd.artifacts import corpus_table as corpora_files
from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import OBJECTIVES, Search, grid_points, read_search, write_search
from wsd.artifacts.training_set import WordFolds
from wsd.classification.classify import fold_scores, score_word
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.scalar_mix import MixedLogistic
from wsd.classification.estimators.vector_classifiers import KNN, LDA, NearestCentroid
from wsd.errors import ConfigError, ResultError

SPACES: dict[str, tuple[Any, dict[str, Any]]] = {
    "nearest_centroid": (
        NearestCentroid(),
        {"metric": ["cosine", "euclidean"], "transform": ["none", "whiten", "remove-2"]},
    ),
    "logistic": (Logistic(), {"C": [0.01, 0.3], "prior_shift": [0, 0.5, 1]}),
    "lda": (LDA(), {"shrinkage": [0.9, 0.5, 0.1], "prior_exponent": [1, 0]}),
    "knn": (KNN(), {"k": [1, 5, 20], "transform": ["none", "centre", "whiten"]}),
    "mixed_logistic": (MixedLogistic(layers=2), {"C": [0.01, 1], "prior_shift": 0}),
}


# The search space


def grid_scores(classifier: Any, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Any) -> Any:
    """Return the scores of one split at every point."""
    fit, rest = np.arange(len(X)), len(X) + np.arange(len(held))
    labels = np.concatenate([y, np.full(len(held), y[0])])
    (scores,) = fold_scores(classifier, np.concatenate([X, held]), labels, [(fit, rest)], grid)
    return scores


def test_points_in_the_order_of_the_lists() -> None:
    assert grid_points({"C": [0.1, 1], "prior_shift": [1, 0]}) == [
        {"C": 0.1, "prior_shift": 1},
        {"C": 0.1, "prior_shift": 0},
        {"C": 1, "prior_shift": 1},
        {"C": 1, "prior_shift": 0},
    ]
    assert grid_points({"metric": "cosine", "k": [3, 1]}) == [
        {"metric": "cosine", "k": 3},
        {"metric": "cosine", "k": 1},
    ]
    assert grid_points({}) == [{}]
    assert list(grid_points({"b": 1, "a": [2]})[0]) == ["b", "a"]


# Out-of-fold scores


def random_folds(n: int, k: int = 4, repeats: int = 2) -> WordFolds:
    random = np.random.default_rng(9)
    held = np.stack([random.permutation(np.arange(n) % k) for _ in range(repeats)])
    lines = np.arange(n, dtype=np.int32)
    return WordFolds(lines, lines, held.astype(np.int8))


def naive(
    classifier: Any, grid: Sequence[Any], X: np.ndarray, y: np.ndarray, folds: WordFolds
) -> np.ndarray:
    """Fit every point on every fold separately, and score with scikit-learn."""
    assert folds.held is not None
    result = np.zeros((len(folds.held), len(grid), 3))
    for repeat, numbers in enumerate(folds.held):
        for i, point in enumerate(grid):
            predicted = np.full(len(y), -1)
            for fold in range(numbers.max() + 1):
                held = numbers == fold
                fitted = type(classifier)(**{**classifier.get_params(), **point})
                predicted[held] = fitted.fit(X[~held], y[~held]).predict(X[held])
            labels = sorted(set(y.tolist()))
            result[repeat, i] = [
                accuracy_score(y, predicted),
                f1_score(y, predicted, labels=labels, average="macro", zero_division=0),
                recall_score(y, predicted, labels=labels, average="macro"),
            ]
    return result


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("width", [8, 100], ids=["n>d", "n<d"])
def test_scores_equal_a_naive_loop(name: str, width: int) -> None:
    classifier, space = SPACES[name]
    X, y, _ = clouds(1, rows=64, width=width, spread=2.5, shares=(0.6, 0.3, 0.1))
    folds, grid = random_folds(64), grid_points(space)
    expected = naive(classifier, grid, X, y, folds)
    assert len(np.unique(expected)) > 3  # else little could go wrong
    assert_allclose(score_word(classifier, grid, X, y, folds)[0], expected, rtol=1e-12)


def test_an_estimator_that_cannot_search_is_fitted_point_by_point() -> None:
    X, y, held = clouds(2)
    grid = [{"n_neighbors": 1}, {"n_neighbors": 7}]
    actual = grid_scores(KNeighborsClassifier(), X, y, held, grid)
    for point, of_point in zip(grid, actual, strict=True):
        expected = KNeighborsClassifier(**point).fit(X, y).predict_proba(held)
        assert_array_equal(of_point, expected)


def test_scores_pool_all_folds() -> None:
    """Each fold has one of the two senses that are confused with the sense in the other fold."""
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
    y = np.array([0, 0, 1, 1, 0, 1])
    held = np.array([[0, 0, 1, 1, 1, 0]], dtype=np.int8)
    folds = WordFolds(np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32), held)
    X[5] = [1, 0.1]  # of sense 1, but looks like sense 0
    actual, _ = score_word(NearestCentroid(), [{}], X, y, folds)
    # Five of six are right: F1 of sense 0 is 6/7, of sense 1 it is 4/5. Averaged over folds it
    # were ((4/5 + 0) / 2 + 1) / 2.
    assert_allclose(actual, [[[5 / 6, (6 / 7 + 4 / 5) / 2, (1 + 2 / 3) / 2]]], rtol=1e-12)


def test_a_fold_that_takes_a_sense_away_gets_it_wrong() -> None:
    """Only one fold has sense 1, so it cannot be predicted there; sense 2 keeps its number.

    It has no out-of-fold score there, either.
    """
    X = np.eye(3)[[0, 0, 1, 1, 2, 2]]
    y = np.array([0, 0, 1, 1, 2, 2])
    held = np.array([[0, 1, 1, 1, 0, 1]], dtype=np.int8)
    folds = WordFolds(np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32), held)
    scores, held_out = score_word(Logistic(), [{"C": 1.0}], X, y, folds)
    assert scores[0, 0, 0] == pytest.approx(4 / 6)
    assert scores[0, 0, 2] == pytest.approx(2 / 3)
    assert_array_equal(np.isnan(held_out[0]), (held[0] == 1)[:, None] & [False, True, False])


@pytest.mark.parametrize("name", SPACES)
def test_scaling_and_transformations_are_fitted_inside_the_fold(name: str) -> None:
    """A held-out outlier changes no other prediction in its fold."""
    classifier, space = SPACES[name]
    X, y, _ = clouds(3, rows=40, spread=2.0)
    held, fit = np.arange(10), np.arange(10, 40)
    moved = X.copy()
    moved[0] = 1e6
    before, after = (
        grid_scores(classifier, x[fit], y[fit], x[held], grid_points(space))[:, 1:]
        for x in (X, moved)
    )
    assert_allclose(before, after, rtol=1e-12)
    # The same holds where all folds are fitted at once.
    splits = list(random_folds(40, repeats=1).splits(0))
    (first,) = (i for i, (_, of_split) in enumerate(splits) if 0 in of_split)
    before, after = (
        fold_scores(classifier, x, y, splits, grid_points(space))[first][:, 1:] for x in (X, moved)
    )
    assert_allclose(before, after, atol=1e-5)


# The best point


def search_with(scores: dict[str, Any], n: int, untuned: tuple[str, ...] = ()) -> Search:
    """Return a search whose three objectives are the same metric in different sizes."""
    return Search(
        [{"C": i} for i in range(n)],
        {
            word: np.stack([np.asarray(v, float) + 0.001 * i for i in range(3)], axis=-1)
            for word, v in scores.items()
        },
        untuned,
    )


def test_the_objective_is_the_mean_over_words_that_have_folds() -> None:
    search = search_with({"a": [[0.2, 0.4], [0.4, 0.4]], "b": [[0.6, 0.0], [0.8, 0.4]]}, 2, ("c",))
    objective = search.objective("mean_word_accuracy")
    assert objective is not None
    assert_allclose(objective, [[0.4, 0.2], [0.6, 0.4]], rtol=1e-12)
    for name, more in (("mean_macro_f1", 0.001), ("mean_balanced_accuracy", 0.002)):
        assert_allclose(search.objective(name), objective + more, rtol=1e-12)
    assert_allclose(search.objective("mean_word_accuracy", ["b", "c"]), [[0.6, 0], [0.8, 0.4]])
    assert search.objective("mean_word_accuracy", ["c"]) is None
    assert search.best("mean_word_accuracy", ["c"]) is None
    assert search_with({}, 2, ("a",)).best("mean_macro_f1") is None


def test_the_best_point_is_best_over_the_repeats() -> None:
    """The second point wins one repeat by much, the first wins two by little."""
    search = search_with({"a": [[0.6, 0.5], [0.6, 0.5], [0.2, 0.9]]}, 2)
    assert search.best("mean_macro_f1") == {"C": 1}


def test_the_first_of_equal_points_wins_despite_rounding() -> None:
    repeats = np.array([[0.1, 0.3, 0.2], [0.2, 0.1, 0.3], [0.3, 0.2, 0.1]])
    means = repeats.mean(axis=0)
    assert means.max() > means.min() and math.isclose(means.max(), means.min(), abs_tol=1e-15)
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        assert search_with({"a": repeats[:, order]}, 3).best("mean_word_accuracy") == {"C": 0}
    assert search_with({"a": [[0.1, 0.3, 0.3]]}, 3).best("mean_word_accuracy") == {"C": 1}


# Within a run of `classify`


LOGISTIC = {"C": [0.01, 1], "prior_shift": [0, 1]}


class Tuned:
    """Write two words with folds and one without; tests may change the test rows."""

    def __init__(self, root: Path, make_corpus: MakeCorpus, vectors: Any, folds: Any) -> None:
        self.root, self.write_vectors = root, vectors
        self.corpora: dict[str, Corpus] = {}
        self.vectors: dict[str, np.ndarray] = {}
        words: dict[str, WordFolds] = {}
        for i, word in enumerate(("mint", "sage", "thyme")):
            X, y, test = clouds(20 + i, rows=30, spread=2.5, width=6, shares=(0.5, 0.3, 0.2))
            rows = [("train", int(g)) for g in y] + [("test", i % 3) for i in range(30)]
            self.corpora[word] = make_corpus(rows, word=word, senses=("a", "b", "c"))
            self.vectors[word] = np.stack([np.vstack([X, test])] * 2).astype(np.float32)
            words[word] = turns(self.corpora[word], k=3, repeats=2, untuned=word == "thyme")
        self.words = words
        folds(root / "folds.parquet", self.corpora, **words)

    def classify(self, name: str, **changes: Any) -> tuple[Path, Path]:
        for word, corpus in self.corpora.items():
            path = self.root / "e" / word / "focal.safetensors"
            self.write_vectors(path, corpus, self.vectors[word])
        search, out = self.root / name / "search.parquet", self.root / name / "out.parquet"
        asked: dict[str, Any] = {
            "view": "focal",
            "layers": "1",
            "name": "log",
            "estimator": "logistic",
            "space": LOGISTIC,
            "objective": "mean_macro_f1",
            "folds": [self.root / "folds.parquet"],
            "searches": [search],
            "out": [out],
            **changes,
        }
        classify(self.root, self.corpora, self.root / "e", **asked)
        return search, out


@pytest.fixture
def tuned(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, write_folds: WriteFolds
) -> Tuned:
    return Tuned(tmp_path, make_corpus, write_vectors, write_folds)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["nearest_centroid", "logistic", "lda", "knn", "mix"])
def test_test_rows_do_not_change_cross_validation(tuned: Tuned, estimator: str) -> None:
    """The second time their vectors and senses are garbage."""
    name = "logistic" if estimator == "mix" else estimator
    changes: dict[str, Any] = {"estimator": name, "space": SPACES[name][1]}
    changes["layers"] = "mix-0-1" if estimator == "mix" else "1"
    search, out = tuned.classify("before", **changes, relabel=lambda corpus: corpus.gold)
    random = np.random.default_rng(4)
    for vectors in tuned.vectors.values():
        vectors[:, 30:] = 1e4 * random.normal(size=vectors[:, 30:].shape)

    def spoilt(corpus: Corpus) -> np.ndarray:
        return np.where(corpus.split == "test", 2 - corpus.gold, corpus.gold).astype(np.int32)

    again, other = tuned.classify("after", **changes, relabel=spoilt)
    assert out.read_bytes() != other.read_bytes()
    assert search.read_bytes() == again.read_bytes()
    (_, before), (_, after) = predictions.read_predictions(out), predictions.read_predictions(other)
    assert before == after


def test_training_rows_outside_the_training_set_change_nothing_either(
    tuned: Tuned, write_folds: WriteFolds
) -> None:
    """The training set has only every other line."""
    lines = np.arange(0, 30, 2, dtype=np.int32)
    held = (np.arange(15)[None] % 3).astype(np.int8)
    words = {word: WordFolds(lines, np.arange(15, dtype=np.int32), held) for word in tuned.words}
    write_folds(tuned.root / "folds.parquet", tuned.corpora, name="half", **words)
    before = tuned.classify("before")
    for vectors in tuned.vectors.values():
        vectors[:, 1:30:2] = 1e4
    after = tuned.classify("after")
    for first, second in zip(before, after, strict=True):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
def test_classify_tunes_on_the_folds_and_fits_on_all(tuned: Tuned) -> None:
    search_path, out = tuned.classify("run")
    actual, provenance = read_search(search_path)
    grid = grid_points(LOGISTIC)
    assert actual.grid == grid
    assert (set(actual.scores), actual.untuned) == ({"mint", "sage"}, ("thyme",))
    for word in ("mint", "sage"):
        X, y = tuned.vectors[word][1, :30], tuned.corpora[word].gold[:30]
        expected = naive(Logistic(), grid, X, y, tuned.words[word])
        assert_allclose(actual.scores[word], expected, rtol=1e-12)
    mean = np.mean([actual.scores[word][..., 1] for word in actual.scores], axis=(0, 1))
    best = grid[int(mean.argmax())]
    assert mean.max() > np.sort(mean)[-2]  # no tie
    words, made = predictions.read_predictions(out)
    assert made["parameters"] == provenance["parameters"] == best
    for of_word in words:
        # The untuned word gets the estimator's defaults, because no parameter is fixed.
        parameters = {} if of_word.word == "thyme" else best
        X, y = tuned.vectors[of_word.word], tuned.corpora[of_word.word].gold[:30]
        fitted = Logistic(**parameters).fit(X[1, :30], y)
        assert_allclose(of_word.scores, fitted.predict_proba(X[1, 30:]), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["logistic", "knn"])
def test_out_of_fold_predictions_are_those_of_the_first_repeat(
    tuned: Tuned, write_folds: WriteFolds, estimator: str
) -> None:
    """They are a split of their own, in the order of the training set; untuned words have none."""
    classifier, space = SPACES[estimator]
    words = {**tuned.words, "mint": random_folds(30, k=3), "sage": random_folds(30, k=3)}
    write_folds(tuned.root / "folds.parquet", tuned.corpora, **words)
    _, out = tuned.classify("run", estimator=estimator, space=space)
    assert {word.split for word in predictions.read_predictions(out)[0]} == {"test"}
    held_out, provenance = predictions.read_predictions(out, predictions.CV)
    assert sorted(word.word for word in held_out) == ["mint", "sage"]
    for word in held_out:
        assert word.index.tolist() == words[word.word].lines.tolist()
        X, y = tuned.vectors[word.word][1, :30], tuned.corpora[word.word].gold[:30]
        assert_array_equal(word.gold, y)
        assert_array_equal(word.predicted, np.nanargmax(word.scores, axis=1))
        for fit, held in words[word.word].splits(0):
            fitted = type(classifier)(**{**classifier.get_params(), **provenance["parameters"]})
            expected = fitted.fit(X[fit], y[fit]).predict_proba(X[held])
            assert_allclose(word.scores[held][:, np.unique(y[fit])], expected, rtol=1e-3)


@pytest.mark.slow
def test_another_objective_may_choose_another_point(tuned: Tuned) -> None:
    chosen = {}
    for objective in OBJECTIVES:
        path, _ = tuned.classify(objective, objective=objective)
        actual, provenance = read_search(path)
        assert provenance["objective"] == objective
        assert provenance["parameters"] == actual.best(objective)
        chosen[objective] = tuple(provenance["parameters"].values())
    assert len(set(chosen.values())) > 1, chosen


def test_an_untuned_word_keeps_what_the_config_fixes(tuned: Tuned) -> None:
    space = {"shrinkage": [0.9, 0.2], "prior_exponent": 0.25}
    _, out = tuned.classify("run", estimator="lda", space=space)
    words, _ = predictions.read_predictions(out)
    (thyme,) = (of_word for of_word in words if of_word.word == "thyme")
    X, y = tuned.vectors["thyme"], tuned.corpora["thyme"].gold[:30]
    expected = LDA(prior_exponent=0.25).fit(X[1, :30], y).predict_proba(X[1, 30:])
    assert_allclose(thyme.scores, expected, atol=1e-9)


def test_without_any_folds_only_what_is_fixed_is_noted(
    tuned: Tuned, write_folds: WriteFolds
) -> None:
    words = {word: turns(corpus, untuned=True) for word, corpus in tuned.corpora.items()}
    write_folds(tuned.root / "folds.parquet", tuned.corpora, **words)
    search_path, out = tuned.classify("run", space={"C": [0.01, 1], "prior_shift": 0.5})
    _, provenance = predictions.read_predictions(out)
    assert provenance["parameters"] == {"prior_shift": 0.5}
    assert sorted(provenance["untuned"]) == ["mint", "sage", "thyme"]
    actual, _ = read_search(search_path)
    assert actual.scores == {} and len(actual.grid) == 2


@pytest.mark.parametrize(
    ("estimator", "space"), [("logistic", {"k": [1, 2]}), ("knn", {"shrinkage": 0.1})]
)
def test_a_parameter_of_another_estimator_is_refused(
    tuned: Tuned, estimator: str, space: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match=estimator):
        tuned.classify("run", estimator=estimator, space=space)
    assert not (tuned.root / "run").exists()


# Files


def test_round_trip(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    search = Search(
        [{"C": 0.1}, {"C": 1.0}],
        {"yard": random.random((3, 2, 3)), "arm": random.random((3, 2, 3))},
        ("bow",),
    )
    write_search(tmp_path / "s.parquet", search, {"layers": "6"})
    again, provenance = read_search(tmp_path / "s.parquet")
    assert (again.grid, again.untuned, provenance["layers"]) == (search.grid, search.untuned, "6")
    assert set(again.scores) == set(search.scores)
    for word, scores in search.scores.items():
        assert_array_equal(again.scores[word], scores)


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    corpora_files.write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        read_search(path)
