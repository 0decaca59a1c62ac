"""Compare strategies for word sense disambiguation: scores, labels and processor time.

The table has a row per strategy and training set of each model: baselines, glosses, substitutes,
frozen vectors, fine-tuning. Differences are from the frozen encoder's best single layer, on the
same training set and test instances. A row has the mean over draws or seeds, and the score of each.
The differences are the only tested question: whether a strategy differs from the best layer.
Processor time (:mod:`wsd.studies.strategies.costs`) differs from run to run, so no other table has
it.
"""

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import (
    add_corpora,
    add_files,
    add_optional_files,
    add_out,
    add_path,
    add_seed,
)
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.run_json import RunMap
from wsd.artifacts.training_set import NO_TRAIN
from wsd.classification.select import read_candidates
from wsd.evaluation.comparison_rows import count_rows, identical
from wsd.evaluation.comparison_tables import whole
from wsd.metrics.intervals_over_runs import OverRuns, differences_over_runs, scores_over_runs
from wsd.metrics.over_words import detectable
from wsd.metrics.permutation import holm
from wsd.storage.csv import write_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing
from wsd.studies.strategies.costs import Costs
from wsd.studies.strategies.gather import BEST_LAYER, KINDS, Gatherer, Strategy

METRICS = ("mean_macro_f1", "micro_accuracy")
COLUMNS = [
    *("model", "strategy", "train", "view", "layers", "classifier", "setting", "selected_by"),
    *("n_words", "runs", "draws", "labels", "processor_minutes", "processor_minutes_with_search"),
    *(
        f"{metric}{end}"
        for metric in METRICS
        for end in (
            *("", "_low", "_high", "_sd", "_of_runs"),
            *("_difference", "_difference_low", "_difference_high", "_difference_sd"),
            *("_difference_of_runs", "_p", "_p_holm", "_detectable", "_detectable_in_family"),
        )
    ),
]
Line = dict[str, Any]


def table_of(model: str, train: str, strategies: Sequence[Strategy], seed: int) -> list[Line]:
    """Return a row per strategy of one model and training set.

    The differences from the best layer are one family of Holm's method per metric.
    """
    reference = next((s for s in strategies if s.name == BEST_LAYER), None)
    lines, tested = [], []
    for strategy in strategies:
        learned = NO_TRAIN if strategy.runs[0].train == NO_TRAIN else train
        line = {"model": model, "train": learned, **_columns(strategy, seed)}
        lines.append(line)
        if reference and strategy is not reference:
            pairs = strategy.pairs(reference)
            words = count_rows([run.row for pair in pairs for run in pair])
            if identical(words):
                # The same predictions: there is nothing to test.
                line |= {f"{metric}_difference": 0.0 for metric in METRICS}
            else:
                draws = [second.train for _, second in pairs]
                family = len(strategies) - 1
                result = differences_over_runs(words, draws, family=family, rng=seed)
                tested.append((line, result))
    for metric in METRICS:
        corrected = holm([differences[metric].p for _, differences in tested])
        for (line, differences), p_holm in zip(tested, corrected, strict=True):
            line |= _difference(metric, differences[metric], len(tested))
            line[f"{metric}_p_holm"] = float(p_holm)
    return lines


def _columns(strategy: Strategy, seed: int) -> Line:
    """Return names, processor time and scores of a strategy, without its differences."""
    rows = [run.row for run in strategy.runs]
    draws = [run.train for run in strategy.runs]
    spent = zip(*(run.spent for run in strategy.runs), strict=True)
    minutes = [float(np.mean(seconds)) / 60 for seconds in spent]
    line: Line = {
        "strategy": strategy.name,
        "selected_by": strategy.selected_by,
        **{
            name: ", ".join(dict.fromkeys(getattr(row, name) for row in rows))
            for name in ("view", "layers", "classifier")
        },
        "setting": "; ".join(dict.fromkeys(filter(None, (run.setting for run in strategy.runs)))),
        "n_words": len(rows[0].words),
        "runs": len(rows),
        "draws": len(set(draws)),
        "labels": whole(float(np.mean([sum(w.n_train for w in row.words) for row in rows]))),
        "processor_minutes": minutes[0],
        "processor_minutes_with_search": minutes[1],
    }
    scores = scores_over_runs(count_rows(rows), draws, rng=seed)
    for metric in METRICS:
        line |= _over_runs(metric, scores[metric])
        line[f"{metric}_of_runs"] = _joined(row.mean(metric) for row in rows)
    return line


def _over_runs(name: str, result: OverRuns) -> Line:
    ends = {"": result.mean, "_low": result.low, "_high": result.high, "_sd": result.spread}
    return {f"{name}{end}": value for end, value in ends.items()}


def _difference(metric: str, result: OverRuns, family: int) -> Line:
    """Return the columns of a tested difference, without its adjusted p-value."""
    return {
        **_over_runs(f"{metric}_difference", result),
        f"{metric}_difference_of_runs": _joined(result.values),
        f"{metric}_p": result.p,
        f"{metric}_detectable": detectable(result.error, freedom=result.freedom),
        f"{metric}_detectable_in_family": detectable(
            result.error, family=family, freedom=result.freedom
        ),
    }


def _joined(values: Iterable[float]) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    add_files(parser, "--candidates", "predictions of every configuration and training set")
    add_files(parser, "--searches", "CV scores of the candidates, in the same order")
    add_path(parser, "--selection", "of `wsd select`, .json")
    for kind, text in (
        ("baselines", "baselines"),
        ("zero-shot", "zero-shot classification by glosses"),
        ("per-word", "the selection per word"),
        ("finetuned", "fine-tuned encoders, one file per seed"),
    ):
        add_optional_files(parser, f"--{kind}", f"predictions of {text}")
    add_path(parser, "--map", "the run's run.json, which lists the files of its steps")
    add_path(parser, "--logs", "folder of the logs of the dataset's steps, with processor times")
    add_seed(parser)
    add_out(parser, "the table", ".csv")


def run(args: argparse.Namespace) -> None:
    """Write the table: models and training sets in order, the full training set first."""
    corpora = read_corpora(args.corpus, args.words)
    with parsing(args.selection):
        selection = read_json(args.selection)
        objective, chosen = selection["objective"], selection["chosen"]
    groups = read_candidates(args.searches, objective)
    trains = tuple(dict.fromkeys(train for _, train in groups))
    costs = Costs(RunMap(args.map), args.logs, trains)
    files = {kind: getattr(args, kind) for kind in KINDS}
    files["candidates"] = dict(zip(args.searches, args.candidates, strict=True))
    gatherer = Gatherer(groups, files, chosen, objective, corpora, costs)
    lines = [
        line
        for (model, train), strategies in gatherer.gather().items()
        for line in table_of(model, train, strategies, args.seed)
    ]
    write_csv(args.out, pd.DataFrame(lines, columns=COLUMNS))
