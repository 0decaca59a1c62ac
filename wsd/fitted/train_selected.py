"""Fit a configuration of the results again, word by word, for use on new text.

The evaluation's vectors, training rows, folds and tuned parameters are used. A fitted word must
reproduce the stored predictions of the test split, so that the reported scores hold for it.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import CV, PER_WORD, TEST, WordPredictions, read_predictions
from wsd.classification import fit_and_predict
from wsd.classification.estimators.registry import ESTIMATORS
from wsd.classification.fit_and_predict import tuned_parameters
from wsd.errors import ConfigError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import FittedWord
from wsd.metrics import out_of_distribution, reliability

# Tolerance between new and stored scores: rounding only.
RTOL, ATOL = 1e-6, 1e-9


class Fitting:
    """Fits the words of one configuration.

    Parameters
    ----------
    results : Results
    configuration : Configuration

    Attributes
    ----------
    words : tuple of str
    source : dict
        The provenance of the predictions.
    encoder : dict
        The provenance of the vectors: model, pooling, input, precision, versions.
    features : Features
    stored : dict of (split, word) to WordPredictions
        The stored predictions of the test instances.
    folds : Folds
        The folds of the training set.

    Raises
    ------
    ResultError
        If the results lack the configuration, or have it, or its folds, with other settings.
    ConfigError
        If it cannot be used on new text.
    """

    def __init__(self, results: Results, configuration: Configuration) -> None:
        self.results, self.configuration = results, configuration
        stored, self.source = read_predictions(results.predictions(configuration))
        if self.source["estimator"] == PER_WORD:
            problem = "configurations that differ from word to word cannot be used here"
            raise ConfigError(problem, fix="name one with --layers and --classifier")
        self.words: tuple[str, ...] = tuple(self.source["words"])
        self.encoder: dict[str, Any] = self.source["encoder"]
        self.features = configuration.features(self.encoder["model"]["blocks"])
        self.stored = {(words.split, words.word): words for words in stored}
        self.folds = results.folds

    def word(self, word: str) -> FittedWord:
        """Fit one word, and check it against the stored predictions.

        Raises
        ------
        ResultError
            If the fitted word does not reproduce the stored predictions of the test split.
        """
        return Learner(self, word).fitted()

    @cached_property
    def temperatures(self) -> dict[str, float]:
        """Return each word's temperature; empty if no word has folds."""
        return stored_temperatures(self.results.predictions(self.configuration))

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word in its training sentences, and those that the user gave."""
        known = self.results.dataset
        given = known.forms.get(word, ()) if known else ()
        return tuple(dict.fromkeys((*self.results.corpus(word).forms, *given)))

    @property
    def language(self) -> str:
        """The code of the corpus's language."""
        return self.results.dataset.language if self.results.dataset else ENGLISH

    def sentences(self, word: str) -> list[str]:
        """Return a word's training sentences in the order of its vectors."""
        table = self.results.corpus(word)
        return [" ".join(table.tokens[row]) for row in self.folds.rows(table)]


