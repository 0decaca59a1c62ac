"""Turn rows of the comparison into the lines of each table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, NAMES, SELECTED
from wsd.artifacts.predictions import TEST
from wsd.evaluation.comparison_rows import ComparisonRow, ModelComparison, count_rows, identical
from wsd.evaluation.most_similar_sentences import without_some_rows
from wsd.metrics.confidence_intervals import (
    Interval,
    bounded,
    inflations,
    mean_intervals,
    word_intervals,
)
from wsd.metrics.confidence_set import Best, confidence_set
from wsd.metrics.over_words import FEWEST, ByWord, scores_by_word
from wsd.metrics.permutation import compare_systems, holm
from wsd.metrics.scores import (
    MEAN_SCORES,
    OF_WORD,
    Counts,
    confusion,
    count_kinds,
    mean_scores,
    word_scores,
)

Line = dict[str, Any]
# Of a difference, after its prefix; then without a prefix.
BOUNDS = ("low_over_words", "high_over_words")
EFFECTS = ("p_over_words", "d_over_words", "words_won")
P_VALUES = ("p", "p_over_words")
ADJUSTED = tuple(f"{name}_holm" for name in P_VALUES)
SCORE_COLUMNS = [
    *(*NAMES, "n_words", "n_test", "objective_cv"),
    *(f"{mean}{end}" for mean in MEAN_SCORES for end in ("", "_low", "_high")),
    *(f"{mean}_without_duplicates" for mean in MEAN_SCORES),
    *("n_words_without_duplicates", "n_test_without_duplicates", "rare_sense_recall", "about"),
    *(f"{mean}_{end}" for mean in MEAN_SCORES for end in BOUNDS),
]
RARE_SENSE_COLUMNS = [
    *(*NAMES, "word", "sense", "n_test", "right", "recall", "low", "high", "reference_model")
]
LEARNING_COLUMNS = [
    *(*NAMES[1:], "train", "draws", "n_words", "n_train", "mean_macro_f1", "lowest_draw"),
    *("highest_draw", "n_words_in_common", "mean_macro_f1_in_common"),
]
ACCURACIES = ("micro_accuracy", "mean_word_accuracy")
SELECTIVITY_COLUMNS = [
    *NAMES[1:],
    *(
        f"{mean}{column}"
        for mean in MEAN_SCORES
        for column in (
            *("", "_control", "_selectivity"),
            *(("_selectivity_low", "_selectivity_high") if mean in ACCURACIES else ()),
            *(f"_selectivity_{end}" for end in BOUNDS),
        )
    ),
]
DIFFERENCE = ("difference", "low", "high", "p", "error")
RARE = 15  # a sense with fewer test instances gets a separate line


def interval_over_words(by_word: ByWord, floor: int = 0, prefix: str = "") -> Line:
    """Return the interval over words.

    Its ends are missing with fewer than ``FEWEST`` words, or if all words have the same value.

    Parameters
    ----------
    by_word : ByWord
    floor : int
        The lowest possible value of the metric.
    prefix : str
        Before the names of the columns.
    """
    ends: Sequence[float | None] = (None, None)
    if by_word.is_informative:
        ends = bounded(*by_word.interval(), by_word.mean, floor)
    return {f"{prefix}{name}": end for name, end in zip(BOUNDS, ends, strict=True)}


def difference_over_words(
    row: ComparisonRow, other: ComparisonRow, metric: str, seed: int, prefix: str = ""
) -> Line:
    """Return the columns over words of a row's score minus another row's.

    ``d_over_words`` is the mean divided by the standard deviation over words; ``words_won`` is the
    share of words on which the row is better, and ties count half.

    Parameters
    ----------
    row, other : ComparisonRow
    metric : str
        Among ``MEAN_SCORES``.
    seed : int
    prefix : str
        Before the names of the interval's columns.
    """
    ours, theirs = (scores_by_word(system.confusions)[metric] for system in (row, other))
    by_word = ours - theirs
    line = interval_over_words(by_word, -1, prefix) | dict.fromkeys(EFFECTS)
    if len(by_word.values) >= FEWEST:
        spread = by_word.error * len(by_word.values) ** 0.5
        line |= {
            "p_over_words": by_word.sign_flip_p(rng=seed),
            "d_over_words": by_word.mean / spread if by_word.is_informative else None,
            "words_won": float(np.mean(np.sign(by_word.values) / 2 + 0.5)),
        }
    return line


def adjust(lines: Sequence[Line]) -> None:
    """Add the p-values by Holm's method to each line that has a test."""
    for name in P_VALUES:
        tested = [line for line in lines if line.get(name) is not None]
        for line, p in zip(tested, holm([line[name] for line in tested]), strict=True):
            line[f"{name}_holm"] = float(p)


