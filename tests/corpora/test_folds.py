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
from wsd.artifacts.training_set import Folds, TrainingSet
from wsd.cli import main
from wsd.corpora.folds import draw_folds, fold_word
from wsd.errors import ResultError

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


def test_folds_are_reproducible(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    for name in ("a", "b"):
        np.random.seed(len(name) * 7)  # the global state must not matter
        training_set.write_folds(
            tmp_path / name, draw_folds({"mint": grouped(make_corpus)}, None, **ASKED)
        )
        np.random.random(5)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("gold", "k", "tuned"),
    [
        ([0] * 20 + [1] * 5, 5, True),
        ([0] * 20 + [1] * 4, 5, False),
        ([0] * 20 + [1] * 4, 4, True),
        # A sense without instances is not part of the training set.
        ([0] * 20 + [2] * 5, 5, True),
        ([0] * 20, 5, False),
        ([0, 1], 2, False),
    ],
)
def test_a_rare_sense_is_not_folded(gold: list[int], k: int, tuned: bool) -> None:
    actual = fold_word(np.array(gold), np.arange(len(gold)), k=k, repeats=2, seed=1)
    assert (actual is not None) == tuned


@pytest.mark.filterwarnings("error")
def test_duplicates_of_a_rare_sense_leave_folds_without_it() -> None:
    gold = np.array([0] * 20 + [1] * 6)
    component = np.array([*range(20), *[20] * 6])
    held = fold_word(gold, component, k=5, repeats=2, seed=1)
    assert held is not None
    for of_repeat in held:
        assert len(np.unique(of_repeat[gold == 1])) == 1


@pytest.mark.parametrize(("groups", "tuned"), [(1, False), (4, False), (5, True)])
def test_fewer_groups_than_folds_are_not_folded(groups: int, tuned: bool) -> None:
    gold = np.array([0] * 10 + [1] * 10)
    held = fold_word(gold, np.arange(20) % groups, k=5, repeats=2, seed=1)
    assert (held is not None) == tuned


def test_a_word_of_one_instance_has_no_folds(make_corpus: MakeCorpus) -> None:
    actual = draw_folds({"mint": make_corpus([("train", 0)])}, None, **ASKED).words["mint"]
    assert actual.held is None


# Training sets


def test_lines_of_a_training_set(make_corpus: MakeCorpus) -> None:
    """Lines count in the full training file, rows in the table; the two differ."""
    rows = [("test", 0), ("train", 0), ("train", 1), ("test", 1), ("train", 0), ("train", 1)]
    corpora = {word: make_corpus(rows, word=word) for word in ("mint", "sage")}
    train = TrainingSet(
        "balanced",
        {"mint": np.array([1, 3], dtype=np.int32)},
        {"mint": corpora["mint"].digest},
    )
    actual = draw_folds(corpora, train, k=2, repeats=1, seed=1)
    assert (actual.train, set(actual.words)) == ("balanced", {"mint"})
    assert actual.words["mint"].lines.tolist() == [1, 3]
    assert actual.rows(corpora["mint"]).tolist() == [2, 5]
    full = draw_folds(corpora, None, k=2, repeats=1, seed=1)
    assert (full.train, set(full.words)) == ("full", {"mint", "sage"})
    assert full.rows(corpora["mint"]).tolist() == [1, 2, 4, 5]
    held = full.words["mint"].held
    assert held is not None
    gold = corpora["mint"].gold[full.rows(corpora["mint"])]
    assert sorted(gold[held[0] == 0].tolist()) == sorted(gold[held[0] == 1].tolist()) == [0, 1]


def test_the_folds_of_another_corpus_are_refused(make_corpus: MakeCorpus) -> None:
    rows = [("train", 0), ("train", 1), ("test", 0)]
    actual = draw_folds({"mint": make_corpus(rows)}, None, **ASKED)
    other = make_corpus([*rows, ("test", 1)])
    with pytest.raises(ResultError, match=r"'full': made from another table .* of 'mint'"):
        actual.rows(other)


def test_a_training_set_of_another_corpus_is_refused(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus([("train", 0), ("train", 1)])
    train = TrainingSet("balanced", {"mint": np.array([0], dtype=np.int32)}, {"mint": "other"})
    with pytest.raises(ResultError, match="'balanced': made from another table"):
        draw_folds({"mint": corpus}, train, **ASKED)


# Files


def test_round_trip(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    corpora = {
        "yard": grouped(make_corpus, word="yard"),
        "arm": make_corpus([("train", 0), ("train", 1)], word="arm"),
        "bow": make_corpus([("train", i % 2) for i in range(13)], word="bow"),
    }
    made = draw_folds(corpora, None, **ASKED)
    training_set.write_folds(tmp_path / "folds.parquet", made)
    again = training_set.read_folds(tmp_path / "folds.parquet")
    for key in ("train", "k", "repeats", "seed", "corpus"):
        assert getattr(again, key) == getattr(made, key)
    assert set(again.words) == set(corpora)
    for word, of_word in made.words.items():
        actual = again.words[word]
        assert_array_equal(actual.lines, of_word.lines)
        assert_array_equal(actual.component, of_word.component)
        if of_word.held is None:
            assert actual.held is None
        else:
            assert_array_equal(actual.held, of_word.held)
        assert_array_equal(again.rows(corpora[word]), made.rows(corpora[word]))
    assert made.words["arm"].held is None and made.words["bow"].held is not None


def test_another_table_is_refused(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    path = tmp_path / "corpus.parquet"
    corpora_files.write(path, make_corpus([("train", 0), ("test", 1)]))
    with pytest.raises(ResultError, match="a table of another kind"):
        training_set.read_folds(path)
    with pytest.raises(ResultError, match="missing"):
        training_set.read_folds(tmp_path / "none.parquet")


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


def test_one_fold_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["folds", "--corpus", str(tmp_path), "--words", "mint", "--out", str(tmp_path / "f")]
    assert main([*call, "--k", "1"]) == 2
    assert "where: --k" in capsys.readouterr().err


# Files


def draw(folder: Path, *words: str, k: int = 3, seed: int = 1) -> Folds:
    given = ["--corpus", str(folder / "corpus"), "--words", *words, "--k", str(k), "--repeats", "2"]
    out = folder / "folds/full.parquet"
    assert main(["folds", *given, "--seed", str(seed), "--out", str(out)]) == 0
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


def test_a_step_reads_the_folds_of_its_words_alone(shared: Path) -> None:
    draw(shared, "arm", "bow")
    path = shared / "folds/full.parquet"
    corpora = corpora_files.read_corpora(shared / "corpus", ["bow"])
    assert list(training_set.read_folds_for(path, corpora).words) == ["bow"]
    corpora = corpora_files.read_corpora(shared / "corpus", ["bow", "yard"])
    with pytest.raises(ResultError, match="the folds of 'full' lack 'yard'") as caught:
        training_set.read_folds_for(path, corpora)
    assert caught.value.where == str(path)
