"""Confidence intervals of one system's scores, and of the difference of two systems.

All functions work on counts. A confusion matrix has a row per gold sense and a column per
predicted sense. The joint confusion of two systems counts their pairs of predictions for each gold
sense. The number of test instances of each sense is fixed; the rates at which a sense is mistaken
for another are uncertain. An interval is for the metric of the expected confusion matrix.
docs/explanation/statistics.md has methods, sources and measured coverage.

If whole clusters of instances vary, an interval is wider. Clusters are documents, or groups of
near-duplicates. The estimate of the inflation linearises the scores, as in the
analysis of surveys: Binder 1983, International Statistical Review 51; Särndal, Swensson and Wretman
1992, Model Assisted Survey Sampling, section 5.5; Cochran 1977, Sampling Techniques, chapter 9.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from wsd.metrics import scores
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES, Counts, Documents, Margins

Interval = tuple[float, float]
Scores = dict[str, np.ndarray]
Seed = np.random.Generator | int
# One system's counts or confusion matrix of each word.
Words = Sequence[Counts] | Sequence[np.ndarray]
# The confidence level of all intervals, and its quantiles with equal tails.
LEVEL = 0.95
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
# The number of pieces of the prior's instance of each gold sense.
PIECES = 8
# Numbers to draw at once, so that they stay in the cache.
DRAWN = 100_000
# The step of the numerical derivatives, in instances.
STEP = 1e-4
# The number of draws of clusters with replacement.
RESAMPLES = 1000


def word_intervals(
    confusion: np.ndarray, *, draws: int = 4000, rng: Seed = 0
) -> dict[str, Interval]:
    """Return the intervals of one word's scores.

    Every row of the confusion matrix gets one more instance. A fair coin decides whether it is
    right or wrong; all wrong senses are equally likely. A Dirichlet draw has these counts. For a
    row of two cells this is the mean of the two Clopper-Pearson confidence distributions (the
    half-corrected generalised fiducial distribution: Hannig 2009, Statistica Sinica 19). If all n
    are right, half of its mass is at 1. The interval is the shortest that has 95% of the
    draws, extended to the estimate if necessary.

    Macro-F1 is over the senses that occur in the observed gold or predictions, in every draw:
    whether a sense occurs is not resampled.

    Parameters
    ----------
    confusion : int array of shape (K, K)
        K is the whole inventory, so that a sense with all instances right is not certain.
    draws : int
    rng : Generator or int

    Returns
    -------
    dict of metric to (low, high)
    """
    generator = np.random.default_rng(rng)
    n_senses = len(confusion)
    counts = Counts(np.argwhere(confusion), confusion[confusion > 0], n_senses)
    counted = generator.standard_gamma(counts.numbers, size=(draws, len(counts.numbers)))
    # In each draw, the additional instance goes into one random cell. The sum of two gammas is the
    # gamma of the sum of their counts.
    uniform = generator.random((draws, n_senses))
    below = _right_or_wrong(n_senses).cumsum(axis=1)[:, :-1]
    cell = np.stack(list(map(np.searchsorted, below, uniform.T)), axis=1)
    # A word with a single sense has no uncertainty.
    more = generator.standard_exponential(cell.shape) * (n_senses > 1)
    drawn = _scores(counts, _weighed(counts, counted, more, [(1.0, [cell])]), WORD_SCORES)[0]
    estimate = scores.word_scores(confusion)
    return {
        name: bounded(*_shortest(drawn[name]), estimate[name], floor=0)
        for name in scores.WORD_SCORES
    }


def mean_intervals(
    words: Words, *, draws: int = 4000, rng: Seed = 0, names: Sequence[str] = WORD_SCORES
) -> dict[str, Interval]:
    """Return the intervals with equal tails of the scores over all words.

    The rows have Dirichlet posteriors, with a prior of one instance per row, half of it right
    (Jeffreys' prior if a word has two senses). Draws are combined over senses and words, and
    shifted so that their mean is the estimate. Without the shift, the prior pulls each of 53 rows a
    little towards one half, which adds up to more than the width of the interval. Documents widen
    the intervals: the draws are multiplied by :func:`inflations`.

    For the joint confusion of two systems, the intervals are those of first minus second, on the
    same instances: the cells of a row are pairs of predictions. The prior is 1/4 for each of both
    right, first right, second right and neither. So each system by itself gets the instance that
    it gets alone, and neither is favoured.

    Parameters
    ----------
    words : sequence over words of Counts, or of confusion matrices: int arrays of shape (K, K)
        Counts of one system or of two, from :func:`wsd.metrics.scores.count_kinds`.
    draws, rng
        See :func:`word_intervals`.
    names : sequence of str
        The scores of words whose means are asked for.

    Returns
    -------
    dict of mean to (low, high)
    """
    counted = [
        word if isinstance(word, Counts) else Counts(np.argwhere(word), word[word > 0], len(word))
        for word in words
    ]
    sizes, generator = [counts.numbers.sum() for counts in counted], np.random.default_rng(rng)
    by_word = [_drawn_scores(counts, draws, generator, names) for counts in counted]
    drawn = scores.over_words([scores.first_minus_second(system) for system in by_word], sizes)
    observed = [counts.scores(counts.numbers, names) for counts in counted]
    intervals, factors = {}, inflations(counted)
    for name, value in scores.over_words(observed, sizes).items():
        estimate, values = float(value), factors[name] * drawn[name]
        low, high = estimate + np.quantile(values - values.mean(), TAILS)
        intervals[name] = bounded(low, high, estimate, floor=2 - counted[0].kinds.shape[1])
    return intervals


def bounded(low: float, high: float, estimate: float | np.ndarray, floor: int) -> Interval:
    """Return an interval within the metric's range that contains the estimate."""
    return float(min(max(low, floor), estimate)), float(max(min(high, 1.0), estimate))


def _right_or_wrong(n_senses: int) -> np.ndarray:
    """Return one instance per row: half of it right, the rest spread over the wrong senses."""
    shares = np.full((n_senses, n_senses), 0.5 / max(n_senses - 1, 1))
    np.fill_diagonal(shares, 0.5)
    return shares


def _drawn_scores(
    counts: Counts, draws: int, rng: np.random.Generator, names: Sequence[str]
) -> list[Scores]:
    """Return each system's scores in draws from the posterior, with the prior's instances."""
    step = max(1, DRAWN // (len(counts.numbers) + counts.n_senses))
    parts = [
        _scores(counts, _draw_margins(counts, min(step, draws - start), rng), names)
        for start in range(0, draws, step)
    ]
    return [
        {name: np.concatenate([part[name] for part in system]) for name in names}
        for system in zip(*parts, strict=True)
    ]


def _scores(counts: Counts, drawn: Sequence[Margins], names: Sequence[str]) -> list[Scores]:
    """Return the scores of drawn margins, with macro-F1 over the senses that were observed."""
    observed = counts.margins(counts.numbers)
    return [
        scores.scores_of_margins(*margins, labels=gold + predicted > 0, names=names)
        for margins, (_, gold, predicted) in zip(drawn, observed, strict=True)
    ]


def _draw_margins(counts: Counts, draws: int, rng: np.random.Generator) -> list[Margins]:
    """Return margins of each system, in draws from the posterior.

    With two systems, the prior has K squared cells for each of K gold senses. So only the cells
    that occur are drawn, and a Dirichlet draw of one instance, the prior's, breaks it repeatedly:
    each time it takes a uniform part of the rest, and puts this part into one cell drawn from the
    prior (Sethuraman 1994, Statistica Sinica 4). The last of ``PIECES`` takes the whole rest.
    """
    n_senses, n_systems = counts.n_senses, counts.kinds.shape[1] - 1
    drawn = rng.standard_gamma(counts.numbers, size=(draws, len(counts.numbers)))
    more = rng.standard_exponential((draws, n_senses))
    # A single sense has no wrong one.
    gold, distance = np.ogrid[:n_senses, 1 : max(n_senses, 2)]
    wrong = (gold + distance) % n_senses
    right = np.broadcast_to(gold, wrong.shape)
    # One system: half is right. Two systems: a quarter each for both, first, second, neither right.
    cases = zip(*product((right, wrong), repeat=n_systems), strict=True)
    into = [np.hstack(case) for case in cases]
    width = into[0].shape[1]

    def pieces() -> Iterator[tuple[np.ndarray | float, list[np.ndarray]]]:
        for piece in range(1, PIECES + 1):
            place = rng.integers(width, size=more.shape) + width * gold.T
            share = rng.random(more.shape) if piece < PIECES else 1.0
            yield share, [senses.take(place) for senses in into]

    return _weighed(counts, drawn, more, pieces())


def _weighed(
    counts: Counts,
    drawn: np.ndarray,
    more: np.ndarray,
    pieces: Iterable[tuple[np.ndarray | float, Sequence[np.ndarray]]],
) -> list[Margins]:
    """Return margins of each system, in which each gold sense has its observed number.

    Parameters
    ----------
    counts : Counts
    drawn : float array of shape (draws, kinds)
    more : float array of shape (draws, K)
        The additional weight of each gold sense.
    pieces : iterable of (share, sequence over systems of int arrays of shape (draws, K))
        Parts of the rest of that weight, and the predicted senses that each part goes to.
    """
    senses, gold = np.arange(counts.n_senses), counts.kinds[:, 0]
    of_gold = np.bincount(gold, counts.numbers, len(senses))
    total = drawn @ np.eye(len(senses))[gold] + more
    margins = counts.margins(drawn / total[:, gold] * of_gold[gold])
    left = more / total * of_gold
    first = len(senses) * np.arange(len(drawn))[:, None]
    for share, into in pieces:
        part = left * share
        left -= part
        for (right, _, predicted), sense in zip(margins, into, strict=True):
            right += part * (sense == senses)
            added = np.bincount((first + sense).ravel(), part.ravel(), predicted.size)
            predicted += added.reshape(predicted.shape)
    return [(right, of_gold, predicted) for right, _, predicted in margins]


def _shortest(drawn: np.ndarray) -> Interval:
    """Return the shortest interval that has 95% of the draws."""
    ordered = np.sort(drawn)
    inside = int(np.ceil(LEVEL * len(ordered)))
    widths = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = int(widths.argmin())
    return ordered[start], ordered[start + inside - 1]


def inflations(words: Sequence[Counts]) -> dict[str, float]:
    """Return how many times as wide clusters make the 95% interval of each score over all words.

    The influence of an instance is the derivative of the score with respect to the number of
    instances of its kind, minus its mean over the instances of the same word and gold sense. The
    inflation is the square root of a ratio: the sum of squares of the clusters' total influences,
    divided by the sum of squares of the instances' influences. Each sense with m clusters and n
    instances gets the factors m / (m - 1) and n / (n - 1) of stratified samples. A sense in a
    single cluster shows nothing, and is left out. A quantile of the t-distribution replaces the
    normal one. Its degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2) minus 1, at
    the intraclass correlation that the ratio shows. For clusters of equal size, they are the number
    of clusters minus 1.

    Parameters
    ----------
    words : sequence of Counts
        The counts of one system, or the joint confusion of two, with clusters as ``documents``.

    Returns
    -------
    dict of mean to float
        At least 1; 1 if there are no clusters. For two systems, it is for first minus second.
    """
    from scipy.stats import norm, t

    clusters = [counts.documents for counts in words if counts.documents is not None]
    names = np.unique(np.concatenate([[], *(documents.names for documents in clusters)]))
    size = sum(counts.numbers.sum() for counts in words)
    if len(clusters) < len(words) or len(names) == size:
        return dict.fromkeys(MEAN_SCORES, 1.0)
    by_cluster = np.zeros((len(MEAN_SCORES), len(names)))
    by_instance, sizes = np.zeros(len(MEAN_SCORES)), np.zeros(len(names))
    for counts, documents in zip(words, clusters, strict=True):
        shares = np.full(len(MEAN_SCORES), 1 / len(words))
        shares[0] = counts.numbers.sum() / size
        of_clusters, of_instances, instances = _influences(counts, documents)
        places = np.searchsorted(names, documents.names)
        by_cluster[:, places] += shares[:, None] * of_clusters
        sizes[places] += instances
        by_instance += shares**2 * of_instances
    if not sizes.any():
        return dict.fromkeys(MEAN_SCORES, 1.0)
    ratios = np.divide(
        (by_cluster**2).sum(axis=1), by_instance, out=np.ones(len(shares)), where=by_instance > 0
    )
    pairs = sizes * (sizes - 1)
    correlation = np.maximum(ratios - 1, 0) * sizes.sum() / max(pairs.sum(), 1)
    variances = sizes + np.outer(correlation, pairs)
    freedom = variances.sum(axis=1) ** 2 / (variances**2).sum(axis=1) - 1
    few = t.ppf(TAILS[1], np.maximum(freedom, 1)) / norm.ppf(TAILS[1])
    factors = np.where(ratios > 1, np.sqrt(ratios) * few, 1)
    return dict(zip(MEAN_SCORES, factors.tolist(), strict=True))


def _influences(counts: Counts, clusters: Documents) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a word's influences, of senses in several clusters.

    Returns
    -------
    float array of shape (means, clusters)
        Each cluster's total.
    float array of shape (means,)
        The sum of squares over instances.
    int array of shape (clusters,)
        The number of instances of such senses in each cluster.
    """
    gold = np.eye(counts.n_senses)[counts.kinds[:, 0]]
    in_cluster = clusters.numbers @ gold
    n, m = in_cluster.sum(axis=0), (in_cluster > 0).sum(axis=0)
    steps = STEP * np.eye(len(counts.numbers))
    up, down = (counts.scores(counts.numbers + side) for side in (steps, -steps))
    by_word = np.stack([up[name] - down[name] for name in WORD_SCORES]) / (2 * STEP)
    influence = by_word[[0, *range(len(WORD_SCORES))]]
    influence -= (influence * counts.numbers @ gold / np.maximum(n, 1)) @ gold.T
    # m / (m - 1) for clusters and n / (n - 1) for instances; 0 for a sense in a single cluster.
    of_clusters, of_instances = (gold @ ((m > 1) * k / np.maximum(k - 1, 1)) for k in (m, n))
    totals = (influence * np.sqrt(of_clusters)) @ clusters.numbers.T
    squares = influence**2 @ (counts.numbers * of_instances)
    return totals, squares, clusters.numbers @ (of_clusters > 0)


def resampled(clusters: np.ndarray, rng: Seed = 0) -> np.ndarray:
    """Return the number of times that each pair counts in draws of clusters with replacement.

    Parameters
    ----------
    clusters : array of shape (n,)
        Pairs with the same value are drawn together.
    rng : Generator or int

    Returns
    -------
    float32 array of shape (RESAMPLES, n)
    """
    names, cluster = np.unique(clusters, return_inverse=True)
    shares = np.full(len(names), 1 / len(names))
    drawn = np.random.default_rng(rng).multinomial(len(names), shares, size=RESAMPLES)
    return drawn.astype(np.float32)[:, cluster.ravel()]


def percentiles(
    drawn: np.ndarray, estimate: float, clusters: int | None = None, floor: int = 0
) -> Interval:
    """Return the interval with equal tails of the draws, extended to the estimate.

    Parameters
    ----------
    drawn : array of shape (draws,)
    estimate : float
    clusters : int, optional
        The number of clusters that were drawn. The interval is as much wider as a t-interval of so
        many values: a bootstrap of few clusters is too narrow. A single cluster shows nothing.
    floor : int
        The lowest value of the score.
    """
    from scipy.stats import norm, t

    if np.isnan(estimate):
        return np.nan, np.nan
    if clusters == 1:
        return float(floor), 1.0
    low, high = np.nanquantile(drawn, TAILS)
    if clusters:
        wider = t.ppf(TAILS[1], clusters - 1) / norm.ppf(TAILS[1])
        wider *= np.sqrt(clusters / (clusters - 1))
        low, high = (estimate + (end - estimate) * wider for end in (low, high))
    return bounded(low, high, estimate, floor)