def with_intervals(
    rows: Sequence[ComparisonRow],
    unlike: Mapping[str, np.ndarray],
    objective: Mapping[tuple[str, ...], float],
    seed: int,
) -> list[Line]:
    """Return a line per system: the mean scores over words with their 95% intervals, and checks.

    Each score has two intervals: in one, test sentences vary; in the other, words vary. The best
    row on test has neither, because it was selected by its score. One check is the mean scores over
    the test instances without a near-duplicate in training; some words have no such instance. The
    other is the mean recall of the rare senses.

    Parameters
    ----------
    rows : sequence of ComparisonRow
    unlike : mapping of word to bool array of shape (n_test,)
        Which test instances have no near-duplicate in training.
    objective : mapping of (model, view, layers, classifier) to float
        The cross-validated objective of candidates.
    seed : int
    """
    # The selected row and the best on test are candidates too: each configuration is scored once.
    intervals = {
        name: mean_intervals(count_rows(row), rng=seed)
        for name, row in {row.configuration: row for row in rows}.items()
    }
    table = []
    for row in rows:
        kept = without_some_rows(row.words, unlike)
        confusions = replace(row, words=kept).confusions
        kept_scores = mean_scores(confusions) if kept else dict.fromkeys(MEAN_SCORES, np.nan)
        recalls = [line["recall"] for line in rare_senses([row])]
        is_candidate = row.kind in (SELECTED, BEST, CANDIDATE)
        line = {
            **row.names,
            "n_words": len(row.words),
            "n_test": sum(len(w.gold) for w in row.words),
            "objective_cv": objective.get(row.configuration) if is_candidate else None,
            **_bounded(mean_scores(row.confusions), intervals[row.configuration]),
            **{f"{k}_without_duplicates": float(kept_scores[k]) for k in MEAN_SCORES},
            "n_words_without_duplicates": len(kept),
            "n_test_without_duplicates": sum(len(w.gold) for w in kept),
            "rare_sense_recall": float(np.mean(recalls)) if recalls else None,
            "about": row.about,
        }
        for name, score in scores_by_word(row.confusions).items():
            line |= interval_over_words(score, prefix=f"{name}_")
        if row.kind == BEST:
            line |= {name: None for name in line if name.endswith(("_low", "_high", *BOUNDS))}
        table.append(line)
    return table


def word_rows(
    rows: Sequence[ComparisonRow], seed: int, unlike: Mapping[str, np.ndarray] | None = None
) -> list[Line]:
    """Return a line per system and word: its scores with their 95% intervals.

    With ``unlike``, as for :func:`with_intervals`, a line has macro-F1 over these instances too.
    """
    table = []
    for row in rows:
        for word, matrix in zip(row.words, row.confusions, strict=True):
            line = {
                **row.names,
                "word": word.word,
                "n_test": len(word.gold),
                "errors": int((word.gold != word.predicted).sum()),
                **_bounded(word_scores(matrix), word_intervals(matrix, rng=seed)),
            }
            if unlike is not None:
                kept = unlike[word.word]
                counts = confusion(word.gold[kept], word.predicted[kept], len(word.senses))
                line["n_test_without_duplicates"] = n = int(kept.sum())
                score = float(word_scores(counts)["macro_f1"]) if n else None
                line["macro_f1_without_duplicates"] = score
            table.append(line)
    return table


