"""`wsd classify`: cross-validation equals a naive loop, and the best point is fitted on all."""

import json
import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus, WriteFolds, WriteVectors, classify, turns
from call_step import call_step
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, f1_score, recall_score
from sklearn.neighbors import KNeighborsClassifier

from wsd.artifacts import corpus_table, predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import Search, grid_points, read_search, write_search
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import WordFolds
from wsd.classification import classify as classification
from wsd.classification import classify_selected
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


def folds_of(held: Sequence[Sequence[int]] | np.ndarray) -> WordFolds:
    lines = np.arange(len(held[0]), dtype=np.int32)
    return WordFolds(lines, lines, np.array(held, dtype=np.int8))


def random_folds(n: int, k: int = 3, repeats: int = 2) -> WordFolds:
    random = np.random.default_rng(9)
    return folds_of(np.stack([random.permutation(np.arange(n) % k) for _ in range(repeats)]))


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


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("width", [8, 100], ids=["n>d", "n<d"])
def test_scores_equal_a_naive_loop(name: str, width: int) -> None:
    """The out-of-fold scores too, which are those of the first repeat."""
    classifier, space = SPACES[name]
    X, y, _ = clouds(1, rows=48, width=width, spread=2.5, shares=(0.6, 0.3, 0.1))
    folds, grid = random_folds(48), grid_points(space)
    expected = naive(classifier, grid, X, y, folds)
    assert len(np.unique(expected)) > 3  # else little could go wrong
    scores, held_out = score_word(classifier, grid, X, y, folds)
    assert_allclose(scores, expected, rtol=1e-12)
    fitted = type(classifier)(**{**classifier.get_params(), **grid[-1]})
    for fit, held in folds.splits(0):
        fitted.fit(X[fit], y[fit])
        score = getattr(fitted, "predict_proba", None) or fitted.decision_function
        assert_allclose(held_out[-1][held], score(X[held]), atol=1e-3)


def test_scores_pool_all_folds() -> None:
    """Each fold has one of the two senses that are confused with the sense in the other fold."""
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 0.1]])
    y = np.array([0, 0, 1, 1, 0, 1])  # the last looks like sense 0
    actual, _ = score_word(NearestCentroid(), [{}], X, y, folds_of([[0, 0, 1, 1, 1, 0]]))
    # Five of six are right: F1 of sense 0 is 6/7, of sense 1 it is 4/5. Averaged over folds it
    # were ((4/5 + 0) / 2 + 1) / 2.
    assert_allclose(actual, [[[5 / 6, (6 / 7 + 4 / 5) / 2, (1 + 2 / 3) / 2]]], rtol=1e-12)


def test_a_fold_that_takes_a_sense_away_gets_it_wrong() -> None:
    """Only one fold has sense 1, so it cannot be predicted there; sense 2 keeps its number."""
    y = np.array([0, 0, 1, 1, 2, 2])
    folds = folds_of([[0, 1, 1, 1, 0, 1]])
    scores, held_out = score_word(Logistic(), [{"C": 1.0}], np.eye(3)[y], y, folds)
    assert scores[0, 0, [0, 2]] == pytest.approx([4 / 6, 2 / 3])
    away = folds.held[0] == 1  # type: ignore[index]
    assert_array_equal(np.isnan(held_out[0]), away[:, None] & [False, True, False])


def test_an_estimator_that_cannot_search_is_fitted_point_by_point() -> None:
    X, y, _ = clouds(2, rows=40)
    grid = [{"n_neighbors": 1}, {"n_neighbors": 7}]
    fit, held = np.arange(30), np.arange(30, 40)
    (actual,) = fold_scores(KNeighborsClassifier(), X, y, [(fit, held)], grid)
    for point, of_point in zip(grid, actual, strict=True):
        expected = KNeighborsClassifier(**point).fit(X[fit], y[fit]).predict_proba(X[held])
        assert_array_equal(of_point, expected)


