"""Read and write the cross-validation scores of a search space, and find its best point.

The table has a row per word, repeat and point. Macro-F1 and balanced accuracy are means over the
senses of the training set.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wsd.metrics.scores import WORD_SCORES
from wsd.storage.parquet import read_table, rows_by, write_table

PARAMETERS = {
    "nearest_centroid": ("metric", "transform"),
    "logistic": ("C", "prior_shift"),
    "lda": ("shrinkage", "prior_exponent"),
    "knn": ("k", "transform"),
}
OBJECTIVES = {
    "mean_macro_f1": "macro_f1",
    "mean_balanced_accuracy": "balanced_accuracy",
    "mean_word_accuracy": "accuracy",
}


def grid_points(space: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every combination of a search space; the first parameter varies slowest.

    Parameters
    ----------
    space : mapping of parameter to a value, or to a list of values

    Examples
    --------
    >>> grid_points({"C": [0.1, 1], "prior_shift": 0})
    [{'C': 0.1, 'prior_shift': 0}, {'C': 1, 'prior_shift': 0}]
    """
    combinations = itertools.product(*_lists(space).values())
    return [dict(zip(space, values, strict=True)) for values in combinations]


def fixed_parameters(space: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that have a single value in a search space.

    >>> fixed_parameters({"C": [0.1, 1], "prior_shift": [0], "metric": "cosine"})
    {'prior_shift': 0, 'metric': 'cosine'}
    """
    return {name: values[0] for name, values in _lists(space).items() if len(values) == 1}


def _lists(space: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: value if isinstance(value, list) else [value] for name, value in space.items()}


@dataclass(frozen=True, eq=False)
class Search:
    """The cross-validation scores of one feature set and classifier.

    Attributes
    ----------
    grid : list of dict
        The points of the search space.
    scores : mapping of word to array of shape (repeats, n_points, 3)
        The metrics are in the order of ``wsd.metrics.scores.WORD_SCORES``. Words without folds are
        absent.
    untuned : tuple of str
        Words without folds, because their rarest sense has fewer instances than there are folds.
        Their estimators have the default parameters.
    held_out : mapping of word to array of shape (n_points, n, senses)
        The out-of-fold scores of the training instances in the first repeat. The table lacks them:
        those of the best point are predictions of the split ``cv``.
    """

    grid: list[dict[str, Any]]
    scores: Mapping[str, np.ndarray]
    untuned: tuple[str, ...]
    held_out: Mapping[str, np.ndarray] = field(default_factory=dict)

    def objective(self, name: str, words: Sequence[str] | None = None) -> np.ndarray | None:
        """Return the mean of a metric over words, of shape (repeats, n_points).

        Return None if no word has folds.
        """
        column = WORD_SCORES.index(OBJECTIVES[name])
        tuned = [word for word in words or self.scores if word in self.scores]
        if not tuned:
            return None
        return np.mean([self.scores[word][..., column] for word in tuned], axis=0)

    def by_word(self, name: str, words: Sequence[str]) -> np.ndarray:
        """Return a metric as a mean over repeats, of shape (words, n_points)."""
        column = WORD_SCORES.index(OBJECTIVES[name])
        return np.stack([self.scores[word][..., column].mean(axis=0) for word in words])

    def best(self, name: str, words: Sequence[str] | None = None) -> dict[str, Any] | None:
        """Return the first point with the highest mean objective over repeats.

        Return None, for the estimator's defaults, if no word has folds.
        """
        if (objective := self.objective(name, words)) is None:
            return None
        values = objective.mean(axis=0)
        # The means of equal scores may differ in their last bits.
        return self.grid[int((values >= values.max() - 1e-12).argmax())]


def write_search(path: Path, search: Search, provenance: Mapping[str, Any]) -> None:
    """Write the scores atomically, with a row per word, repeat and point."""
    import pyarrow as pa

    keys = {"word": pa.string(), "repeat": pa.int32(), "point": pa.int32()}
    schema = pa.schema({**keys, **dict.fromkeys(WORD_SCORES, pa.float64())})
    rows = [
        dict(zip(schema.names, (word, *at, *scores[at]), strict=True))
        for word, scores in search.scores.items()
        for at in np.ndindex(scores.shape[:2])
    ]
    table = pa.Table.from_pylist(rows, schema=schema)
    extra = {"grid": search.grid, "untuned": list(search.untuned), "tuned": list(search.scores)}
    write_table(path, table, {**provenance, **extra})


def read_search(path: Path) -> tuple[Search, dict[str, Any]]:
    """Read a file that :func:`write_search` wrote, and its provenance."""
    table, provenance = read_table(path, "repeat", "point")
    rows, grid = rows_by(table["word"]), provenance["grid"]
    values = np.stack([table[metric].to_numpy() for metric in WORD_SCORES], axis=1)
    scores = {
        word: values[rows[word]].reshape(-1, len(grid), len(WORD_SCORES))
        for word in provenance["tuned"]
    }
    return Search(grid, scores, tuple(provenance["untuned"])), provenance
