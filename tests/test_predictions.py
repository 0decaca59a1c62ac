"""Fit on the training rows, predict the test rows; labels stay with their rows."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import MakeCorpus, WriteVectors
from numpy.testing import assert_allclose, assert_array_equal

from wsd import corpus, predictions
from wsd.classifiers import Logistic, NearestCentroid
from wsd.embeddings import Embeddings, Writer
from wsd.errors import ConfigError, ResultError
from wsd.files import read_table
from wsd.predictions import WordPredictions, classify, predict_word, shared

BOTH = pytest.mark.parametrize("classifier", [NearestCentroid(), Logistic()], ids=str)


@BOTH
def test_the_test_rows_take_no_part_in_fitting(make_corpus: MakeCorpus, classifier: Any) -> None:
    """Each sense has one training row; its three test rows lie at the other sense's end."""
    rows = [("train", 0), ("train", 1)] + [("test", 0)] * 3 + [("test", 1)] * 3
    vectors = np.array([[1.0, 0], [0, 1]] + [[0, 1.0]] * 3 + [[1.0, 0]] * 3)
    found = predict_word(make_corpus(rows), vectors, classifier)
    assert found.n_train == 2
    assert found.gold.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.predicted.tolist() == [1, 1, 1, 0, 0, 0]


def test_an_outlier_among_the_test_rows_changes_no_other_score(make_corpus: MakeCorpus) -> None:
    random = np.random.default_rng(1)
    corpus = make_corpus([("train", i % 2) for i in range(20)] + [("test", 0)] * 5)
    vectors = random.normal(size=(25, 3))
    moved = vectors.copy()
    moved[-1] = 1e6
    before, after = (predict_word(corpus, v, Logistic()).scores[:-1] for v in (vectors, moved))
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
    found = predict_word(corpus, vectors, classifier)
    gold = [gold for split, gold in rows if split == "test"]
    assert found.index.tolist() == list(range(30))
    assert found.gold.tolist() == gold
    assert found.predicted.tolist() == gold
    assert_array_equal(found.scores.argmax(axis=1), gold)
    assert (found.word, found.senses, found.n_train) == ("mint", ("x", "y", "z"), 30)


@BOTH
def test_a_sense_without_training_instances_is_never_predicted(
    make_corpus: MakeCorpus, classifier: Any
) -> None:
    rows = [("train", 0), ("train", 0), ("train", 2), ("test", 1), ("test", 2), ("test", 0)]
    vectors = np.array([[1.0, 0], [1, 0.1], [0, 1], [-1, -1], [0, 1], [1, 0]])
    found = predict_word(make_corpus(rows, senses=("x", "y", "z")), vectors, classifier)
    assert np.isnan(found.scores[:, 1]).all()
    assert np.isfinite(found.scores[:, [0, 2]]).all()
    assert found.predicted[1:].tolist() == [2, 0]
    assert found.predicted[0] != 1


def test_exact_scores(make_corpus: MakeCorpus) -> None:
    rows = [("train", 1), ("test", 0), ("train", 0), ("test", 1)]
    vectors = np.array([[0.0, 2], [3, 4], [5, 0], [0, -1]])
    found = predict_word(make_corpus(rows), vectors, NearestCentroid())
    assert_allclose(found.scores, np.array([[0.6, 0.8], [0, -1]]), rtol=1e-15)
    assert found.predicted.tolist() == [1, 0]


@BOTH
def test_a_word_with_one_sense(make_corpus: MakeCorpus, classifier: Any) -> None:
    corpus = make_corpus([("train", 0), ("train", 0), ("test", 0)], senses=("only",))
    found = predict_word(corpus, np.arange(6.0).reshape(3, 2), classifier)
    assert found.predicted.tolist() == [0]
    assert found.scores.shape == (1, 1)


def test_another_number_of_vectors_is_a_fault(make_corpus: MakeCorpus) -> None:
    with pytest.raises(ValueError, match="3 vectors for 2 instances of mint"):
        predict_word(make_corpus([("train", 0), ("test", 0)]), np.ones((3, 2)), NearestCentroid())


# Files


def word_predictions(word: str, senses: tuple[str, ...], rows: int) -> WordPredictions:
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
    )


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    words = [
        word_predictions("yard", ("yard_z", "yard_a", "yard_é ü"), 4),
        word_predictions("arm", ("only one",), 1),
        word_predictions("bow", ("b", "a"), 30),
    ]
    path = tmp_path / "a=b" / "6.logistic.parquet"
    predictions.write(path, words, {"layers": "6"})
    # The folder's name looks like a partition of a data set, and is none.
    assert read_table(path)[0].column_names == ["word", "index", "gold", "predicted", "scores"]
    again, provenance = predictions.read(path)
    assert provenance["layers"] == "6"
    assert {word.word for word in again} == {"yard", "arm", "bow"}
    by_name = {word.word: word for word in again}
    for word in words:
        found = by_name[word.word]
        assert (found.senses, found.n_train) == (word.senses, word.n_train)
        for column in ("index", "gold", "predicted", "scores"):
            assert_array_equal(getattr(found, column), getattr(word, column))
            assert getattr(found, column).dtype == getattr(word, column).dtype


def toy(make_corpus: MakeCorpus, word: str = "mint") -> tuple[Any, np.ndarray]:
    """A corpus and three layers of vectors; only the last separates the senses."""
    corpus = make_corpus([("train", 0), ("test", 1), ("train", 1), ("test", 0)], word=word)
    vectors = np.ones((3, 4, 2), dtype=np.float32)
    vectors[2] = np.eye(2)[corpus.gold]
    return corpus, vectors


