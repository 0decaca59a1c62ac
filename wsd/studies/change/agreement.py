"""Measure how well the change of words agrees with gold, and which layers agree best.

Graded gold gets Spearman's correlation (:mod:`wsd.metrics.graded`), binary gold the average
precision. Words are resampled for the intervals and exchanged in the tests.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from wsd.logs import log
from wsd.metrics import graded
from wsd.metrics.confidence_intervals import LEVEL, Seed
from wsd.metrics.confidence_set import Advantages, Best, exchange_p_values
from wsd.metrics.exchanges import CACHED, sample_exchanges
from wsd.metrics.pair_scores import percentiles, resampled
from wsd.studies.change.gold import BINARY, GOLD
from wsd.studies.change.measures import PRT

SPEARMAN, AVERAGE_PRECISION = "spearman", "average_precision"
JUDGMENTS, COSINE = "judgments", "cosine"
# With fewer words, no correlation of them can be significant.
FEWEST_WORDS = graded.FEWEST_WORDS


def average_precision(
    values: np.ndarray, positive: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the average precision of each row of values, as scikit-learn defines it.

    Parameters
    ----------
    values : float array of shape (draws, n)
    positive : bool array of shape (n,)
    weights : float array of shape (draws, n), optional
        The number of times that each item counts.

    Returns
    -------
    array of shape (draws,)
        NaN where no positive item counts.
    """
    n = values.shape[1]
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    counts = np.ones_like(ordered) if weights is None else np.take_along_axis(weights, order, 1)
    is_end = np.ones(values.shape, dtype=bool)
    is_end[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    # Equal values enter together: each item has the precision at the end of its values.
    ends = np.where(is_end, np.arange(n), n)
    ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    gained = counts * positive[order]
    right, all_ = (
        np.take_along_axis(np.cumsum(numbers, axis=1), ends, axis=1) for numbers in (gained, counts)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(all_ > 0, right / all_, 0)
        return (gained * precision).sum(axis=1) / gained.sum(axis=1)


def precision_set(predictors: np.ndarray, positive: np.ndarray, rng: Seed = 0) -> Best:
    """Find the predictors whose average precision is not significantly below the best one.

    The test is that of :func:`wsd.metrics.graded.confidence_set`: it exchanges the ranks that two
    predictors give to a word.

    Parameters
    ----------
    predictors : float array of shape (M, n)
    positive : bool array of shape (n,)
    rng : Generator or int
    """
    ranks = rankdata(predictors, axis=1)

    def exchange(swaps: Sequence[np.ndarray]) -> Advantages:
        flips = swaps[0].astype(bool)

        def advantages(choice: int, others: np.ndarray) -> np.ndarray:
            columns = []
            for other in others.tolist():
                pair = ranks[[other, choice]]
                theirs, own = (np.where(flips, *ends) for ends in (pair[::-1], pair))
                columns.append(
                    average_precision(theirs, positive) - average_precision(own, positive)
                )
            return np.stack(columns, axis=1) if columns else np.zeros((len(flips), 0))

        return advantages

    scores = average_precision(ranks, positive)
    n, everyone = len(positive), np.arange(len(ranks))
    after = exchange([np.eye(n)])
    changes = [scores - scores[i] - after(i, everyone) for i in range(len(ranks))]
    errors = np.stack([np.sqrt((change**2).sum(axis=0)) / 2 for change in changes])
    sample = sample_exchanges([(np.ones(n, dtype=int), None)], rng, CACHED // n)
    p = exchange_p_values(scores, errors, sample, exchange, n)
    return Best(scores, p, within=p > 1 - LEVEL)


def score_words(
    changes: pd.DataFrame, gold: pd.DataFrame, baselines: Sequence[str], seed: int
) -> list[pd.DataFrame]:
    """Return the agreement of every measure and layer choice with every gold column.

    Parameters
    ----------
    changes : DataFrame
        With the columns measure, layers, word and value.
    gold : DataFrame
        By word, with columns among ``GOLD``.
    baselines : sequence of str
        Layer choices that take no part in the confidence set.
    seed : int
    """
    tables = []
    for name in gold.columns.intersection([*GOLD]).astype(str):
        known = (gold[name] * GOLD[name]).dropna().rename("gold")
        # The inverted cosine orders words as the prototype distance does.
        rows = changes[changes["measure"] != PRT].join(known, on="word", how="inner")
        if not varies(rows.drop_duplicates("word")["gold"], name):
            continue
        for measure, of_measure in rows.groupby("measure", sort=False):
            layers = [*dict.fromkeys(of_measure["layers"])]
            values = of_measure.pivot(index="word", columns="layers", values="value")[layers]
            values = values.loc[:, values.notna().all() & (values.nunique() > 1)]
            predictors = {str(layers): values[layers].to_numpy() for layers in values}
            ratings = known[values.index].to_numpy()
            words = np.arange(len(ratings))
            table = score(predictors, ratings, words, baselines, seed, name == BINARY)
            tables.append(table.assign(measure=measure, gold=name))
    return tables


def varies(ratings: pd.Series, name: str) -> bool:
    """Return whether ratings can be correlated with anything; log why not."""
    if reason := (
        f"fewer than {FEWEST_WORDS}"
        if len(ratings) < FEWEST_WORDS
        else "all alike"
        if ratings.nunique() < 2
        else ""
    ):
        log.warning("no agreement with %s: the ratings are %s", name, reason)
    return not reason


def score(
    predictors: Mapping[str, np.ndarray],
    ratings: np.ndarray,
    words: np.ndarray,
    baselines: Sequence[str],
    seed: int,
    is_binary: bool = False,
) -> pd.DataFrame:
    """Return a row per predictor: its agreement with the ratings, and whether it may be the best.

    Parameters
    ----------
    predictors : mapping of layer choice to float array of shape (n,)
    ratings : float array of shape (n,)
    words : array of shape (n,)
        The word of each item, which is resampled as a whole.
    baselines : sequence of str
        Their p-value is for a difference from the best layer choice, in either direction; that of
        a layer choice is from the confidence set.
    seed : int
    is_binary : bool
        Whether the ratings are 0 or 1.
    """
    clusters = graded.clusters_of(words)
    weights = resampled(clusters, seed)
    n_clusters = len(np.unique(clusters))
    layers = [name for name in predictors if name not in baselines]
    matrix = np.stack([predictors[name] for name in layers])
    positive = ratings > 0
    if is_binary:
        best = precision_set(matrix, positive, seed)
    else:
        best = graded.confidence_set(matrix, ratings, clusters, SPEARMAN, rng=seed)
    p_values = dict(zip(layers, best.p, strict=True))
    within = dict(zip(layers, best.within, strict=True))
    highest = matrix[int(np.argmax(best.estimate))]
    rows = []
    for name, values in predictors.items():
        if is_binary:
            value = average_precision(values[None], positive).item()
            tiled = np.broadcast_to(values, weights.shape)
            low, high = percentiles(average_precision(tiled, positive, weights), value, n_clusters)
            pair = np.stack([highest, values])
            p = p_values.get(name) or min(1, 2 * precision_set(pair, positive, seed).p.min())
        else:
            value, low, high = graded.estimate(values, ratings, clusters, SPEARMAN, rng=seed)
            against = (highest, values, ratings, clusters, SPEARMAN)
            p = p_values.get(name) or graded.compare(*against, rng=seed).p
        rows.append((name, value, low, high, p, within.get(name, False)))
    table = pd.DataFrame(rows, columns=["layers", "value", "low", "high", "p", "within"])
    metric = AVERAGE_PRECISION if is_binary else SPEARMAN
    return table.assign(metric=metric, n=len(ratings), words=len(np.unique(words)))
