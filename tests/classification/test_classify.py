"""`wsd classify` fits the training rows and predicts the test rows."""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus, WriteFolds, WriteVectors, classify, turns
from call_step import call_step
from numpy.testing import assert_allclose, assert_array_equal

from wsd.artifacts import predictions, training_set
from wsd.artifacts.corpus_table import Corpus, write
from wsd.artifacts.cv_table import read_search
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import WordFolds
from wsd.artifacts.vectors import Embeddings, VectorsWriter
from wsd.classification import classify as classification
from wsd.classification import classify_selected
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import predict_word
from wsd.errors import ConfigError, ResultError
from wsd.storage.parquet import read_table

BOTH = pytest.mark.parametrize("classifier", [NearestCentroid(), Logistic()], ids=str)


@BOTH
def test_the_test_rows_take_no_part_in_fitting(make_corpus: MakeCorpus, classifier: Any) -> None:
    """Each sense has one training row; its three test rows are near the other sense."""
    rows = [("train", 0), ("train", 1)] + [("test", 0)] * 3 + [("test", 1)] * 3
    vectors = np.array([[1.0, 0], [0, 1]] + [[0, 1.0]] * 3 + [[1.0, 0]] * 3)
    (actual,) = predict_word(make_corpus(rows), vectors, classifier)
    assert actual.n_train == 2
    assert actual.gold.tolist() == [0, 0, 0, 1, 1, 1]
    assert actual.predicted.tolist() == [1, 1, 1, 0, 0, 0]


def test_an_outlier_among_the_test_rows_changes_no_other_score(make_corpus: MakeCorpus) -> None:
    random = np.random.default_rng(1)
    corpus = make_corpus([("train", i % 2) for i in range(20)] + [("test", 0)] * 5)
    vectors = random.normal(size=(25, 3))
    moved = vectors.copy()
    moved[-1] = 1e6
    before, after = (predict_word(corpus, v, Logistic())[0].scores[:-1] for v in (vectors, moved))
    assert_allclose(before, after, rtol=1e-12)


@BOTH
def test_labels_stay_with_their_rows_whatever_the_order_of_the_splits(
    make_corpus: MakeCorpus, classifier: Any
) -> None:
    random = np.random.default_rng(5)
    rows = [(str(s), int(g)) for s in ("train", "test") for g in random.integers(3, size=30)]
    rows = [rows[i] for i in random.permutation(60)]
    corpus = make_corpus(rows, senses=("x", "y", "z"))
    vectors = np.eye(3)[corpus.gold] + 0.01 * random.normal(size=(60, 3))
    (actual,) = predict_word(corpus, vectors, classifier)
    gold = [gold for split, gold in rows if split == "test"]
    assert actual.index.tolist() == list(range(30))
    assert actual.gold.tolist() == gold
    assert actual.predicted.tolist() == gold
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
    assert actual.predicted[1:].tolist() == [2, 0]
    assert actual.predicted[0] != 1


def test_exact_scores(make_corpus: MakeCorpus) -> None:
    rows = [("train", 1), ("test", 0), ("train", 0), ("test", 1)]
    vectors = np.array([[0.0, 2], [3, 4], [5, 0], [0, -1]])
    (actual,) = predict_word(make_corpus(rows), vectors, NearestCentroid())
    assert_allclose(actual.scores, np.array([[0.6, 0.8], [0, -1]]), rtol=1e-15)
    assert actual.predicted.tolist() == [1, 0]


@BOTH
def test_a_word_with_one_sense(make_corpus: MakeCorpus, classifier: Any) -> None:
    corpus = make_corpus([("train", 0), ("train", 0), ("test", 0)], senses=("only",))
    (actual,) = predict_word(corpus, np.arange(6.0).reshape(3, 2), classifier)
    assert actual.predicted.tolist() == [0]
    assert actual.scores.shape == (1, 1)


def test_every_split_but_the_training_one_is_predicted(make_corpus: MakeCorpus) -> None:
    rows = [("train", 0), ("train", 1), ("test", 1), ("outofdomain", 0), ("test", 0)]
    vectors = np.eye(2)[[0, 1, 1, 0, 0]]
    test, other = predict_word(make_corpus(rows), vectors, NearestCentroid())
    assert (test.split, test.index.tolist(), test.predicted.tolist()) == ("test", [0, 1], [1, 0])
    assert (other.split, other.index.tolist(), other.predicted.tolist()) == (
        "outofdomain",
        [0],
        [0],
    )
    assert test.n_train == other.n_train == 2