def test_classify(tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors) -> None:
    corpora = {}
    for word in ("sage", "mint"):
        corpora[word], vectors = toy(make_corpus, word)
        write_vectors(tmp_path / word / "context.safetensors", corpora[word], vectors)
    out = tmp_path / "out.parquet"
    asked: dict[str, Any] = {
        "view": "context",
        "name": "near",
        "estimator": "nearest_centroid",
        "parameters": {"metric": "euclidean"},
        "train": "full",
    }
    classify(corpora, tmp_path, layers="-1", out=out, **asked)
    words, provenance = predictions.read(out)
    for found in words:
        assert found.gold.tolist() == found.predicted.tolist() == [1, 0]
        assert_allclose(found.scores, [[-np.sqrt(2), 0], [0, -np.sqrt(2)]])
    assert {key: provenance[key] for key in ("layers", "view", "classifier", "estimator")} == {
        "layers": "2",
        "view": "context",
        "classifier": "near",
        "estimator": "nearest_centroid",
    }
    assert provenance["parameters"] == {"metric": "euclidean"}
    assert provenance["train"] == "full"
    assert provenance["corpus"] == {word: corpus.digest for word, corpus in corpora.items()}
    assert provenance["encoder"] == {
        "model": {"name": "toy", "blocks": 2, "width": 2},
        "pooling": "mean",
        "precision": "float32",
        "seed": 1,
        "device": "cpu",
        "versions": {"torch": "1"},
    }
    assert set(provenance["versions"]) == {"numpy", "scikit-learn", "scipy", "wsd"}

    classify(corpora, tmp_path, layers="mean-2-0", out=out, **asked)
    words, provenance = predictions.read(out)
    assert provenance["layers"] == "mean-0-2"
    assert_allclose(words[0].scores, [[-np.sqrt(0.5), 0], [0, -np.sqrt(0.5)]], rtol=1e-6)

    with pytest.raises(ConfigError, match="'3': there is no such layer"):
        classify(corpora, tmp_path, layers="3", out=tmp_path / "none.parquet", **asked)
    assert not (tmp_path / "none.parquet").exists()


def test_vectors_of_another_corpus_are_refused(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    mint, vectors = toy(make_corpus)
    sage, _ = toy(make_corpus, "sage")
    path = tmp_path / "mint" / "focal.safetensors"
    write_vectors(path, sage, vectors)
    asked: Any = {"view": "focal", "name": "n", "estimator": "nearest_centroid", "parameters": {}}
    with pytest.raises(ResultError, match="another table than the corpus of 'mint'") as caught:
        classify({"mint": mint}, tmp_path, layers="2", train="full", out=tmp_path / "x", **asked)
    assert caught.value.where == str(path)
    assert caught.value.exit_code == 6

    write_vectors(path, mint, vectors)
    assert_array_equal(Embeddings(path, mint).layer(2), vectors[2])
    write_vectors(path, mint, vectors[:, :3])
    with pytest.raises(ResultError, match="another table"):
        Embeddings(path, mint)


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
        Writer(path, vectors.shape, {"other": json.dumps(dict(provenance))}).close()
    else:
        path.write_bytes(raw.replace(b'"vectors"', b'"victors"'))
    with pytest.raises(ResultError) as caught:
        Embeddings(path, mint)
    assert caught.value.where == str(path)


# What the words must have in common


def source(word: str, **changes: Any) -> dict[str, Any]:
    return {
        "model": {"name": "toy", "blocks": 6},
        "pooling": "mean",
        "precision": "float32",
        "seed": 1,
        "versions": {"torch": "1"},
        "corpus": f"digest of {word}",
        "device": "cpu",
        "split_focal_words": len(word),
        **changes,
    }


def test_shared_provenance() -> None:
    found = shared({word: source(word) for word in ("mint", "sage")}, Path("x"))
    assert found["corpus"] == {"mint": "digest of mint", "sage": "digest of sage"}
    assert set(found["encoder"]) == {"model", "pooling", "precision", "seed", "device", "versions"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", {"name": "toy", "blocks": 12}),
        ("model", {"name": "other", "blocks": 6}),
        ("pooling", "first"),
        ("precision", "bfloat16"),
        ("seed", 2),
        ("device", "cuda"),
        ("versions", {"torch": "2"}),
    ],
)
def test_words_embedded_differently_are_refused(key: str, value: Any) -> None:
    sources: Mapping[str, Any] = {
        "mint": source("mint"),
        "sage": source("sage"),
        "thyme": source("thyme", **{key: value}),
    }
    with pytest.raises(ResultError, match=f"'mint' and 'thyme' were made with another {key}"):
        shared(sources, Path("x"))


def test_layers_of_words_with_other_blocks_are_refused(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    """Layer -1 is another layer in each of the two files."""
    corpora = {}
    for word, layers in (("mint", 3), ("sage", 2)):
        corpora[word], vectors = toy(make_corpus, word)
        write_vectors(tmp_path / word / "focal.safetensors", corpora[word], vectors[:layers])
    asked: Any = {"view": "focal", "name": "n", "estimator": "nearest_centroid", "parameters": {}}
    out = tmp_path / "out.parquet"
    with pytest.raises(ResultError, match="'mint' and 'sage' were made with another model"):
        classify(corpora, tmp_path, layers="-1", train="full", out=out, **asked)
    assert not out.exists()


def test_another_table_is_refused(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    path = tmp_path / "corpus.parquet"
    corpus.write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="does not hold what it should"):
        predictions.read(path)
