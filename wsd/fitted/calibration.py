"""Measure calibration and out-of-distribution (OOD) flags of a selected configuration.

The command writes three tables per model. ``calibration.csv`` has scores of the probabilities on
test instances, for raw scores and after temperature scaling: negative log-likelihood (NLL), Brier
score, mean confidence minus accuracy, and the expected calibration error (ECE) with its noise
floor. The temperature is fitted on the out-of-fold predictions of the training set.
``reliability.csv`` has confidence and accuracy in ten bins, over all words. ``ood.csv`` has the
share of sentences with an OOD flag: in the test split, in the out-of-domain split, and among
sentences of other words, where no sense of the word applies.

Nothing is fitted again: scores are those of the stored predictions.
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta

from wsd.arguments import add_out_folder, add_results, add_seed
from wsd.artifacts.column_names import TOGETHER
from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.predictions import TEST, WordPredictions
from wsd.fitted.selected_results import Results
from wsd.fitted.word_classifier import Fitting, Learner, stored_probabilities
from wsd.logs import log
from wsd.metrics import nearest, reliability
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


def _tables(fitting: Fitting, seed: int) -> Tables:
    instances, scores, words = _instances(fitting)
    tables: Tables = {name: [] for name in TABLES}
    for test in (TEST, OUT_OF_DOMAIN, OF_OTHERS):
        for word, group in _by_word(instances[instances["test"] == test]):
            about = {"sentences": test, "word": word, **words.get(word, {})}
            tables["ood"].append({**about, **_out_of_distribution(group)})
        tested = scores[scores["test"] == test]
        for word, of_word in _by_word(tested):
            if test == TEST or word == TOGETHER:
                for kind, group in of_word.groupby("scores", sort=False):
                    row = {"test": test, "word": word, "scores": kind, **_errors(group, seed)}
                    if kind == CALIBRATED and word in words:
                        row["temperature"] = fitting.temperatures.get(word)
                    tables["calibration"].append(row)
        for kind, group in tested.groupby("scores", sort=False):
            tables["reliability"] += [{"test": test, "scores": kind, **row} for row in _bins(group)]
    return tables


def _by_word(table: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the rows of all words together and, after them, those of each word."""
    if len(table):
        yield TOGETHER, table
        yield from table.groupby("word", sort=False)


def _instances(fitting: Fitting) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, dict[str, Any]]]:
    """Return rows of test instances, rows of their scores, and each word's OOD threshold.

    Instances have the columns test, word, correct and ood. Scores have test, word, scores (raw or
    calibrated), accuracy (0 or 1), confidence, gap, nll and brier.
    """
    most = sample_size(len(fitting.words))
    samples = {word: _sample(Learner(fitting, word), most) for word in fitting.words}
    instances, scores, words = [], [pd.DataFrame(columns=["test", "word", "scores"])], {}
    for word in fitting.words:
        learner = Learner(fitting, word)
        train, threshold = learner.directions()
        words[word] = {"threshold": threshold, "n_train": len(train)}
        # The vectors to flag, and whether their sense is predicted.
        tested = {}
        for test in (TEST, OUT_OF_DOMAIN):
            if predictions := fitting.stored.get((test, word)):
                vectors = learner.vectors[learner.corpus.split == test]
                tested[test] = vectors, (predictions.predicted == predictions.gold).astype(float)
                of_test = _scores(predictions, fitting.source, fitting.temperatures.get(word))
                scores += [table.assign(test=test, word=word) for table in of_test]
        if others := [sample for other, sample in samples.items() if other != word]:
            tested[OF_OTHERS] = np.concatenate(others), np.nan
        for test, (vectors, correct) in tested.items():
            _, similarity = nearest.nearest_trained(vectors, train)
            ood = 1 - similarity[:, 0] > (np.inf if threshold is None else threshold)
            columns = {"correct": correct, "ood": ood}
            instances.append(pd.DataFrame(columns).assign(test=test, word=word))
        log.info("calibration: %s, %d of %d words", word, len(words), len(fitting.words))
    return pd.concat(instances), pd.concat(scores), words


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


def _scores(
    words: WordPredictions, source: Mapping[str, Any], temperature: float | None
) -> Iterator[pd.DataFrame]:
    """Yield a table of instances for each kind of score that is a probability."""
    shares = {RAW: np.nan_to_num(words.scores)}
    if source["estimator"] == "nearest_centroid":  # a cosine is not a probability
        shares = {}
    calibrated = stored_probabilities(words, source, temperature)
    if not np.isnan(calibrated).any():
        shares[CALIBRATED] = calibrated
    for kind, probabilities in shares.items():
        correct = (words.predicted == words.gold).astype(float)
        confidence = probabilities[np.arange(len(correct)), words.predicted].clip(0, 1)
        columns = {"scores": kind, "accuracy": correct, "confidence": confidence}
        columns["gap"] = confidence - correct
        columns["nll"] = reliability.log_loss(probabilities, words.gold)
        columns["brier"] = reliability.brier_score(probabilities, words.gold)
        yield pd.DataFrame(columns)


def _errors(scores: pd.DataFrame, seed: int) -> dict[str, Any]:
    """Return mean scores and the calibration error with its noise floor."""
    means = scores[["accuracy", "confidence", "gap", "nll", "brier"]].mean()
    confidence = scores["confidence"].to_numpy()
    error = reliability.calibration_error(confidence, scores["accuracy"].to_numpy())
    floor, high = reliability.noise_floor(confidence, seed=seed)
    return {"n": len(scores), **means, "ece": error, "ece_floor": floor, "ece_floor_95": high}


def _bins(scores: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the bins with instances; each accuracy has a 95% Clopper-Pearson interval."""
    confidence, correct = scores["confidence"].to_numpy(), scores["accuracy"].to_numpy()
    for row in reliability.reliability(confidence, correct):
        n, right = row["n"], round(row["accuracy"] * row["n"])
        low = beta.ppf(0.025, right, n - right + 1) if right else 0.0
        high = beta.ppf(0.975, right + 1, n - right) if right < n else 1.0
        yield {**row, "accuracy_low": low, "accuracy_high": high}


def _out_of_distribution(instances: pd.DataFrame) -> dict[str, Any]:
    """Return the share of flagged sentences, and the accuracy of both kinds of sentences."""
    ood, correct = instances["ood"], instances["correct"]
    return {
        "n": len(ood),
        "ood": ood.mean(),
        "accuracy_ood": correct[ood].mean(),
        "accuracy_in_distribution": correct[~ood].mean(),
    }


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