def _bounded(scores: Mapping[str, np.ndarray], intervals: Mapping[str, Interval]) -> Line:
    line: Line = {}
    for name, (low, high) in intervals.items():
        line |= {name: float(scores[name]), f"{name}_low": low, f"{name}_high": high}
    return line


def rare_senses(rows: Sequence[ComparisonRow]) -> list[Line]:
    """Return a line per system and sense with fewer than ``RARE`` test instances."""
    from statsmodels.stats.proportion import proportion_confint

    table = [
        {**row.names, "word": word.word, "sense": sense, "n_test": n, "right": right}
        for row in rows
        for word, matrix in zip(row.words, row.confusions, strict=True)
        for sense, right, n in zip(word.senses, np.diag(matrix), matrix.sum(1), strict=True)
        if 0 < n < RARE
    ]
    right, n = (np.array([line[name] for line in table]) for name in ("right", "n_test"))
    low, high = proportion_confint(right, n, method="jeffreys")
    for line, *values in zip(table, right / n, low, high, strict=True):
        line["recall"], line["low"], line["high"] = values
    return table


def paired_differences(
    joints: Sequence[Counts], seed: int, prefix: str = "", means: Sequence[str] = MEAN_SCORES
) -> dict[str, Line]:
    """Return the difference of two systems, its 95% interval and p-value, by mean score.

    Two systems with the same predictions have the difference 0, no interval and no test.

    Parameters
    ----------
    joints : sequence over words of Counts
        As from :func:`wsd.evaluation.comparison_rows.count_rows`.
    seed : int
    prefix : str
        Before the names ``low`` and ``high``.
    means : sequence of str
        Among ``MEAN_SCORES``.
    """
    if identical(joints):
        return {name: {"difference": 0.0} for name in means}
    names = sorted({OF_WORD[mean] for mean in means})
    return {
        name: {"difference": difference, f"{prefix}low": low, f"{prefix}high": high, "p": p}
        | {"error": error}
        for name, (difference, low, high, p, error) in compare_systems(
            joints, rng=seed, names=names
        ).items()
    }


def differences(
    systems: ModelComparison, clusters: Mapping[str, np.ndarray], seed: int
) -> list[Line]:
    """Return a line per mean score and other system: the reference minus that system.

    ``p_holm`` and ``p_over_words_holm`` are adjusted by Holm's method over all systems of this
    table, score by score. The best system on test is in no family and has no test, because it was
    selected by its score; systems with the same predictions have none either.
    As a check, the last column treats near-duplicates as clusters: it has the inflation of the
    standard error beyond the one of documents.

    Parameters
    ----------
    systems : ModelComparison
    clusters : mapping of word to int array of shape (n_test,)
        The group of near-duplicates of each test instance; all words count the groups alike.
    seed : int
    """
    reference = systems.reference
    reference_names = {f"reference_{key}": value for key, value in reference.names.items()}
    empty = dict.fromkeys((*DIFFERENCE, *BOUNDS, *EFFECTS, *ADJUSTED))
    table: list[Line] = []
    for other in systems.others:
        joints = count_rows(reference, other)
        is_tested = other.kind != BEST and not identical(joints)
        if is_tested:
            compared = paired_differences(joints, seed)
            clustered = count_rows(replace(reference, documents=clusters), other)
            by_documents, by_clusters = inflations(joints), inflations(clustered)
        for name in MEAN_SCORES:
            line = reference_names | other.names | {"metric": name} | empty
            line["difference"] = reference.mean(name) - other.mean(name)
            if is_tested:
                line |= compared[name]
                line |= difference_over_words(reference, other, name, seed)
                line["inflation_by_clusters"] = max(1.0, by_clusters[name] / by_documents[name])
            table.append(line)
    for name in MEAN_SCORES:
        adjust([line for line in table if line["metric"] == name])
    return table


