"""Training sets and folds: lines and rows, files, and tables that do not belong together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import MakeCorpus
from numpy.testing import assert_array_equal

from wsd.artifacts import corpus_table, training_set
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.training_set import Folds, TrainingSet, WordFolds, training_rows
from wsd.errors import ResultError

ROWS = [("test", 0), ("train", 0), ("outofdomain", 1), ("train", 1), ("test", 1), ("train", 0)]


@pytest.fixture
def corpora(make_corpus: MakeCorpus) -> dict[str, Corpus]:
    return {word: make_corpus(ROWS, word=word) for word in ("mint", "arm")}


def folds_of(corpora: dict[str, Corpus], train: str = "full") -> Folds:
    held = np.array([[0, 1, 1], [1, 0, 1]], dtype=np.int8)
    words = {
        "mint": WordFolds(np.array([0, 1, 2]), np.array([0, 1, 0]), held),
        "arm": WordFolds(np.array([1, 2]), np.array([0, 1]), None),
    }
    return Folds(train, 2, 2, 7, words, {word: corpus.digest for word, corpus in corpora.items()})


def test_rows_of_lines(corpora: dict[str, Corpus]) -> None:
    """Lines count in the full training file, rows in the table."""
    corpus = corpora["mint"]
    assert training_rows(corpus).tolist() == [1, 3, 5]
    train = TrainingSet("balanced", {"mint": np.array([0, 2])}, {"mint": corpus.digest})
    assert training_rows(corpus, train).tolist() == [1, 5]
    assert folds_of(corpora).rows(corpus).tolist() == [1, 3, 5]
    splits = list(folds_of(corpora).words["mint"].splits(1))
    assert [(fit.tolist(), held.tolist()) for fit, held in splits] == [
        ([0, 2], [1]),
        ([1], [0, 2]),
    ]


def test_files_are_read_back(corpora: dict[str, Corpus], tmp_path: Path) -> None:
    path, made = tmp_path / "folds.parquet", folds_of(corpora)
    training_set.write_folds(path, made)
    again = training_set.read_folds(path)
    for key in ("train", "k", "repeats", "seed", "corpus"):
        assert getattr(again, key) == getattr(made, key)
    for word, own in made.words.items():
        for name in ("lines", "component", "held"):
            assert_array_equal(getattr(again.words[word], name), getattr(own, name))
    assert again.words["arm"].held is None
    assert list(training_set.read_folds_for(path, {"arm": corpora["arm"]}).words) == ["arm"]
    with pytest.raises(ResultError, match="lack 'sage'"):
        training_set.read_folds_for(path, {**corpora, "sage": corpora["arm"]})
    corpus_table.write(path, corpora["mint"])
    for read in (training_set.read_folds, training_set.read):
        with pytest.raises(ResultError, match="table"):
            read(path)


def test_another_table_is_refused(corpora: dict[str, Corpus]) -> None:
    other = replace(corpora["mint"], gold=1 - corpora["mint"].gold)
    with pytest.raises(ResultError, match=r"'full': made from another table .* of 'mint'"):
        folds_of(corpora).rows(other)
    for digests in ({"mint": "0" * 64}, {}):
        train = TrainingSet("balanced", {"mint": np.array([0])}, digests)
        with pytest.raises(ResultError, match="'balanced': made from another table"):
            training_rows(corpora["mint"], train)