def test_only_the_rows_of_the_training_set_are_fitted(make_corpus: MakeCorpus) -> None:
    """With all four rows, the mean of sense 0 would equal the test row."""
    rows = [("train", 0), ("train", 1), ("train", 0), ("train", 1), ("test", 0)]
    vectors = np.array([[1.0, 0], [0, 1], [-1, 3], [2, 0], [0, 1]])
    (actual,) = predict_word(make_corpus(rows), vectors, NearestCentroid(), np.array([0, 1]))
    assert (actual.n_train, actual.predicted.tolist()) == (2, [1])
    (actual,) = predict_word(make_corpus(rows), vectors, NearestCentroid())
    assert (actual.n_train, actual.predicted.tolist()) == (4, [0])


# Files


KEYS = ("layers", "name", "estimator", "space")


def word_predictions(
    word: str, senses: tuple[str, ...], rows: int, split: str = "test"
) -> WordPredictions:
    random = np.random.default_rng(rows)
    scores = random.normal(size=(rows, len(senses)))
    scores[:, -1] = np.nan
    return WordPredictions(
        word=word,
        senses=senses,
        n_train=7 * rows,
        index=np.arange(rows, dtype=np.int32)[::-1].copy(),
        gold=random.integers(len(senses), size=rows).astype(np.int32),
        predicted=random.integers(len(senses), size=rows).astype(np.int32),
        scores=scores,
        split=split,
    )


def test_round_trip(tmp_path: Path) -> None:
    words = [
        word_predictions("yard", ("yard_z", "yard_a", "yard_é ü"), 4),
        word_predictions("arm", ("only one",), 1),
        word_predictions("bow", ("b", "a"), 30),
    ]
    words.insert(
        1, replace(word_predictions("yard", words[0].senses, 3, "outofdomain"), n_train=28)
    )
    path = tmp_path / "a=b" / "6.logistic.parquet"
    predictions.write_predictions(path, words, {"layers": "6"})
    # The folder's name looks like a partition of a dataset, but is not one.
    assert read_table(path)[0].column_names == [
        "word", "split", "index", "gold", "predicted", "scores",
    ]  # fmt: skip
    again, provenance = predictions.read_predictions(path)
    assert provenance["layers"] == "6"
    assert [word.split for word in again] == ["test"] * 3 + ["outofdomain"]
    assert {word.word for word in again[:3]} == {"yard", "arm", "bow"}
    by_name = {(word.word, word.split): word for word in again}
    for word in words:
        actual = by_name[word.word, word.split]
        assert (actual.senses, actual.n_train) == (word.senses, word.n_train)
        for column in ("index", "gold", "predicted", "scores"):
            assert_array_equal(getattr(actual, column), getattr(word, column))
            assert getattr(actual, column).dtype == getattr(word, column).dtype


def toy(make_corpus: MakeCorpus, word: str = "mint") -> tuple[Any, np.ndarray]:
    """Return a corpus and three layers of vectors; only the last layer separates the senses."""
    corpus = make_corpus([("train", 0), ("test", 1), ("train", 1), ("test", 0)], word=word)
    vectors = np.ones((3, 4, 2), dtype=np.float32)
    vectors[2] = np.eye(2)[corpus.gold]
    return corpus, vectors


class Folder:
    """Paths of some words' vectors and folds, and of the classification."""

    def __init__(self, root: Path, corpora: dict[str, Corpus]) -> None:
        self.root, self.corpora = root, corpora
        self.search, self.out = root / "search.parquet", root / "out.parquet"

    def classify(self, **changes: Any) -> tuple[list[WordPredictions], dict[str, Any]]:
        asked: dict[str, Any] = {
            "view": "context",
            "layers": "-1",
            "name": "near",
            "estimator": "nearest_centroid",
            "space": {"metric": "euclidean"},
            "objective": "mean_macro_f1",
            "folds": [self.root / "folds.parquet"],
            "searches": [self.search],
            "out": [self.out],
        }
        classify(self.root, self.corpora, self.root, **{**asked, **changes})
        return predictions.read_predictions(self.out)


@pytest.fixture
def folder(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, write_folds: WriteFolds
) -> Folder:
    """Two words without folds."""
    corpora = {}
    for word in ("sage", "mint"):
        corpora[word], vectors = toy(make_corpus, word)
        write_vectors(tmp_path / word / "context.safetensors", corpora[word], vectors)
    untuned = {word: turns(of_word, untuned=True) for word, of_word in corpora.items()}
    write_folds(tmp_path / "folds.parquet", corpora, **untuned)
    return Folder(tmp_path, corpora)


