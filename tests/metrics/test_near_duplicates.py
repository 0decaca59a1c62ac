"""Near-duplicates: Jaccard index against a naive loop, groups, and counts of the real corpus."""

import re
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from wsd.artifacts.corpus_table import Corpus
from wsd.metrics import near_duplicates
from wsd.metrics.near_duplicates import components, nearest, shingles, similarity

TOKENS = st.lists(st.sampled_from(["the", "old", "mint", "1999", "2001"]), min_size=1, max_size=7)
SENTENCES = st.lists(TOKENS, min_size=1, max_size=8)


def jaccard(left: list[str], right: list[str]) -> float:
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


@pytest.fixture(scope="module", params=[1, 12, near_duplicates.BLOCK], autouse=True)
def _block(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "BLOCK", request.param)
        yield


@given(texts=SENTENCES, threshold=st.sampled_from([0.01, 0.3, 0.5, 1.0]))
@settings(max_examples=60)
def test_pairs_and_groups_are_those_of_the_naive_loop(
    texts: list[list[str]], threshold: float
) -> None:
    oracle = np.array([[jaccard(a, b) for b in texts] for a in texts])
    actual = similarity(texts, threshold)
    assert_allclose(actual.toarray(), np.where(oracle >= threshold, oracle, 0), rtol=1e-15)
    assert (actual.data >= threshold).all()
    # Join two groups if a pair across them reaches the threshold; number them by first sentence.
    groups = list(range(len(texts)))
    for i, j in permutations(range(len(texts)), 2):
        if oracle[i, j] >= threshold:
            groups = [groups[i] if group == groups[j] else group for group in groups]
    numbers: dict[int, int] = {}
    expected = [numbers.setdefault(group, len(numbers)) for group in groups]
    assert components(texts, threshold).tolist() == expected


@given(tokens=SENTENCES, among=SENTENCES)
@settings(max_examples=60)
def test_the_nearest_is_the_first_with_the_highest_index(
    tokens: list[list[str]], among: list[list[str]]
) -> None:
    oracle = np.array([[jaccard(a, b) for b in among] for a in tokens])
    highest, place = nearest(tokens, among)
    assert highest.tolist() == oracle.max(axis=1).tolist()
    expected = np.where(oracle.max(axis=1) > 0, oracle.argmax(axis=1), -1)
    assert place.tolist() == expected.tolist()


def test_the_index_by_hand() -> None:
    """Of four trigrams, two are in both: digits are masked, one by one."""
    first, second = ["won", "3", "to", "1", "in", "1987"], ["won", "10", "to", "2", "in", "1990"]
    assert nearest([first], [second])[0].tolist() == [2 / 6]


def test_a_focal_word_of_several_tokens_and_no_sentences() -> None:
    some = [["we", "met at", "the", "gate"]]
    assert shingles(some[0]) == shingles(["we", "met", "at", "the", "gate"])
    assert [array.tolist() for array in nearest(some, [])] == [[0.0], [-1]]


@pytest.mark.slow
def test_the_near_duplicates_of_coarsewsd20(real_corpora: dict[str, Corpus]) -> None:
    near, contradicted = {}, 0
    for word, corpus in real_corpora.items():
        train, test = (np.flatnonzero(corpus.split == split) for split in ("train", "test"))
        for sense in range(len(corpus.senses)):
            here, others = test[corpus.gold[test] == sense], train[corpus.gold[train] != sense]
            actual, _ = nearest(*([corpus.tokens[r] for r in rows] for rows in (here, others)))
            contradicted += int((actual >= 0.5).sum())
        actual, _ = nearest(*([corpus.tokens[r] for r in rows] for rows in (test, train)))
        near[word] = int((actual >= 0.5).sum())
    assert sum(near.values()) == 1_075
    assert near["pitcher"] == 774
    # No test instance is like a training instance of another sense.
    assert contradicted == 0
