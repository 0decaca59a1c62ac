"""How far a selected configuration's probabilities can be trusted, and what it takes for foreign.

Three tables per model. ``calibration.csv``: the expected calibration error on test instances, of
the scores as they are and after the temperature that folds of the training set give.
``reliability.csv``: confidence against accuracy in ten bins, over all words. ``novelty.csv``: how
many sentences are marked as far from every training sentence: of the test split, of those from out
of domain, and of other words, none of which has a sense of the word at all.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from wsd import calibration
from wsd.corpus import OUT_OF_DOMAIN
from wsd.fitting import FittedWord, Fitting, Learner, Results, is_usable
from wsd.predictions import TEST
from wsd.sheets import write_csv

log = logging.getLogger("wsd")

ALL = "(all)"
OF_OTHERS = "other words"
AS_THEY_ARE, CALIBRATED = "as they are", "calibrated"
SAMPLE = 50  # test sentences of each other word
COLUMNS = ["model", "view", "layers", "classifier"]
CALIBRATION = [
    *COLUMNS,
    "test",
    "word",
    "scores",
    "temperature",
    "n",
    "accuracy",
    "confidence",
    "ece",
    "ece_low",
    "ece_high",
]
RELIABILITY = [
    *COLUMNS,
    "test",
    "scores",
    "low",
    "high",
    "n",
    "confidence",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
]
NOVELTY = [
    *COLUMNS,
    "sentences",
    "word",
    "threshold",
    "n_train",
    "n",
    "far",
    "accuracy_far",
    "accuracy_near",
]
TABLES = {"calibration": CALIBRATION, "reliability": RELIABILITY, "novelty": NOVELTY}


class _Tested(NamedTuple):
    """Test instances of one word: arrays of shape (n,); confidence by kind of score."""

    confidence: dict[str, np.ndarray]
    correct: np.ndarray
    far: np.ndarray


def measure(results: Results, model: str, *, seed: int, out: Path) -> None:
    """Write the three tables for what was selected of a model.

    Parameters
    ----------
    results : Results
    model : str
    seed : int
        Of the bootstrap.
    out : Path
        Folder for the tables.
    """
    chosen = results.choose(model)
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    if is_usable(chosen):
        tables = _tables(Fitting(results, chosen), seed)
    else:
        log.warning("calibration: a control was selected, %s: nothing is measured", chosen)
    for name, columns in TABLES.items():
        rows = [{**vars(chosen), **row} for row in tables[name]]
        frame = pd.DataFrame(rows, columns=columns)
        write_csv(out / f"{name}.csv", frame)


def _tables(fitting: Fitting, seed: int) -> dict[str, list[dict[str, Any]]]:
    samples = {word: _sample(fitting.learner(word)) for word in fitting.words}
    tested: dict[str, dict[str, _Tested]] = {TEST: {}, OUT_OF_DOMAIN: {}}
    words: dict[str, FittedWord] = {}
    foreign: dict[str, np.ndarray] = {}
    for word in fitting.words:
        learner = fitting.learner(word)
        words[word] = fitted = learner.fitted()
        others = [sample for other, sample in samples.items() if other != word]
        if others:
            foreign[word] = fitted.is_far(fitted.answer(np.concatenate(others)).distance)
        for split, of_split in tested.items():
            rows = np.flatnonzero(learner.corpus.split == split)
            if len(rows):
                of_split[word] = _test(fitted, learner, rows)
        log.info("calibration: %s, %d of %d words", word, len(words), len(fitting.words))
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for split, of_split in tested.items():
        if not of_split:
            continue
        together = _together(of_split)
        for scores in together.confidence:
            confidence, correct = together.confidence[scores], together.correct
            found["calibration"].append(
                {"test": split, "word": ALL, "scores": scores, **_error(confidence, correct, seed)}
            )
            found["reliability"] += [
                {"test": split, "scores": scores, **row} for row in _bins(confidence, correct)
            ]
        found["novelty"] += _far(split, of_split, words)
        if split == TEST:
            found["calibration"] += [
                {
                    "test": split,
                    "word": word,
                    "scores": scores,
                    "temperature": words[word].temperature if scores == CALIBRATED else None,
                    **_error(confidence, of_word.correct, seed),
                }
                for word, of_word in of_split.items()
                for scores, confidence in of_word.confidence.items()
            ]
    if foreign:
        nothing = {
            word: _Tested({}, np.full(len(far), np.nan), far) for word, far in foreign.items()
        }
        found["novelty"] += _far(OF_OTHERS, nothing, words)
    return found


def _sample(learner: Learner) -> np.ndarray:
    """Vectors of some test sentences of a word, spread over the split."""
    rows = np.flatnonzero(learner.corpus.split == TEST)
    places = np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(int)
    return learner.vectors[rows[places]]


def _test(fitted: FittedWord, learner: Learner, rows: np.ndarray) -> _Tested:
    answers = fitted.answer(learner.vectors[rows])
    each = np.arange(len(rows))
    confidence = {}
    if fitted.estimator != "nearest_centroid":
        # Shares and probabilities; a cosine is none.
        confidence[AS_THEY_ARE] = answers.scores[each, answers.predicted].clip(0, 1)
    if not np.isnan(answers.probabilities).any():
        confidence[CALIBRATED] = answers.probabilities[each, answers.predicted].clip(0, 1)
    correct = (answers.predicted == learner.corpus.gold[rows]).astype(float)
    return _Tested(confidence, correct, fitted.is_far(answers.distance))


def _together(of_words: Mapping[str, _Tested]) -> _Tested:
    """All words as one; a kind of score that a word lacks is left out."""
    kinds = [
        kind
        for kind in (AS_THEY_ARE, CALIBRATED)
        if all(kind in one.confidence for one in of_words.values())
    ]
    ones = list(of_words.values())
    return _Tested(
        {kind: np.concatenate([one.confidence[kind] for one in ones]) for kind in kinds},
        np.concatenate([one.correct for one in ones]),
        np.concatenate([one.far for one in ones]),
    )


def _error(confidence: np.ndarray, correct: np.ndarray, seed: int) -> dict[str, Any]:
    low, high = calibration.calibration_interval(confidence, correct, seed=seed)
    return {
        "n": len(correct),
        "accuracy": correct.mean(),
        "confidence": confidence.mean(),
        "ece": calibration.calibration_error(confidence, correct),
        "ece_low": low,
        "ece_high": high,
    }


def _bins(confidence: np.ndarray, correct: np.ndarray) -> list[dict[str, Any]]:
    """Bins that hold anything, each accuracy with its 95% Clopper-Pearson interval."""
    rows = []
    for one in calibration.reliability(confidence, correct):
        if one.n:
            right = round(one.accuracy * one.n)
            low = beta.ppf(0.025, right, one.n - right + 1) if right else 0.0
            high = beta.ppf(0.975, right + 1, one.n - right) if right < one.n else 1.0
            rows.append({**one._asdict(), "accuracy_low": low, "accuracy_high": high})
    return rows


def _far(
    sentences: str, of_words: Mapping[str, _Tested], words: Mapping[str, FittedWord]
) -> list[dict[str, Any]]:
    rows = [
        {
            "sentences": sentences,
            "word": word,
            "threshold": words[word].threshold,
            "n_train": len(words[word].gold),
            **_shares(one),
        }
        for word, one in of_words.items()
    ]
    return [{"sentences": sentences, "word": ALL, **_shares(_together(of_words))}, *rows]


def _shares(one: _Tested) -> dict[str, Any]:
    return {
        "n": len(one.far),
        "far": one.far.mean(),
        "accuracy_far": one.correct[one.far].mean() if one.far.any() else np.nan,
        "accuracy_near": one.correct[~one.far].mean() if not one.far.all() else np.nan,
    }