@pytest.mark.parametrize("name", SPACES)
def test_scaling_and_transformations_are_fitted_inside_the_fold(name: str) -> None:
    """A held-out outlier changes no other prediction in its fold."""
    classifier, space = SPACES[name]
    X, y, _ = clouds(3, rows=40, spread=2.0)
    moved = X.copy()
    moved[0] = 1e6
    splits = list(random_folds(40, repeats=1).splits(0))
    (first,) = (i for i, (_, held) in enumerate(splits) if 0 in held)
    before, after = (
        fold_scores(classifier, x, y, splits, grid_points(space))[first][:, 1:] for x in (X, moved)
    )
    assert_allclose(before, after, atol=1e-5)


# The best point of a search


def search_with(scores: dict[str, Any], n: int, untuned: tuple[str, ...] = ()) -> Search:
    """Return a search whose three objectives are the same metric in different sizes."""
    sizes = {
        word: np.stack([np.asarray(v, float) + 0.001 * i for i in range(3)], axis=-1)
        for word, v in scores.items()
    }
    return Search([{"C": i} for i in range(n)], sizes, untuned)


def test_the_objective_is_the_mean_over_words_that_have_folds() -> None:
    search = search_with({"a": [[0.2, 0.4], [0.4, 0.4]], "b": [[0.6, 0.0], [0.8, 0.4]]}, 2, ("c",))
    expected = np.array([[0.4, 0.2], [0.6, 0.4]])
    for i, name in enumerate(("word_accuracy", "macro_f1", "balanced_accuracy")):
        assert_allclose(search.objective(f"mean_{name}"), expected + 0.001 * i, rtol=1e-12)
    assert_allclose(search.objective("mean_word_accuracy", ["b", "c"]), [[0.6, 0], [0.8, 0.4]])
    assert search.objective("mean_word_accuracy", ["c"]) is None
    assert search.best("mean_word_accuracy", ["c"]) is None


def test_the_best_point_is_best_over_the_repeats_and_the_first_of_equal_ones() -> None:
    """The second point wins one repeat by much, the first wins two by little."""
    search = search_with({"a": [[0.6, 0.5], [0.6, 0.5], [0.2, 0.9]]}, 2)
    assert search.best("mean_macro_f1") == {"C": 1}
    repeats = np.array([[0.1, 0.3, 0.2], [0.2, 0.1, 0.3], [0.3, 0.2, 0.1]])
    means = repeats.mean(axis=0)
    assert means.max() > means.min() and math.isclose(means.max(), means.min(), abs_tol=1e-15)
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        assert search_with({"a": repeats[:, order]}, 3).best("mean_word_accuracy") == {"C": 0}
    assert search_with({"a": [[0.1, 0.3, 0.3]]}, 3).best("mean_word_accuracy") == {"C": 1}


def test_points_and_searches_keep_their_order(tmp_path: Path) -> None:
    grid = grid_points({"C": [0.1, 1], "metric": "cosine", "prior_shift": [1, 0]})
    assert [tuple(point.values()) for point in grid] == [
        (0.1, "cosine", 1), (0.1, "cosine", 0), (1, "cosine", 1), (1, "cosine", 0),
    ]  # fmt: skip
    assert list(grid[0]) == ["C", "metric", "prior_shift"] and grid_points({}) == [{}]
    random = np.random.default_rng(1)
    scores = {"yard": random.random((3, 4, 3)), "arm": random.random((3, 4, 3))}
    write_search(tmp_path / "s.parquet", Search(grid, scores, ("bow",)), {"layers": "6"})
    again, provenance = read_search(tmp_path / "s.parquet")
    assert (again.grid, again.untuned, provenance["layers"]) == (grid, ("bow",), "6")
    for word in ("yard", "arm"):
        assert_array_equal(again.scores[word], scores[word])


# The command


