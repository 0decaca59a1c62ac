"""The most similar training sentence of each test sentence, and groups of near-duplicates."""

from dataclasses import replace

import numpy as np
from builders import make_corpus

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.most_similar_sentences import (
    find_most_similar,
    near_duplicate_groups,
    without_duplicates,
    without_some_rows,
)


def corpus(word: str, *rows: tuple[str, str, int]) -> Corpus:
    """Return a corpus of rows of split, sentence and sense."""
    splits, sentences, gold = zip(*rows, strict=True)
    made = make_corpus(list(zip(splits, gold, strict=True)), word=word)
    tokens = tuple((word, *sentence.split()) for sentence in sentences)
    return replace(made, tokens=tokens, position=np.zeros(len(rows), dtype=np.int32))


# The test rows come first, so that rows and lines of a file differ.
MINT = corpus(
    "mint",
    ("test", "tea is hot today", 0),
    ("test", "coins from the old house", 1),
    ("test", "tea is hot today", 0),
    ("train", "coins are new and shiny", 1),
    ("train", "tea is hot today and sweet", 0),
    ("train", "tea is hot today", 1),
    # Three of seven trigrams are common: similar, but no near-duplicate.
    ("test", "leaves of the plant were dried", 0),
    # Three of six are: a near-duplicate.
    ("test", "leaves of the plant dried", 0),
    ("train", "leaves of the plant grow here", 0),
)
SAGE = corpus("sage", ("train", "words of wisdom here", 0), ("test", "grows in the garden", 1))
CORPORA = {"mint": MINT, "sage": SAGE}


def test_the_most_similar_training_sentence() -> None:
    most = find_most_similar(CORPORA)
    # The third training sentence is the same, in another sense.
    assert most["mint"].similarity.tolist() == [1, 0, 1, 3 / 7, 0.5]
    assert most["mint"].index.tolist() == [2, -1, 2, 3, 3]
    assert most["mint"].gold.tolist() == [1, -1, 1, 0, 0]
    unlike = without_duplicates(CORPORA)
    assert {word: rows.tolist() for word, rows in unlike.items()} == {
        "mint": [False, True, False, True, False],
        "sage": [True],
    }


def test_groups_of_near_duplicates_have_their_own_numbers_in_each_word() -> None:
    groups = near_duplicate_groups(CORPORA)
    first, second, third, *_ = groups["mint"].tolist()
    assert first == third != second
    assert not {first, second} & {*groups["sage"].tolist()}


def test_a_word_without_any_kept_row_is_left_out() -> None:
    codes = np.array([0, 1, 0])
    words = [
        WordPredictions(word, ("a", "b"), 2, np.arange(3), codes, 1 - codes, np.eye(2)[codes])
        for word in ("mint", "sage")
    ]
    keep = {"mint": np.array([False, True, True]), "sage": np.zeros(3, dtype=bool)}
    (kept,) = without_some_rows(words, keep)
    assert (kept.word, kept.index.tolist(), kept.gold.tolist()) == ("mint", [1, 2], [1, 0])
    assert kept.predicted.tolist() == [0, 1] and len(kept.scores) == 2
