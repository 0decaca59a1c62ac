"""Compare each configuration's scores on the senses with its scores on the control task."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsd.artifacts.column_names import NAMES
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.comparison_tables import paired_differences
from wsd.evaluation.word_columns import BOUNDS, interval_over_words
from wsd.metrics.over_words import scores_by_word
from wsd.metrics.scores import MEAN_SCORES, Counts, count_kinds

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


def selectivity(
    task: Sequence[ComparisonRow], control: Sequence[ComparisonRow], seed: int
) -> list[dict[str, Any]]:
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
            line: dict[str, Any] = {name: row.names[name] for name in NAMES[1:]}
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
