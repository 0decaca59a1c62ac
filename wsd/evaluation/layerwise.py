"""Every layer choice beside the one that the folds choose, over all words and word by word.

Layer choices are compared within one model, view and classifier, so that nothing but the layers
differs. The reference is what the folds of the training set choose there, and the metric of every
comparison is the objective that they choose by. Models are compared at the same layer choice, so
that nothing but the model differs: each less the first. All tables hold fractions.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import pandas as pd

from wsd.arguments import add_corpora, add_files, add_path, add_seed, writes
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.cv_table import Search
from wsd.evaluation.comparison_rows import ComparisonRow, identical
from wsd.evaluation.comparison_tables import adjust, best_of, word_rows
from wsd.evaluation.layer_groups import GROUP, Group, read_groups
from wsd.evaluation.word_groups import GROUP_COLUMNS, PEAK_COLUMNS, of_groups, word_groups
from wsd.logs import log
from wsd.metrics import intervals, permutation
from wsd.metrics.scores import WORD_SCORES
from wsd.storage.csv import write_csv

DIFFERENCE = ("difference", "difference_low", "difference_high", "p", "p_holm")
LAYER_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "objective_cv", "selected_by_cv"),
    *("metric", "value", "low", "high", "reference", *DIFFERENCE, "in_confidence_set"),
]
WORD_COLUMNS = [
    *(*GROUP, "word", "layers", "n_test", "errors"),
    *("macro_f1", "macro_f1_low", "macro_f1_high", "accuracy", "accuracy_low", "accuracy_high"),
    *("macro_f1_cv", "selected_by_cv", "selected_by", "in_confidence_set"),
]
MODEL_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "metric", "value"),
    *("reference_model", "reference_value", *DIFFERENCE),
]


def of_layers(group: Group, seed: int) -> list[dict[str, Any]]:
    """A table row per layer choice: the metric over all words, and how it compares.

    The reference is compared with every other choice on the same instances; these are the family
    of Holm's method, but for choices with the same predictions. In its own row the comparison is
    empty.
    """
    metric = group.objective
    (reference,) = (row for row in group.rows if row.layers == group.chosen)
    told = best_of(group.rows, range(len(reference.words)), metric, seed).within
    table: list[dict[str, Any]] = []
    for row, on_folds, within in zip(group.rows, group.on_folds, told, strict=True):
        low, high = intervals.mean_intervals(row.confusions, rng=seed)[metric]
        table.append(
            {
                **group.columns(row),
                "objective_cv": on_folds,
                "selected_by_cv": row is reference,
                "low": low,
                "high": high,
                "reference": reference.layers,
                **({} if row is reference else _difference(row, reference, metric, seed)),
                "in_confidence_set": bool(within),
            }
        )
    adjust(table)
    return table


def of_models(groups: Sequence[Group], seed: int) -> list[dict[str, Any]]:
    """A table row per layer choice of every model but the first: what it has over the first one.

    Of the same view and classifier, on the same instances, where both models have as many blocks:
    layer 3 of 6 and layer 3 of 12 are no pair. The layer choices of one model, view and classifier
    are the family of Holm's method.
    """
    first = groups[0].rows[0].model
    references = {
        row.configuration[1:]: row for group in groups for row in group.rows if row.model == first
    }
    table: list[dict[str, Any]] = []
    for group in groups:
        if group.rows[0].model == first or group.blocks != groups[0].blocks:
            continue
        family = [
            {
                **group.columns(row),
                "reference_model": first,
                "reference_value": reference.mean(group.objective),
                **_difference(row, reference, group.objective, seed),
            }
            for row in group.rows
            if (reference := references.get(row.configuration[1:]))
        ]
        adjust(family)
        table += family
    return table


def _difference(
    row: ComparisonRow, reference: ComparisonRow, metric: str, seed: int
) -> dict[str, float]:
    """A row less its reference: the columns of ``DIFFERENCE``, but for Holm's.

    The same predictions have the difference 0, no interval and no test.
    """
    joints = row.joints(reference)
    if identical(joints):
        return {"difference": 0.0}
    low, high = intervals.difference_intervals(joints, rng=seed)[metric]
    difference, p = permutation.paired_permutations(joints, rng=seed)[metric]
    return {"difference": difference, "difference_low": low, "difference_high": high, "p": p}


def of_words(group: Group, seed: int) -> list[dict[str, Any]]:
    """A table row per word and layer choice: the word's scores, and what its folds say."""
    lines = {(line["word"], line["layers"]): line for line in word_rows(group.rows, seed)}
    table = []
    for i, word in enumerate(of.word for of in group.rows[0].words):
        told = best_of(group.rows, [i], group.objective, seed).within
        for row, search, within in zip(group.rows, group.searches, told, strict=True):
            table.append(
                {
                    **lines[word, row.layers],
                    "macro_f1_cv": _macro_f1_cv(search, group.objective, word),
                    "selected_by_cv": row.layers == group.chosen_of[word],
                    "selected_by": "word" if word in search.scores else ALL_WORDS,
                    "in_confidence_set": bool(within),
                }
            )
    return table


