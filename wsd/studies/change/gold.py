"""Read what people know about change, and measure which layers agree with it best.

``judgments.tsv`` (pairs of uses) and ``change.tsv`` (words) lie in the corpus's folder: ``wsd
import`` writes them for a folder of DWUG. A column of clusters is a third source.

Graded gold gets Spearman's correlation (:mod:`wsd.metrics.graded`), binary gold the average
precision. Words are resampled for the intervals and exchanged in the tests.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.dataset import CHANGE, JUDGMENTS
from wsd.errors import CorpusError
from wsd.logs import log
from wsd.metrics import graded
from wsd.metrics.confidence_intervals import LEVEL, Seed, percentiles, resampled
from wsd.metrics.confidence_set import Advantages, Best, exchange_p_values
from wsd.metrics.permutation import CACHED, sample_exchanges
from wsd.storage.result_files import reading_result
from wsd.studies.change.groups import Grouped, column
from wsd.studies.change.measures import PRT, jensen_shannon

GRADED, BINARY, COMPARE = "change_graded", "change_binary", "COMPARE"
# The gold columns: whether a higher number means more change (1) or less (-1).
GOLD = {GRADED: 1, BINARY: 1, COMPARE: -1}
SPEARMAN, AVERAGE_PRECISION = "spearman", "average_precision"
# The names of judged pairs of uses and of their measure in the table.
PAIRS, COSINE = "judgments", "cosine"
# With fewer words, no correlation of them can be significant.
FEWEST_WORDS = graded.FEWEST_WORDS
PAIR = ["word", "row1", "row2"]
# A judgment of 0 means that the annotator could not decide.
UNDECIDED = 0


def read_change(folder: Path) -> pd.DataFrame:
    """Return the gold change, by word: the columns of ``GOLD`` that the file has.

    Raises
    ------
    ResultError
        If the file is not such a table.
    """
    path = folder / CHANGE
    if not path.is_file():
        return pd.DataFrame(columns=[*GOLD])
    with reading_result(path):
        table = _read_table(path).set_index("word")
        return table[[name for name in GOLD if name in table]].replace("", np.nan).astype(float)


def change_of_clusters(grouped: Grouped, name: str) -> float:
    """Return the Jensen-Shannon distance of the clusters of a column; NaN if a group has none.

    Uses without a cluster do not count, nor those with a negative one: DWUG's -1 is noise.
    """
    cells = np.array(grouped.corpus.extra[name])
    known = np.array([cell != "" and not cell.startswith("-") for cell in cells], dtype=bool)
    counts = pd.crosstab(grouped.is_second[known], cells[known]).to_numpy(dtype=float)
    return jensen_shannon(counts[:1], counts[1:]).item() if len(counts) == 2 else float("nan")


def read_judgments(folder: Path, corpora: Corpora, identifier: str) -> pd.DataFrame:
    """Return the judged pairs of each word: their rows in its corpus, and their median judgment.

    Judgments of unknown words or identifiers are left out and counted. Pairs in both orders are the
    same pair.

    Raises
    ------
    CorpusError
        If the file has no known identifier.
    """
    path = folder / JUDGMENTS
    if not path.is_file():
        return pd.DataFrame(columns=[*PAIR, "judgment"])
    with reading_result(path):
        table = _read_table(path)[["word", "identifier1", "identifier2", "judgment"]]
    names = column(corpora, identifier, str(path))
    places = {(word, name): row for word, own in names.items() for row, name in enumerate(own)}
    for side in ("1", "2"):
        keys = zip(table["word"], table[f"identifier{side}"], strict=True)
        table[f"row{side}"] = [places.get(key, -1) for key in keys]
    is_known = (table[["row1", "row2"]] >= 0).all(axis=1)
    if unknown := int((table["word"].isin(corpora) & ~is_known).sum()):
        log.warning("%s: %d judgments of unknown identifiers are left out", path, unknown)
    if not is_known.any() and table["word"].isin(corpora).any():
        fix = f"the column {identifier!r} of the uses has to hold these identifiers"
        raise CorpusError("no judgment has a known identifier", where=str(path), fix=fix)
    numbers = pd.to_numeric(table["judgment"], errors="coerce")
    table = table.assign(judgment=numbers)[is_known & (numbers > UNDECIDED)]
    ends = np.sort(table[["row1", "row2"]].to_numpy(dtype=int), axis=1)
    table = table.assign(row1=ends[:, 0], row2=ends[:, 1])
    return table.groupby(PAIR)["judgment"].median().reset_index()


def _read_table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE)


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
    too_few = len(ratings) < FEWEST_WORDS
    reason = f"fewer than {FEWEST_WORDS}" if too_few else "all alike"
    if is_useless := too_few or ratings.nunique() < 2:
        log.warning("no agreement with %s: the ratings are %s", name, reason)
    return not is_useless


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
    weights, n_clusters = resampled(clusters, seed), len(np.unique(clusters))
    layers = [name for name in predictors if name not in baselines]
    matrix, positive = np.stack([predictors[name] for name in layers]), ratings > 0
    if is_binary:
        best = precision_set(matrix, positive, seed)
    else:
        best = graded.confidence_set(matrix, ratings, clusters, SPEARMAN, rng=seed)
    of_set = dict(zip(layers, zip(best.p, best.within, strict=True), strict=True))
    highest = matrix[int(np.argmax(best.estimate))]
    rows = []
    for name, values in predictors.items():
        p, within = of_set.get(name, (None, False))
        if is_binary:
            value = average_precision(values[None], positive).item()
            tiled = np.broadcast_to(values, weights.shape)
            low, high = percentiles(average_precision(tiled, positive, weights), value, n_clusters)
            pair = np.stack([highest, values])
            p = p or min(1, 2 * precision_set(pair, positive, seed).p.min())
        else:
            value, low, high = graded.estimate(values, ratings, clusters, SPEARMAN, rng=seed)
            p = p or graded.compare(highest, values, ratings, clusters, SPEARMAN, rng=seed).p
        rows.append((name, value, low, high, p, within))
    table = pd.DataFrame(rows, columns=["layers", "value", "low", "high", "p", "within"])
    metric = AVERAGE_PRECISION if is_binary else SPEARMAN
    return table.assign(metric=metric, n=len(ratings), words=len(np.unique(words)))
