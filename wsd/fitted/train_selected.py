"""Fit a configuration of the results again, word by word, for use on new text.

The evaluation's vectors, training rows, folds and tuned parameters are used. A fitted word must
reproduce the stored predictions of the test split, so that the reported scores hold for it.
"""

from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import PER_WORD, TEST, WordPredictions, read_predictions
from wsd.classification import fit_and_predict
from wsd.classification.estimators.registry import ESTIMATORS
from wsd.errors import ConfigError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.stored_probabilities import has_seen_labels, stored_temperatures
from wsd.fitted.word_classifier import FittedWord
from wsd.metrics import nearest

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
            If corpus, vectors or folds differ from those of the predictions, or the fitted word
            does not reproduce the stored predictions of the test split.
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


def _stale(problem: str, where: Path) -> ResultError:
    return ResultError(problem, where=str(where), fix="run snakemake again")


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
        results, where = fitting.results, fitting.results.map.path
        if self.corpus.digest != source["corpus"][word]:
            raise _stale(f"the corpus of {word!r} is not the one that was predicted", where)
        features, self.vectors, encoder = read_features(
            results.vectors(configuration), self.corpus, configuration.view, configuration.layers
        )
        if encoder["model"] != fitting.encoder["model"]:
            problem = f"the vectors of {word!r} are of another encoder than the predictions"
            raise _stale(problem, where)
        rows = fitting.folds.rows(self.corpus)
        self._train, self._gold = self.vectors[rows], self.corpus.gold[rows]
        self._lines = self.corpus.index[rows]
        self._folds, self._stored = fitting.folds.words[word], fitting.stored.get((TEST, word))
        self._called = fitting.results.sense_texts(self.corpus)
        parameters = fit_and_predict.tuned_parameters(source, word)
        self._unfitted = partial(
            fit_and_predict.estimator_for, source["estimator"], features, parameters
        )

    def fit(self) -> Any:
        """Fit the classifier on the whole training set and check it, as :meth:`Fitting.word`."""
        classifier = self._unfitted().fit(self._train, self._gold)
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
        train = nearest.half_units(self._train).astype(np.float32)
        if has_seen_labels(self._fitting.source):
            return train, None
        return train, nearest.ood_threshold(train, self._folds.component)

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