class Learner:
    """Fits a word of a configuration with its tuned parameters.

    Parameters
    ----------
    fitting : Fitting
    word : str

    Attributes
    ----------
    corpus : Corpus
    vectors : float32 array of shape (len(corpus), features)
    """

    def __init__(self, fitting: Fitting, word: str) -> None:
        source, configuration = fitting.source, fitting.configuration
        self._fitting = fitting
        self.corpus = fitting.results.corpus(word)
        self._features, self.vectors, _ = read_features(
            fitting.results.vectors(configuration),
            self.corpus,
            configuration.view,
            configuration.layers,
        )
        rows = fitting.folds.rows(self.corpus)
        self._train, self._gold = self.vectors[rows], self.corpus.gold[rows]
        self._lines = self.corpus.index[rows]
        self._folds, self._stored = fitting.folds.words[word], fitting.stored.get((TEST, word))
        self._called = fitting.results.sense_texts(self.corpus)
        self._parameters = fit_and_predict.tuned_parameters(source, word)

    def fit(self) -> Any:
        """Fit the classifier on the whole training set and check it, as :meth:`Fitting.word`."""
        estimator = self._fitting.source["estimator"]
        unfitted = fit_and_predict.estimator_for(estimator, self._features, self._parameters)
        classifier = unfitted.fit(self._train, self._gold)
        if self._stored is not None:
            self._check(classifier, self._stored)
        return classifier

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Return the scores of new vectors: array of shape (n, senses)."""
        return fit_and_predict.scores_of(self.fit(), vectors, len(self.corpus.senses))

    def fitted(self) -> FittedWord:
        """Return the fitted word, as :meth:`Fitting.word`."""
        classifier = self.fit()
        train, threshold = self.directions()
        return FittedWord(
            word=self.corpus.word,
            senses=self.corpus.senses,
            called=self._called,
            estimator=next(name for name, kind in ESTIMATORS.items() if type(classifier) is kind),
            parameters=classifier.get_params(),
            classifier=classifier,
            temperature=self._fitting.temperatures.get(self.corpus.word),
            threshold=threshold,
            train=train,
            gold=self._gold.astype(np.int32),
            lines=self._lines,
            corpus=self.corpus.digest,
            forms=self._fitting.forms(self.corpus.word),
        )

    def directions(self) -> tuple[np.ndarray, float | None]:
        """Return the directions of the training vectors, and the OOD threshold.

        A fine-tuned encoder has no threshold.
        """
        train = out_of_distribution.unit(self._train).astype(np.float32)
        if has_seen_labels(self._fitting.source):
            return train, None
        return train, out_of_distribution.threshold(train, self._folds.component)

    def _check(self, classifier: Any, stored: WordPredictions) -> None:
        """Refuse a classifier that does not reproduce the stored predictions of the test split."""
        test = self.vectors[self.corpus.split == TEST]
        again = fit_and_predict.scores_of(classifier, test, len(self.corpus.senses))
        alike = np.allclose(again, stored.scores, rtol=RTOL, atol=ATOL, equal_nan=True)
        if not alike or (np.nanargmax(again, axis=1) != stored.predicted).any():
            worst = float(np.nanmax(np.abs(again - stored.scores), initial=0))
            word = self.corpus.word
            raise ResultError(
                f"the classifier of {word!r}, fitted again, does not reproduce the stored "
                f"predictions: a score differs by {worst:.2g}",
                fix="run snakemake again: predictions and scores are of other versions or another "
                "machine",
            )


def stored_temperatures(path: Path) -> dict[str, float]:
    """Fit each word's temperature on the out-of-fold predictions of a file.

    Parameters
    ----------
    path : Path
        Predictions of `wsd classify`.

    Returns
    -------
    dict of word to float
        Empty if no word has folds. Empty too for a fine-tuned encoder, because it has seen the
        labels of every fold.
    """
    held_out, source = read_predictions(path, CV)
    if not held_out or has_seen_labels(source):
        return {}
    logits = {
        word: (np.empty((0, len(about["senses"]))), np.empty(0, dtype=int))
        for word, about in source["words"].items()
    }
    for words in held_out:
        logits[words.word] = (_logits(words, source), words.gold)
    return reliability.fit_temperatures(logits)


def has_seen_labels(provenance: Mapping[str, Any]) -> bool:
    """Return whether the encoder was trained on the labels of the training set."""
    return "finetuned_from" in provenance["encoder"]["model"]


def stored_probabilities(
    words: WordPredictions, provenance: Mapping[str, Any], temperature: float | None
) -> np.ndarray:
    """Return the probability of each sense, as :meth:`FittedWord.answer` would.

    Parameters
    ----------
    words : WordPredictions
    provenance : mapping
        The provenance of the predictions.
    temperature : float or None
        From :func:`stored_temperatures`; None if it is unknown.

    Returns
    -------
    array of shape (n, senses)
        All NaN for cosines without a temperature, which are no probabilities.
    """
    if temperature is None and _estimator(words, provenance)[0] == "nearest_centroid":
        return np.full_like(words.scores, np.nan)
    return reliability.to_probabilities(_logits(words, provenance), temperature or 1.0)


def _logits(words: WordPredictions, provenance: Mapping[str, Any]) -> np.ndarray:
    return reliability.to_logits(words.scores, *_estimator(words, provenance))


def _estimator(words: WordPredictions, provenance: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a word's estimator and its tuned parameters."""
    if provenance["estimator"] == PER_WORD:
        chosen = provenance["chosen"][words.word]
        return chosen["estimator"], chosen["parameters"]
    parameters = tuned_parameters(provenance, words.word) if "untuned" in provenance else {}
    return provenance["estimator"], parameters
