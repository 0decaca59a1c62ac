"""How sure the figures are: intervals, paired tests, and which choices may be the best.

Everything here works on counts. A confusion matrix has a row per gold sense and a column per
predicted sense; the joint confusion of two systems has, per gold sense, a row per prediction of the
first and a column per prediction of the second. The number of test instances of each sense is
taken as given: what is uncertain is the rate at which a sense is taken for each other, and the
quantity that an interval is about is the figure of the expected confusion matrix. Methods, sources
and measured coverage: docs/statistics.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import comb, prod
from typing import NamedTuple

import numpy as np

from wsd.figures import (
    FIGURES,
    MEANS,
    both_systems,
    margins,
    mean_differences,
    mean_figures,
    of_margins,
    over_words,
    subtract,
    word_figures,
)

Interval = tuple[float, float]
Seed = np.random.Generator | int

# Elements that a temporary array of the search for the best may have: it stays in the cache.
CACHED = 100_000
# Numbers of exchanged instances that are held at once: 32 MB.
DRAWN = 4_000_000


# Intervals


def word_intervals(
    confusion: np.ndarray, *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of one word's figures.

    Every row of the confusion matrix gets one instance more, which a fair coin calls right or
    wrong (then any wrong sense alike), and a Dirichlet draw with these counts. Of a row of two
    cells this is the mean of the two Clopper-Pearson confidence distributions (the half-corrected
    generalised fiducial distribution: Hannig 2009, Statistica Sinica 19), which for n right of n
    has half its mass at 1. The interval is the shortest that holds ``level`` of the draws, widened
    where it has to be to the estimate itself.

    Macro-F1 is taken over the senses that occur in the observed gold or predictions, in every
    draw: whether a sense occurs is not resampled.

    Parameters
    ----------
    confusion : int array of shape (K, K)
        K is the whole inventory, so that one sense all right is not certainty.
    level : float
    draws : int
    rng : Generator or int

    Returns
    -------
    dict of figure to (low, high)
    """
    generator = np.random.default_rng(rng)
    mass = generator.standard_gamma(confusion, size=(draws, *confusion.shape))
    # The instance more is put whole into one cell, drawn anew for each draw; the sum of the two
    # gammas is the gamma of the sum of the counts.
    uniform = generator.random((draws, len(confusion), 1))
    below = _right_or_wrong(len(confusion)).cumsum(axis=1)[:, :-1]
    cell = (uniform > below).sum(axis=-1, keepdims=True)
    more = generator.standard_exponential(cell.shape)
    np.put_along_axis(mass, cell, np.take_along_axis(mass, cell, -1) + more, -1)
    drawn = _figures_of_drawn(_scaled(mass, confusion), confusion)
    estimate = word_figures(confusion)
    return {
        name: bounded(*_shortest(drawn[name], level), estimate[name], floor=0) for name in FIGURES
    }