class Folder:
    """Two words with folds and one without; two layers of vectors, the first of which is noise."""

    def __init__(
        self, root: Path, make_corpus: MakeCorpus, vectors: WriteVectors, folds: WriteFolds
    ) -> None:
        self.root, self.write_vectors, self.write_folds = root, vectors, folds
        self.search, self.out = root / "search.parquet", root / "out.parquet"
        self.corpora: dict[str, Corpus] = {}
        self.vectors: dict[str, np.ndarray] = {}
        self.folds: dict[str, WordFolds] = {}
        random = np.random.default_rng(0)
        for i, word in enumerate(("mint", "sage", "thyme")):
            X, y, test = clouds(20 + i, rows=30, spread=2.5, width=6, shares=(0.5, 0.3, 0.2))
            rows = [("train", int(g)) for g in y] + [("test", i % 3) for i in range(30)]
            self.corpora[word] = make_corpus(rows, word=word, senses=("a", "b", "c"))
            noise, signal = random.normal(size=(60, 6)), np.vstack([X, test])
            self.vectors[word] = np.stack([noise, signal]).astype(np.float32)
            self.folds[word] = random_folds(30)
        self.folds["thyme"] = turns(self.corpora["thyme"], untuned=True)
        folds(root / "folds.parquet", self.corpora, **self.folds)

    def classify(self, **changes: Any) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
        for word, corpus in self.corpora.items():
            path = self.root / "e" / word / "focal.safetensors"
            self.write_vectors(path, corpus, self.vectors[word])
        asked: dict[str, Any] = {
            "view": "focal",
            "layers": "1",
            "name": "log",
            "estimator": "logistic",
            "space": {"C": [0.01, 1], "prior_shift": [0, 1]},
            "objective": "mean_macro_f1",
            "folds": [self.root / "folds.parquet"],
            "searches": [self.search],
            "out": [self.out],
        }
        classify(self.root, self.corpora, self.root / "e", **{**asked, **changes})
        words, provenance = predictions.read_predictions(asked["out"][0])
        return {of_word.word: of_word for of_word in words}, provenance

    def bytes(self) -> tuple[bytes, bytes]:
        return self.search.read_bytes(), self.out.read_bytes()


@pytest.fixture
def folder(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, write_folds: WriteFolds
) -> Folder:
    return Folder(tmp_path, make_corpus, write_vectors, write_folds)


def test_it_tunes_on_the_folds_and_fits_on_all(folder: Folder) -> None:
    words, provenance = folder.classify(layers="-1")
    search, source = read_search(folder.search)
    grid = grid_points(source["space"])
    assert search.grid == grid
    assert (set(search.scores), search.untuned) == ({"mint", "sage"}, ("thyme",))
    for word in ("mint", "sage"):
        X, y = folder.vectors[word][1, :30], folder.corpora[word].gold[:30]
        expected = naive(Logistic(), grid, X, y, folder.folds[word])
        assert_allclose(search.scores[word], expected, rtol=1e-12)
    mean = np.mean([search.scores[word][..., 1] for word in search.scores], axis=(0, 1))
    best = grid[int(mean.argmax())]
    assert mean.max() > np.sort(mean)[-2]  # no tie
    for word, actual in words.items():
        # The untuned word gets the estimator's defaults, because no parameter is fixed.
        fitted = Logistic(**({} if word == "thyme" else best))
        X, y = folder.vectors[word][1], folder.corpora[word].gold
        expected = fitted.fit(X[:30], y[:30]).predict_proba(X[30:])
        assert_allclose(actual.scores, expected, rtol=1e-9)
    held_out, _ = predictions.read_predictions(folder.out, predictions.CV)
    assert {word.word for word in held_out} == {"mint", "sage"}
    for actual in held_out:
        X, y = folder.vectors[actual.word][1, :30], folder.corpora[actual.word].gold[:30]
        assert_array_equal(actual.index, np.arange(30))
        assert_array_equal(actual.gold, y)
        assert_array_equal(actual.predicted, np.nanargmax(actual.scores, axis=1))
        for fit, held in folder.folds[actual.word].splits(0):  # the first repeat
            expected = Logistic(**best).fit(X[fit], y[fit]).predict_proba(X[held])
            assert_allclose(actual.scores[held], expected, atol=1e-3)
    expected = {
        "layers": "1",
        "view": "focal",
        "classifier": "log",
        "estimator": "logistic",
        "parameters": best,
        "untuned": ["thyme"],
        "objective": "mean_macro_f1",
        "folds": {"k": 3, "repeats": 2, "seed": 1},
        "task": "sense",
        "train": "full",
        "corpus": {word: corpus.digest for word, corpus in folder.corpora.items()},
    }
    for made in (provenance, source):
        assert {key: made[key] for key in expected} == expected
    assert provenance["encoder"]["model"] == {"name": "toy", "blocks": 1, "width": 6}
    assert set(provenance["versions"]) == {"numpy", "scikit-learn", "scipy", "wsd"}