def test_classify(folder: Folder) -> None:
    words, provenance = folder.classify()
    for actual in words:
        assert actual.gold.tolist() == actual.predicted.tolist() == [1, 0]
        assert_allclose(actual.scores, [[-np.sqrt(2), 0], [0, -np.sqrt(2)]])
    expected = {
        "layers": "2",
        "view": "context",
        "classifier": "near",
        "estimator": "nearest_centroid",
        "parameters": {"metric": "euclidean"},
        "space": {"metric": "euclidean"},
        "objective": "mean_macro_f1",
        "folds": {"k": 2, "repeats": 1, "seed": 1},
        "task": "sense",
        "train": "full",
    }
    assert {key: provenance[key] for key in expected} == expected
    assert sorted(provenance["untuned"]) == ["mint", "sage"]
    assert provenance["corpus"] == {word: corpus.digest for word, corpus in folder.corpora.items()}
    assert provenance["encoder"] == {
        "model": {"name": "toy", "blocks": 2, "width": 2},
        "architecture": {"name": "ToyModel", "causal": False, "last_normed": False},
        "input": "plain",
        "pooling": "mean",
        "precision": "float32",
        "device": "cpu",
        "versions": {"torch": "1"},
    }
    assert set(provenance["versions"]) == {"numpy", "scikit-learn", "scipy", "wsd"}
    search, source = read_search(folder.search)
    assert (search.grid, search.scores) == ([{"metric": "euclidean"}], {})
    assert {key: source[key] for key in expected} == expected


def test_classify_a_combination(folder: Folder) -> None:
    words, provenance = folder.classify(layers="mean-2-0")
    assert provenance["layers"] == "mean-0-2"
    assert_allclose(words[0].scores, [[-np.sqrt(0.5), 0], [0, -np.sqrt(0.5)]], rtol=1e-6)


def test_a_layer_that_does_not_exist_leaves_no_file(folder: Folder) -> None:
    with pytest.raises(ConfigError, match="'3': there is no such layer"):
        folder.classify(layers="3")
    assert not folder.out.exists() and not folder.search.exists()


def test_a_mix_is_learned_by_logistic_regression_alone(folder: Folder) -> None:
    words, provenance = folder.classify(estimator="logistic", space={"C": 1}, layers="mix-all")
    assert provenance["layers"] == "mix-all"
    assert [actual.predicted.tolist() for actual in words] == [[1, 0]] * 2
    for estimator in ("nearest_centroid", "lda", "knn"):
        with pytest.raises(ConfigError, match=f"{estimator} on context cannot learn the mix"):
            folder.classify(estimator=estimator, space={}, layers="mix-all")
    with pytest.raises(ConfigError, match=r"context\+context cannot learn the mix"):
        folder.classify(estimator="logistic", space={}, view="context+context", layers="mix-all+1")


def test_several_training_sets_at_once(folder: Folder, write_folds: WriteFolds) -> None:
    """One training set lacks a word, and has other rows of the other word."""
    only = WordFolds(np.array([1], np.int32), np.array([0], np.int32), None)
    corpora = {"mint": folder.corpora["mint"]}
    write_folds(folder.root / "few.parquet", corpora, name="few", mint=only)
    out, searches = ([folder.root / f"{name}.{i}" for i in range(2)] for name in ("o", "s"))
    folds = [folder.root / "folds.parquet", folder.root / "few.parquet"]
    arguments: dict[str, Any] = {"folds": folds, "searches": searches, "out": out}
    with pytest.raises(ResultError, match="missing"):  # nothing at the usual place
        folder.classify(**arguments)
    full, few = (predictions.read_predictions(path) for path in out)
    assert (full[1]["train"], few[1]["train"]) == ("full", "few")
    assert {actual.word: actual.n_train for actual in full[0]} == {"mint": 2, "sage": 2}
    assert [(actual.word, actual.n_train, actual.predicted.tolist()) for actual in few[0]] == [
        ("mint", 1, [1, 1])  # the row that is left has sense 1
    ]
    alone, _ = folder.classify()
    for actual, again in zip(full[0], alone, strict=True):
        assert_array_equal(actual.scores, again.scores)


def test_other_labels_replace_the_senses(folder: Folder) -> None:
    words, provenance = folder.classify(task="upside down", relabel=lambda corpus: 1 - corpus.gold)
    assert provenance["task"] == "upside down"
    for actual in words:
        assert actual.gold.tolist() == actual.predicted.tolist() == [0, 1]
    # The digests belong to the corpus, not to a table with other labels.
    assert provenance["corpus"] == {word: table.digest for word, table in folder.corpora.items()}