def mean_intervals(
    confusions: Sequence[np.ndarray], *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the figures over all words.

    Dirichlet posteriors of the rows, with one instance's worth of prior per row, half of it right
    (Jeffreys' prior where a word has two senses), composed over senses and words; then shifted so
    that their mean is the estimate. Without the shift the prior's pull towards one half, small
    in each of 53 rows, adds up to more than the width of the interval.

    Parameters
    ----------
    confusions : sequence over words of int arrays of shape (K, K)
    level, draws, rng
        See :func:`word_intervals`.

    Returns
    -------
    dict of mean to (low, high)
    """
    generator = np.random.default_rng(rng)
    drawn = []
    for matrix in confusions:
        prior = _right_or_wrong(len(matrix))
        mass = generator.standard_gamma(matrix + prior, size=(draws, *matrix.shape))
        drawn.append(_figures_of_drawn(_scaled(mass, matrix), matrix))
    means = over_words(drawn, [matrix.sum() for matrix in confusions])
    return _shifted(means, mean_figures(confusions), level, floor=0)


def difference_intervals(
    joints: Sequence[np.ndarray], *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the difference of two systems' figures over all words, on the same instances.

    As :func:`mean_intervals`, with the pairs of predictions as the cells of a row and a prior of
    1/4 for each of both right, first right, second right, neither, so that each system for itself
    gets the instance that :func:`mean_intervals` adds, and neither is favoured.

    Parameters
    ----------
    joints : sequence over words of int arrays of shape (K, K, K)
        From :func:`wsd.figures.joint_confusion`.
    level, draws, rng
        See :func:`word_intervals`.

    Returns
    -------
    dict of mean to (low, high), of first less second
    """
    generator = np.random.default_rng(rng)
    drawn = []
    for joint in joints:
        rows = joint.reshape(len(joint), -1)
        prior = _right_or_wrong_pairs(len(joint))
        mass = generator.standard_gamma(rows + prior, size=(draws, *rows.shape))
        systems = both_systems(_scaled(mass, rows).reshape(draws, *joint.shape))
        drawn.append(subtract(*map(_figures_of_drawn, systems, both_systems(joint))))
    means = over_words(drawn, [joint.sum() for joint in joints])
    return _shifted(means, mean_differences(joints), level, floor=-1)


def bounded(low: float, high: float, estimate: float | np.ndarray, floor: int) -> Interval:
    """An interval within the figure's range, and with the estimate inside."""
    return float(min(max(low, floor), estimate)), float(max(min(high, 1.0), estimate))


def _right_or_wrong(n_senses: int) -> np.ndarray:
    """One instance in each row: half of it right, the rest over the wrong senses alike."""
    return _normalised(_shares(n_senses))


def _right_or_wrong_pairs(n_senses: int) -> np.ndarray:
    """One instance in each row of pairs: quarters of it both, first, second and neither right."""
    gold, sense = np.ogrid[:n_senses, :n_senses]
    added = np.zeros((n_senses,) * 3)
    for first, second in ((gold, sense), (sense, gold), (sense, sense)):
        added[gold, first, second] = _shares(n_senses)
    return _normalised(added.reshape(n_senses, -1))


def _shares(n_senses: int) -> np.ndarray:
    """Per gold sense, 1 for being right and 1 for all the wrong senses together."""
    shares = np.full((n_senses, n_senses), 1 / max(n_senses - 1, 1))
    np.fill_diagonal(shares, 1)
    return shares


def _normalised(rows: np.ndarray) -> np.ndarray:
    return rows / rows.sum(axis=-1, keepdims=True)


def _scaled(mass: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Gamma draws as expected counts: each row adds up to what was counted in it."""
    return _normalised(mass) * counts.sum(axis=-1, keepdims=True)


def _figures_of_drawn(drawn: np.ndarray, observed: np.ndarray) -> dict[str, np.ndarray]:
    """Figures of drawn confusion matrices, macro-F1 over the senses that occur in the observed."""
    _, gold, predicted = margins(observed)
    return of_margins(*margins(drawn), labels=gold + predicted > 0)


def _shortest(drawn: np.ndarray, level: float) -> Interval:
    """The shortest interval that holds ``level`` of the draws."""
    ordered = np.sort(drawn)
    inside = int(np.ceil(level * len(ordered)))
    widths = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = int(widths.argmin())
    return ordered[start], ordered[start + inside - 1]


def _shifted(
    drawn: Mapping[str, np.ndarray], estimate: Mapping[str, np.ndarray], level: float, floor: int
) -> dict[str, Interval]:
    """Intervals of equal tails, moved so that the draws' mean is the estimate."""
    found = {}
    for name, of in estimate.items():
        centred = drawn[name] - drawn[name].mean()
        low, high = of + np.quantile(centred, [(1 - level) / 2, (1 + level) / 2])
        found[name] = bounded(low, high, of, floor)
    return found


# Clusters


class ClusterInterval(NamedTuple):
    """An interval from resampled clusters.

    Attributes
    ----------
    low, high : float
    inflation : float
        Standard deviation when clusters are drawn, over that when instances are: 1 where the
        near-duplicates tell no less than other instances.
    """

    low: float
    high: float
    inflation: float


def cluster_intervals(
    gold: Sequence[np.ndarray],
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    clusters: Sequence[np.ndarray],
    *,
    level: float = 0.95,
    draws: int = 2000,
    rng: Seed = 0,
) -> dict[str, ClusterInterval]:
    """Differences of two systems' figures over all words, near-duplicates resampled together.

    Whole clusters are drawn with replacement within each word, and the interval is the pivotal one
    (twice the estimate less the quantiles). It is not smoothed and so too narrow where nearly all
    is right: a check beside :func:`difference_intervals`, by its ``inflation``.

    Parameters
    ----------
    gold, first, second : sequences over words of int arrays of shape (n,)
        Senses, and what each of the two systems predicts.
    clusters : sequence over words of int arrays of shape (n,)
        The cluster that each instance is in; an instance without a near-duplicate has its own.
    level : float
    draws : int
    rng : Generator or int

    Returns
    -------
    dict of mean to ClusterInterval, of first less second
    """
    generator = np.random.default_rng(rng)
    words = [_kinds_of_cluster(*word) for word in zip(gold, first, second, clusters, strict=True)]
    joints = [np.tensordot(numbers, kinds, 1) for kinds, numbers in words]
    by_cluster = _resampled(words, draws, generator)
    by_instance = _resampled([_kinds_of_instance(joint) for joint in joints], draws, generator)
    estimate = mean_differences(joints)
    intervals = {}
    for name in MEANS:
        quantiles = np.quantile(by_cluster[name], [(1 + level) / 2, (1 - level) / 2])
        low, high = 2 * estimate[name] - quantiles
        spread, alone = by_cluster[name].std(), by_instance[name].std()
        intervals[name] = ClusterInterval(
            *bounded(low, high, estimate[name], floor=-1),
            inflation=float(spread / alone) if alone else 1.0,
        )
    return intervals


def _kinds_of_cluster(
    gold: np.ndarray, first: np.ndarray, second: np.ndarray, clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The different joint confusions of a word's clusters, and how many clusters have each.

    Most clusters are one instance that both get right: there are few different ones, and to draw
    among those is the same and much less work.

    Returns
    -------
    int arrays of shape (kinds, K, K, K) and (kinds,)
    """
    senses = 1 + max(int(column.max()) for column in (gold, first, second))
    _, code = np.unique(clusters, return_inverse=True)
    counts = np.zeros((code.max() + 1, senses, senses, senses), dtype=np.int64)
    np.add.at(counts, (code, gold, first, second), 1)
    return np.unique(counts, axis=0, return_counts=True)


def _kinds_of_instance(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`_kinds_of_cluster` with each instance its own cluster."""
    numbers = joint[joint > 0]
    kinds = np.zeros((len(numbers), *joint.shape), dtype=np.int64)
    kinds[(np.arange(len(numbers)), *np.nonzero(joint))] = 1
    return kinds, numbers


def _resampled(
    words: Sequence[tuple[np.ndarray, np.ndarray]], draws: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Differences over words whose clusters are drawn with replacement: arrays (draws,)."""
    times = (rng.multinomial(n.sum(), n / n.sum(), size=draws).astype(float) for _, n in words)
    return mean_differences(
        np.tensordot(of_word, kinds, 1) for (kinds, _), of_word in zip(words, times, strict=True)
    )


# Tests


class PairedTest(NamedTuple):
    """The first system's figure less the second's, and the two-sided p-value."""

    difference: float
    p: float


def paired_permutations(
    joints: Sequence[np.ndarray], *, permutations: int = 20_000, rng: Seed = 0
) -> dict[str, PairedTest]:
    """Test whether two systems differ, figure by figure, from the same permutations.

    Under the hypothesis the two predictions of an instance may be exchanged. Only instances whose
    predictions differ matter, and only how many of each kind (gold, first, second) are exchanged:
    a binomial number. The statistic is the difference of the figure itself, recomputed from both
    exchanged confusion matrices, macro-F1 over the senses that then occur. If there are at most
    ``permutations`` outcomes, all are enumerated and p is exact; otherwise the observed outcome is
    one of the ``permutations`` + 1 (Phipson & Smyth 2010), so that p is never 0 and the test not
    liberal where the predictions are exchangeable.

    For one word give its joint confusion alone: the means over one word are its figures.

    Parameters
    ----------
    joints : sequence over words of int arrays of shape (K, K, K)
        From :func:`wsd.figures.joint_confusion`.
    permutations : int
    rng : Generator or int

    Returns
    -------
    dict of mean to PairedTest; p is not adjusted for the number of figures
    """
    kinds = [_differing(joint) for joint in joints]
    numbers = [joint[tuple(kind.T)] for joint, kind in zip(joints, kinds, strict=True)]
    outcomes = exchanges(numbers, permutations, np.random.default_rng(rng))
    sizes = [joint.sum() for joint in joints]
    parts = [
        over_words(list(map(_differences_after, joints, kinds, swaps)), sizes)
        for swaps in outcomes.parts
    ]
    observed = mean_differences(joints)
    found = {}
    for name in MEANS:
        exchanged = np.concatenate([part[name] for part in parts])
        difference = float(observed[name])
        p = tail(np.abs(exchanged), abs(difference), outcomes.weights)
        found[name] = PairedTest(difference, p)
    return found


def _differing(joint: np.ndarray) -> np.ndarray:
    """The kinds of instance that an exchange changes: (gold, first, second), one a row."""
    kinds = np.argwhere(joint)
    return kinds[kinds[:, 1] != kinds[:, 2]]


def _differences_after(
    joint: np.ndarray, kinds: np.ndarray, swaps: np.ndarray
) -> dict[str, np.ndarray]:
    """First less second on one word, after so many exchanges of each kind: arrays (outcomes,)."""
    gold, first, second = kinds.T
    eye = np.eye(len(joint))
    moved = swaps @ (eye[second] - eye[first])
    gained = swaps @ (eye[gold] * ((second == gold) * 1 - (first == gold) * 1)[:, None])
    of_first, of_second = (
        of_margins(right + sign * gained, of_gold, predicted + sign * moved)
        for sign, (right, of_gold, predicted) in zip(
            (1, -1), map(margins, both_systems(joint)), strict=True
        )
    )
    return subtract(of_first, of_second)


class Exchanges(NamedTuple):
    """How many instances of each kind are exchanged, and the weight of each such outcome.

    The first outcome is the observed one, no exchange. To go through the parts gives some outcomes
    at a time, in order: all of them at once would be thousands of numbers for every kind of
    instance in the corpus. What is drawn is the same however it is cut.

    Attributes
    ----------
    weights : float array of shape (outcomes,)
        Adds up to 1.
    parts : iterator of lists over words of float arrays of shape (some outcomes, kinds)
        To be gone through once.
    """

    weights: np.ndarray
    parts: Iterator[list[np.ndarray]]


def exchanges(
    numbers: Sequence[np.ndarray], permutations: int, rng: np.random.Generator, most: int = DRAWN
) -> Exchanges:
    """Enumerate the exchanges, or draw them where there are more than ``permutations``.

    Parameters
    ----------
    numbers : sequence over words of int arrays of shape (kinds,)
        How many instances there are of each kind.
    permutations : int
    rng : Generator
    most : int
        Outcomes in a part, where ``DRAWN`` numbers allow as many.
    """
    of_all = np.concatenate(numbers)
    step = max(1, min(most, DRAWN // max(1, len(of_all))))
    # Python's integers: the product may be any size.
    outcomes = prod(int(n) + 1 for n in of_all)
    swaps: Iterator[np.ndarray]
    if outcomes <= permutations:
        grid = np.indices(tuple(of_all + 1)).reshape(len(of_all), outcomes).T.astype(float)
        chances = [np.array([comb(n, i) / 2**n for i in range(n + 1)]) for n in of_all.tolist()]
        weights = np.ravel(reduce(np.multiply.outer, chances, np.ones(())))
        swaps = (grid[start : start + step] for start in range(0, outcomes, step))
    else:
        weights = np.full(permutations + 1, 1 / (permutations + 1))
        swaps = _drawn_exchanges(of_all, permutations, rng, step)
    ends = np.cumsum([len(of_word) for of_word in numbers])[:-1]
    return Exchanges(weights, (np.split(part, ends, axis=1) for part in swaps))


def _drawn_exchanges(
    numbers: np.ndarray, permutations: int, rng: np.random.Generator, step: int
) -> Iterator[np.ndarray]:
    yield np.zeros((1, len(numbers)))
    for start in range(0, permutations, step):
        size = (min(step, permutations - start), len(numbers))
        yield rng.binomial(numbers, 0.5, size=size).astype(float)


def tail(statistics: np.ndarray, observed: float, weights: np.ndarray) -> float:
    """The weight of the outcomes that are at least as extreme as the observed one."""
    # Outcomes that tie exactly differ in their last bits, by the order of their sums.
    return min(1.0, float(weights[statistics >= observed - 1e-10].sum()))


def mcnemar(joints: Sequence[np.ndarray]) -> float:
    """McNemar's exact test of micro accuracy.

    The binomial test of the instances that one system gets right and the other wrong, two-sided.

    Parameters
    ----------
    joints : sequence over words of int arrays of shape (K, K, K)
        From :func:`wsd.figures.joint_confusion`.
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact

    first = second = 0
    for joint in joints:
        gold = np.arange(len(joint))
        both = joint[gold, gold, gold].sum()
        first += joint[gold, gold].sum() - both
        second += joint[gold, :, gold].sum() - both
    return float(exact([[0, first], [second, 0]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjust the p-values of one family by Holm's method.

    Parameters
    ----------
    p_values : sequence of float
        Of the family's tests, whatever their dependence.

    Returns
    -------
    float array of the same length and order
    """
    from statsmodels.stats.multitest import multipletests

    return multipletests(p_values, method="holm")[1] if len(p_values) else np.array([])


# The best


class Best(NamedTuple):
    """Which of M choices may be the best, by one figure.

    Attributes
    ----------
    estimate : float array of shape (M,)
    p : float array of shape (M,)
        Of the hypothesis that no other choice is better, adjusted for the M - 1 comparisons.
    within : bool array of shape (M,)
        The choices that cannot be told from the best.
    """

    estimate: np.ndarray
    p: np.ndarray
    within: np.ndarray


def not_told_from_best(
    gold: Sequence[np.ndarray],
    predictions: Sequence[np.ndarray],
    figure: str,
    *,
    level: float = 0.95,
    permutations: int = 5000,
    rng: Seed = 0,
) -> Best:
    """Find the choices that cannot be told from the best.

    A choice leaves the set if another is significantly better. Its family are its own M - 1
    one-sided comparisons, in each of which the two choices' predictions are exchanged within
    words; they share their coins, one per instance, and the correction is the single-step max-T
    of Westfall & Young (1993) over the differences, each divided by its root mean square under
    exchange. Each choice has a test at 1 - ``level`` of its own, and nothing is corrected over
    choices: the set misses the best only if the best's own test is wrong, so that it holds the
    best with chance ``level`` (the argument of Hsu's multiple comparisons with the best) as far as
    that test keeps its level: 94 to 95% in simulations of equal choices, see docs/statistics.md.
    It says nothing about order within the set.

    Parameters
    ----------
    gold : sequence over words of int arrays of shape (n,)
    predictions : sequence over words of int arrays of shape (M, n)
        Row i is choice i, in every word.
    figure : str
        Among ``MEANS``.
    level : float
    permutations : int
        Enumerated instead, where there are no more outcomes than this.
    rng : Generator or int
    """
    words = [_count_choices(*word) for word in zip(gold, predictions, strict=True)]
    outcomes = exchanges(
        [word.numbers for word in words],
        permutations,
        np.random.default_rng(rng),
        most=CACHED // max(word.right.size for word in words),
    )
    better = _advantages(words, outcomes, figure)
    p = np.array([_max_t(*of_choice, outcomes.weights) for of_choice in enumerate(better)])
    scores = over_words(
        [of_margins(word.right, word.gold, word.predicted) for word in words],
        [word.gold.sum() for word in words],
    )
    return Best(scores[figure], p, within=p > 1 - level)


class _Choices(NamedTuple):
    """One word's counts under M choices, and its instances on which these differ.

    Attributes
    ----------
    right, predicted : float arrays of shape (M, K)
    gold : float array of shape (K,)
    numbers : int array of shape (kinds,)
        How many instances have the same gold sense and the same M predictions.
    of_right, of_predicted : float arrays of shape (kinds, M, K)
        What one instance of a kind adds to ``right`` and ``predicted``.
    """

    right: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    numbers: np.ndarray
    of_right: np.ndarray
    of_predicted: np.ndarray


def _count_choices(gold: np.ndarray, predictions: np.ndarray) -> _Choices:
    senses = 1 + max(int(gold.max()), int(predictions.max()))
    kinds, numbers = np.unique(np.vstack([gold, predictions]), axis=1, return_counts=True)
    eye = np.eye(senses)
    of_predicted = eye[kinds[1:].T]
    of_right = of_predicted * eye[kinds[0]][:, None, :]
    differ = (kinds[1:] != kinds[1]).any(axis=0)
    return _Choices(
        right=np.tensordot(numbers, of_right, 1),
        predicted=np.tensordot(numbers, of_predicted, 1),
        gold=np.bincount(gold, minlength=senses).astype(float),
        numbers=numbers[differ],
        of_right=of_right[differ],
        of_predicted=of_predicted[differ],
    )


def _advantages(words: Sequence[_Choices], outcomes: Exchanges, figure: str) -> np.ndarray:
    """By how much the others are better than each choice: shape (M, outcomes, M other choices)."""
    choices = len(words[0].right)
    sizes = [word.gold.sum() for word in words]
    better = np.empty((choices, len(outcomes.weights), choices))
    start = 0
    for swaps in outcomes.parts:
        # What each choice gives away, (outcomes, M, K). A pair of choices gives and takes the same
        # instances: this is all that its exchanged confusion matrices need.
        given = [
            (np.tensordot(part, word.of_right, 1), np.tensordot(part, word.of_predicted, 1))
            for word, part in zip(words, swaps, strict=True)
        ]
        stop = start + len(swaps[0])
        for choice in range(choices):
            of_words = [
                _advantages_over(choice, word, *of_word)
                for word, of_word in zip(words, given, strict=True)
            ]
            better[choice, start:stop] = over_words(of_words, sizes)[figure]
        start = stop
    return better


def _advantages_over(
    choice: int, word: _Choices, right: np.ndarray, predicted: np.ndarray
) -> dict[str, np.ndarray]:
    """By how much each choice is better than one on a word, after the exchanges between the two.

    Parameters
    ----------
    choice : int
    word : _Choices
    right, predicted : float arrays of shape (outcomes, M, K)
        What each choice gives away.

    Returns
    -------
    dict of figure to array of shape (outcomes, M)
    """
    gained = right - right[:, choice : choice + 1]
    moved = predicted - predicted[:, choice : choice + 1]
    others = of_margins(word.right - gained, word.gold, word.predicted - moved)
    own = of_margins(word.right[choice] + gained, word.gold, word.predicted[choice] + moved)
    return subtract(others, own)


def _max_t(choice: int, better: np.ndarray, weights: np.ndarray) -> float:
    """The p-value of the largest standardised advantage over a choice.

    Parameters
    ----------
    choice : int
    better : float array of shape (outcomes, M)
        By how much each other choice is better; the first outcome is the observed one.
    weights : float array of shape (outcomes,)
    """
    scale = np.sqrt(weights @ better**2)
    # Equal on every outcome: no difference, whatever the scale.
    standard = np.divide(better, scale, out=np.zeros_like(better), where=scale > 1e-12)
    standard[:, choice] = -np.inf if len(scale) > 1 else 0
    return tail(standard.max(axis=1), standard[0].max() - 1e-7, weights)
