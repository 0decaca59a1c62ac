"""Classify a control task, whose labels only a memory of neighbouring words can predict.

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
from collections.abc import Sequence

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

    The types of the training set are labelled in descending frequency, equally frequent ones in
    random order. A type draws its label among the senses that still lack at least as many training
    instances as the type has, in proportion to what they lack. The rare types at the end fill the
    numbers up, exactly in all words of CoarseWSD-20. So a rare sense has no frequent type. A type
    that only the test set has draws its label by the senses' shares. Every draw is a hash of the
    seed, the word and the type, and depends on no order of rows and no library's generator.

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
    left = senses.copy()
    label: dict[str, int] = {}
    for token in sorted(counts, key=lambda t: (-counts[t], draws[t], t)):
        n = counts[token]
        fitting = np.where(left >= n, left, 0)
        label[token] = _drawn(fitting, draws[token]) if fitting.any() else int(left.argmax())
        left[label[token]] -= n
    return np.array(
        [label[t] if t in label else _drawn(senses, draws[t]) for t in types], dtype=np.int32
    )


def _draw(seed: int, word: str, token: str) -> float:
    """Return a number from 0 up to 1 that depends only on the arguments."""
    digest = hashlib.sha256(f"{seed} {word} {token}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _drawn(weights: Sequence[int] | np.ndarray, draw: float) -> int:
    """Return an index in proportion to whole, non-negative weights, not all 0."""
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, draw * cumulative[-1], side="right"))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    classify.arguments(parser)
    add_seed(parser)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    classify.run(args, task="control", relabel=lambda corpus: control_labels(corpus, args.seed))