@pytest.mark.parametrize("estimator", ["nearest_centroid", "logistic", "lda", "knn", "mix"])
def test_test_rows_do_not_change_cross_validation(folder: Folder, estimator: str) -> None:
    """The second time their vectors and senses are garbage."""
    name = "logistic" if estimator == "mix" else estimator
    changes: dict[str, Any] = {"estimator": name, "space": SPACES[name][1]}
    changes["layers"] = "mix-0-1" if estimator == "mix" else "1"
    before, source = folder.classify(**changes, relabel=lambda corpus: corpus.gold)
    search, _ = folder.bytes()
    random = np.random.default_rng(4)
    for vectors in folder.vectors.values():
        vectors[:, 30:] = 1e4 * random.normal(size=vectors[:, 30:].shape)

    def spoilt(corpus: Corpus) -> np.ndarray:
        return np.where(corpus.split == "test", 2 - corpus.gold, corpus.gold).astype(np.int32)

    after, again = folder.classify(**changes, relabel=spoilt)
    assert folder.search.read_bytes() == search and again == source
    for word, corpus in folder.corpora.items():
        assert_array_equal(after[word].gold, 2 - corpus.gold[30:])
        assert not np.array_equal(after[word].scores, before[word].scores)


def test_training_rows_outside_the_training_set_change_nothing_either(folder: Folder) -> None:
    """The training set has only every other line."""
    lines = np.arange(0, 30, 2, dtype=np.int32)
    folds = replace(folds_of([np.arange(15) % 3]), lines=lines)
    words = dict.fromkeys(folder.corpora, folds)
    folder.write_folds(folder.root / "folds.parquet", folder.corpora, name="half", **words)
    folder.classify()
    before = folder.bytes()
    for vectors in folder.vectors.values():
        vectors[:, 1:30:2] = 1e4
    folder.classify()
    assert folder.bytes() == before


def test_several_training_sets_layers_and_estimators_at_once(folder: Folder) -> None:
    """Each file equals the file of a separate call. The small training set lacks words."""
    few = {"mint": WordFolds(np.array([1], np.int32), np.array([0], np.int32), None)}
    small = folder.root / "few.parquet"
    folder.write_folds(small, {"mint": folder.corpora["mint"]}, name="few", **few)
    trains = [folder.root / "folds.parquet", small]
    folder.classify()
    shared: dict[str, Any] = {"corpus": folder.root / "corpora", "words": list(folder.corpora)}
    shared |= {"embeddings": folder.root / "e", "view": "focal"}
    spaces = {"near": ("nearest_centroid", "{}"), "lda": ("lda", '{"shrinkage": [0.5, 0.9]}')}
    both = {"layers": ["0", "mean-0-1"], "name": [*spaces]}
    both |= {key: [v[i] for v in spaces.values()] for i, key in enumerate(("estimator", "space"))}
    out, searches = ([folder.root / f"{kind}.{i}" for i in range(8)] for kind in ("o", "s"))
    call_step(classification, **shared, **both, folds=trains, searches=searches, out=out)
    alone = [(l, n, t) for l in both["layers"] for n in spaces for t in trains]  # noqa: E741
    for i, (layers, name, train) in enumerate(alone):
        estimator, space = spaces[name]
        asked = {"layers": [layers], "name": [name], "estimator": [estimator], "space": [space]}
        files = {"folds": [train], "searches": [folder.search], "out": [folder.out]}
        call_step(classification, **shared, **asked, **files)
        assert (searches[i].read_bytes(), out[i].read_bytes()) == folder.bytes()
    (mint,), source = predictions.read_predictions(out[1])
    gold = folder.corpora["mint"].gold
    assert (source["train"], mint.word, mint.n_train) == ("few", "mint", 1)
    assert {*mint.predicted.tolist()} == {int(gold[1])}
    for changes in ({"out": out[:7]}, {"name": ["near"]}):
        with pytest.raises(ConfigError, match=r"7 in --out|1 names"):
            call_step(classification, **{
                **shared, **both, "folds": trains, "searches": searches, "out": out, **changes
            })  # fmt: skip


