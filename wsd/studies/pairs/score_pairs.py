"""Score cosines of pairs against labels or ratings: selection, intervals, tests.

Pairs with labels have a threshold, set on training pairs. Development pairs select the layer choice
and transformation, or training pairs without them. A corpus without splits is cross-validated over
words: in each fold, the other folds set the thresholds and select. Its reference in all tests is
the *out-of-fold* selection: each pair is scored with what the other folds select.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.errors import CorpusError
from wsd.metrics import confidence_set, graded
from wsd.metrics.confidence_set import Best
from wsd.metrics.counts import count_kinds
from wsd.metrics.graded import FEWEST_WORDS, clusters_of
from wsd.metrics.pair_scores import accuracy, auc, best_threshold, percentiles, resampled
from wsd.metrics.permutation import Difference, compare_systems, holm
from wsd.studies.pairs.cosines import TESTS, Cosines, metrics_of
from wsd.studies.pairs.pair_table import ALL, SPLITS, TEST, Pairs

NONE = (np.nan, np.nan)
OUT_OF_FOLD = "out-of-fold"
FOLDS = 5
Name = tuple[str, str]


class Answers(NamedTuple):
    """What one layer choice says about some pairs.

    Attributes
    ----------
    values : float array of shape (n,)
        The cosines.
    called : bool array of shape (n,)
        Whether a pair counts as *same*; not used for ratings.
    """

    values: np.ndarray
    called: np.ndarray


class Scorer(NamedTuple):
    """The scores of answers, for labels or for ratings.

    Attributes
    ----------
    gold : float array of shape (n,)
    word : array of shape (n,)
    is_graded : bool
    seed : int
    """

    gold: np.ndarray
    word: np.ndarray
    is_graded: bool
    seed: int

    @property
    def documents(self) -> np.ndarray | None:
        """The number of each pair's word, if words are exchanged as a whole."""
        numbers = clusters_of(self.word)
        return numbers if len(np.unique(self.word)) >= FEWEST_WORDS else None

    def scores(self, answers: Answers, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Return each metric, for each row of weights."""
        if self.is_graded:
            return {
                metric: graded.correlate(answers.values, self.gold, metric, weights)
                for metric in graded.METRICS
            }
        same = self.gold == 1
        right = accuracy(answers.called == same, weights)
        return {"accuracy": right, "auc": auc(answers.values, same, weights)}

    def compare(self, first: Answers, second: Answers) -> Difference:
        """Test the difference of the first metric."""
        if self.is_graded:
            return graded.compare(
                first.values,
                second.values,
                self.gold,
                clusters_of(self.word),
                graded.METRICS[0],
                rng=self.seed,
            )
        right = [answers.called == (self.gold == 1) for answers in (first, second)]
        joint = count_kinds([np.ones(len(self.gold), dtype=int), *right], 2, self.documents)
        return compare_systems([joint], rng=self.seed)["micro_accuracy"]

    def differ(self, first: Answers, second: Answers) -> bool:
        """Return whether two answers can have different scores."""
        kind = "values" if self.is_graded else "called"
        return bool((getattr(first, kind) != getattr(second, kind)).any())

    def best(self, answers: Sequence[Answers]) -> Best:
        """Return the confidence set of the first metric."""
        if self.is_graded:
            values = np.stack([own.values for own in answers])
            clusters, metric = clusters_of(self.word), graded.METRICS[0]
            return graded.confidence_set(values, self.gold, clusters, metric, rng=self.seed)
        right = np.stack([own.called == (self.gold == 1) for own in answers]).astype(int)
        documents = None if self.documents is None else [self.documents]
        ones = [np.ones(len(self.gold), dtype=int)]
        return confidence_set.confidence_set(
            ones, [right], "micro_accuracy", documents=documents, rng=self.seed
        )


def score(pairs: Pairs, cosines: Cosines, seed: int = 1) -> pd.DataFrame:
    """Return scores with intervals, and tests against the selected row, by split.

    With at least ``FEWEST_WORDS`` words, the tests exchange the answers on whole words.

    Parameters
    ----------
    pairs : Pairs
    cosines : Cosines
        The simplest choice first, since the first wins a tie.
    seed : int
        The seed of the folds and the resampling.

    Returns
    -------
    DataFrame
        The columns of ``pairs.csv`` except model and view.

    Raises
    ------
    CorpusError
        If no pair that thresholds are fitted on has a label or rating.
    """
    train = pairs.labelled(pairs.fitted_on)
    if not len(train):
        kind = "rating" if pairs.is_graded else "label"
        problem = f"no {'training ' * (pairs.fitted_on == 'train')}pair has a {kind}"
        fix = f"import them with their {kind}s"
        raise CorpusError(problem, where=str(pairs.about["name"]), fix=fix)
    if pairs.fitted_on in (ALL, TEST):
        return _cross_validate(pairs, cosines, train, seed)
    thresholds = _thresholds(pairs, cosines, train)
    selected_on = dev if len(dev := pairs.labelled("dev")) else train
    chosen = _select(_scorer(pairs, selected_on, seed), _answers(cosines, thresholds, selected_on))
    tables = []
    for split in SPLITS:
        if len(rows := pairs.labelled(split)):
            scorer, answers = _scorer(pairs, rows, seed), _answers(cosines, thresholds, rows)
            table = _table(scorer, answers, chosen, answers[chosen])
            if split == TEST:
                _add_tests(table, scorer, answers, answers[chosen])
            tables.append(table.assign(split=split, threshold=[*thresholds.values()]))
    return pd.concat(tables, ignore_index=True)


def _cross_validate(pairs: Pairs, cosines: Cosines, rows: np.ndarray, seed: int) -> pd.DataFrame:
    scorer = _scorer(pairs, rows, seed)
    all_answers = {
        name: Answers(np.empty(len(rows)), np.empty(len(rows), dtype=bool)) for name in cosines
    }
    selected = Answers(np.empty(len(rows)), np.empty(len(rows), dtype=bool))
    for fold in _folds(scorer.word, seed):
        others = np.setdiff1d(np.arange(len(rows)), fold)
        thresholds = _thresholds(pairs, cosines, rows[others])
        known = _answers(cosines, thresholds, rows[others])
        chosen = _select(_scorer(pairs, rows[others], seed), known)
        for name, own in _answers(cosines, thresholds, rows[fold]).items():
            all_answers[name].values[fold] = own.values
            all_answers[name].called[fold] = own.called
        # Folds may select choices with cosines on different scales.
        every = cosines[chosen][rows]
        selected.values[fold] = (every[fold] - every.mean()) / (every.std() or 1)
        selected.called[fold] = all_answers[chosen].called[fold]
    chosen = _select(scorer, all_answers)
    table = _table(scorer, all_answers, chosen, selected)
    _add_tests(table, scorer, all_answers, selected)
    thresholds = _thresholds(pairs, cosines, rows)
    table = table.assign(split=str(pairs.split[rows[0]]), threshold=[*thresholds.values()])
    out_of_fold = _table(scorer, {chosen: selected}, chosen, selected)
    out_of_fold = out_of_fold.assign(split=OUT_OF_FOLD, threshold=np.nan)
    return pd.concat([out_of_fold, table], ignore_index=True)


def _folds(words: np.ndarray, seed: int) -> list[np.ndarray]:
    """Return the rows of each fold; all pairs of a word are in one, unless there are few words."""
    clusters = clusters_of(words)
    names = np.random.default_rng(seed).permutation(np.unique(clusters))
    parts = np.array_split(names, min(FOLDS, len(names)))
    return [np.flatnonzero(np.isin(clusters, part)) for part in parts]


def _scorer(pairs: Pairs, rows: np.ndarray, seed: int) -> Scorer:
    return Scorer(pairs.gold[rows], pairs.word[rows], pairs.is_graded, seed)


def _thresholds(pairs: Pairs, cosines: Cosines, rows: np.ndarray) -> dict[Name, float]:
    if pairs.is_graded or not len(rows):
        return dict.fromkeys(cosines, np.nan)
    same = pairs.gold[rows] == 1
    return {name: best_threshold(values[rows], same) for name, values in cosines.items()}


def _answers(
    cosines: Cosines, thresholds: Mapping[Name, float], rows: np.ndarray
) -> dict[Name, Answers]:
    return {n: Answers(v[rows], v[rows] >= thresholds[n]) for n, v in cosines.items()}


def _select(scorer: Scorer, answers: Mapping[Name, Answers]) -> Name:
    """Return the choice with the best first metric; a correlation may be unknown."""
    once = np.ones((1, len(scorer.gold)))
    metric = metrics_of(is_graded=scorer.is_graded)[0]
    scores = {name: scorer.scores(own, once)[metric].item() for name, own in answers.items()}
    return max(scores, key=lambda name: np.nan_to_num(scores[name], nan=-2))


def _table(
    scorer: Scorer, answers: Mapping[Name, Answers], chosen: Name, reference: Answers
) -> pd.DataFrame:
    """Score the answers of each choice on one split."""
    n, n_words = len(scorer.gold), len(set(scorer.word))
    draws = {
        "": resampled(np.arange(n), scorer.seed),
        "_by_word": resampled(scorer.word, scorer.seed),
    }
    once = np.ones((1, n))
    clusters = {"": n, "_by_word": n_words}
    floor = -1 if scorer.is_graded else 0
    rows: list[dict[str, Any]] = []
    for name, own in answers.items():
        row: dict[str, Any] = dict(zip(("transform", "layers"), name, strict=True))
        row |= {"chosen": name == chosen, "called_same": own.called.mean()}
        estimates = {m: values.item() for m, values in scorer.scores(own, once).items()}
        row |= estimates
        for by, weights in draws.items():
            for metric, drawn in scorer.scores(own, weights).items():
                known = by == "" or n_words >= FEWEST_WORDS
                bounds = NONE
                if known:
                    bounds = percentiles(drawn, estimates[metric], clusters[by], floor)
                row[f"{metric}_low{by}"], row[f"{metric}_high{by}"] = bounds
        rows.append(row)
    table = pd.DataFrame(rows).assign(n=n, words=n_words, **dict.fromkeys(TESTS, np.nan))
    table = table.assign(p_largest_advantage=np.nan, in_confidence_set=False)
    metric = metrics_of(is_graded=scorer.is_graded)[0]
    table["difference"] = table[metric] - scorer.scores(reference, once)[metric].item()
    return table


def _add_tests(
    table: pd.DataFrame, scorer: Scorer, answers: Mapping[Name, Answers], reference: Answers
) -> None:
    """Test each row against the reference, unless both give the same answers; add the best."""
    every = list(answers.values())
    tested = [i for i, own in enumerate(every) if scorer.differ(own, reference)]
    for i in tested:
        _, low, high, p, _ = scorer.compare(every[i], reference)
        table.loc[i, TESTS[:3]] = low, high, p
    table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"].tolist())
    best = scorer.best(every)
    table["p_largest_advantage"], table["in_confidence_set"] = best.p, best.within
