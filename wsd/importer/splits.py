"""Training and test split of a word's sentences, where the source gives none."""

import hashlib

import numpy as np

from wsd.duplicates import Sentences, components


def groups(tokens: Sentences, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Near-duplicates together, and the sense that each group counts for.

    Returns
    -------
    int array of shape (n,)
        Each sentence's group.
    int array of shape (number of groups,)
        The group's sense; of several the one with the fewest groups so far, the rarer of two such.
    """
    group = components(tokens)
    frequent = np.bincount(gold)
    senses = [set(gold[group == g].tolist()) for g in range(group.max() + 1)]
    of_group = np.zeros(len(senses), dtype=int)
    count = np.zeros(len(frequent), dtype=int)
    # Where there is a choice comes last.
    for g in sorted(range(len(senses)), key=lambda g: (len(senses[g]), g)):
        of_group[g] = min(senses[g], key=lambda sense: (count[sense], frequent[sense], sense))
        count[of_group[g]] += 1
    return group, of_group


def divide(
    word: str, tokens: Sentences, gold: np.ndarray, *, share: float, seed: int
) -> np.ndarray:
    """Which sentences are for testing: of each sense about a share, near-duplicates together.

    Of every sense the groups of near-duplicates are shuffled, by the seed and the word, and taken
    for the test split until it has the sense's share of sentences; at least one group goes to
    either side.

    Parameters
    ----------
    word : str
    tokens : sequence of n sentences
    gold : int array of shape (n,)
    share : float
        Between 0 and 1.
    seed : int

    Returns
    -------
    bool array of shape (n,)

    Raises
    ------
    ValueError
        With the number of a sense that has fewer than two groups.
    """
    group, of_group = groups(tokens, gold)
    sizes = np.bincount(group)
    # Another word more or less in the corpus moves no sentence of this one.
    of_word = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    random = np.random.default_rng([seed, of_word])
    tested = np.zeros(len(gold), dtype=bool)
    for sense in np.unique(gold).tolist():
        own = np.flatnonzero(of_group == sense)
        if len(own) < 2:
            raise ValueError(sense)
        wanted, taken = share * sizes[own].sum(), 0
        for number, one in enumerate(random.permutation(own).tolist()):
            # The last group stays for training; the first that fits, or the first of all, is taken.
            if number == len(own) - 1 or (number and taken + sizes[one] / 2 > wanted):
                break
            tested[group == one] = True
            taken += sizes[one]
    return tested
