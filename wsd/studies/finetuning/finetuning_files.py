"""What fine-tuning writes: its settings, what the folds say of them, what it took, and the names.

The predictions of each seed are a file like any others. In place of a layer choice they have
``finetuned``: the whole encoder was trained, so that there is no layer to choose.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wsd.artifacts.column_names import FINETUNED
from wsd.artifacts.cv_table import OBJECTIVES
from wsd.artifacts.predictions import WordPredictions
from wsd.errors import ConfigError
from wsd.metrics.scores import confusion, word_scores

VIEW = "focal"
# Below a model's folder, per training set; the files there, beside a file of predictions per seed
# and a folder with the first seed's encoder.
TRIALS, COSTS, MODEL = "trials.csv", "costs.csv", "model"
COSTS_COLUMNS = ["trial", "seed", "processor_seconds", "wall_seconds"]
ALL = "all"


class Setting(NamedTuple):
    """How an encoder is trained.

    Attributes
    ----------
    rate : float
        The highest learning rate.
    epochs : int
    blocks : int or "all"
        How many of the upper blocks are trained; ``all`` trains the embeddings too.
    """

    rate: float
    epochs: int
    blocks: int | str

    def __str__(self) -> str:
        return f"rate {self.rate:g}, {self.epochs} epochs, blocks {self.blocks}"


TRIALS_COLUMNS = ["trial", *Setting._fields, "fold", "objective", "chosen"]


def combined(grid: Mapping[str, Any]) -> list[Setting]:
    """All settings of lists of rates, epochs and blocks; the first varies slowest."""
    return [Setting(*of) for of in itertools.product(*(grid[key] for key in Setting._fields))]


def read_settings(text: str, where: str) -> list[Setting]:
    """The settings of a grid, as JSON: an object of three lists.

    >>> read_settings('{"rate": [1e-4, 2e-5], "epochs": [2], "blocks": ["all"]}', "--grid")[1]
    Setting(rate=2e-05, epochs=2, blocks='all')
    """
    try:
        found = combined(json.loads(text))
        sound = found and all(
            of.rate > 0 and _counts(of.epochs) and (of.blocks == ALL or _counts(of.blocks))
            for of in found
        )
    except (LookupError, RecursionError, TypeError, ValueError):
        sound = False
    if not sound:
        fix = """write it so: '{"rate": [5e-5], "epochs": [2], "blocks": ["all"]}'"""
        raise ConfigError(f"{text!r} is no grid of settings", where=where, fix=fix)
    return found


def _counts(value: object) -> bool:
    return type(value) is int and value >= 1


def name_of(seed: int) -> str:
    """The name in place of a classifier's; also that of the file."""
    return f"{FINETUNED}-{seed}"


def objective_of(words: Sequence[WordPredictions], name: str) -> float:
    """The mean over words of a metric, as `wsd.artifacts.cv_table.Search.objective` has it."""
    scores = [
        word_scores(confusion(of.gold, of.predicted, len(of.senses)))[OBJECTIVES[name]]
        for of in words
    ]
    return float(sum(scores) / len(scores))


def best(trials: Sequence[Mapping[str, Any]], settings: Sequence[Setting]) -> int:
    """The number of the setting with the highest mean objective over its folds; of equal ones, and
    without any trial, the first.
    """
    means = []
    for number in range(len(settings)):
        of = [line["objective"] for line in trials if line["trial"] == number + 1]
        means.append(sum(of) / len(of) if of else 0.0)
    return next(i for i, mean in enumerate(means) if mean >= max(means) - 1e-12)
