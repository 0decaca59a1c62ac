"""Compare every layer choice with the one selected by cross-validation, and models with each other.

Layer choices are compared within one model, view and classifier, so that nothing but the layers
differs. The reference is the layer choice that cross-validation selects there, and all comparisons
use the objective of that selection as their metric. A difference of layers has an interval and no
test: the confidence set of `wsd compare`, over all candidates of a model, has the verdict. Models
are compared at the same layer choice: each model minus the first one. All tables hold fractions.
"""

import argparse
from collections.abc import Sequence

import pandas as pd

from wsd.arguments import add_corpora, add_files, add_path, add_seed, writes
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.cv_table import Search
from wsd.evaluation.comparison_rows import ComparisonRow, identical
from wsd.evaluation.comparison_tables import Line, best_of, paired_differences, word_rows
from wsd.evaluation.layer_groups import GROUP, Group, read_groups
from wsd.evaluation.peaks import PEAK_COLUMNS, find_peaks
from wsd.evaluation.word_columns import (
    BOUNDS,
    EFFECTS,
    adjust,
    difference_over_words,
    interval_over_words,
)
from wsd.logs import log
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.over_words import scores_by_word
from wsd.metrics.scores import WORD_SCORES
from wsd.storage.csv import write_csv

DIFFERENCE = ("difference", "difference_low", "difference_high")
LAYER_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "objective_cv", "selected_by_cv"),
    *("metric", "value", "low", "high", *BOUNDS, "reference", *DIFFERENCE),
    *(*(f"difference_{end}" for end in BOUNDS), *EFFECTS, "p_over_words_holm"),
]
WORD_COLUMNS = [
    *(*GROUP, "word", "layers", "n_test", "errors"),
    *("macro_f1", "macro_f1_low", "macro_f1_high", "accuracy", "accuracy_low", "accuracy_high"),
    *("macro_f1_cv", "selected_by_cv", "selected_by", "in_confidence_set_of_word"),
]
MODEL_COLUMNS = [
    *(*GROUP, "layers", "relative_depth", "metric", "value"),
    *("reference_model", "reference_value", *DIFFERENCE, "p", "p_holm"),
    *(*(f"difference_{end}" for end in BOUNDS), *EFFECTS, "p_over_words_holm"),
]


def of_layers(group: Group, seed: int) -> list[Line]:
    """Return a line per layer choice: its score over all words minus the score of the reference.

    Each interval is of this one comparison. Choices with the same predictions as the reference have
    no interval, and the reference itself has no difference. The sign-flip tests over words are
    adjusted over the layer choices of the group.

    Parameters
    ----------
    group : Group
    seed : int
    """
    metric = group.objective
    (reference,) = (row for row in group.rows if row.layers == group.selected)
    table: list[Line] = []
    for row, objective_cv in zip(group.rows, group.objective_cv, strict=True):
        low, high = mean_intervals(row.counts, rng=seed)[metric]
        table.append(
            {
                **group.columns(row),
                "objective_cv": objective_cv,
                "selected_by_cv": row is reference,
                "low": low,
                "high": high,
                **interval_over_words(scores_by_word(row.confusions)[metric]),
                "reference": reference.layers,
                **({} if row is reference else _difference(row, reference, metric, seed)),
            }
        )
    adjust(table)
    return table


def of_models(groups: Sequence[Group], seed: int) -> list[Line]:
    """Return a line per layer choice of every further model: its score minus the first model's.

    Models are compared with the same view and classifier, on the same instances, if both have the
    same number of blocks. The layer choices of one model, view and classifier are one family of
    Holm's method.
    """
    first = groups[0].rows[0].model
    references = {
        row.configuration[1:]: row for group in groups for row in group.rows if row.model == first
    }
    table: list[Line] = []
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


def _difference(row: ComparisonRow, reference: ComparisonRow, metric: str, seed: int) -> Line:
    """Return the difference of two rows over these words, and over words."""
    prefix = "difference_"
    joints = row.joints(reference)
    line = paired_differences(joints, seed, prefix)[metric]
    if not identical(joints):
        line |= difference_over_words(row, reference, metric, seed, prefix)
    return line


def of_words(group: Group, seed: int) -> list[Line]:
    """Return a line per word and layer choice: its scores on the test set and in CV."""
    lines = {(line["word"], line["layers"]): line for line in word_rows(group.rows, seed)}
    table = []
    for i, word in enumerate(words.word for words in group.rows[0].words):
        confidence_set = best_of(group.rows, [i], group.objective, seed).within
        for row, search, within in zip(group.rows, group.searches, confidence_set, strict=True):
            table.append(
                {
                    **lines[word, row.layers],
                    "macro_f1_cv": _macro_f1_cv(search, group.objective, word),
                    "selected_by_cv": row.layers == group.selected_for[word],
                    "selected_by": "word" if word in search.scores else ALL_WORDS,
                    "in_confidence_set_of_word": bool(within),
                }
            )
    return table


def _macro_f1_cv(search: Search, objective: str, word: str) -> float | None:
    """Return a word's cross-validated macro-F1 at the point that is best for this word."""
    point = search.best(objective, [word])
    if point is None:
        return None
    by_repeat = search.scores[word][:, search.grid.index(point), WORD_SCORES.index("macro_f1")]
    return float(by_repeat.mean())


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_files(parser, "--predictions")
    add_files(parser, "--searches", "CV scores of each, in the same order")
    add_seed(parser)
    add_path(parser, "--layers", "table over words, .csv", metavar="FILE")
    add_path(parser, "--word-layers", "table per word, .csv", metavar="FILE")
    add_path(parser, "--model-layers", "each model minus the first, .csv", metavar="FILE")
    add_path(parser, "--peaks", "the peak of each curve over single layers, .csv", metavar="FILE")
    writes(parser, "layers", "word_layers", "model_layers", "peaks")


def run(args: argparse.Namespace) -> None:
    """Write the tables of layer choices: over all words, per word, between models, and peaks.

    The table between models is empty if there is one model.
    """
    corpora = read_corpora(args.corpus, args.words)
    groups = read_groups(args.predictions, args.searches, corpora)
    over_all: list[Line] = []
    by_word: list[Line] = []
    peaks: list[Line] = []
    for group in groups:
        log.info("%s: %d layer choices", ", ".join(group.names.values()), len(group.rows))
        over_all += of_layers(group, args.seed)
        by_word += of_words(group, args.seed)
        peaks += find_peaks(group, args.seed)
    write_csv(args.layers, pd.DataFrame(over_all, columns=LAYER_COLUMNS))
    write_csv(args.word_layers, pd.DataFrame(by_word, columns=WORD_COLUMNS))
    write_csv(args.model_layers, pd.DataFrame(of_models(groups, args.seed), columns=MODEL_COLUMNS))
    write_csv(args.peaks, pd.DataFrame(peaks, columns=PEAK_COLUMNS))
