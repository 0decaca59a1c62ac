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
from wsd.artifacts.training_set import Folds
from wsd.cli import main
from wsd.corpora.folds import draw_folds, fold_word
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


def test_near_duplicates_are_never_apart(make_corpus: MakeCorpus) -> None:
    corpus = grouped(make_corpus)
    actual = draw_folds({"mint": corpus}, None, **ASKED).words["mint"]
    sentences = np.array([tokens[0] for tokens in corpus.tokens])[corpus.split == "train"]
    assert len(np.unique(sentences)) < len(sentences)  # else nothing could go wrong
    # Equal sentences have one component, different sentences have different ones.
    pairs = set(zip(sentences.tolist(), actual.component.tolist(), strict=True))
    assert len(pairs) == len(np.unique(sentences)) == len(np.unique(actual.component))
    assert actual.held is not None
    for of_repeat in actual.held:
        for component in np.unique(actual.component):
            assert len(np.unique(of_repeat[actual.component == component])) == 1


def test_a_chain_of_near_duplicates_is_one_component(make_corpus: MakeCorpus) -> None:
    """The first and the last sentence have no trigram in common."""
    long = [f"{c}{c}" for c in "abcdefghijklmnop"]
    windows = [tuple(long[i : i + 8]) for i in (0, 2, 4, 6)]
    assert not set(windows[0][:6]) & set(windows[-1])
    base = make_corpus([("train", 0)] * 5)
    corpus = Corpus(**{**vars(base), "tokens": (*windows, ("some", "thing", "else"))})
    component = draw_folds({"mint": corpus}, None, **ASKED).words["mint"].component
    assert component.tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("k", [2, 5, 7])
def test_every_instance_is_held_out_once_per_repeat(make_corpus: MakeCorpus, k: int) -> None:
    corpus = grouped(make_corpus)
    actual = draw_folds({"mint": corpus}, None, k=k, repeats=3, seed=1).words["mint"]
    n = int((corpus.split == "train").sum())
    assert actual.held is not None
    assert actual.held.shape == (3, n)
    assert set(np.unique(actual.held).tolist()) == set(range(k))
    for repeat in range(3):
        splits = list(actual.splits(repeat))
        assert len(splits) == k
        assert sorted(np.concatenate([held for _, held in splits]).tolist()) == list(range(n))
        for fit, held in splits:
            assert sorted([*fit.tolist(), *held.tolist()]) == list(range(n))


def test_folds_have_each_sense_in_equal_parts_where_no_groups_forbid(
    make_corpus: MakeCorpus,
) -> None:
    gold = np.random.default_rng(1).permutation([0] * 50 + [1] * 20 + [2] * 5)
    corpus = make_corpus([("train", int(g)) for g in gold], senses=("a", "b", "c"))
    actual = draw_folds({"mint": corpus}, None, **ASKED).words["mint"]
    assert actual.held is not None
    for of_repeat in actual.held:
        for fold in range(5):
            assert np.bincount(gold[of_repeat == fold]).tolist() == [10, 4, 1]


def test_folds_are_as_balanced_as_groups_allow(make_corpus: MakeCorpus) -> None:
    corpus = grouped(make_corpus)
    gold = corpus.gold[corpus.split == "train"]
    actual = draw_folds({"mint": corpus}, None, **ASKED).words["mint"]
    assert actual.held is not None
    for of_repeat in actual.held:
        for sense, n in Counter(gold.tolist()).items():
            counts = np.bincount(of_repeat[gold == sense], minlength=5)
            # Groups have at most four instances.
            assert np.abs(counts - n / 5).max() <= 4


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
        ([0] * 20 + [1] * 5, 25, 5, True),
        ([0] * 20 + [1] * 4, 24, 5, False),
        ([0] * 20 + [1] * 4, 24, 4, True),
        # A sense without instances is not part of the training set.
        ([0] * 20 + [2] * 5, 25, 5, True),
        ([0] * 20, 20, 5, False),
        ([0], 1, 2, False),
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


@pytest.mark.slow
def test_folds_of_a_real_word(real_corpora: dict[str, Corpus]) -> None:
    """CoarseWSD-20 with its near-duplicates: no pair is separated, no row is lost."""
    corpora = {word: real_corpora[word] for word in ("digit", "pitcher", "yard")}
    made: Folds = draw_folds(corpora, None, **ASKED)
    assert made.words["digit"].held is not None
    for of_word in made.words.values():
        for of_repeat in of_word.held if of_word.held is not None else ():
            apart = {
                c for c in of_word.component.tolist()
                if len(np.unique(of_repeat[of_word.component == c])) > 1
            }  # fmt: skip
            assert apart == set()
            assert len(np.unique(of_repeat)) == 5


# Files


def draw(folder: Path, *words: str) -> Folds:
    given = ["--corpus", str(folder / "corpus"), "--words", *words, "--k", "3", "--repeats", "2"]
    out = folder / "folds/full.parquet"
    assert main(["folds", *given, "--out", str(out)]) == 0
    return training_set.read_folds(out)


@pytest.fixture
def shared(make_corpus: MakeCorpus, tmp_path: Path) -> Path:
    """Return the tables of three words."""
    for i, word in enumerate(("arm", "bow", "yard")):
        corpora_files.write(
            tmp_path / f"corpus/{word}.parquet",
            make_corpus([("train", j % 2) for j in range(12 + i)], word=word),
        )
    return tmp_path


def test_a_file_has_the_requested_words(shared: Path) -> None:
    every = draw(shared, "arm", "bow", "yard")
    (shared / "folds/full.parquet").write_bytes(b"no table")
    single_word = draw(shared, "yard")
    assert list(single_word.words) == list(single_word.corpus) == ["yard"]
    # A word's folds do not depend on the other words.
    assert_array_equal(single_word.words["yard"].held, every.words["yard"].held)
    # Neither does a file depend on the global state of NumPy.
    raw = (shared / "folds/full.parquet").read_bytes()
    np.random.seed(7)
    draw(shared, "yard")
    assert (shared / "folds/full.parquet").read_bytes() == raw
    call = ["folds", "--corpus", str(shared / "corpus"), "--words", "yard", "--k", "1"]
    assert main([*call, "--out", str(shared / "f.parquet")]) == ConfigError.exit_code
