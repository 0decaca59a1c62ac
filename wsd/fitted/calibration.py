"""Measure calibration and out-of-distribution (OOD) flags of a selected configuration.

The command writes three tables per model. ``calibration.csv`` has scores of the probabilities on
test instances, for raw scores and after temperature scaling: negative log-likelihood (NLL), Brier
score, mean confidence minus accuracy, and the expected calibration error (ECE) with its noise
floor. Cross-validation on the training set selects the temperature. ``reliability.csv`` has
confidence and accuracy in ten bins, over all words. ``ood.csv`` has the share of sentences with an
OOD flag: in the test split, in the out-of-domain split, and among sentences of other words, where
no sense of the word applies.
"""

import argparse
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from wsd.arguments import add_out_folder, add_results, add_seed
from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.predictions import TEST
from wsd.fitted.selected_results import Results
from wsd.fitted.train_selected import Fitting, Learner
from wsd.fitted.word_classifier import FittedWord
from wsd.logs import log
from wsd.metrics import reliability
from wsd.storage.csv import write_csv

OF_OTHERS = "other words"
RAW, CALIBRATED = "raw", "calibrated"  # kinds of scores in the tables
SAMPLE = 50  # test sentences of each other word, if there are few words
OTHERS = 1000  # the most test sentences of all other words together, to limit the time
NAMES = ("model", "view", "layers", "classifier")
TABLES = {
    "calibration": [
        *(*NAMES, "test", "word", "scores", "temperature", "n"),
        *("accuracy", "confidence", "gap", "nll", "brier", "ece", "ece_floor", "ece_floor_95"),
    ],
    "reliability": [
        *(*NAMES, "test", "scores", "low", "high", "n"),
        *("confidence", "accuracy", "accuracy_low", "accuracy_high"),
    ],
    "ood": [
        *(*NAMES, "sentences", "word", "threshold", "n_train", "n"),
        *("ood", "accuracy_ood", "accuracy_in_distribution"),
    ],
}
Tables = dict[str, list[dict[str, Any]]]


class _Tested(NamedTuple):
    """Test instances of one word: arrays of shape (n,).

    ``scores`` has confidence, gap (confidence minus correctness), nll and brier, by kind of score.
    """

    scores: dict[str, pd.DataFrame]
    correct: np.ndarray
    ood: np.ndarray


def _tables(fitting: Fitting, seed: int) -> Tables:
    most = sample_size(len(fitting.words))
    samples = {word: _sample(Learner(fitting, word), most) for word in fitting.words}
    tested: dict[str, dict[str, _Tested]] = {TEST: {}, OUT_OF_DOMAIN: {}, OF_OTHERS: {}}
    words: dict[str, FittedWord] = {}
    for word in fitting.words:
        learner = Learner(fitting, word)
        words[word] = fitted = learner.fitted()
        for split in (TEST, OUT_OF_DOMAIN):
            rows = np.flatnonzero(learner.corpus.split == split)
            if len(rows):
                tested[split][word] = _test(fitted, learner, rows)
        others = [sample for other, sample in samples.items() if other != word]
        if others:
            ood = fitted.is_ood(fitted.answer(np.concatenate(others)).distance)
            tested[OF_OTHERS][word] = _Tested({}, np.full(len(ood), np.nan), ood)
        log.info("calibration: %s, %d of %d words", word, len(words), len(fitting.words))
    tables: Tables = {name: [] for name in TABLES}
    for split, by_word in tested.items():
        if not by_word:
            continue
        together = {TOGETHER: _together(by_word)}
        tables["ood"] += _out_of_distribution(split, together | by_word, words)
        shown = together | by_word if split == TEST else together
        tables["calibration"] += _errors(split, shown, words, seed)
        tables["reliability"] += _bins(split, together[TOGETHER])
    return tables


