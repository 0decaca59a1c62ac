"""Classify a control task, whose labels can be predicted only by memorising neighbouring words.

After Hewitt and Liang (2019), "Designing and Interpreting Probes with Control Tasks". The type of
the neighbouring word fixes the label of an instance, at random, with the same numbers of labels as
the senses. A probe on this task shows how much accuracy memory alone can give. Selectivity is the
accuracy on the senses minus the accuracy on the control task. Labels shuffled per instance would
show nothing, since no probe can predict them on the test set.

The label depends on the neighbour, because all instances of a word share the focal word.
"""

import argparse
import hashlib
from collections import Counter

import numpy as np

from wsd.arguments import add_seed
from wsd.artifacts.corpus_table import Corpus
from wsd.classification import classify


def neighbouring_tokens(corpus: Corpus) -> list[str]:
    """Return per instance the token after the focal word in lower case, or else the one before.

    A sentence with no other word has the neighbour ``""``.
    """
    return [
        (*tokens[position + 1 : position + 2], *tokens[:position][-1:], "")[0].lower()
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]


def control_labels(corpus: Corpus, seed: int) -> np.ndarray:
    """Return the control task's label of every instance.

    Each label gets as many training instances as the sense has. The types of the training set draw
    their labels in descending frequency; equally frequent types are in random order. A type draws
    among the senses that still lack at least as many instances as the type has, in proportion to
    the number that they lack. So a rare sense gets no frequent type. In all words of CoarseWSD-20,
    the numbers match exactly. A type that only the test set has draws its label by the frequencies
    of the senses. A draw is a hash of the seed, the word and the type; it does not depend on the
    order of rows or on a random number generator.

    Parameters
    ----------
    corpus : Corpus
    seed : int

    Returns
    -------
    int array of shape (len(corpus),)
        Indices into ``corpus.senses``.
    """
    types = neighbouring_tokens(corpus)
    train = corpus.split == "train"
    senses = np.bincount(corpus.gold[train], minlength=len(corpus.senses))
    draws = {token: _draw(seed, corpus.word, token) for token in set(types)}
    counts = Counter(token for token, trained in zip(types, train, strict=True) if trained)
    remaining = senses.copy()  # training instances that each label still lacks
    label: dict[str, int] = {}
    for token in sorted(counts, key=lambda t: (-counts[t], draws[t], t)):
        n = counts[token]
        fitting = np.where(remaining >= n, remaining, 0)
        chosen = _choose(fitting, draws[token]) if fitting.any() else int(remaining.argmax())
        label[token] = chosen
        remaining[chosen] -= n
    for token in draws.keys() - label.keys():
        label[token] = _choose(senses, draws[token])
    return np.array([label[token] for token in types], dtype=np.int32)


def _draw(seed: int, word: str, token: str) -> float:
    """Return a number from 0 up to 1 that depends only on the arguments."""
    digest = hashlib.sha256(f"{seed} {word} {token}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _choose(weights: np.ndarray, draw: float) -> int:
    """Choose an index by a draw from 0 to 1, with probabilities in proportion to the weights."""
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, draw * cumulative[-1], side="right"))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    classify.arguments(parser)
    add_seed(parser)


def run(args: argparse.Namespace) -> None:
    """Classify the control task, as `wsd classify` does the senses."""
    classify.run(args, task="control", relabel=lambda corpus: control_labels(corpus, args.seed))
