"""Folds: near-duplicates together, every instance held out once, balanced, and reproducible."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import MakeCorpus
from numpy.testing import assert_array_equal

from wsd.artifacts import corpus_table as corpora_files
from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import Corpus
from wsd.cli import main
from wsd.corpora.folds import draw_folds, fold_word, most_folds_of
from wsd.errors import ConfigError

ASKED: Any = {"k": 5, "repeats": 3, "seed": 1}


def grouped(make_corpus: MakeCorpus, n: int = 120, word: str = "mint") -> Corpus:
    """Return three senses, and groups of one to four repeated sentences with one sense each."""
    random = np.random.default_rng(3)
    gold, alike = [], []
    while len(gold) < n:
        sense, size = int(random.choice(3, p=(0.6, 0.3, 0.1))), int(random.integers(1, 5))
        alike += [len(gold)] * size
        gold += [sense] * size
    order = random.permutation(len(gold))
    rows = [("train", gold[i]) for i in order] + [("test", 0), ("outofdomain", 1)]
    alike = [alike[i] for i in order] + [500, 600]
    return make_corpus(rows, word=word, senses=("a", "b", "c"), alike=alike)


@pytest.mark.parametrize("k", [2, 5, 7])
def test_groups_stay_together_and_every_instance_is_held_out_once(
    make_corpus: MakeCorpus, k: int
) -> None:
    corpus = grouped(make_corpus)
    actual = draw_folds({"mint": corpus}, None, k=k, repeats=3, seed=1).words["mint"]
    train = corpus.split == "train"
    sentences = [tokens[0] for tokens in corpus.take(train).tokens]
    # Equal sentences have one component, different sentences have different ones.
    pairs = set(zip(sentences, actual.component.tolist(), strict=True))
    assert len(pairs) == len({*sentences}) == len({*actual.component.tolist()}) < len(sentences)
    assert actual.held is not None and actual.held.shape == (3, train.sum())
    for repeat, held in enumerate(actual.held):
        assert len(set(zip(sentences, held.tolist(), strict=True))) == len(pairs)
        assert [rows.tolist() for _, rows in actual.splits(repeat)] == [
            np.flatnonzero(held == fold).tolist() for fold in range(k)
        ]
        for sense, n in Counter(corpus.gold[train].tolist()).items():
            counts = np.bincount(held[corpus.gold[train] == sense], minlength=k)
            # Groups have at most four instances.
            assert np.abs(counts - n / k).max() <= 4


def test_the_most_folds_are_the_most_that_can_be_drawn(make_corpus: MakeCorpus) -> None:
    corpus = grouped(make_corpus, 40)
    train = corpus.take(corpus.split == "train")
    most = most_folds_of(train.gold.tolist(), train.tokens)
    for k, tuned in ((most, True), (most + 1, False)):
        folds = draw_folds({"mint": corpus}, None, k=k, repeats=1, seed=1).words["mint"]
        assert (folds.held is not None) == tuned


def test_repeats_differ_and_each_is_drawn_with_its_own_seed(make_corpus: MakeCorpus) -> None:
    corpora = {"mint": grouped(make_corpus)}
    first, second = (
        draw_folds(corpora, None, k=5, repeats=3, seed=seed).words["mint"] for seed in (1, 2)
    )
    assert first.held is not None and second.held is not None
    assert len(np.unique(first.held, axis=0)) == 3
    assert_array_equal(first.held[1:], second.held[:2])


@pytest.mark.parametrize(
    ("gold", "groups", "k", "tuned"),
    [
        ([0] * 20 + [1] * 4, 24, 5, False),
        ([0] * 20 + [1] * 4, 24, 4, True),
        # A sense without instances is not part of the training set.
        ([0] * 20 + [2] * 5, 25, 5, True),
        ([0] * 20, 20, 5, False),
        ([0, 1] * 10, 4, 5, False),
        ([0, 1] * 10, 5, 5, True),
        # With duplicates of a rare sense, some folds lack it.
        ([0] * 20 + [1] * 6, [*range(20), *[20] * 6], 5, True),
    ],
)
@pytest.mark.filterwarnings("error")
def test_words_with_too_few_instances_are_not_folded(
    gold: list[int], groups: int | list[int], k: int, tuned: bool
) -> None:
    component = np.arange(len(gold)) % groups if isinstance(groups, int) else np.array(groups)
    held = fold_word(np.array(gold), component, k=k, repeats=2, seed=1)
    assert (held is not None) == tuned
    if held is not None:
        pairs = {(c, fold) for c, fold in zip(component.tolist(), held[0].tolist(), strict=True)}
        assert len(pairs) == len(set(component.tolist()))


def draw(folder: Path, *words: str, k: int = 3, code: int = 0) -> None:
    given = ["--words", *words, "--k", str(k), "--repeats", "2", "--out", f"{folder}/full.parquet"]
    assert main(["folds", "--corpus", str(folder / "corpus"), *given]) == code


def test_a_file_has_the_requested_words(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    for i, word in enumerate(("arm", "bow", "yard")):
        corpus = make_corpus([("train", j % 2) for j in range(12 + i)], word=word)
        corpora_files.write(tmp_path / f"corpus/{word}.parquet", corpus)
    path = tmp_path / "full.parquet"
    draw(tmp_path, "arm", "bow", "yard")
    every = training_set.read_folds(path)
    draw(tmp_path, "yard")
    single_word = training_set.read_folds(path)
    assert list(single_word.words) == list(single_word.corpus) == ["yard"]
    # A word's folds do not depend on the other words, nor on the global state of NumPy.
    assert_array_equal(single_word.words["yard"].held, every.words["yard"].held)
    raw = path.read_bytes()
    np.random.seed(7)
    draw(tmp_path, "yard")
    assert path.read_bytes() == raw
    draw(tmp_path, "yard", k=1, code=ConfigError.exit_code)
