"""How sure the figures are: intervals of one system's and of the difference of two.

Everything here works on counts. A confusion matrix has a row per gold sense and a column per
predicted sense; the joint confusion of two systems has, per gold sense, a row per prediction of the
first and a column per prediction of the second. The number of test instances of each sense is
taken as given: what is uncertain is the rate at which a sense is taken for each other, and the
quantity that an interval is about is the figure of the expected confusion matrix. Methods, sources
and measured coverage: docs/statistics.md.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from wsd.metrics import scores

Interval = tuple[float, float]
Seed = np.random.Generator | int


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
    estimate = scores.word_scores(confusion)
    return {
        name: bounded(*_shortest(drawn[name], level), estimate[name], floor=0)
        for name in scores.WORD_SCORES
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
    means = scores.over_words(drawn, [matrix.sum() for matrix in confusions])
    return _shifted(means, scores.mean_scores(confusions), level, floor=0)


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
        From :func:`wsd.metrics.scores.joint_confusion`.
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
        systems = scores.both_systems(_scaled(mass, rows).reshape(draws, *joint.shape))
        drawn.append(scores.subtract(*map(_figures_of_drawn, systems, scores.both_systems(joint))))
    means = scores.over_words(drawn, [joint.sum() for joint in joints])
    return _shifted(means, scores.mean_differences(joints), level, floor=-1)


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
    _, gold, predicted = scores.margins(observed)
    return scores.scores_of_margins(*scores.margins(drawn), labels=gold + predicted > 0)


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
