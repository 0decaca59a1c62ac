"""Compare layer choices on groups of words, by part of speech and number of training instances.

A corpus without parts of speech has one group, all words. Intervals generalise to other words of
the same kind: words are drawn with replacement, the same words for every layer choice, and a word
keeps its measured scores. The peak (the single layer with the highest score) and the difference of
two peaks have intervals too. A permutation test compares the shapes of two curves.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.parts_of_speech import NOUN, OPEN_CLASSES, parts_of_speech
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.comparison_tables import Line
from wsd.evaluation.layer_groups import GROUP, Group
from wsd.evaluation.word_columns import add_holm
from wsd.metrics.curve_shapes import same_shape, whole_interval
from wsd.metrics.over_words import FEWEST
from wsd.metrics.pair_scores import percentiles, resampled
from wsd.metrics.scores import word_scores

ALL = "all"
# Edges of the bins of training instances per word.
BINS = (20, 50, 100, 300)
# A group with fewer words has no intervals of its scores.
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
    *("interaction_p", "interaction_p_holm"),
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
        """Return whether it has enough words for intervals of its scores."""
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

    A corpus without parts of speech has one group: all words.
    """
    parts = parts_of_speech(corpora)
    trained = np.array([int((corpus.split == "train").sum()) for corpus in corpora.values()])
    part = np.array([parts.get(word, ALL) for word in corpora])
    size = np.array([bin_of(n) for n in trained.tolist()])
    in_order = [name for name in OPEN_CLASSES if name in part]
    in_order += sorted(set(parts.values()) - set(in_order))
    bins = [bin_of(n) for n in (0, *BINS)] if parts else []
    groups: list[WordGroup] = []
    for name in (ALL, *in_order):
        for bin_ in (ALL, *bins):
            has_part, has_size = (part == name) | (name == ALL), (size == bin_) | (bin_ == ALL)
            if len(words := np.flatnonzero(has_part & has_size)):
                weights = resampled(words, rng=np.random.default_rng([seed, len(groups)]))
                groups.append(WordGroup(name, bin_, words, weights, int(trained[words].sum())))
    return groups


class WordScores(NamedTuple):
    """A metric by word: the score of a group is the sum of its values divided by its sizes.

    Attributes
    ----------
    values : array of shape (words, layer choices)
    sizes : array of shape (words,)
    """

    values: np.ndarray
    sizes: np.ndarray

    def drawn(self, kind: WordGroup) -> np.ndarray:
        """Return scores of a group, shape (1 + draws, layer choices): as observed, then drawn."""
        weights = np.vstack([np.ones(len(kind.words)), kind.weights])
        values, sizes = self.values[kind.words], self.sizes[kind.words]
        return (weights @ values) / (weights @ sizes)[:, None]


def score_groups(group: Group, kinds: Sequence[WordGroup]) -> list[Line]:
    """Return a line per group of words and layer choice, if the corpus has parts of speech."""
    metrics = _per_word(group.rows)
    table = []
    for kind in kinds if len(kinds) > 1 else ():
        n_test = int(metrics["micro_accuracy"].sizes[kind.words].sum())
        shared = group.names | kind.columns | {"n_train": kind.n_train, "n_test": n_test}
        drawn = {name: metric.drawn(kind) for name, metric in metrics.items()}
        for i, row in enumerate(group.rows):
            depth = group.columns(row)["relative_depth"]
            line = {**shared, "layers": row.layers, "relative_depth": depth}
            for name, scores in drawn.items():
                line |= _bounded(name, scores[:, i], kind)
            table.append(line)
    return table


def find_peaks(group: Group, kinds: Sequence[WordGroup], seed: int) -> list[Line]:
    """Return the peak of every group of words by every metric, compared with the nouns' peak.

    A group with fewer than ``FEWEST`` words has no peak.
    The p-values of the parts of speech of one bin, by one metric, are one family of Holm's method.
    """
    single = [row for row in group.rows if group.columns(row)["relative_depth"] is not None]
    if not single:
        return []
    numbers = np.array([int(row.layers) for row in single])
    kinds = [kind for kind in kinds if len(kind.words) >= FEWEST]
    by_name = {kind[:2]: kind for kind in kinds}
    families: dict[tuple[str, str], list[Line]] = defaultdict(list)
    table: list[Line] = []
    for kind, (name, metric) in product(kinds, _per_word(single).items()):
        peak = numbers[metric.drawn(kind).argmax(axis=1)]
        line = {**group.names, **kind.columns, "metric": name, "peak": int(peak[0])}
        line |= _ends("", peak) | {"share_of_draws": float((peak[1:] == peak[0]).mean())}
        table.append(line)
        bin_ = kind.training_instances
        nouns = by_name.get((REFERENCE, bin_))
        if nouns is None or kind.part_of_speech in (ALL, REFERENCE):
            continue
        apart = peak - numbers[metric.drawn(nouns).argmax(axis=1)]
        line |= {"reference": REFERENCE, "difference": int(apart[0])}
        line |= _ends("difference_", apart)
        words = np.concatenate([nouns.words, kind.words])
        line["interaction_p"] = same_shape(
            metric.values[words],
            metric.sizes[words],
            np.arange(len(words)) >= len(nouns.words),
            family=sum(other.training_instances == bin_ for other in kinds) - 2,
            rng=seed,
        )
        families[bin_, name].append(line)
    for family in families.values():
        add_holm(family, "interaction_p")
    return table


def _per_word(rows: Sequence[ComparisonRow]) -> dict[str, WordScores]:
    by_row = [row.confusions for row in rows]
    f1 = [[float(word_scores(matrix)["macro_f1"]) for matrix in matrices] for matrices in by_row]
    right = [[int(np.trace(matrix)) for matrix in matrices] for matrices in by_row]
    total = np.array([matrix.sum() for matrix in by_row[0]])
    by_metric = (np.array(f1).T, np.ones(len(total))), (np.array(right).T, total)
    return {name: WordScores(*own) for name, own in zip(METRICS, by_metric, strict=True)}


def _bounded(name: str, drawn: np.ndarray, kind: WordGroup) -> dict[str, float | None]:
    low, high = (None, None)
    if kind.has_intervals:
        low, high = percentiles(drawn[1:], drawn[0], clusters=len(kind.words))
    return {name: float(drawn[0]), f"{name}_low": low, f"{name}_high": high}


def _ends(prefix: str, drawn: np.ndarray) -> dict[str, int]:
    return dict(zip((f"{prefix}low", f"{prefix}high"), whole_interval(drawn), strict=True))
