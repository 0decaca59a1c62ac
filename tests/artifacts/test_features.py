"""Feature sets: their names, their order, and correct vectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus, WriteVectors
from numpy.testing import assert_allclose, assert_array_equal

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import (
    ordered_features,
    parse_features,
    read_features,
    shared_provenance,
)
from wsd.errors import ConfigError, ResultError

# Names


@pytest.mark.parametrize(
    ("views", "layers", "name"),
    [
        ("focal", "-1", "6"),
        ("focal", "mean-2-1", "mean-1-2"),
        ("focal+context", "mean-5-6+-1", "mean-last-2+6"),
        ("context+focal", "0+concat-last-1", "0+6"),
        ("focal+context+cls", "1+2+3", "1+2+3"),
        ("focal", "mix-all", "mix-all"),
    ],
)
def test_each_choice_has_one_name(views: str, layers: str, name: str) -> None:
    actual = parse_features(views, layers, 6)
    assert (actual.view, actual.layers) == (views, name)
    assert [view for view, _ in actual.parts] == views.split("+")
    assert parse_features(actual.view, actual.layers, 6) == actual


@pytest.mark.parametrize(
    ("views", "layers", "counts"),
    [
        ("focal+context", "5", "1 layer choices in '5' for 2 views in 'focal+context'"),
        ("focal", "5+6", "2 layer choices in '5\\+6' for 1 views in 'focal'"),
        ("focal+context+cls", "5+6", "2 layer choices .* for 3 views"),
    ],
)
def test_as_many_layer_choices_as_views(views: str, layers: str, counts: str) -> None:
    with pytest.raises(ConfigError, match=counts.replace("focal+", "focal\\+")) as caught:
        parse_features(views, layers, 6, where="there")
    assert caught.value.where == "there"
    assert "focal+context with 5+mean-last-2" in str(caught.value)


def test_a_layer_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="'7': there is no such layer"):
        parse_features("focal+context", "6+7", 6)


# The order


def test_one_view_before_several_and_single_layers_before_combinations() -> None:
    pairs = [
        ("focal+context", "1+2"),
        ("focal", "concat-all"),
        ("focal", "mean-last-2"),
        ("focal", "10"),
        ("context", "10"),
        ("focal", "2"),
        ("focal+context", "mean-last-2+2"),
        ("focal", "2"),
        ("focal", "0"),
    ]
    expected = [
        ("focal", "0"),
        ("focal", "2"),
        ("context", "10"),
        ("focal", "10"),
        ("focal", "mean-last-2"),
        ("focal", "concat-all"),
        ("focal+context", "1+2"),
        ("focal+context", "mean-last-2+2"),
    ]
    assert ordered_features(pairs, 12) == expected
    assert ordered_features(pairs[::-1], 12) == expected


# Vectors


@pytest.fixture
def stored(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> tuple[Path, Corpus, dict[str, np.ndarray]]:
    """Write two views of three layers; the second has much longer vectors."""
    random = np.random.default_rng(1)
    corpus = make_corpus([("train", 0), ("test", 1), ("train", 1)])
    vectors = {
        "focal": random.normal(size=(3, 3, 4)).astype(np.float32),
        "context": 1000 * random.normal(size=(3, 3, 4)).astype(np.float32),
    }
    for view, of_view in vectors.items():
        write_vectors(tmp_path / "mint" / f"{view}.safetensors", corpus, of_view, view=view)
    return tmp_path, corpus, vectors


def test_a_single_vector_is_not_scaled(stored: Any) -> None:
    folder, corpus, vectors = stored
    for view in vectors:
        actual, made, provenance = read_features(folder, corpus, view, "1")
        assert_array_equal(made, vectors[view][1])
        assert (actual.view, actual.layers, provenance["view"]) == (view, "1", view)
    _, made, _ = read_features(folder, corpus, "focal", "mean-1-2")
    assert_array_equal(made, vectors["focal"][1:].sum(axis=0) / np.float32(2))
    _, made, _ = read_features(folder, corpus, "focal", "concat-all")
    assert_array_equal(made, np.hstack(vectors["focal"][1:]))
    _, made, _ = read_features(folder, corpus, "focal", "mix-all")
    assert_array_equal(made, np.hstack(vectors["focal"][1:]))


def test_several_vectors_are_scaled_to_unit_length_each(stored: Any) -> None:
    folder, corpus, vectors = stored
    actual, made, _ = read_features(folder, corpus, "focal+context", "concat-last-2+0")
    assert (actual.view, actual.layers) == ("focal+context", "concat-all+0")
    parts = [np.hstack(vectors["focal"][1:]), vectors["context"][0]]
    expected = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
    assert_array_equal(made, np.hstack(expected))
    assert made.dtype == np.float32
    # The whole layer choice has length 1, not each of its layers.
    assert_allclose(np.linalg.norm(made[:, :8], axis=1), 1, rtol=1e-6)
    assert_allclose(np.linalg.norm(made[:, 8:], axis=1), 1, rtol=1e-6)


def test_the_order_of_the_views_is_the_order_of_the_vectors(stored: Any) -> None:
    folder, corpus, _ = stored
    _, reordered, _ = read_features(folder, corpus, "focal+context", "1+2")
    _, other, _ = read_features(folder, corpus, "context+focal", "2+1")
    assert_array_equal(reordered, np.hstack([other[:, 4:], other[:, :4]]))


def test_units_by_hand_and_a_zero_vector_stays_zero(
    tmp_path: Path, make_corpus: MakeCorpus, write_vectors: WriteVectors
) -> None:
    corpus = make_corpus([("train", 0), ("test", 1)])
    for view, rows in (("focal", [[3, 4], [0, 0]]), ("cls", [[0, 5], [-8, 6]])):
        vectors = np.array([rows, rows], dtype=np.float32)
        write_vectors(tmp_path / "mint" / f"{view}.safetensors", corpus, vectors)
    _, made, _ = read_features(tmp_path, corpus, "focal+cls", "0+1")
    expected = np.array([[0.6, 0.8, 0, 1], [0, 0, -0.8, 0.6]], dtype=np.float32)
    assert_array_equal(made, expected)


def test_a_wrong_number_of_choices_or_a_missing_view_is_refused(stored: Any) -> None:
    folder, corpus, _ = stored
    with pytest.raises(ConfigError, match="1 layer choices"):
        read_features(folder, corpus, "focal+context", "1")
    with pytest.raises(ConfigError, match="'3': there is no such layer"):
        read_features(folder, corpus, "focal+context", "1+3")
    with pytest.raises(ResultError, match="missing") as caught:
        read_features(folder, corpus, "focal+cls", "1+1")
    assert caught.value.where == str(folder / "mint" / "cls.safetensors")


# What the words must have in common


def source(word: str, **changes: Any) -> dict[str, Any]:
    return {
        "model": {"name": "toy", "blocks": 6},
        "architecture": {"causal": False},
        "input": "plain",
        "pooling": "mean",
        "precision": "float32",
        "versions": {"torch": "1"},
        "corpus": f"digest of {word}",
        "device": "cpu",
        "split_focal_words": len(word),
        **changes,
    }


def test_shared_provenance() -> None:
    actual = shared_provenance({word: source(word) for word in ("mint", "sage")})
    assert actual["corpus"] == {"mint": "digest of mint", "sage": "digest of sage"}
    assert set(actual["encoder"]) == {
        "model", "architecture", "input", "pooling", "precision", "device", "versions",
    }  # fmt: skip
