"""The tables of the comparison, each from rows: what it says of whom."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, NAMES, PUBLISHED, SELECTED, SYSTEM
from wsd.artifacts.predictions import TEST
from wsd.evaluation.comparison_rows import ComparisonRow, identical
from wsd.evaluation.model_comparison import ModelComparison
from wsd.evaluation.near_duplicates import without_some_rows
from wsd.metrics import permutation
from wsd.metrics.cluster_bootstrap import cluster_intervals
from wsd.metrics.confidence_set import Best, confidence_set
from wsd.metrics.intervals import Interval, difference_intervals, mean_intervals, word_intervals
from wsd.metrics.scores import MEAN_SCORES, mean_scores, word_scores

RARE = 15  # a sense with fewer test instances gets a row of its own
Line = dict[str, Any]


def with_intervals(
    rows: Sequence[ComparisonRow],
    unlike: Mapping[str, np.ndarray],
    objective: Mapping[tuple[str, ...], float],
    seed: int,
) -> list[Line]:
    """A table row per system: the means over words with their 95% intervals, and checks.

    Beside the means stand those over the test instances that have nothing alike in training,
    which some words may have none of, and the mean recall of the rare senses.

    Parameters
    ----------
    rows : sequence of ComparisonRow
    unlike : mapping of word to bool array of shape (n_test,)
    objective : mapping of (model, view, layers, classifier) to float
    seed : int
    """
    # What was selected, and the best on test, are candidates too.
    intervals = {
        name: mean_intervals(row.confusions, rng=seed)
        for name, row in {row.configuration: row for row in rows}.items()
    }
    table = []
    for row in rows:
        kept = without_some_rows(row.words, unlike)
        unalike = replace(row, words=kept).confusions
        of_kept = mean_scores(unalike) if kept else dict.fromkeys(MEAN_SCORES, np.nan)
        rare = [of["recall"] for of in rare_senses([row])]
        own = row.kind in (SELECTED, BEST, CANDIDATE)
        table.append(
            {
                **row.names,
                "n_words": len(row.words),
                "n_test": sum(len(w.gold) for w in row.words),
                "objective_cv": objective.get(row.configuration) if own else None,
                **_bounded(mean_scores(row.confusions), intervals[row.configuration]),
                **{f"{name}_without_duplicates": float(of_kept[name]) for name in MEAN_SCORES},
                "n_words_without_duplicates": len(kept),
                "rare_sense_recall": float(np.mean(rare)) if rare else None,
                "about": row.about,
            }
        )
    return table


def word_rows(rows: Sequence[ComparisonRow], seed: int) -> list[Line]:
    """A table row per system and word: its scores with their 95% intervals."""
    return [
        {
            **row.names,
            "word": word.word,
            "n_test": len(word.gold),
            "errors": int((word.gold != word.predicted).sum()),
            **_bounded(word_scores(matrix), word_intervals(matrix, rng=seed)),
        }
        for row in rows
        for word, matrix in zip(row.words, row.confusions, strict=True)
    ]


def _bounded(scores: Mapping[str, np.ndarray], intervals: Mapping[str, Interval]) -> Line:
    """Each metric beside the ends of its interval."""
    line: Line = {}
    for name, (low, high) in intervals.items():
        line |= {name: float(scores[name]), f"{name}_low": low, f"{name}_high": high}
    return line


def rare_senses(rows: Sequence[ComparisonRow]) -> list[Line]:
    """A table row per system and sense with fewer than ``RARE`` test instances."""
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
    for line, *of in zip(table, right / n, low, high, strict=True):
        line["recall"], line["low"], line["high"] = of
    return table


def errors(systems: ModelComparison) -> list[Line]:
    """Test instances that the reference or a system from elsewhere gets wrong, beside one another.

    A table row per system, published or not, and instance: its line in the test file, gold, what
    was selected says and what the system says.
    """
    return [
        {
            "kind": row.kind,
            "model": row.model,
            "word": of.word,
            "index": int(of.index[i]),
            "gold": of.senses[of.gold[i]],
            "selected": of.senses[ours.predicted[i]],
            "predicted": of.senses[of.predicted[i]],
        }
        for row in systems.others
        if row.kind in (PUBLISHED, SYSTEM)
        for ours, of in zip(systems.reference.words, row.words, strict=True)
        for i in np.flatnonzero((ours.predicted != of.gold) | (of.predicted != of.gold)).tolist()
    ]


def differences(
    systems: ModelComparison, clusters: Mapping[str, np.ndarray], seed: int
) -> list[Line]:
    """The reference less every other system, on the same instances.

    Per mean: the difference, its 95% interval, the p-value of the paired permutation test on that
    very metric (two systems' predictions exchanged within words), and the same adjusted by Holm's
    method over all systems of this table for that metric. McNemar's test is on pooled instances
    and so stands with micro accuracy alone. The last columns draw clusters of near-duplicates in
    place of instances, as a check. Two systems with the same predictions have the difference 0,
    no interval and no test.

    Parameters
    ----------
    systems : ModelComparison
    clusters : mapping of word to int array of shape (n_test,)
    seed : int
    """
    reference = systems.reference
    table: list[Line] = []
    for other in systems.others:
        joints = reference.joints(other)
        names = {f"reference_{key}": value for key, value in reference.names.items()} | other.names
        if identical(joints):
            none = dict.fromkeys(("low", "high", "p", "p_holm", "p_mcnemar"))
            same = {"difference": 0.0, **none}
            table += [{**names, "metric": name, **same} for name in MEAN_SCORES]
            continue
        intervals = difference_intervals(joints, rng=seed)
        tests = permutation.paired_permutations(joints, rng=seed)
        pairs = zip(reference.words, other.words, strict=True)
        words = [(a.gold, a.predicted, b.predicted, clusters[a.word]) for a, b in pairs]
        clustered = cluster_intervals(words, rng=seed)
        table += [
            {
                **names,
                "metric": name,
                "difference": tests[name].difference,
                "low": intervals[name][0],
                "high": intervals[name][1],
                "p": tests[name].p,
                "p_holm": None,
                "p_mcnemar": permutation.mcnemar(joints) if name == "micro_accuracy" else None,
                **{f"{key}_by_clusters": x for key, x in clustered[name]._asdict().items()},
            }
            for name in MEAN_SCORES
        ]
    for name in MEAN_SCORES:
        adjust([line for line in table if line["metric"] == name])
    return table


def adjust(family: Sequence[Line]) -> None:
    """Add the p-value by Holm's method to each line of a family that has a test."""
    tested = [line for line in family if line.get("p") is not None]
    for line, p in zip(tested, permutation.holm([of["p"] for of in tested]), strict=True):
        line["p_holm"] = float(p)


def best_set(systems: ModelComparison, objective: str, seed: int) -> list[Line]:
    """Which candidates of a model cannot be told from the best by one metric."""
    rows = systems.candidates
    best = best_of(rows, range(len(rows[0].words)), objective, seed)
    return [
        {
            **row.names,
            "metric": objective,
            "estimate": float(best.estimate[i]),
            "p": float(best.p[i]),
            "in_confidence_set": bool(best.within[i]),
        }
        for i, row in enumerate(rows)
    ]


def best_of(rows: Sequence[ComparisonRow], words: Sequence[int], metric: str, seed: int) -> Best:
    """Which rows cannot be told from the best on some of the words."""
    gold = [rows[0].words[i].gold for i in words]
    predicted = [np.stack([row.words[i].predicted for row in rows]) for i in words]
    return confidence_set(gold, predicted, metric, rng=seed)


def selectivity(task: Sequence[ComparisonRow], control: Sequence[ComparisonRow]) -> list[Line]:
    """Sense task and control task side by side, and the difference of their accuracies.

    Hewitt and Liang (2019): a probe that learns arbitrary labels as well as the senses says
    little about the vectors.
    """
    of_task = {row.configuration: row for row in task}
    table = []
    for row in control:
        if row.configuration not in of_task:
            continue
        line: Line = {name: row.names[name] for name in NAMES[1:]}
        for name in ("micro_accuracy", "mean_word_accuracy", "mean_macro_f1"):
            senses, control_task = of_task[row.configuration].mean(name), row.mean(name)
            line |= {name: senses, f"{name}_control": control_task}
            line[f"{name}_selectivity"] = senses - control_task
        table.append(line)
    return table


def whole(mean: float) -> float | int:
    """A mean of counts as an integer, if it is one.

    >>> whole(370.0), whole(370.5)
    (370, 370.5)
    """
    return int(mean) if float(mean).is_integer() else float(mean)


def learning(scores: pd.DataFrame, common: Sequence[str]) -> list[Line]:
    """Mean macro-F1 against the training set, over its draws where there are several.

    Parameters
    ----------
    scores : DataFrame
        scores.csv.
    common : sequence of str
        Words that every training set has: means over these can be compared.
    """
    rows = scores[scores["test"] == TEST]
    keys = ["model", "view", "layers", "classifier", "train"]
    lines = []
    for names, group in rows.groupby(keys, sort=False):
        draws = group.groupby("draw", sort=False)
        all_words = draws["macro_f1"].mean()
        shared = group[group["word"].isin(common)].groupby("draw", sort=False)["macro_f1"].mean()
        lines.append(
            {
                **dict(zip(keys, names, strict=True)),
                "draws": len(all_words),
                "n_words": group["word"].nunique(),
                "n_train": whole(draws["n_train"].sum().mean()),
                "mean_macro_f1": all_words.mean(),
                "lowest_draw": all_words.min() if len(all_words) > 1 else None,
                "highest_draw": all_words.max() if len(all_words) > 1 else None,
                "n_words_in_common": len(common),
                "mean_macro_f1_in_common": shared.mean(),
            }
        )
    return lines
