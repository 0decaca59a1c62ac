"""Predictions of all words: their file, their splits, and the corpora to which they belong."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders import make_corpus
from numpy.testing import assert_array_equal

from wsd.artifacts import corpus_table
from wsd.artifacts.predictions import (
    WordPredictions,
    read_predictions,
    read_test_split,
    write_predictions,
)
from wsd.errors import ResultError


def predictions(word: str, split: str, n: int = 3, **changes: object) -> WordPredictions:
    senses = ("c", "a", "b")
    scores = np.arange(3.0 * n).reshape(n, 3) + len(split)
    scores[:, 2] = np.nan  # a sense without training instances
    index, gold, predicted = np.arange(n, dtype=np.int32)[::-1], np.arange(n) % 3, np.arange(n) % 2
    made = WordPredictions(word, senses, 7, index, gold, predicted, scores, split)
    return replace(made, **changes)


def test_predictions_are_read_back_by_split(tmp_path: Path) -> None:
    # The folder's name looks like a partition of a dataset, but is not one.
    path = tmp_path / "a=b" / "6.knn.parquet"
    extra = {"id": ("x", "", "=1")}
    written = [
        predictions("mint", "cv", 5),
        predictions("mint", "test", extra=extra),
        predictions("mint", "outofdomain", 2),
        predictions("arm", "cv", 4),
        predictions("arm", "test"),
    ]
    write_predictions(path, written, {"classifier": "knn"})
    by_name = {(p.word, p.split): p for p in written}
    for split, names in {
        # Out-of-fold predictions of training instances are no test.
        None: [("arm", "test"), ("mint", "test"), ("mint", "outofdomain")],
        "test": [("arm", "test"), ("mint", "test")],
        "cv": [("arm", "cv"), ("mint", "cv")],
    }.items():
        words, provenance = read_predictions(path, split)
        assert provenance["classifier"] == "knn"
        assert [(p.word, p.split) for p in words] == names
        for actual in words:
            expected = by_name[actual.word, actual.split]
            assert (actual.senses, actual.n_train) == (expected.senses, 7)
            for name in ("index", "gold", "predicted", "scores"):
                assert_array_equal(getattr(actual, name), getattr(expected, name))
            assert actual.index.dtype == actual.gold.dtype == np.int32
            empty = {"id": ("",) * len(actual.index)}
            assert actual.extra == (expected.extra or empty)


def test_predictions_of_other_instances_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "6.knn.parquet"
    corpora = {word: make_corpus([("test", 0)] * 3, word=word) for word in ("mint", "arm")}
    digests = {word: corpus.digest for word, corpus in corpora.items()}
    write_predictions(path, [predictions("arm", "test"), predictions("mint", "test")],
                      {"corpus": digests})  # fmt: skip
    assert [p.word for p in read_test_split(path, corpora)[0]] == ["mint", "arm"]
    with pytest.raises(ResultError, match="lacks the word 'sage'"):
        read_test_split(path, {"sage": corpora["mint"]})
    with pytest.raises(ResultError, match="other instances of 'mint'"):
        read_test_split(path, {"mint": make_corpus([("test", 1)] * 3)})
    corpus_table.write(path, corpora["mint"])
    with pytest.raises(ResultError, match="another kind"):
        read_predictions(path)
