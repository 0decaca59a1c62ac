"""Near-duplicates: Jaccard index against a naive loop, groups, and counts of the real corpus."""

import re
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csgraph

from wsd.artifacts.corpus_table import Corpus
from wsd.metrics import near_duplicates
from wsd.metrics.near_duplicates import components, nearest, shingles, similarity

TOKENS = st.lists(st.sampled_from(["the", "old", "mint", "1999", "2001"]), min_size=1, max_size=7)
SENTENCES = st.lists(TOKENS, min_size=1, max_size=8)


def jaccard(left: list[str], right: list[str]) -> float:
    """Compute the index with loops and lists only."""
    results = []
    for sentence in (left, right):
        text = re.sub("[0-9]", "0", "\t".join(sentence)).split("\t")
        trigrams = []
        for i in range(len(text) - 2):
            if text[i : i + 3] not in trigrams:
                trigrams.append(text[i : i + 3])
        results.append(trigrams or [text])
    common = sum(trigram in results[1] for trigram in results[0])
    return common / (len(results[0]) + len(results[1]) - common)


def sentences(*texts: str) -> list[list[str]]:
    return [text.split() for text in texts]


@pytest.fixture(params=[1, 12, 2**24])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_duplicates, "BLOCK", request.param)


@given(first=TOKENS, second=TOKENS)
def test_a_pair_has_the_index_of_the_naive_loop(first: list[str], second: list[str]) -> None:
    assert nearest([first], [second])[0].tolist() == [jaccard(first, second)]


@given(texts=SENTENCES, threshold=st.sampled_from([0.01, 0.3, 0.5, 1.0]))
def test_the_matrix_has_every_pair_that_reaches_the_threshold(
    texts: list[list[str]], threshold: float
) -> None:
    oracle = np.array([[jaccard(a, b) for b in texts] for a in texts])
    actual = similarity(texts, threshold)
    assert_allclose(actual.toarray(), np.where(oracle >= threshold, oracle, 0), rtol=1e-15)
    assert (actual.data >= threshold).all()


@given(tokens=SENTENCES, among=SENTENCES)
def test_the_nearest_is_the_first_with_the_highest_index(
    tokens: list[list[str]], among: list[list[str]]
) -> None:
    oracle = np.array([[jaccard(a, b) for b in among] for a in tokens])
    highest, place = nearest(tokens, among)
    assert highest.tolist() == oracle.max(axis=1).tolist()
    expected = np.where(oracle.max(axis=1) > 0, oracle.argmax(axis=1), -1)
    assert place.tolist() == expected.tolist()


@given(texts=SENTENCES, threshold=st.sampled_from([0.3, 0.5, 1.0]))
def test_groups_are_connected_by_chains(texts: list[list[str]], threshold: float) -> None:
    """The oracle joins two groups if a pair across them reaches the threshold."""
    oracle = list(range(len(texts)))
    for i, j in permutations(range(len(texts)), 2):
        if jaccard(texts[i], texts[j]) >= threshold:
            oracle = [oracle[i] if group == oracle[j] else group for group in oracle]
    numbers: dict[int, int] = {}
    expected = [numbers.setdefault(group, len(numbers)) for group in oracle]
    assert components(texts, threshold).tolist() == expected


def test_digits_are_masked_but_their_number_counts() -> None:
    texts = sentences("won 3 to 1 in 1987", "won 4 to 2 in 1990", "won 10 to 2 in 1990")
    # Of the third sentence's four trigrams, `to 0 in` and `0 in 0000` are also the first's.
    assert nearest(texts[:1], texts[1:])[0].tolist() == [1.0]
    assert nearest(texts[:1], texts[2:])[0].tolist() == [2 / 6]


def test_a_trigram_counts_once_however_often_it_occurs() -> None:
    assert nearest(sentences("a a a a a a"), sentences("a a a"))[0].tolist() == [1.0]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("mint", "mint", 1.0), ("mint tea", "mint tea", 1.0), ("mint tea", "tea mint", 0.0),
     ("mint tea", "mint tea cup", 0.0), ("tea", "mint", 0.0)],
)  # fmt: skip
def test_a_sentence_of_fewer_than_three_tokens_is_one_shingle(
    first: str, second: str, expected: float
) -> None:
    assert nearest(sentences(first), sentences(second))[0].tolist() == [expected]
    assert len(shingles(first.split())) == 1


@pytest.mark.usefixtures("_blocks")
def test_blocks_of_rows_are_put_together_in_order() -> None:
    random = np.random.default_rng(3)
    texts = [random.choice(list("abc"), size=random.integers(1, 7)).tolist() for _ in range(10)]
    oracle = np.array([[jaccard(a, b) for b in texts] for a in texts])
    assert_allclose(similarity(texts, 0.01).toarray(), oracle)
    highest, place = nearest(texts[:7], texts[7:])
    assert highest.tolist() == oracle[:7, 7:].max(axis=1).tolist()
    assert place.tolist() == np.where(highest > 0, oracle[:7, 7:].argmax(axis=1), -1).tolist()


def test_groups_are_numbered_by_their_first_sentence() -> None:
    """The last sentence is similar only to the fourth, and joins the second's group by a chain."""
    texts = sentences(
        "we met at the gate",
        "a b c d e f",
        "nobody saw the ship again",
        "c d e f g h",
        "we met at the gate",
        "e f g h i j",
    )
    assert nearest(texts[5:], texts[1:2])[0].tolist() == [0.0]
    assert components(texts, 1 / 3).tolist() == [0, 1, 2, 1, 0, 1]
    assert components(texts).tolist() == [0, 1, 2, 3, 0, 4]


def test_groups_are_so_numbered_whatever_the_numbers_that_scipy_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = np.array([2, 0, 2, 3, 1, 0])
    monkeypatch.setattr(csgraph, "connected_components", lambda *_, **__: (4, labels))
    assert components(sentences(*"abcdef")).tolist() == [0, 1, 0, 2, 3, 1]


def test_without_sentences_there_are_no_pairs() -> None:
    some = sentences("we met at the gate")
    assert components([]).shape == (0,)
    assert similarity([]).shape == (0, 0)
    assert nearest([], some)[0].shape == (0,)
    assert [array.tolist() for array in nearest(some, [])] == [[0.0], [-1]]


@pytest.mark.slow
def test_the_near_duplicates_of_coarsewsd20(real_corpora: dict[str, Corpus]) -> None:
    near, contradicted = {}, 0
    for word, corpus in real_corpora.items():
        rows = {s: np.flatnonzero(corpus.split == s).tolist() for s in ("train", "test")}
        for sense in range(len(corpus.senses)):
            here = [r for r in rows["test"] if corpus.gold[r] == sense]
            others = [r for r in rows["train"] if corpus.gold[r] != sense]
            actual, _ = nearest(
                [corpus.tokens[r] for r in here], [corpus.tokens[r] for r in others]
            )
            contradicted += int((actual >= 0.5).sum())
        actual, _ = nearest(
            [corpus.tokens[r] for r in rows["test"]], [corpus.tokens[r] for r in rows["train"]]
        )
        near[word] = int((actual >= 0.5).sum())
    assert sum((corpus.split == "test").sum() for corpus in real_corpora.values()) == 10_196
    assert sum(near.values()) == 1_075
    assert near["pitcher"] == 774
    # No test instance is like a training instance of another sense.
    assert contradicted == 0
