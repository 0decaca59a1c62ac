"""Training sets and folds: lines and rows, files, and tables that do not belong together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus
from numpy.testing import assert_array_equal

from wsd.artifacts import training_set
from wsd.artifacts.training_set import Folds, TrainingSet, WordFolds, training_rows
from wsd.errors import ResultError

ROWS = [("test", 0), ("train", 0), ("outofdomain", 1), ("train", 1), ("test", 1), ("train", 0)]


CORPORA = {word: make_corpus(ROWS, word=word) for word in ("mint", "arm")}


def folds_of() -> Folds:
    held = np.array([[0, 1, 1], [1, 0, 1]], dtype=np.int8)
    words = {
        "mint": WordFolds(np.array([0, 1, 2]), np.array([0, 1, 0]), held),
        "arm": WordFolds(np.array([1, 2]), np.array([0, 1]), None),
    }
    return Folds("full", 2, 2, 7, words, {word: corpus.digest for word, corpus in CORPORA.items()})


def test_rows_of_lines() -> None:
    """Lines count in the full training file, rows in the table."""
    corpus = CORPORA["mint"]
    assert training_rows(corpus).tolist() == [1, 3, 5]
    train = TrainingSet("balanced", {"mint": np.array([0, 2])}, {"mint": corpus.digest})
    assert training_rows(corpus, train).tolist() == [1, 5]
    assert folds_of().rows(corpus).tolist() == [1, 3, 5]
    splits = list(folds_of().words["mint"].splits(1))
    assert [(*map(list, split),) for split in splits] == [([0, 2], [1]), ([1], [0, 2])]


def test_files_are_read_back(tmp_path: Path) -> None:
    path, made = tmp_path / "folds.parquet", folds_of()
    training_set.write_folds(path, made)
    again = training_set.read_folds(path)
    for key in ("train", "k", "repeats", "seed", "corpus"):
        assert getattr(again, key) == getattr(made, key)
    for word, own in made.words.items():
        for name in ("lines", "component", "held"):
            assert_array_equal(getattr(again.words[word], name), getattr(own, name))
    assert again.words["arm"].held is None
    assert list(training_set.read_folds_for(path, {"arm": CORPORA["arm"]}).words) == ["arm"]
    with pytest.raises(ResultError, match="lack 'sage'"):
        training_set.read_folds_for(path, {**CORPORA, "sage": CORPORA["arm"]})


def test_another_table_is_refused() -> None:
    other = replace(CORPORA["mint"], gold=1 - CORPORA["mint"].gold)
    with pytest.raises(ResultError, match=r"'full': made from another table .* of 'mint'"):
        folds_of().rows(other)
    train = TrainingSet("balanced", {"mint": np.array([0])}, {})
    with pytest.raises(ResultError, match="'balanced': made from another table"):
        training_rows(CORPORA["mint"], train)
