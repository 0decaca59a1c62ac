"""Compare layer choices on groups of words, by part of speech and number of training instances.

The corpus must have parts of speech. Intervals generalise to other words of the same kind: words
are drawn with replacement, the same words for every layer choice, and a word keeps its measured
scores. The peak (the single layer with the highest score) and the distance of two peaks have
intervals too.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.parts_of_speech import NOUN, OPEN_CLASSES, parts_of_speech
from wsd.evaluation.layer_groups import GROUP, Group
from wsd.metrics.pair_scores import percentiles, resampled
from wsd.metrics.scores import word_scores

ALL = "all"
# Edges of the bins of training instances per word.
BINS = (20, 50, 100, 300)
# A group with fewer words has no intervals.
FEW = 10
METRICS = ("mean_macro_f1", "micro_accuracy")
WORD_GROUP = ("part_of_speech", "training_instances", "n_words")
GROUP_COLUMNS = [
    *(*GROUP, *WORD_GROUP, "n_train", "n_test", "layers", "relative_depth"),
    *(f"{metric}{end}" for metric in METRICS for end in ("", "_low", "_high")),
]
PEAK_COLUMNS = [
    *(*GROUP, *WORD_GROUP, "metric", "peak", "low", "high", "share_of_draws"),
    *("reference", "difference", "difference_low", "difference_high"),
]
# The peaks of other parts of speech are compared with the peak of this one.
REFERENCE = NOUN


class WordGroup(NamedTuple):
    """Words of one part of speech and one bin of training instances.

    Attributes
    ----------
    part_of_speech, training_instances : str
        ``"all"`` if there is no restriction.
    words : int array
        The positions of the words in the corpora.
    weights : array of shape (draws, words)
        How often each word is drawn in each draw.
    n_train : int
    """

    part_of_speech: str
    training_instances: str
    words: np.ndarray
    weights: np.ndarray
    n_train: int

    @property
    def has_intervals(self) -> bool:
        """Return whether it has enough words."""
        return len(self.words) >= FEW

    @property
    def columns(self) -> dict[str, Any]:
        """Return the columns that all its rows share."""
        return dict(zip(WORD_GROUP, (*self[:2], len(self.words)), strict=True))


def bin_of(n_train: int) -> str:
    """Return the bin of a number of training instances.

    >>> bin_of(19), bin_of(49), bin_of(300)
    ('<20', '20-49', '300+')
    """
    if n_train < BINS[0]:
        return f"<{BINS[0]}"
    return next((f"{a}-{b - 1}" for a, b in pairwise(BINS) if n_train < b), f"{BINS[-1]}+")


def word_groups(corpora: Mapping[str, Corpus], seed: int) -> list[WordGroup]:
    """Return the groups that have words: all words, each part of speech, each bin, and both.

    A corpus without parts of speech has none.
    """
    parts = parts_of_speech(corpora)
    if not parts:
        return []
    trained = np.array([int((corpus.split == "train").sum()) for corpus in corpora.values()])
    part = np.array([parts[word] for word in corpora])
    size = np.array([bin_of(n) for n in trained.tolist()])
    in_order = [name for name in OPEN_CLASSES if name in part]
    in_order += sorted(set(part.tolist()) - set(in_order))
    groups: list[WordGroup] = []
    for name in (ALL, *in_order):
        for bin_ in (ALL, *(bin_of(n) for n in (0, *BINS))):
            has_part, has_size = (part == name) | (name == ALL), (size == bin_) | (bin_ == ALL)
            if len(words := np.flatnonzero(has_part & has_size)):
                weights = resampled(words, rng=np.random.default_rng([seed, len(groups)]))
                groups.append(WordGroup(name, bin_, words, weights, int(trained[words].sum())))
    return groups


def of_groups(
    group: Group, kinds: Sequence[WordGroup]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a line per group of words and layer choice, and the peak per group and metric."""
    layers: list[dict[str, Any]] = []
    peaks: list[dict[str, Any]] = []
    f1, right, total = _per_word(group)
    depths = [group.columns(row)["relative_depth"] for row in group.rows]
    single = [i for i, depth in enumerate(depths) if depth is not None]
    numbers = np.array([int(group.rows[i].layers) for i in single])
    nouns: dict[tuple[str, str], np.ndarray] = {}
    for kind in kinds:
        drawn = _means(kind, f1[kind.words], right[kind.words], total[kind.words])
        shared = {**group.names, **kind.columns}
        n = {"n_train": kind.n_train, "n_test": int(total[kind.words].sum())}
        for i, row in enumerate(group.rows):
            line = {**shared, **n, "layers": row.layers, "relative_depth": depths[i]}
            for name in METRICS:
                line |= _bounded(name, drawn[name][:, i], kind)
            layers.append(line)
        if not single or not kind.has_intervals:
            continue
        for name in METRICS:
            peak = numbers[drawn[name][:, single].argmax(axis=1)]
            line = {**shared, "metric": name, "peak": int(peak[0]), **_ends("", peak)}
            line["share_of_draws"] = float((peak[1:] == peak[0]).mean())
            bin_ = kind.training_instances, name
            if kind.part_of_speech == REFERENCE:
                nouns[bin_] = peak
            elif kind.part_of_speech != ALL and bin_ in nouns:
                apart = peak - nouns[bin_]
                line |= {"reference": REFERENCE, "difference": int(apart[0])}
                line |= _ends("difference_", apart)
            peaks.append(line)
    return layers, peaks


def _per_word(group: Group) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return macro-F1 and correct predictions, of shape (words, rows), and numbers of instances."""
    by_row = [row.confusions for row in group.rows]
    f1 = [[float(word_scores(matrix)["macro_f1"]) for matrix in matrices] for matrices in by_row]
    right = [[int(np.trace(matrix)) for matrix in matrices] for matrices in by_row]
    return np.array(f1).T, np.array(right).T, np.array([matrix.sum() for matrix in by_row[0]])


def _means(
    kind: WordGroup, f1: np.ndarray, right: np.ndarray, total: np.ndarray
) -> dict[str, np.ndarray]:
    """Return each metric as an array of shape (1 + draws, rows): as observed, then in draws."""
    weights = np.vstack([np.ones(len(total)), kind.weights])
    of_words = weights @ f1 / len(total)
    of_instances = (weights @ right) / (weights @ total)[:, None]
    return dict(zip(METRICS, (of_words, of_instances), strict=True))


def _bounded(name: str, drawn: np.ndarray, kind: WordGroup) -> dict[str, float | None]:
    low, high = percentiles(drawn[1:], drawn[0]) if kind.has_intervals else (None, None)
    return {name: float(drawn[0]), f"{name}_low": low, f"{name}_high": high}


def _ends(prefix: str, drawn: np.ndarray) -> dict[str, int]:
    """Return the ends of the interval of a whole number, from its draws."""
    low, high = np.quantile(drawn[1:], [0.025, 0.975], method="inverted_cdf")
    return {f"{prefix}low": int(min(low, drawn[0])), f"{prefix}high": int(max(high, drawn[0]))}
