"""Small words with random labels of two systems, and their joint confusions."""

from collections.abc import Sequence

import numpy as np

from wsd.metrics.scores import Counts, count_kinds

# Gold, the predictions of two systems, and the number of senses.
Word = tuple[np.ndarray, np.ndarray, np.ndarray, int]


def random_words(seed: int, *, n_words: int = 5, most: int = 12) -> list[Word]:
    """Draw words in which some senses are missing, or only predicted."""
    rng = np.random.default_rng(seed)
    words = []
    for _ in range(n_words):
        n_senses, n = int(rng.integers(2, 6)), int(rng.integers(1, most))
        gold, noise, other = rng.integers(0, n_senses, size=(3, n))
        a = np.where(rng.random(n) < 0.7, gold, noise)
        words.append((gold, a, np.where(rng.random(n) < 0.5, a, other), n_senses))
    return words


def many_senses(n_senses: int, n: int, seed: int = 1) -> Word:
    """Draw a word with a given number of senses and instances."""
    rng = np.random.default_rng(seed)
    gold, noise, other = rng.integers(n_senses, size=(3, n))
    first = np.where(rng.random(n) < 0.8, gold, noise)
    return gold, first, np.where(rng.random(n) < 0.7, first, other), n_senses


def joints(words: Sequence[Word], documents: Sequence[np.ndarray] | None = None) -> list[Counts]:
    of_words = [None] * len(words) if documents is None else documents
    return [count_kinds(w[:3], w[3], own) for w, own in zip(words, of_words, strict=True)]


def counted(joint: np.ndarray) -> Counts:
    """Convert numbers of (gold, first, second), of shape (K, K, K)."""
    return Counts(np.argwhere(joint), joint[joint > 0], len(joint))


def every_triple(joint: Counts) -> np.ndarray:
    numbers = np.zeros((joint.n_senses,) * 3, dtype=int)
    numbers[tuple(joint.kinds.T)] = joint.numbers
    return numbers
