"""Layer choices and feature sets: every spelling, one name each, and exact vectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import make_corpus, write_vectors
from numpy.testing import assert_array_equal

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.feature_set import (
    expand_layers,
    ordered_features,
    parse_features,
    parse_layers,
    read_features,
)
from wsd.errors import ConfigError

CHOICES = (
    "0 0 0|6 6 6|-1 6 6|-7 0 0|mean-last-1 6 6|concat-3 3 3|mix-last-1 6 6|mix-2-1 mix-1-2 1-2|"
    "mix-last-6 mix-all 1-2-3-4-5-6|sum-last-4 sum-last-4 3-4-5-6|mean-all mean-all 1-2-3-4-5-6|"
    "sum-1-2-3-4-5-6 sum-all 1-2-3-4-5-6|mean-last-7 mean-last-7 0-1-2-3-4-5-6|"
    "concat-6-5-4-3-2-1-0 concat-last-7 0-1-2-3-4-5-6|mean-5-6 mean-last-2 5-6|"
    "concat-4-0-2 concat-0-2-4 0-2-4"
)


def test_the_choices_of_six_blocks() -> None:
    for spelling, name, layers in map(str.split, CHOICES.split("|")):
        actual = parse_layers(spelling, 6)
        assert (actual.name, "-".join(map(str, actual.layers))) == (name, layers), spelling
        assert actual.is_single == ("-" not in layers)
        operation = "mean" if actual.is_single else name.partition("-")[0]
        assert actual.operation == operation
    assert [parse_layers(layer, 6).name for layer in (0, 6, -1)] == ["0", "6", "6"]


def test_a_sweep_has_each_choice_once_in_a_fixed_order() -> None:
    given: list[str | int] = ["sum-1-2", *["all", "mean-last-2", "concat-last-4", -1, "mean-all"]]
    given += ["mean-last-6", "mean-last-4", 6]
    names = [choice.name for choice in expand_layers(given, 6)]
    assert names == [
        *("0", "1", "2", "3", "4", "5", "6"),
        *("sum-1-2", "mean-last-2", "concat-last-4", "mean-last-4", "mean-all"),
    ]
    assert [choice.name for choice in expand_layers(reversed(given), 6)] == names
    assert [choice.name for choice in expand_layers(["all"], 6, stored=(0, 4))] == ["0", "4"]
    with pytest.raises(ConfigError) as caught:
        expand_layers(["all", "mean-last-2", "mean-last-9"], 6, where="config key layers")
    assert caught.value.where == "config key layers[2]"


REFUSED: list[Any] = [
    *(17, 7, -8, "-0", "01", "mean-last-04", 10**6),
    *(True, 1.5, None, "", "1 ", "1\n", "\uff11", "1-2"),
    *("last", "6-mean", "mean", "mean-", "mean--1", "mean-1-", "mean-all-", "mean-last-0"),
    *("mean-last-8", "mean-last-", "mean-1-1", "mean-1-9", "sum-7", "median-all", "Mean-all"),
]


def test_unknown_choices_are_refused_with_alternatives() -> None:
    for choice in REFUSED:
        with pytest.raises(ConfigError, match="there is no such layer choice") as caught:
            parse_layers(choice, 6, where="config key layers[3]")
        assert repr(str(choice)) in caught.value.problem
        assert caught.value.where == "config key layers[3]"
        assert "use 0 to 6 (or -1 to -7 from the top)" in str(caught.value.fix)
    with pytest.raises(ConfigError):
        parse_layers("mix-all", 6, learned=False)


# Combining

STATES = {
    0: np.array([[1, 2], [3, 4]], dtype=np.float32),
    1: np.array([[10, 20], [30, 40]], dtype=np.float32),
    2: np.array([[100, 200], [300, 401]], dtype=np.float32),
    3: np.full((2, 2), np.nan, dtype=np.float32),
}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("1", [[10, 20], [30, 40]]),
        ("mean-0-1-2", [[37, 74], [111, 148 + 1 / 3]]),
        ("sum-0-2", [[101, 202], [303, 405]]),
        ("concat-2-0", [[1, 2, 100, 200], [3, 4, 300, 401]]),
        # A mix is learned, so its classifier gets the layers concatenated.
        ("mix-2-0", [[1, 2, 100, 200], [3, 4, 300, 401]]),
    ],
)
def test_combinations_are_exact(choice: str, expected: list[list[float]]) -> None:
    combined = parse_layers(choice, 4).combine(STATES)
    assert combined.dtype == np.float32
    np.testing.assert_array_equal(combined, np.array(expected, dtype=np.float32))


# Feature sets


def test_each_feature_set_has_one_name_and_place() -> None:
    pairs = {
        "focal 2": "focal 2",
        "context 10": "context 10",
        "focal -3": "focal 10",
        "focal mean-12-11": "focal mean-last-2",
        "focal concat-all": "focal concat-all",
        "focal+context 1+concat-2": "focal+context 1+2",
        "context+focal mean-12-11+-1": "context+focal mean-last-2+12",
    }
    for given, name in pairs.items():
        features = parse_features(*given.split(), 12)
        assert f"{features.view} {features.layers}" == name
        assert parse_features(features.view, features.layers, 12) == features
    # One view before several, and single layers before combinations.
    names = [tuple(name.split()) for name in pairs.values()]
    assert ordered_features([*names[::-1], *names], 12) == names


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, Corpus, dict[str, np.ndarray]]:
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


def test_several_vectors_are_scaled_to_unit_length_each(stored: Any) -> None:
    folder, corpus, vectors = stored
    actual, made, _ = read_features(folder, corpus, "focal+context", "concat-last-2+0")
    assert (actual.view, actual.layers) == ("focal+context", "concat-all+0")
    parts = [np.hstack(vectors["focal"][1:]), vectors["context"][0]]
    expected = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
    assert_array_equal(made, np.hstack(expected))
    assert made.dtype == np.float32
    _, other, _ = read_features(folder, corpus, "context+focal", "0+concat-last-2")
    assert_array_equal(made, np.hstack([other[:, 4:], other[:, :4]]))
    for layers in ("1", "1+3"):
        with pytest.raises(ConfigError, match="layer"):
            read_features(folder, corpus, "focal+context", layers)
