"""`wsd classify`: cross-validation equals a naive loop, and the best point is fitted on all."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import classify, make_corpus, turns, write_folds, write_vectors
from call_step import call_step
from clouds import clouds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import grid_points, read_search
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import WordFolds
from wsd.classification import classify as classification
from wsd.classification import classify_selected
from wsd.classification.classify import score_word
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.scalar_mix import MixedLogistic
from wsd.classification.estimators.vector_classifiers import KNN, LDA, NearestCentroid, class_scores
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


def random_folds(lines: Sequence[int], k: int = 3, repeats: int = 2) -> WordFolds:
    random, n = np.random.default_rng(9), len(lines)
    held = np.stack([random.permutation(np.arange(n) % k) for _ in range(repeats)])
    return WordFolds(np.array(lines, np.int32), np.arange(n, dtype=np.int32), held.astype(np.int8))


def naive(
    classifier: Any, grid: Sequence[Any], X: np.ndarray, y: np.ndarray, folds: WordFolds
) -> np.ndarray:
    """Fit every point on every fold separately, and score with scikit-learn."""
    points = [clone(classifier).set_params(**point) for point in grid]
    result = np.zeros((len(folds.held), len(grid), 3))
    for place in np.ndindex(*result.shape[:2]):
        split = PredefinedSplit(folds.held[place[0]])
        predicted = cross_val_predict(points[place[1]], X, y, cv=split)
        f1 = f1_score(y, predicted, average="macro", zero_division=0)
        result[place] = accuracy_score(y, predicted), f1, balanced_accuracy_score(y, predicted)
    return result


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("width", [8, 100], ids=["n>d", "n<d"])
def test_scores_equal_a_naive_loop(name: str, width: int) -> None:
    classifier, space = SPACES[name]
    X, y, _ = clouds(1, rows=48, width=width, spread=2.5, shares=(0.6, 0.3, 0.1))
    folds, grid = random_folds(range(48)), grid_points(space)
    expected = naive(classifier, grid, X, y, folds)
    assert len(np.unique(expected)) > 3  # else little could go wrong
    scores, held_out = score_word(classifier, grid, X, y, folds)
    assert_allclose(scores, expected, rtol=1e-12)
    for point, of_point in zip(grid, held_out, strict=True):
        for fit, held in folds.splits(0):  # the first repeat
            fitted = clone(classifier).set_params(**point).fit(X[fit], y[fit])
            assert_allclose(of_point[held], class_scores(fitted, X[held]), atol=1e-3)


def test_a_fold_that_takes_a_sense_away_gets_it_wrong() -> None:
    """Only one fold has sense 1, so it cannot be predicted there; sense 2 keeps its number."""
    y, held, lines = np.array([0, 0, 1, 1, 2, 2]), np.array([[0, 1, 1, 1, 0, 1]]), np.arange(6)
    folds = WordFolds(lines, lines, held)
    scores, held_out = score_word(Logistic(), [{"C": 1.0}], np.eye(3)[y], y, folds)
    assert scores[0, 0, [0, 2]] == pytest.approx([4 / 6, 2 / 3])
    assert_array_equal(np.isnan(held_out[0]), (held[0] == 1)[:, None] & [False, True, False])


# The command


class Folder:
    """Two words with folds and one without; two layers of vectors, the first of which is noise."""

    def __init__(self, root: Path) -> None:
        self.root, self.search, self.out = root, root / "search.parquet", root / "out.parquet"
        self.corpora: dict[str, Corpus] = {}
        self.vectors: dict[str, np.ndarray] = {}
        # The training set of sage has only every other line.
        self.folds = {"mint": random_folds(range(30)), "sage": random_folds(range(0, 30, 2))}
        random = np.random.default_rng(0)
        for i, word in enumerate(("mint", "sage", "thyme")):
            X, y, test = clouds(20 + i, rows=30, spread=2.5, width=6, shares=(0.5, 0.3, 0.2))
            rows = [("train", int(g)) for g in y] + [("test", i % 3) for i in range(30)]
            self.corpora[word] = make_corpus(rows, word=word, senses=("a", "b", "c"))
            noise, signal = random.normal(size=(60, 6)), np.vstack([X, test])
            self.vectors[word] = np.stack([noise, signal]).astype(np.float32)
        self.folds["thyme"] = turns(self.corpora["thyme"], untuned=True)
        write_folds(root / "folds.parquet", self.corpora, **self.folds)

    def write(self, word: str, corpus: Corpus) -> None:
        path = self.root / "e" / word / "focal.safetensors"
        write_vectors(path, corpus, self.vectors[word])

    def classify(self, **changes: Any) -> tuple[dict[str, WordPredictions], dict[str, Any]]:
        for word, corpus in self.corpora.items():
            self.write(word, corpus)
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


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_it_tunes_on_the_folds_and_fits_on_all(folder: Folder) -> None:
    words, provenance = folder.classify(layers="-1")
    search, source = read_search(folder.search)
    grid = grid_points(source["space"])
    assert search.grid == grid
    assert (set(search.scores), search.untuned) == ({"mint", "sage"}, ("thyme",))
    for word, scores in search.scores.items():
        lines = folder.folds[word].lines
        X, y = folder.vectors[word][1, lines], folder.corpora[word].gold[lines]
        assert_allclose(scores, naive(Logistic(), grid, X, y, folder.folds[word]), rtol=1e-12)
    mean = np.mean([scores[..., 1].mean(axis=0) for scores in search.scores.values()], axis=0)
    best = grid[int(mean.argmax())]
    assert mean.max() > np.sort(mean)[-2]  # no tie
    held_out = {w.word: w for w in predictions.read_predictions(folder.out, predictions.CV)[0]}
    assert set(held_out) == {"mint", "sage"}
    for word, actual in words.items():
        # The untuned word gets the estimator's defaults, because no parameter is fixed.
        fitted, folds = Logistic(**({} if word == "thyme" else best)), folder.folds[word]
        X, y = folder.vectors[word][1, folds.lines], folder.corpora[word].gold[folds.lines]
        expected = fitted.fit(X, y).predict_proba(folder.vectors[word][1, 30:])
        assert_allclose(actual.scores, expected, rtol=1e-9)
        if word in held_out:
            of_word = held_out[word]
            assert_array_equal((of_word.index, of_word.gold), (folds.lines, y))
            for fit, held in folds.splits(0):  # the first repeat
                expected = fitted.fit(X[fit], y[fit]).predict_proba(X[held])
                assert_allclose(of_word.scores[held], expected, atol=1e-3)
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


def test_several_training_sets_layers_and_estimators_at_once(folder: Folder) -> None:
    """Each file equals the file of a separate call. The small training set lacks words."""
    few = {"mint": WordFolds(np.array([1], np.int32), np.array([0], np.int32), None)}
    trains = [folder.root / "folds.parquet", folder.root / "few.parquet"]
    write_folds(trains[1], {"mint": folder.corpora["mint"]}, name="few", **few)
    folder.classify()
    spaces = {"nearest_centroid": {}, "lda": {"shrinkage": [0.5, 0.9]}}
    out, searches = ([folder.root / f"{kind}.{i}" for i in range(8)] for kind in ("o", "s"))
    together: dict[str, Any] = {
        "corpus": folder.root / "corpora",
        "words": list(folder.corpora),
        "embeddings": folder.root / "e",
        "layers": ["0", "mean-0-1"],
        "estimator": [*spaces],
        "space": list(map(json.dumps, spaces.values())),
        "folds": trains,
        "searches": searches,
        "out": out,
    }
    call_step(classification, **together)
    for i, (layers, name, train) in enumerate(product(together["layers"], spaces, trains)):
        asked = {"name": name, "estimator": name, "space": spaces[name]}
        folder.classify(layers=layers, folds=[train], **asked)
        assert searches[i].read_bytes() == folder.search.read_bytes()
        assert out[i].read_bytes() == folder.out.read_bytes()
    (mint,), source = predictions.read_predictions(out[1])
    assert (source["train"], mint.word, mint.n_train) == ("few", "mint", 1)
    with pytest.raises(ConfigError, match="7 in --out"):
        call_step(classification, **{**together, "out": out[:7]})


def test_an_untuned_word_keeps_what_the_config_fixes(folder: Folder) -> None:
    words, _ = folder.classify(
        estimator="lda", space={"shrinkage": [0.9, 0.2], "prior_exponent": 0.25}
    )
    X, y = folder.vectors["thyme"], folder.corpora["thyme"].gold[:30]
    expected = LDA(prior_exponent=0.25).fit(X[1, :30], y).predict_proba(X[1, 30:])
    assert_allclose(words["thyme"].scores, expected, atol=1e-9)
    # Without any folds this goes for all words.
    untuned = {word: turns(corpus, untuned=True) for word, corpus in folder.corpora.items()}
    write_folds(folder.root / "folds.parquet", folder.corpora, **untuned)
    _, provenance = folder.classify(space={"C": [0.01, 1], "prior_shift": 0.5})
    assert provenance["parameters"] == {"prior_shift": 0.5}
    assert read_search(folder.search)[0].scores == {}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"layers": "3"}, "no such layer"),
        ({"space": {"k": [1, 2]}}, "logistic"),
        ({"estimator": "lda", "space": {}, "layers": "mix-0-1"}, "lda on focal"),
        ({"view": "focal+focal", "layers": "mix-0-1+1"}, "learn the mix"),
    ],
)
def test_what_cannot_be_classified_leaves_no_file(
    folder: Folder, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        folder.classify(**changes)
    assert not folder.out.exists() and not folder.search.exists()


def test_folds_and_vectors_of_another_table_are_refused(folder: Folder) -> None:
    mint, sage = folder.corpora["mint"], folder.corpora["sage"]
    folder.corpora["mint"] = replace(mint, gold=2 - mint.gold)
    with pytest.raises(ResultError, match="another table"):
        folder.classify()
    folder.corpora["mint"] = mint
    folder.write = lambda word, corpus: Folder.write(folder, word, sage)
    with pytest.raises(ResultError, match="another table than the corpus of 'mint'"):
        folder.classify()


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
    files = {"embeddings": folder.root / "e", "folds": folder.root / "folds.parquet", "out": out}
    call_step(classify_selected, folder.corpora, selection=selection, model="toy", **files)
    actual, provenance = predictions.read_predictions(out)
    for of_word in actual:
        assert_array_equal(of_word.scores, alone[of_word.word].scores)
    assert (provenance["chosen"], provenance["train"]) == (chosen, "full")
