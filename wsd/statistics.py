"""How sure the figures are: intervals, paired tests, and which choices may be the best.

Everything here works on counts. A confusion matrix has a row per gold sense and a column per
predicted sense; the joint confusion of two systems has, per gold sense, a row per prediction of the
first and a column per prediction of the second. The number of test instances of each sense is
taken as given: what is uncertain is the rate at which a sense is taken for each other, and the
quantity that an interval is about is the figure of the expected confusion matrix. Methods, sources
and measured coverage: docs/statistics.md.
"""

from collections.abc import Iterator, Sequence
from math import comb, prod
from typing import NamedTuple

import numpy as np

from wsd.figures import (
    FIGURES,
    MEANS,
    margins,
    mean_figures,
    of_margins,
    over_words,
    word_figures,
)

Interval = tuple[float, float]
Seed = np.random.Generator | int

# Elements that a temporary array of the search for the best may have: it stays in the cache.
_CHUNK = 100_000
# Numbers of exchanged instances that are held at once: 32 MB.
_DRAWN = 4_000_000


class Comparison(NamedTuple):
    """The first system's figure less the second's, and the two-sided p-value."""

    difference: float
    p: float


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


class Best(NamedTuple):
    """Which of M choices may be the best, by one figure.

    Attributes
    ----------
    estimate : float array of shape (M,)
    p : float array of shape (M,)
        Of the hypothesis that no other choice is better, adjusted for the M - 1 comparisons.
    within : bool array of shape (M,)
        The choices that cannot be told from the best.
    against : int array of shape (M,)
        The choice with the largest test statistic against this one.
    """

    estimate: np.ndarray
    p: np.ndarray
    within: np.ndarray
    against: np.ndarray


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
    counts = np.asarray(confusion)
    drawn = _drawn(counts, draws, np.random.default_rng(rng), whole=True)
    estimate = word_figures(counts)
    return {
        name: _bounded(*_shortest(drawn[name], level), float(estimate[name]), floor=0)
        for name in FIGURES
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
    counts = [np.asarray(matrix) for matrix in confusions]
    drawn = [_drawn(matrix, draws, generator, whole=False) for matrix in counts]
    estimate = mean_figures(counts)
    means = over_words(drawn, [float(matrix.sum()) for matrix in counts])
    return {
        name: _bounded(*_shifted(means[name], estimate[name], level), float(estimate[name]), 0)
        for name in MEANS
    }


def word_difference_intervals(
    joint: np.ndarray, *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the difference of two systems' figures on one word.

    As :func:`word_intervals`, with the pairs of predictions as the cells of a row. The added
    instance is both right, first right, second right or neither, each with chance 1/4, so that
    each system for itself gets the instance that :func:`word_intervals` adds, and neither is
    favoured.

    Parameters
    ----------
    joint : int array of shape (K, K, K)
        From :func:`joint_confusion`.
    level, draws, rng
        See :func:`word_intervals`.

    Returns
    -------
    dict of figure to (low, high), of first less second
    """
    counts = np.asarray(joint)
    drawn = _drawn_differences(counts, draws, np.random.default_rng(rng), whole=True)
    first, second = (word_figures(matrix) for matrix in _systems(counts))
    return {
        name: _bounded(*_shortest(drawn[name], level), float(first[name] - second[name]), floor=-1)
        for name in FIGURES
    }


def difference_intervals(
    joints: Sequence[np.ndarray], *, level: float = 0.95, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Intervals of the difference of two systems' figures over all words, on the same instances.

    As :func:`mean_intervals`, with the pairs of predictions as the cells of a row and a prior of
    1/4 for each of both right, first right, second right, neither.

    Parameters
    ----------
    joints : sequence over words of int arrays of shape (K, K, K)
        From :func:`joint_confusion`.
    level, draws, rng
        See :func:`word_intervals`.

    Returns
    -------
    dict of mean to (low, high), of first less second
    """
    generator = np.random.default_rng(rng)
    counts = [np.asarray(joint) for joint in joints]
    drawn = [_drawn_differences(joint, draws, generator, whole=False) for joint in counts]
    means = over_words(drawn, [float(joint.sum()) for joint in counts])
    estimate = _difference(counts)
    return {
        name: _bounded(*_shifted(means[name], estimate[name], level), estimate[name], floor=-1)
        for name in MEANS
    }


def _systems(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The confusion matrices of the two systems."""
    return joint.sum(axis=-1), joint.sum(axis=-2)


def _difference(joints: Sequence[np.ndarray]) -> dict[str, float]:
    first, second = (mean_figures(side) for side in zip(*map(_systems, joints), strict=True))
    return {name: float(first[name] - second[name]) for name in MEANS}


def _drawn(
    counts: np.ndarray, draws: int, rng: np.random.Generator, *, whole: bool
) -> dict[str, np.ndarray]:
    n = len(counts)
    added = (np.full((n, n), 1 / (n - 1)) - np.eye(n) / (n - 1)) if n > 1 else np.zeros((1, 1))
    added = _normalised(added / 2 + np.eye(n) / 2)
    matrices = _posterior(counts, added, draws, rng, whole=whole)
    return of_margins(*margins(matrices), labels=_occurring(counts))


def _drawn_differences(
    counts: np.ndarray, draws: int, rng: np.random.Generator, *, whole: bool
) -> dict[str, np.ndarray]:
    n = len(counts)
    added = np.zeros((n, n, n))
    for gold in range(n):
        wrong = [sense for sense in range(n) if sense != gold]
        added[gold, gold, gold] = 1
        for sense in wrong:
            for cell in [(gold, sense), (sense, gold), (sense, sense)]:
                added[(gold, *cell)] = 1 / len(wrong)
    added = _normalised(added.reshape(n, n * n))
    joint = _posterior(counts.reshape(n, n * n), added, draws, rng, whole=whole)
    joint = joint.reshape(draws, n, n, n)
    first, second = (
        of_margins(*margins(drawn), labels=_occurring(observed))
        for drawn, observed in zip(_systems(joint), _systems(counts), strict=True)
    )
    return {name: first[name] - second[name] for name in FIGURES}


def _normalised(rows: np.ndarray) -> np.ndarray:
    return rows / rows.sum(axis=-1, keepdims=True)


def _occurring(confusion: np.ndarray) -> np.ndarray:
    _, gold, predicted = margins(confusion)
    return gold + predicted > 0


def _posterior(
    counts: np.ndarray, added: np.ndarray, draws: int, rng: np.random.Generator, *, whole: bool
) -> np.ndarray:
    """Draw expected counts, row by row.

    Parameters
    ----------
    counts : int array of shape (rows, cells)
    added : float array of shape (rows, cells)
        Where the one instance more is, in proportions that add up to 1 in each row.
    draws : int
    rng : Generator
    whole : bool
        Put it whole into one cell, drawn anew for each draw, rather than in these proportions.

    Returns
    -------
    float array of shape (draws, rows, cells); each row adds up to its count
    """
    if whole:
        mass = rng.standard_gamma(counts, size=(draws, *counts.shape))
        # The sum of the two gammas is the gamma of the sum of the counts.
        uniform = rng.random((draws, len(counts), 1))
        cell = (uniform > added.cumsum(axis=1)[:, :-1]).sum(axis=-1, keepdims=True)
        more = rng.standard_exponential(cell.shape)
        np.put_along_axis(mass, cell, np.take_along_axis(mass, cell, -1) + more, -1)
    else:
        mass = rng.standard_gamma(counts + added, size=(draws, *counts.shape))
    return _normalised(mass) * counts.sum(axis=-1, keepdims=True)


def _shortest(drawn: np.ndarray, level: float) -> Interval:
    """The shortest interval that holds ``level`` of the draws."""
    ordered = np.sort(drawn)
    inside = int(np.ceil(level * len(ordered)))
    widths = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = int(widths.argmin())
    return float(ordered[start]), float(ordered[start + inside - 1])


def _shifted(drawn: np.ndarray, estimate: float | np.ndarray, level: float) -> Interval:
    low, high = np.quantile(drawn - drawn.mean(), [(1 - level) / 2, (1 + level) / 2])
    return float(estimate + low), float(estimate + high)


def _bounded(low: float, high: float, estimate: float, floor: int) -> Interval:
    """Within the figure's range, and with the estimate inside."""
    return min(max(low, floor), estimate), max(min(high, 1.0), estimate)


def cluster_intervals(
    gold: Sequence[np.ndarray],
    predicted: Sequence[np.ndarray],
    clusters: Sequence[np.ndarray],
    *,
    minus: Sequence[np.ndarray] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    rng: Seed = 0,
) -> dict[str, ClusterInterval]:
    """The figures over all words, or differences of them, with near-duplicates resampled together.

    Whole clusters are drawn with replacement within each word, and the interval is the pivotal one
    (twice the estimate less the quantiles). It is not smoothed and so too narrow where nearly all
    is right: a check beside :func:`mean_intervals` and :func:`difference_intervals`, by its
    ``inflation``.

    Parameters
    ----------
    gold, predicted : sequences over words of int arrays of shape (n,)
    clusters : sequence over words of int arrays of shape (n,)
        The cluster that each instance is in; an instance without a near-duplicate has its own.
    minus : sequence over words of int arrays of shape (n,), optional
        A second system's predictions, whose figures are subtracted.
    level : float
    draws : int
    rng : Generator or int

    Returns
    -------
    dict of mean to ClusterInterval
    """
    generator = np.random.default_rng(rng)
    second = predicted if minus is None else minus
    joints = []
    for word in zip(gold, predicted, second, clusters, strict=True):
        senses = 1 + max(int(column.max()) for column in word[:3])
        joints.append(_cluster_counts(*word, senses))

    def resampled(by_cluster: bool) -> dict[str, np.ndarray]:
        sides: list[list[np.ndarray]] = [[], []]
        for kinds, numbers, joint in joints:
            rows, weights = (kinds, numbers) if by_cluster else _instances(joint)
            times = generator.multinomial(weights.sum(), weights / weights.sum(), size=draws)
            flat = times.astype(float) @ rows.reshape(len(rows), -1)
            for side, matrix in zip(
                sides, _systems(flat.reshape(draws, *joint.shape)), strict=True
            ):
                side.append(matrix)
        first = mean_figures(sides[0])
        if minus is None:
            return first
        less = mean_figures(sides[1])
        return {name: first[name] - less[name] for name in MEANS}

    observed = [joint for *_, joint in joints]
    if minus is None:
        figures = mean_figures([_systems(joint)[0] for joint in observed])
        estimate = {name: float(figures[name]) for name in MEANS}
    else:
        estimate = _difference(observed)
    by_cluster, by_instance = resampled(True), resampled(False)
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name in MEANS:
        low, high = 2 * estimate[name] - np.quantile(by_cluster[name], tails)[::-1]
        spread, alone = by_cluster[name].std(), by_instance[name].std()
        bounded = _bounded(float(low), float(high), estimate[name], 0 if minus is None else -1)
        intervals[name] = ClusterInterval(*bounded, float(spread / alone) if alone else 1.0)
    return intervals


def _cluster_counts(
    gold: np.ndarray, a: np.ndarray, b: np.ndarray, clusters: np.ndarray, senses: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different joint confusions of a word's clusters, how many have each, and their sum.

    Most clusters are one instance that both get right: there are few different ones, and to draw
    among those is the same and much less work.
    """
    _, code = np.unique(clusters, return_inverse=True)
    cells = np.ravel_multi_index((gold, a, b), (senses,) * 3)
    counts = np.zeros((code.max() + 1, senses**3), dtype=np.int64)
    np.add.at(counts, (code, cells), 1)
    kinds, numbers = np.unique(counts, axis=0, return_counts=True)
    return kinds.astype(float), numbers, counts.sum(axis=0).reshape((senses,) * 3)


def _instances(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`_cluster_counts` with each instance its own cluster."""
    used = np.flatnonzero(joint)
    rows = np.zeros((len(used), joint.size))
    rows[np.arange(len(used)), used] = 1
    return rows, joint.ravel()[used]


# Tests


def paired_permutations(
    joints: Sequence[np.ndarray],
    figures: Sequence[str] = MEANS,
    *,
    permutations: int = 20_000,
    rng: Seed = 0,
) -> dict[str, Comparison]:
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
        From :func:`joint_confusion`.
    figures : sequence of str
        Of ``MEANS``.
    permutations : int
    rng : Generator or int

    Returns
    -------
    dict of figure to Comparison; p is not adjusted for the number of figures
    """
    counts = [np.asarray(joint) for joint in joints]
    kinds = [_differing(joint) for joint in counts]
    sizes = [len(kind) for kind in kinds]
    numbers = [joint[tuple(kind.T)] for joint, kind in zip(counts, kinds, strict=True)]
    outcomes = _exchanges(np.concatenate(numbers), permutations, np.random.default_rng(rng))
    parts: list[dict[str, np.ndarray]] = []
    for swaps in outcomes.parts:
        words = []
        exchanged = np.split(swaps, np.cumsum(sizes)[:-1], axis=1)
        for joint, kind, swapped in zip(counts, kinds, exchanged, strict=True):
            sides = []
            eye = np.eye(len(joint))
            gold, a, b = kind.T
            moved = swapped @ (eye[b] - eye[a])
            gained = swapped @ (eye[gold] * ((b == gold) * 1 - (a == gold) * 1)[:, None])
            for matrix, sign in zip(_systems(joint), (1, -1), strict=True):
                right, of_gold, predicted = margins(matrix)
                sides.append(of_margins(right + sign * gained, of_gold, predicted + sign * moved))
            words.append({name: sides[0][name] - sides[1][name] for name in FIGURES})
        parts.append(over_words(words, [float(joint.sum()) for joint in counts]))
    under = {name: np.concatenate([part[name] for part in parts]) for name in figures}
    found = _difference(counts)
    return {
        name: Comparison(
            found[name], _tail(np.abs(under[name]), abs(found[name]), outcomes.weights)
        )
        for name in figures
    }


def paired_permutation(
    joints: Sequence[np.ndarray], figure: str, *, permutations: int = 20_000, rng: Seed = 0
) -> Comparison:
    """Test one figure: see :func:`paired_permutations`."""
    return paired_permutations(joints, [figure], permutations=permutations, rng=rng)[figure]


def _differing(joint: np.ndarray) -> np.ndarray:
    """The kinds of instance that an exchange changes: (gold, first, second), one a row."""
    kinds = np.argwhere(joint)
    return kinds[kinds[:, 1] != kinds[:, 2]]


class _Exchanges(NamedTuple):
    """How many instances of each kind are exchanged, and the weight of each such outcome.

    The first outcome is the observed one, no exchange. To go through them gives float arrays of
    shape (some outcomes, kinds), in order: all of them at once would be thousands of numbers for
    every kind of instance in the corpus. What is drawn is the same however it is cut.

    Attributes
    ----------
    weights : float array of shape (outcomes,)
        Adds up to 1.
    parts : iterator of float arrays of shape (some outcomes, kinds)
        To be gone through once.
    """

    weights: np.ndarray
    parts: Iterator[np.ndarray]


def _exchanges(numbers: np.ndarray, permutations: int, rng: np.random.Generator) -> _Exchanges:
    """Enumerate the exchanges, or draw them where there are more than ``permutations``."""
    # Python's integers: the product may be any size.
    outcomes = prod(int(n) + 1 for n in numbers)
    if outcomes <= permutations:
        grid = np.indices(tuple(int(n) + 1 for n in numbers)).reshape(len(numbers), outcomes).T
        chances = [np.array([comb(int(n), i) / 2 ** int(n) for i in range(n + 1)]) for n in numbers]
        weights = np.ones(len(grid))
        for kind, chance in enumerate(chances):
            weights *= chance[grid[:, kind]]
        return _Exchanges(weights, iter([grid.astype(float)]))

    def drawn() -> Iterator[np.ndarray]:
        yield np.zeros((1, len(numbers)))
        step = max(1, _DRAWN // len(numbers))
        for start in range(0, permutations, step):
            size = (min(step, permutations - start), len(numbers))
            yield rng.binomial(numbers, 0.5, size=size).astype(float)

    return _Exchanges(np.full(permutations + 1, 1 / (permutations + 1)), drawn())


def _tail(statistics: np.ndarray, observed: float, weights: np.ndarray) -> float:
    # Outcomes that tie exactly differ in their last bits, by the order of their sums.
    return min(1.0, float(weights[statistics >= observed - 1e-10].sum()))


def mcnemar(joints: Sequence[np.ndarray]) -> float:
    """McNemar's exact test of micro accuracy.

    The binomial test of the instances that one system gets right and the other wrong, two-sided.

    Parameters
    ----------
    joints : sequence over words of int arrays of shape (K, K, K)
        From :func:`joint_confusion`.
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact

    table = np.zeros((2, 2), dtype=int)
    for joint in joints:
        for gold, pairs in enumerate(np.asarray(joint)):
            both = pairs[gold, gold]
            first, second = pairs[gold].sum() - both, pairs[:, gold].sum() - both
            table += np.array([[both, first], [second, pairs.sum() - both - first - second]])
    if not table[0, 1] + table[1, 0]:
        return 1.0
    return min(1.0, float(exact(table, exact=True).pvalue))


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
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

    values = np.asarray(p_values, dtype=float)
    return np.asarray(multipletests(values, method="holm")[1]) if len(values) else values


def not_told_from_best(
    gold: Sequence[np.ndarray],
    predictions: Sequence[np.ndarray],
    figures: Sequence[str] = MEANS,
    *,
    level: float = 0.95,
    permutations: int = 5000,
    rng: Seed = 0,
) -> dict[str, Best]:
    """Find the choices that cannot be told from the best.

    A choice leaves the set if another is significantly better. Its family are its own M - 1
    one-sided comparisons, in each of which the two choices' predictions are exchanged within
    words; they share their coins, one per instance, and the correction is the single-step max-T
    of Westfall & Young (1993) over the differences, each divided by its root mean square under
    exchange. Each choice has a test at 1 - ``level`` of its own, and nothing is corrected over
    choices: the set misses the best only if the best's own test is wrong, so that it holds the
    best with chance ``level`` (the argument of Hsu's multiple comparisons with the best) as far as
    that test keeps its level: 94 to 95% in simulations of equal choices, see docs/statistics.md.
    It says nothing about order within the set. Each figure is a family of its own.

    Parameters
    ----------
    gold : sequence over words of int arrays of shape (n,)
    predictions : sequence over words of int arrays of shape (M, n)
        Row i is choice i, in every word.
    figures : sequence of str
        Of ``MEANS``.
    level : float
    permutations : int
        Enumerated instead, where there are no more outcomes than this.
    rng : Generator or int

    Returns
    -------
    dict of figure to Best
    """
    words = [_kinds(*word) for word in zip(gold, predictions, strict=True)]
    numbers = np.concatenate([word.numbers for word in words])
    outcomes = _exchanges(numbers, permutations, np.random.default_rng(rng))
    weights = outcomes.weights
    choices = len(predictions[0])
    found = {name: Best(*_empty(choices)) for name in figures}
    # By how much each choice is better than each other one, in each outcome.
    better = {name: np.empty((choices, len(weights), choices)) for name in figures}
    ends = np.cumsum([len(word.numbers) for word in words])[:-1]
    start = 0
    for swaps in outcomes.parts:
        some = slice(start, start + len(swaps))
        parts = np.split(swaps, ends, axis=1)
        exchanged = [word.exchanged(part) for word, part in zip(words, parts, strict=True)]
        for choice in range(choices):
            for name, excess in _excesses(words, exchanged, choice, figures).items():
                better[name][choice, some] = excess
        start = some.stop
    for choice in range(choices):
        for name in figures:
            best, against = found[name], better[name][choice]
            scale = np.sqrt(weights @ against**2)
            # Equal on every outcome: no difference, whatever the scale.
            standard = np.divide(against, scale, out=np.zeros_like(against), where=scale > 1e-12)
            standard[:, choice] = -np.inf if choices > 1 else 0
            observed = standard[0]
            best.against[choice] = observed.argmax()
            best.p[choice] = _tail(standard.max(axis=1), observed.max() - 1e-7, weights)
            best.within[choice] = best.p[choice] > 1 - level
    estimate = over_words(
        [of_margins(word.right, word.gold, word.predicted) for word in words],
        [float(word.gold.sum()) for word in words],
    )
    return {name: found[name]._replace(estimate=estimate[name]) for name in figures}


def _empty(choices: int) -> tuple[np.ndarray, ...]:
    return (
        np.zeros(choices),
        np.ones(choices),
        np.ones(choices, dtype=bool),
        np.zeros(choices, dtype=int),
    )


class _Kinds(NamedTuple):
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

    def exchanged(self, swaps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each choice gives away in each outcome: two arrays of shape (outcomes, M, K).

        A pair of choices gives and takes the same instances, so that this is all that its
        exchanged confusion matrices need, and it is worked out once per choice.
        """
        shape = (len(swaps), *self.right.shape)
        right, predicted = (
            (swaps @ part.reshape(len(part), self.right.size)).reshape(shape)
            for part in (self.of_right, self.of_predicted)
        )
        return right, predicted


def _kinds(gold: np.ndarray, predictions: np.ndarray) -> _Kinds:
    senses = 1 + max(int(gold.max()), int(predictions.max()))
    kinds, numbers = np.unique(np.vstack([gold, predictions]), axis=1, return_counts=True)
    eye = np.eye(senses)
    of_gold = eye[kinds[0]][:, None, :]
    of_predicted = eye[kinds[1:].T]
    of_right = of_predicted * of_gold
    differ = (kinds[1:] != kinds[1]).any(axis=0)
    return _Kinds(
        right=np.tensordot(numbers, of_right, 1),
        predicted=np.tensordot(numbers, of_predicted, 1),
        gold=np.bincount(gold, minlength=senses).astype(float),
        numbers=numbers[differ],
        of_right=of_right[differ],
        of_predicted=of_predicted[differ],
    )


def _excesses(
    words: Sequence[_Kinds],
    exchanged: Sequence[tuple[np.ndarray, np.ndarray]],
    choice: int,
    figures: Sequence[str],
) -> dict[str, np.ndarray]:
    """By how much each choice is better than one, in each outcome: arrays (outcomes, M)."""
    outcomes, choices, _ = exchanged[0][0].shape
    total = {name: np.empty((outcomes, choices)) for name in figures}
    sizes = [float(word.gold.sum()) for word in words]
    step = max(1, _CHUNK // (choices * max(len(word.gold) for word in words)))
    for start in range(0, outcomes, step):
        part = slice(start, start + step)
        excess = []
        for word, (right, predicted) in zip(words, exchanged, strict=True):
            gained = right[part] - right[part, choice : choice + 1]
            moved = predicted[part] - predicted[part, choice : choice + 1]
            other = of_margins(word.right - gained, word.gold, word.predicted - moved)
            own = of_margins(word.right[choice] + gained, word.gold, word.predicted[choice] + moved)
            excess.append({name: other[name] - own[name] for name in FIGURES})
        means = over_words(excess, sizes)
        for name in figures:
            total[name][part] = means[name]
    return total