def test_an_untuned_word_keeps_what_the_config_fixes(folder: Folder) -> None:
    words, _ = folder.classify(
        estimator="lda", space={"shrinkage": [0.9, 0.2], "prior_exponent": 0.25}
    )
    X, y = folder.vectors["thyme"], folder.corpora["thyme"].gold[:30]
    expected = LDA(prior_exponent=0.25).fit(X[1, :30], y).predict_proba(X[1, 30:])
    assert_allclose(words["thyme"].scores, expected, atol=1e-9)
    # Without any folds this goes for all words.
    untuned = {word: turns(corpus, untuned=True) for word, corpus in folder.corpora.items()}
    folder.write_folds(folder.root / "folds.parquet", folder.corpora, **untuned)
    _, provenance = folder.classify(space={"C": [0.01, 1], "prior_shift": 0.5})
    assert provenance["parameters"] == {"prior_shift": 0.5}
    assert sorted(provenance["untuned"]) == ["mint", "sage", "thyme"]
    search, _ = read_search(folder.search)
    assert search.scores == {} and len(search.grid) == 2


def refused(folder: Folder, error: type[Exception], problem: str, **changes: Any) -> None:
    with pytest.raises(error, match=problem):
        folder.classify(**changes)
    assert not folder.out.exists() and not folder.search.exists()


def test_what_cannot_be_classified_leaves_no_file(folder: Folder, make_corpus: MakeCorpus) -> None:
    refused(folder, ConfigError, "no such layer", layers="3")
    for estimator, space in (("logistic", {"k": [1, 2]}), ("knn", {"shrinkage": 0.1})):
        refused(folder, ConfigError, estimator, estimator=estimator, space=space)
    for estimator in ("nearest_centroid", "lda", "knn"):
        problem = f"{estimator} on focal cannot learn the mix"
        refused(folder, ConfigError, problem, estimator=estimator, space={}, layers="mix-0-1")
    refused(folder, ConfigError, "learn the mix", view="focal+focal", layers="mix-0-1+1")
    mint = folder.corpora["mint"]
    folder.corpora["mint"] = replace(mint, gold=2 - mint.gold)
    refused(folder, ResultError, "another table")
    folder.corpora["mint"] = mint
    write, sage = folder.write_vectors, folder.corpora["sage"]
    folder.write_vectors = lambda path, corpus, vectors: write(path, sage, vectors)
    refused(folder, ResultError, "another table than the corpus of 'mint'")
    corpus_table.write(folder.root / "corpus.parquet", mint)
    with pytest.raises(ResultError, match="a table of another kind"):
        read_search(folder.root / "corpus.parquet")


def test_each_word_uses_its_own_selection(folder: Folder) -> None:
    chosen: dict[str, dict[str, Any]] = {
        "mint": {"layers": "1", "estimator": "lda", "parameters": {"shrinkage": 0.4}},
        "sage": {"layers": "concat-all", "estimator": "logistic", "parameters": {"C": 0.1}},
        "thyme": {"layers": "0", "estimator": "knn", "parameters": {"k": 3}},
    }
    selection, out = folder.root / "selection.json", folder.root / "per-word.parquet"
    alone = {}
    for word, row in chosen.items():
        asked = {"layers": row["layers"], "estimator": row["estimator"]}
        alone[word] = folder.classify(**asked, space=row["parameters"])[0][word]
        row["view"] = "focal"
    selection.write_text(json.dumps({"chosen": {"toy": {"full": {"words": chosen}}}}))
    args = Namespace(corpus=folder.root / "corpora", words=list(chosen), selection=selection,
                     embeddings=folder.root / "e", model="toy", out=out,
                     folds=folder.root / "folds.parquet")  # fmt: skip
    classify_selected.run(args)
    actual, provenance = predictions.read_predictions(out)
    for of_word in actual:
        assert_array_equal(of_word.scores, alone[of_word.word].scores)
    keys = ("view", "layers", "classifier", "estimator")
    assert {provenance[key] for key in keys} == {"per-word"}
    assert (provenance["chosen"], provenance["train"]) == (chosen, "full")
    del chosen["sage"]
    selection.write_text(json.dumps({"chosen": {"toy": {"full": {"words": chosen}}}}))
    with pytest.raises(ResultError, match="nothing was selected for 'sage'"):
        classify_selected.run(args)