def test_several_layer_choices_and_estimators_at_once(folder: Folder) -> None:
    """Each file equals the file of a separate call."""
    asked = [("0", "near", "nearest_centroid", '{"metric": "euclidean"}'),
             ("0", "lda", "lda", '{"shrinkage": 0.5}'),
             ("mean-0-2", "near", "nearest_centroid", '{"metric": "euclidean"}'),
             ("mean-0-2", "lda", "lda", '{"shrinkage": 0.5}')]  # fmt: skip
    folder.classify()
    out, searches = ([folder.root / f"{kind}.{i}" for i in range(4)] for kind in ("o", "s"))
    shared: dict[str, Any] = {
        "corpus": folder.root / "corpora",
        "words": list(folder.corpora),
        "embeddings": folder.root,
        "view": "context",
        "folds": [folder.root / "folds.parquet"],
    }
    both: dict[str, Any] = {
        "layers": ["0", "mean-0-2"],
        **{key: [entry[i] for entry in asked[:2]] for i, key in enumerate(KEYS) if i},
    }
    call_step(classification, **shared, **both, searches=searches, out=out)
    for i, entry in enumerate(asked):
        alone = {key: [text] for key, text in zip(KEYS, entry, strict=True)}
        files = {"searches": [folder.search], "out": [folder.out]}
        call_step(classification, **shared, **alone, **files)
        assert out[i].read_bytes() == folder.out.read_bytes()
        assert searches[i].read_bytes() == folder.search.read_bytes()
    for changes, message in (
        ({"out": out[:3]}, "4 results, but 4 paths in --searches and 3 in --out"),
        ({"name": ["near"]}, "2 estimators, 1 names, 2 spaces"),
    ):
        with pytest.raises(ConfigError, match=message):
            call_step(
                classification, **{**shared, **both, "searches": searches, "out": out, **changes}
            )


def test_each_word_uses_its_own_selection(folder: Folder) -> None:
    near = {"view": "context", "layers": "2", "estimator": "nearest_centroid", "parameters": {}}
    chosen: dict[str, dict[str, Any]] = {
        "mint": {**near, "parameters": {"metric": "euclidean"}},
        "sage": {**near, "layers": "concat-all", "estimator": "logistic", "parameters": {"C": 0.1}},
    }
    out = folder.root / "per-word.parquet"
    folder.classify()
    selection = folder.root / "selection.json"
    drawn = training_set.read_folds_for(folder.root / "folds.parquet", folder.corpora).settings
    selected = {"chosen": {"toy": {"full": {"words": chosen}}}, "folds": {"full": drawn}}
    selection.write_text(json.dumps(selected))
    args = Namespace(
        corpus=folder.root / "corpora",
        words=list(chosen),
        embeddings=folder.root,
        model="toy",
        selection=selection,
        folds=folder.root / "folds.parquet",
        out=out,
    )
    classify_selected.run(args)
    actual, provenance = predictions.read_predictions(out)
    by_word = {of_word.word: of_word for of_word in actual}
    usual = {of_word.word: of_word for of_word in predictions.read_predictions(folder.out)[0]}
    assert_array_equal(by_word["mint"].scores, usual["mint"].scores)
    folder.classify(estimator="logistic", space={"C": 0.1}, layers="concat-all")
    usual = {of_word.word: of_word for of_word in predictions.read_predictions(folder.out)[0]}
    assert_array_equal(by_word["sage"].scores, usual["sage"].scores)
    keys = ("view", "layers", "classifier", "estimator")
    assert {provenance[key] for key in keys} == {"per-word"}
    assert provenance["chosen"] == chosen
    assert provenance["train"] == "full"


def test_folds_of_another_corpus_are_refused(
    folder: Folder, make_corpus: MakeCorpus, write_folds: WriteFolds
) -> None:
    other = {word: make_corpus([("train", 0)] * 2, word=word) for word in folder.corpora}
    write_folds(folder.root / "folds.parquet", other)
    with pytest.raises(ResultError, match="made from another table"):
        folder.classify()
    assert not folder.out.exists() and not folder.search.exists()


def test_vectors_of_another_corpus_are_refused(
    folder: Folder, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    mint, vectors = toy(make_corpus)
    sage, _ = toy(make_corpus, "sage")
    path = folder.root / "mint" / "context.safetensors"
    write_vectors(path, sage, vectors)
    with pytest.raises(ResultError, match="another table than the corpus of 'mint'") as caught:
        folder.classify()
    assert caught.value.where == str(path)
    assert caught.value.exit_code == 6

    write_vectors(path, mint, vectors)
    assert_array_equal(Embeddings(path, mint).layer(2), vectors[2])


@pytest.mark.parametrize("damage", ["missing", "cut", "text", "no metadata", "other tensor"])
def test_a_damaged_file_of_vectors_is_refused(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors, damage: str
) -> None:
    mint, vectors = toy(make_corpus)
    path = tmp_path / "focal.safetensors"
    provenance = write_vectors(path, mint, vectors)
    raw = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(raw[:-4])
    elif damage == "text":
        path.write_text("not vectors")
    elif damage == "no metadata":
        writer = VectorsWriter(path, vectors.shape, {"other": json.dumps(dict(provenance))})
        writer.add(vectors, range(vectors.shape[1]))
        writer.close()
    else:
        path.write_bytes(raw.replace(b'"vectors"', b'"victors"'))
    with pytest.raises(ResultError) as caught:
        Embeddings(path, mint)
    assert caught.value.where == str(path)


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        predictions.read_predictions(path)