def sample_size(words: int) -> int:
    """Return how many test sentences of each other word to sample, given the number of words.

    >>> sample_size(20), sample_size(642)
    (50, 1)
    """
    return min(SAMPLE, max(1, OTHERS // max(1, words - 1)))


def _sample(learner: Learner, most: int) -> np.ndarray:
    """Return vectors of test sentences of a word, evenly spaced over the split."""
    rows = np.flatnonzero(learner.corpus.split == TEST)
    places = np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(int)
    return learner.vectors[rows[places]]


def _test(fitted: FittedWord, learner: Learner, rows: np.ndarray) -> _Tested:
    answers, gold = fitted.answer(learner.vectors[rows]), learner.corpus.gold[rows]
    probabilities = {}
    if fitted.estimator != "nearest_centroid":  # a cosine is not a probability
        probabilities[RAW] = np.nan_to_num(answers.scores)
    if not np.isnan(answers.probabilities).any():
        probabilities[CALIBRATED] = answers.probabilities
    correct, scores = (answers.predicted == gold).astype(float), {}
    for kind, shares in probabilities.items():
        confidence = shares[np.arange(len(rows)), answers.predicted].clip(0, 1)
        columns = {"confidence": confidence, "gap": confidence - correct}
        columns["nll"] = reliability.log_loss(shares, gold)
        columns["brier"] = reliability.brier_score(shares, gold)
        scores[kind] = pd.DataFrame(columns)
    return _Tested(scores, correct, fitted.is_ood(answers.distance))


def _together(by_word: Mapping[str, _Tested]) -> _Tested:
    """Concatenate all words, without the kinds of score that a word lacks."""
    words = list(by_word.values())
    kinds = [k for k in (RAW, CALIBRATED) if all(k in word.scores for word in words)]
    return _Tested(
        {kind: pd.concat([word.scores[kind] for word in words]) for kind in kinds},
        np.concatenate([word.correct for word in words]),
        np.concatenate([word.ood for word in words]),
    )


def _errors(
    split: str, by_word: Mapping[str, _Tested], words: Mapping[str, FittedWord], seed: int
) -> list[dict[str, Any]]:
    """Return a row per word and kind of score; ``gap`` is mean confidence minus accuracy."""
    rows = []
    for word, tested in by_word.items():
        for kind, scores in tested.scores.items():
            row = {"test": split, "word": word, "scores": kind, "n": len(scores)}
            if word in words and kind == CALIBRATED:
                row["temperature"] = words[word].temperature
            row |= {"accuracy": tested.correct.mean(), **scores.mean()}
            confidence = scores["confidence"].to_numpy()
            row["ece"] = reliability.calibration_error(confidence, tested.correct)
            row["ece_floor"], row["ece_floor_95"] = reliability.noise_floor(confidence, seed=seed)
            rows.append(row)
    return rows


def _bins(split: str, tested: _Tested) -> list[dict[str, Any]]:
    """Return the bins with instances; each accuracy has a 95% Clopper-Pearson interval."""
    rows = []
    for kind, scores in tested.scores.items():
        for bin_scores in reliability.reliability(scores["confidence"].to_numpy(), tested.correct):
            n, right = bin_scores["n"], round(bin_scores["accuracy"] * bin_scores["n"])
            low = beta.ppf(0.025, right, n - right + 1) if right else 0.0
            high = beta.ppf(0.975, right + 1, n - right) if right < n else 1.0
            row = {"test": split, "scores": kind, **bin_scores}
            rows.append({**row, "accuracy_low": low, "accuracy_high": high})
    return rows


def _out_of_distribution(
    sentences: str, by_word: Mapping[str, _Tested], words: Mapping[str, FittedWord]
) -> list[dict[str, Any]]:
    """Return a row per word: the share of flagged sentences, and the accuracy of both kinds."""
    rows = []
    for word, tested in by_word.items():
        ood, correct = tested.ood, tested.correct
        row = {"sentences": sentences, "word": word, "n": len(ood), "ood": ood.mean()}
        if word in words:
            row |= {"threshold": words[word].threshold, "n_train": len(words[word].gold)}
        row["accuracy_ood"] = correct[ood].mean() if ood.any() else np.nan
        row["accuracy_in_distribution"] = correct[~ood].mean() if not ood.all() else np.nan
        rows.append(row)
    return rows


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    parser.add_argument("--model", required=True, help="its name in the selection")
    add_seed(parser, "of the simulated noise floor")
    add_out_folder(parser, "folder for calibration.csv, reliability.csv and ood.csv")


def run(args: argparse.Namespace) -> None:
    """Write the three tables for the selected configuration of a model."""
    results = Results(args.results, args.of_run)
    chosen = results.choose(args.model)
    tables = _tables(Fitting(results, chosen), args.seed)
    for name, columns in TABLES.items():
        rows = [{**vars(chosen), **row} for row in tables[name]]
        table = pd.DataFrame(rows, columns=columns)
        # The row of all words together has no number of training instances.
        whole = dict.fromkeys({"n_train"} & {*columns}, "Int64")
        write_csv(args.out / f"{name}.csv", table.astype(whole))