def best_set(systems: ModelComparison, objective: str, seed: int) -> list[Line]:
    """Return a line per candidate of a model: whether it is in the confidence set of all."""
    rows = systems.candidates
    best = best_of(rows, range(len(rows[0].words)), objective, seed)
    return [
        {
            **row.names,
            "metric": objective,
            "estimate": float(best.estimate[i]),
            "p_largest_advantage": float(best.p[i]),
            "in_confidence_set": bool(best.within[i]),
        }
        for i, row in enumerate(rows)
    ]


def best_of(rows: Sequence[ComparisonRow], words: Sequence[int], metric: str, seed: int) -> Best:
    """Return the confidence set of the best row on the words at some positions."""
    gold = [rows[0].words[i].gold for i in words]
    predicted = [np.stack([row.words[i].predicted for row in rows]) for i in words]
    by_word = rows[0].documents
    documents = [by_word[rows[0].words[i].word] for i in words] if by_word else None
    return confidence_set(gold, predicted, metric, documents=documents, rng=seed)


def learning(scores: pd.DataFrame) -> list[Line]:
    """Return a line per configuration and training set: mean macro-F1 over words and draws.

    The last columns are over the words that every training set has, so they can be compared.

    Parameters
    ----------
    scores : DataFrame
        The rows of scores.csv.
    """
    words = scores.groupby("train")["word"].agg(set)
    common = set.intersection(*words) if len(words) else set()
    keys = [*NAMES[1:], "train"]
    lines = []
    for names, group in scores[scores["test"] == TEST].groupby(keys, sort=False):
        draws = group.groupby("draw", sort=False)
        means, n_train = draws["macro_f1"].mean(), draws["n_train"].sum().mean()
        shared = group[group["word"].isin(common)].groupby("draw", sort=False)["macro_f1"].mean()
        lines.append(
            {
                **dict(zip(keys, names, strict=True)),
                "draws": len(means),
                "n_words": group["word"].nunique(),
                "n_train": int(n_train) if n_train.is_integer() else n_train,
                "mean_macro_f1": means.mean(),
                "lowest_draw": means.min() if len(means) > 1 else None,
                "highest_draw": means.max() if len(means) > 1 else None,
                "n_words_in_common": len(common),
                "mean_macro_f1_in_common": shared.mean(),
            }
        )
    return lines


def selectivity(
    task: Sequence[ComparisonRow], control: Sequence[ComparisonRow], seed: int
) -> list[Line]:
    """Return a line per configuration: its scores on the senses, on the control task, and the gap.

    Hewitt and Liang (2019): a probe that learns arbitrary labels as well as the senses says
    little about the vectors.

    Both tasks have the same test instances. The interval over words is the t-interval of the
    differences of the words. The interval over sentences is for the two accuracies alone: it is
    the interval of a paired difference, of an instance's being right in one task and in the other.

    Parameters
    ----------
    task, control : sequences of ComparisonRow
        Configurations without a partner in the other sequence are left out.
    seed : int
    """
    by_configuration = {row.configuration: row for row in task}
    table = []
    for row in control:
        if senses := by_configuration.get(row.configuration):
            line: Line = {name: row.names[name] for name in NAMES[1:]}
            over_sentences = paired_differences(_right_or_wrong(senses, row), seed)
            of_control = scores_by_word(row.confusions)
            for name, score in scores_by_word(senses.confusions).items():
                gap, prefix = score - of_control[name], f"{name}_selectivity"
                line |= {name: score.mean, f"{name}_control": of_control[name].mean}
                line[prefix] = gap.mean
                if name in ACCURACIES:
                    for end in ("low", "high"):
                        line[f"{prefix}_{end}"] = over_sentences[name].get(end)
                line |= interval_over_words(gap, floor=-1, prefix=f"{prefix}_")
            table.append(line)
    return table


def _right_or_wrong(senses: ComparisonRow, control: ComparisonRow) -> list[Counts]:
    """Return, per word, how often each task is right (1) and wrong (0), paired by instance."""
    return [
        count_kinds(
            [np.ones_like(a.gold), a.predicted == a.gold, b.predicted == b.gold],
            n_senses=2,
            documents=senses.documents.get(a.word),
        )
        for a, b in zip(senses.words, control.words, strict=True)
    ]