def _macro_f1_cv(search: Search, objective: str, word: str) -> float | None:
    """A word's macro-F1 on its held-out instances, at the point that is best for this word."""
    point = search.best(objective, [word])
    if point is None:
        return None
    of_repeats = search.scores[word][:, search.grid.index(point), WORD_SCORES.index("macro_f1")]
    return float(of_repeats.mean())


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    add_files(parser, "--predictions")
    add_files(parser, "--searches", "what the folds say of each, in the same order")
    add_seed(parser)
    add_path(parser, "--layers", "table over words, .csv", metavar="FILE")
    add_path(parser, "--word-layers", "table per word, .csv", metavar="FILE")
    add_path(parser, "--model-layers", "each model less the first, .csv", metavar="FILE")
    add_path(parser, "--group-layers", "table per part of speech and size, .csv", metavar="FILE")
    add_path(parser, "--group-peaks", "where each of these peaks, .csv", metavar="FILE")
    writes(parser, "layers", "word_layers", "model_layers", "group_layers", "group_peaks")


def run(args: argparse.Namespace) -> None:
    """Write the table of layer choices over all words, the one word by word, and that of models;
    by part of speech and number of training instances, a table and its peaks.

    With one model that of models has no rows; without parts of speech the last two have none.
    """
    corpora = read_corpora(args.corpus, args.words)
    groups = read_groups(args.predictions, args.searches, corpora)
    over_all: list[dict[str, Any]] = []
    by_word: list[dict[str, Any]] = []
    by_group: list[dict[str, Any]] = []
    peaks: list[dict[str, Any]] = []
    kinds = word_groups(corpora, args.seed)
    for group in groups:
        log.info("%s: %d layer choices", ", ".join(group.names.values()), len(group.rows))
        over_all += of_layers(group, args.seed)
        by_word += of_words(group, args.seed)
        for table, lines in zip((by_group, peaks), of_groups(group, kinds), strict=True):
            table += lines
    by_model = of_models(groups, args.seed)
    write_csv(args.layers, pd.DataFrame(over_all, columns=LAYER_COLUMNS))
    write_csv(args.word_layers, pd.DataFrame(by_word, columns=WORD_COLUMNS))
    write_csv(args.model_layers, pd.DataFrame(by_model, columns=MODEL_COLUMNS))
    write_csv(args.group_layers, pd.DataFrame(by_group, columns=GROUP_COLUMNS))
    # Layers, missing where there are no nouns to compare with.
    layers_apart = dict.fromkeys(DIFFERENCE[:3], "Int64")
    write_csv(args.group_peaks, pd.DataFrame(peaks, columns=PEAK_COLUMNS).astype(layers_apart))
