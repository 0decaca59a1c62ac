"""Define the settings, the names and the columns of the files of fine-tuning.

Each seed has an ordinary file of predictions. Instead of a layer choice it has ``finetuned``,
because the whole encoder was trained and there is no layer to choose.
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
# The tables of a training set, and the folder with the encoder of the first seed.
TRIALS, COSTS, MODEL = "trials.csv", "costs.csv", "model"
COSTS_COLUMNS = ["trial", "seed", "processor_seconds", "wall_seconds"]
ALL = "all"


class Setting(NamedTuple):
    """The settings of a training.

    Attributes
    ----------
    rate : float
        The highest learning rate.
    epochs : int
    blocks : int or "all"
        The number of upper blocks to train; ``all`` trains the embeddings too.
    """

    rate: float
    epochs: int
    blocks: int | str

    def __str__(self) -> str:
        return f"rate {self.rate:g}, {self.epochs} epochs, blocks {self.blocks}"


TRIALS_COLUMNS = ["trial", *Setting._fields, "fold", "objective", "chosen"]


def combined(grid: Mapping[str, Any]) -> list[Setting]:
    """Return all combinations of lists of rates, epochs and blocks; the first varies slowest."""
    lists = [grid[key] for key in Setting._fields]
    return [Setting(*values) for values in itertools.product(*lists)]


def read_settings(text: str, where: str) -> list[Setting]:
    """Parse the settings of a grid: a JSON object with three lists.

    >>> read_settings('{"rate": [1e-4, 2e-5], "epochs": [2], "blocks": ["all"]}', "--grid")[1]
    Setting(rate=2e-05, epochs=2, blocks='all')
    """
    try:
        settings = combined(json.loads(text))
        valid = settings and all(
            s.rate > 0 and _is_count(s.epochs) and (s.blocks == ALL or _is_count(s.blocks))
            for s in settings
        )
    except (LookupError, RecursionError, TypeError, ValueError):
        valid = False
    if not valid:
        fix = """write, for example, '{"rate": [5e-5], "epochs": [2], "blocks": ["all"]}'"""
        raise ConfigError(f"{text!r} is not a grid of settings", where=where, fix=fix)
    return settings


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def classifier_name(seed: int) -> str:
    """Return the name of a seed's predictions, which stands in the column ``classifier``."""
    return f"{FINETUNED}-{seed}"


def mean_objective(words: Sequence[WordPredictions], name: str) -> float:
    """Return the mean of a metric over words, as ``wsd.artifacts.cv_table.Search.objective``."""
    scores = [
        word_scores(confusion(word.gold, word.predicted, len(word.senses)))[OBJECTIVES[name]]
        for word in words
    ]
    return float(sum(scores) / len(scores))


def best(trials: Sequence[Mapping[str, Any]], settings: Sequence[Setting]) -> int:
    """Return the index of the setting with the highest mean objective over folds.

    Of equal settings, and if there are no trials, it is the first.
    """
    means = []
    for number in range(len(settings)):
        scores = [line["objective"] for line in trials if line["trial"] == number + 1]
        means.append(sum(scores) / len(scores) if scores else 0.0)
    return next(i for i, mean in enumerate(means) if mean >= max(means) - 1e-12)
