"""Compare every layer choice with the one selected by cross-validation, and models with each other.

Layer choices are compared within one model, view and classifier, so that nothing but the layers
differs. The reference is the layer choice that cross-validation selects there, and all comparisons
use the objective of that selection as their metric. A difference of layers has an interval and no
test: the confidence set of `wsd compare`, over all candidates of a model, has the verdict. Models
are compared at the same layer choice: each model minus the first one. All tables hold fractions.

The peak of a curve is the single layer with the highest score over all words. Its interval
generalises to other words of the same kind: words are drawn with replacement, the same words for
every layer, and a word keeps its measured scores.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_corpora, add_files, add_path, add_seed, writes
from wsd.artifacts.column_names import ALL_WORDS, CANDIDATE, NAMES
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.cv_table import Search
from wsd.classification.select import Candidate, choose_each, read_candidates
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import (
    ComparisonRow,
    count_rows,
    identical,
    nothing_selected,
    read_rows,
)
from wsd.evaluation.comparison_tables import (
    BOUNDS,
    EFFECTS,
    Line,
    adjust,
    best_of,
    difference_over_words,
    interval_over_words,
    paired_differences,
    word_rows,
)
from wsd.logs import log
from wsd.metrics.confidence_intervals import TAILS, mean_intervals, resampled
from wsd.metrics.over_words import FEWEST, scores_by_word
from wsd.metrics.scores import OF_WORD, WORD_SCORES, word_scores
from wsd.storage.csv import write_csv

GROUP = ("model", "view", "classifier")
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
PEAK_COLUMNS = [*GROUP, "n_words", "metric", "peak", "low", "high", "share_of_draws"]


@dataclass(frozen=True, eq=False)
class Group:
    """The layer choices of one model, view and classifier, in the order of the grammar.

    Attributes
    ----------
    rows : list of ComparisonRow
        Their predictions.
    searches : list of Search
        The CV scores of each.
    objective : str
        The metric of the selection, and of all comparisons.
    objective_cv : list of float or None
        The cross-validated objective of each; None if no word has folds.
    selected : str
        The layer choice selected for all words.
    selected_for : mapping of word to str
        The layer choice of each word; for a word without folds, the one for all words.
    """

    rows: list[ComparisonRow]
    searches: list[Search]
    objective: str
    objective_cv: list[float | None]
    selected: str
    selected_for: Mapping[str, str]

    @property
    def blocks(self) -> int:
        """Return the number of the encoder's blocks."""
        return int(self.rows[0].source["encoder"]["model"]["blocks"])

    @property
    def names(self) -> dict[str, str]:
        """Return the columns that all its rows share."""
        return {name: getattr(self.rows[0], name) for name in GROUP}

    def columns(self, row: ComparisonRow) -> dict[str, Any]:
        """Return the columns of a row in the tables over all words.

        The relative depth of a single layer runs from 0, the embeddings, to 1, the last block. A
        combination has none.
        """
        single = row.layers.isdecimal()
        return {
            **self.names,
            "layers": row.layers,
            "relative_depth": int(row.layers) / self.blocks if single else None,
            "metric": self.objective,
            "value": row.mean(self.objective),
        }


def read_groups(
    predictions: Sequence[Path], searches: Sequence[Path], corpora: Mapping[str, Corpus]
) -> list[Group]:
    """Read predictions and their searches, grouped by model, view and classifier.

    Parameters
    ----------
    predictions, searches : sequences of Path
        Written in pairs by `wsd classify`.
    corpora : mapping of word to Corpus

    Raises
    ------
    ResultError
        If files do not belong together or to the corpora, or no word has folds.
    """
    by_train = read_candidates(searches)
    if len(trains := sorted({train for _, train in by_train})) > 1:
        problem = f"searches of several training sets: {', '.join(trains)}"
        raise ResultError(problem, where="--searches", fix="give those of one training set")
    candidates = {
        (model, *(candidate.names[name] for name in NAMES[2:])): candidate
        for (model, _), group in by_train.items()
        for candidate in group
    }
    groups: dict[tuple[str, ...], list[tuple[Candidate, ComparisonRow]]] = {}
    for row, path in zip(read_rows(predictions, CANDIDATE, corpora), predictions, strict=True):
        found = candidates.get(row.configuration)
        # One job writes both, with the same provenance except for the description of the rows.
        shared = {key: value for key, value in row.source.items() if key != "words"}
        if found is None or {**found.source, **shared} != found.source:
            fix = "give predictions and searches of one run; or delete and run again"
            raise ResultError("no search of these predictions", where=str(path), fix=fix)
        groups.setdefault((row.model, row.view, row.classifier), []).append((found, row))
    return [_group(group) for group in groups.values()]


def _group(members: Sequence[tuple[Candidate, ComparisonRow]]) -> Group:
    ordered = sorted(members, key=lambda member: member[0].place)
    candidates, rows = ([*column] for column in zip(*ordered, strict=True))
    objective = candidates[0].source["objective"]
    selection = choose_each(candidates, objective)
    if selection is None:
        raise nothing_selected(rows[0].model)
    over_all = [row for row in selection["rows"] if row["scope"] == ALL_WORDS]
    objective_cv = {row["layers"]: row["objective"] for row in over_all}
    chosen = selection["chosen"]
    return Group(
        rows=rows,
        searches=[candidate.search for candidate in candidates],
        objective=objective,
        objective_cv=[objective_cv[row.layers] for row in rows],
        selected=chosen["all"]["layers"],
        selected_for={word: names["layers"] for word, names in chosen["words"].items()},
    )


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
        low, high = mean_intervals(count_rows(row), rng=seed, names=[OF_WORD[metric]])[metric]
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
    joints = count_rows(row, reference)
    line = paired_differences(joints, seed, prefix, [metric])[metric]
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


def find_peaks(group: Group, seed: int) -> list[Line]:
    """Return the peak by macro-F1 and by micro accuracy, with its 95% interval over words.

    There is none with fewer than ``FEWEST`` words, or without single layers.
    """
    single = [row for row in group.rows if row.layers.isdecimal()]
    n_words = len(group.rows[0].words)
    if not single or n_words < FEWEST:
        return []
    layers = np.array([int(row.layers) for row in single])
    drawn = resampled(np.arange(n_words), rng=np.random.default_rng([seed, 0]))
    weights = np.vstack([np.ones(n_words), drawn])
    confusions = [row.confusions for row in single]
    # A score by word; its sum over words has the same peak as the mean.
    f1 = [[float(word_scores(matrix)["macro_f1"]) for matrix in row] for row in confusions]
    right = [[int(np.trace(matrix)) for matrix in row] for row in confusions]
    table = []
    for metric, values in (("mean_macro_f1", f1), ("micro_accuracy", right)):
        peak, *peaks = layers[(weights @ np.array(values).T).argmax(axis=1)].tolist()
        low, high = np.quantile(peaks, TAILS, method="closest_observation")
        line = {**group.names, "n_words": n_words, "metric": metric, "peak": peak}
        line |= {"low": min(int(low), peak), "high": max(int(high), peak)}
        table.append(line | {"share_of_draws": float(np.mean(np.array(peaks) == peak))})
    return table


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
