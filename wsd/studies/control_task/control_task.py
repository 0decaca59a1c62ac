"""A control task: labels that only a memory for neighbouring words can predict.

After Hewitt and Liang (2019), "Designing and Interpreting Probes with Control Tasks". Each
instance's label is fixed by its neighbouring word's type, at random, with the marginals of the
senses. A probe trained and tested on it shows how much of its accuracy memory alone can give;
selectivity is the accuracy on the senses less that on the control. Labels shuffled per instance
would say nothing: no probe can predict those of the test set.

The neighbour and not the focal word carries the label, because all instances of a word share
the latter.
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
    """Per instance, the token after the focal word in lower case; at the end, the one before.

    A sentence of nothing but the focal word has the neighbour ``""``.
    """
    return [
        (*tokens[position + 1 : position + 2], *tokens[:position][-1:], "")[0].lower()
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]


def control_labels(corpus: Corpus, seed: int) -> np.ndarray:
    """The control task's label of every instance.

    The types of the training set come in descending frequency, equally frequent ones in random
    order. Each draws its label in proportion to what the senses still lack of their numbers of
    training instances, among the senses that lack as many as the type has; the rare types at
    the end then fill the numbers up, exactly in all words of CoarseWSD-20. So a sense of few
    instances has no frequent type. A type of the test set alone draws by the senses' shares.
    Every draw is a hash of the seed, the word and the type: it depends on no order of the rows
    and on no library's generator.

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
    draws = {of_type: _draw(seed, corpus.word, of_type) for of_type in set(types)}
    counts = Counter(of_type for of_type, trained in zip(types, train, strict=True) if trained)
    left = senses.copy()
    label: dict[str, int] = {}
    for of_type in sorted(counts, key=lambda t: (-counts[t], draws[t], t)):
        n = counts[of_type]
        fitting = np.where(left >= n, left, 0)
        label[of_type] = _drawn(fitting, draws[of_type]) if fitting.any() else int(left.argmax())
        left[label[of_type]] -= n
    return np.array(
        [label[t] if t in label else _drawn(senses, draws[t]) for t in types], dtype=np.int32
    )


def _draw(seed: int, word: str, of_type: str) -> float:
    """A number from 0 up to 1 that depends on its arguments alone."""
    digest = hashlib.sha256(f"{seed} {word} {of_type}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _drawn(weights: Sequence[int] | np.ndarray, draw: float) -> int:
    """An index in proportion to whole, non-negative weights, not all of them 0."""
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, draw * cumulative[-1], side="right"))


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    classify.arguments(parser)
    add_seed(parser)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    classify.run(args, task="control", relabel=lambda corpus: control_labels(corpus, args.seed))
