"""Compare strategies for word sense disambiguation: scores, labels and processor time.

The table has a row per strategy and training set of each model: baselines, glosses, substitutes,
frozen vectors, fine-tuning. Differences are from the frozen encoder's best single layer, on the
same training set and test instances. A row has the mean over draws or seeds, and the score of each.
Processor time (:mod:`wsd.studies.strategies.costs`) differs from run to run, so no other table has
it.
"""

import argparse
from collections.abc import Sequence
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
from wsd.evaluation.comparison_rows import identical
from wsd.evaluation.comparison_tables import whole
from wsd.evaluation.word_columns import adjust
from wsd.metrics.intervals_over_runs import (
    difference_intervals_over_draws,
    intervals_over_draws,
    paired_tests_over_draws,
)
from wsd.metrics.scores import Counts
from wsd.storage.csv import write_csv
from wsd.storage.json import read_json
from wsd.storage.result_files import parsing
from wsd.studies.strategies.costs import Costs
from wsd.studies.strategies.gather import BEST_LAYER, KINDS, Gatherer, Strategy

METRICS = ("mean_macro_f1", "micro_accuracy")
ALPHA = 0.05
COLUMNS = [
    *("model", "strategy", "train", "view", "layers", "classifier", "setting", "selected_by"),
    *("n_words", "runs", "draws", "labels", "processor_minutes", "processor_minutes_with_search"),
    *(
        f"{metric}{end}"
        for metric in METRICS
        for end in (
            *("", "_low", "_high", "_of_runs"),
            *("_difference", "_difference_low", "_difference_high", "_p", "_p_holm"),
        )
    ),
    "in_confidence_set",
]
Line = dict[str, Any]


def table_of(model: str, train: str, strategies: Sequence[Strategy], seed: int) -> list[Line]:
    """Return a row per strategy of one model and training set.

    The differences from the best layer are one family of Holm's method per metric. The test of each
    strategy against the strategy with the highest macro-F1 is corrected for all pairs, since the
    data determine which strategy is highest.
    """
    reference = next((s for s in strategies if s.name == BEST_LAYER), None)
    best = max(strategies, key=lambda s: s.mean(METRICS[0]))
    # Strategies with the same predictions count once: there is nothing to test.
    distinct: list[Strategy] = []
    for strategy in strategies:
        if not any(_same(strategy, other) for other in distinct):
            distinct.append(strategy)
    pairs = len(distinct) * (len(distinct) - 1) // 2
    lines = []
    for strategy in strategies:
        learned = NO_TRAIN if strategy.runs[0].train == NO_TRAIN else train
        line = {"model": model, "train": learned, **_columns(strategy, seed)}
        if reference and strategy is not reference:
            line |= _differences(strategy, reference, seed)
        p = 1.0
        if strategy is not best:
            p = paired_tests_over_draws(_joints(strategy, best), rng=seed)[METRICS[0]].p
        line["in_confidence_set"] = strategy is best or p * pairs >= ALPHA
        lines.append(line)
    for metric in METRICS:
        tested = [line for line in lines if f"{metric}_p" in line]
        family = [{"p": line[f"{metric}_p"]} for line in tested]
        adjust(family)
        for line, corrected in zip(tested, family, strict=True):
            line[f"{metric}_p_holm"] = corrected["p_holm"]
    return lines


def _columns(strategy: Strategy, seed: int) -> Line:
    """Return names, processor time and scores of a strategy, without its differences."""
    rows = [run.row for run in strategy.runs]
    intervals = intervals_over_draws([row.confusions for row in rows], rng=seed)
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
        "draws": len({run.train for run in strategy.runs}),
        "labels": whole(float(np.mean([sum(w.n_train for w in row.words) for row in rows]))),
        "processor_minutes": minutes[0],
        "processor_minutes_with_search": minutes[1],
    }
    for metric in METRICS:
        line[metric] = strategy.mean(metric)
        line[f"{metric}_low"], line[f"{metric}_high"] = intervals[metric]
        line[f"{metric}_of_runs"] = " ".join(f"{row.mean(metric):.6f}" for row in rows)
    return line


def _differences(strategy: Strategy, reference: Strategy, seed: int) -> Line:
    """Return the strategy minus the reference, with interval and p-value.

    The same predictions have the difference 0, no interval and no test.
    """
    if _same(strategy, reference):
        return {f"{metric}_difference": 0.0 for metric in METRICS}
    joints = _joints(strategy, reference)
    intervals = difference_intervals_over_draws(joints, rng=seed)
    tests = paired_tests_over_draws(joints, rng=seed)
    line: Line = {}
    for metric in METRICS:
        line[f"{metric}_difference"], line[f"{metric}_p"], *_ = tests[metric]
        line[f"{metric}_difference_low"], line[f"{metric}_difference_high"] = intervals[metric]
    return line


def _same(strategy: Strategy, other: Strategy) -> bool:
    """Return whether two strategies predict the same senses in every run."""
    joints = _joints(strategy, other)
    return bool(joints) and all(map(identical, joints))


def _joints(strategy: Strategy, other: Strategy) -> list[list[Counts]]:
    return [first.joints(second) for first, second in strategy.pairs(other)]


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
