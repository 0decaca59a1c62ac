"""The control task: one label per neighbouring type, the senses' distribution, and a seed."""

from dataclasses import replace

import numpy as np
import pytest

from wsd.artifacts.corpus_table import Corpus
from wsd.studies.control_task.control_task import control_labels, neighbouring_tokens


def corpus_of_types(
    train: list[str], test: list[str], gold: list[int], *, word: str = "mint"
) -> Corpus:
    """One row per neighbour; ``gold`` of the training rows, test rows have sense 0."""
    n = len(train) + len(test)
    return Corpus(
        word=word,
        senses=tuple(f"sense{i}" for i in range(max(gold) + 1)),
        split=np.array(["train"] * len(train) + ["test"] * len(test)),
        index=np.array([*range(len(train)), *range(len(test))], dtype=np.int32),
        tokens=tuple(("the", word, of_type, "here") for of_type in [*train, *test]),
        position=np.ones(n, dtype=np.int32),
        gold=np.array([*gold, *[0] * len(test)], dtype=np.int32),
    )


def counts(labels: np.ndarray, corpus: Corpus) -> list[int]:
    return np.bincount(labels[corpus.split == "train"], minlength=len(corpus.senses)).tolist()


# Types that occur 8, 4, 2 and 2 times, and eight types once: 24 instances of three senses.
TRAIN = ["of"] * 8 + ["in"] * 4 + ["at"] * 2 + ["by"] * 2 + [f"w{i}" for i in range(8)]
GOLD = [0] * 12 + [1] * 9 + [2] * 3
TEST = ["of", "in", "w3", *(f"new{i}" for i in range(2000))]
MIXED = corpus_of_types(TRAIN, TEST, GOLD)
SMALL = corpus_of_types(TRAIN, TEST[:5], GOLD)


def test_the_neighbour_follows_the_focal_word_or_precedes_it_at_the_end() -> None:
    corpus = replace(
        corpus_of_types(["x"] * 4, [], [0] * 4),
        tokens=(("A", "mint", "Leaf", "fell"), ("A", "Fresh", "mint"), ("mint", "."), ("mint",)),
        position=np.array([1, 2, 0, 0], dtype=np.int32),
    )
    assert neighbouring_tokens(corpus) == ["leaf", "fresh", ".", ""]
    # A focal word of two words is one token.
    of_two = replace(corpus, tokens=(("A", "mint tea", "Leaf", "fell"), *corpus.tokens[1:]))
    assert neighbouring_tokens(of_two) == neighbouring_tokens(corpus)


def test_the_marginals_are_the_senses_and_a_type_has_one_label_in_both_splits() -> None:
    for seed in range(20):
        labels = control_labels(SMALL, seed)
        assert counts(labels, SMALL) == [12, 9, 3]
        pairs = {*zip(neighbouring_tokens(SMALL), labels.tolist(), strict=True)}
        assert len(pairs) == len({*neighbouring_tokens(SMALL)})


def test_types_of_the_test_set_alone_are_drawn_from_the_marginals() -> None:
    labels = control_labels(MIXED, 1)[len(TRAIN) + 3 :]
    shares = np.bincount(labels, minlength=3) / len(labels)
    assert shares == pytest.approx([0.5, 0.375, 0.125], abs=0.03)


def test_labels_depend_on_the_seed_and_the_word() -> None:
    """A frequent type gets different labels too, of the senses that it fits."""
    labels = [control_labels(SMALL, seed) for seed in range(30)]
    assert len({tuple(own) for own in labels}) > 25
    assert {int(own[8]) for own in labels} == {0, 1}
    assert control_labels(replace(SMALL, word="sage"), 1).tolist() != labels[1].tolist()


def test_the_labels_do_not_depend_on_the_order_of_rows_or_on_gold_row_by_row() -> None:
    expected, order = control_labels(SMALL, 4), np.random.default_rng(0).permutation(len(SMALL))
    rows = {name: getattr(SMALL, name)[order] for name in ("split", "index", "position", "gold")}
    shuffled = replace(SMALL, tokens=tuple(SMALL.tokens[i] for i in order), **rows)
    assert control_labels(shuffled, 4).tolist() == expected[order].tolist()
    gold = SMALL.gold.copy()
    gold[: len(TRAIN)] = gold[: len(TRAIN)][::-1]
    assert control_labels(replace(SMALL, gold=gold), 4).tolist() == expected.tolist()


def test_the_labels_of_a_seed_are_the_same_on_every_machine() -> None:
    """As often as this runs, the seed of Python's own hashes differs."""
    assert "".join(map(str, control_labels(SMALL, 3))) == "00000000000011222111111100112"
