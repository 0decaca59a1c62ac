"""Two words, predictions with known errors, and the cross-validation of one layer choice."""

from pathlib import Path
from typing import Any

import numpy as np
from builders import make_corpus

from wsd.artifacts import predictions
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import Search, write_search
from wsd.artifacts.predictions import WordPredictions
from wsd.metrics.scores import Counts, confusion, count_kinds

GOLD = {"bat": [0] * 12 + [1] * 20, "seal": [0] * 30 + [1] * 16 + [2] * 4}
SENSES = {"bat": ("animal", "club"), "seal": ("animal", "stamp", "ring")}


def corpora() -> dict[str, Corpus]:
    """Return two training rows per sense, then the test rows of `GOLD`; all sentences differ."""
    return {
        word: make_corpus(
            [("train", 0), ("train", 1), *[("train", 2)] * (len(SENSES[word]) - 2),
             *(("test", code) for code in gold)], word=word, senses=SENSES[word],
        )
        for word, gold in GOLD.items()
    }  # fmt: skip


def words(wrong: dict[str, list[int]]) -> list[WordPredictions]:
    """Return predictions that are right except for the given rows, which get the next sense."""
    predictions = []
    for word, senses in SENSES.items():
        gold = np.array(GOLD[word], dtype=np.int32)
        predicted, rows = gold.copy(), wrong.get(word, [])
        predicted[rows] = (gold[rows] + 1) % len(senses)
        index, scores = np.arange(len(gold), dtype=np.int32), np.eye(len(senses))[predicted]
        predictions.append(WordPredictions(word, senses, 10, index, gold, predicted, scores))
    return predictions


GRID = [{"k": 1}, {"k": 5}]
Wrong = dict[str, list[int]]
# Errors on the test set: bat has 12 + 20 instances, seal 30 + 16 + 4.
FEW: Wrong = {"bat": [0]}
SOME: Wrong = {"bat": [0, 1, 20]}
MANY: Wrong = {"bat": [*range(9)], "seal": [0]}
# Macro-F1 on folds: two repeats of two points per word.
GOOD = {"bat": [[0.8, 0.8], [0.8, 0.6]], "seal": [[0.5, 0.6], [0.5, 0.8]]}
FAIR = {"bat": [[0.7, 0.1], [0.9, 0.1]], "seal": [[0.4, 0.1], [0.6, 0.1]]}
POOR = {"bat": [[0.4, 0.4], [0.4, 0.4]], "seal": [[0.2, 0.8], [0.4, 0.8]]}
Pair = tuple[Path, Path]


def pair(
    folder: Path,
    layers: str,
    wrong: Wrong,
    scores: dict[str, list[list[float]]],
    *,
    model: str = "m",
    untuned: tuple[str, ...] = (),
    grid: list[dict[str, Any]] = GRID,
    **other: Any,
) -> Pair:
    """Write predictions and a cross-validation table; its accuracy is 1 minus macro-F1."""
    number = len(list(folder.glob("*.parquet")))
    files = folder / f"{number}.parquet", folder / f"{number}-search.parquet"
    source = {
        **{"train": "full", "view": "focal", "layers": layers, "task": "sense"},
        **{"classifier": "lda", "estimator": "lda"},
        "objective": "mean_macro_f1",
        "folds": {"k": 5, "repeats": 2, "seed": 1},
        "encoder": {"model": {"name": model, "blocks": 12}},
        "corpus": {word: corpus.digest for word, corpus in corpora().items()},
        **other,
    }
    of_words = {
        word: np.stack([1 - f1, f1, np.zeros_like(f1)], axis=-1)
        for word, values in scores.items()
        for f1 in [np.array(values)]
    }
    predictions.write_predictions(files[0], words(wrong), source)
    write_search(files[1], Search(grid, of_words, untuned), source)
    return files


def confusions(wrong: Wrong) -> list[np.ndarray]:
    return [confusion(w.gold, w.predicted, len(w.senses)) for w in words(wrong)]


def joints(first: Wrong, second: Wrong) -> list[Counts]:
    return [
        count_kinds([a.gold, a.predicted, b.predicted], len(a.senses))
        for a, b in zip(words(first), words(second), strict=True)
    ]
