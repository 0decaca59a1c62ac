"""A configuration of the results, fitted again word by word for use on new text.

Everything comes from what the evaluation left behind: the vectors, the rows and folds of the
training set, the tuned parameters. A fitted word is only handed out if it gives the stored
predictions on the test split again, so that the scores that were reported are those of what is
used.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import PER_WORD, TEST, WordPredictions, read_predictions
from wsd.classification import fit_and_predict
from wsd.classification.cross_validation import fold_scores
from wsd.classification.estimators.registry import ESTIMATORS
from wsd.errors import ConfigError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.fitted.word_classifier import FittedWord
from wsd.metrics import out_of_distribution, reliability

# How far scores may lie from the stored ones: rounding, never another fit.
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
        What made the vectors: model, pooling, input, precision, versions.
    features : Features
    stored : dict of word to WordPredictions
        Those of the test split.
    folds : Folds
        Of the training set.

    Raises
    ------
    ResultError
        If the results lack the configuration, or have it, or its folds, with other settings than
        the run's.
    ConfigError
        If it cannot be used on new text.
    """

    def __init__(self, results: Results, configuration: Configuration) -> None:
        self.results, self.configuration = results, configuration
        if not configuration.is_usable:
            what = "the view `other` is one random word of the sentence, a control"
            raise ConfigError(what, where="--view", fix="choose another view")
        stored, self.source = read_predictions(results.predictions(configuration))
        if self.source["estimator"] == PER_WORD:
            raise ConfigError(
                "configurations that differ from word to word cannot be used here",
                fix="name one with --layers and --classifier",
            )
        self.words: tuple[str, ...] = tuple(self.source["words"])
        self.encoder: dict[str, Any] = self.source["encoder"]
        self.features = configuration.features(self.encoder["model"]["blocks"])
        self.stored = {one.word: one for one in stored if one.split == TEST}
        self.folds = results.folds

    def word(self, word: str) -> FittedWord:
        """Fit one word, and check it against the stored predictions.

        Raises
        ------
        ResultError
            If table, vectors or folds are not those of the predictions, or the fitted word does
            not give the stored predictions of the test split again.
        """
        return Learner(self, word).fitted()

    def forms(self, word: str) -> tuple[str, ...]:
        """What stands for a word in its training sentences."""
        return self.results.corpus(word).forms

    def sentences(self, word: str) -> list[str]:
        """A word's training sentences in the order of its vectors."""
        table = self.results.corpus(word)
        return [" ".join(table.tokens[row]) for row in self.folds.rows(table)]


def _stale(what: str, where: Path) -> ResultError:
    return ResultError(what, where=str(where), fix="run snakemake again")


class Learner:
    """A word's vectors and all that its classifier was tuned to, before it is fitted.

    Parameters
    ----------
    fitting : Fitting
        Of its configuration.
    word : str

    Attributes
    ----------
    corpus : Corpus
    vectors : float32 array of shape (len(corpus), features)
    """

    def __init__(self, fitting: Fitting, word: str) -> None:
        source, of = fitting.source, fitting.configuration
        self.corpus = fitting.results.corpus(word)
        made = fitting.results.map.path
        if self.corpus.digest != source["corpus"][word]:
            raise _stale(f"the corpus of {word!r} is not the one that was predicted", made)
        vectors = fitting.results.vectors(of)
        found, self.vectors, made_by = read_features(vectors, self.corpus, of.view, of.layers)
        if made_by["model"] != fitting.encoder["model"]:
            what = f"the vectors of {word!r} are of another encoder than the predictions"
            raise _stale(what, made)
        rows = fitting.folds.rows(self.corpus)
        self._train, self._gold = self.vectors[rows], self.corpus.gold[rows]
        self._lines = self.corpus.index[rows]
        self._folds, self._stored = fitting.folds.words[word], fitting.stored.get(word)
        self._called = fitting.results.sense_texts(self.corpus)
        self._estimator = source["estimator"]
        self._parameters = fit_and_predict.tuned_parameters(source, word)
        # The estimator with the tuned parameters.
        self._unfitted = partial(
            fit_and_predict.estimator_for, self._estimator, found, self._parameters
        )

    def temperature(self) -> float | None:
        """Fitted on each training instance while its fold is held out, in the first drawing.

        None if the word has no folds.
        """
        if self._folds.held is None:
            return None
        held_out = np.full((len(self._gold), len(self.corpus.senses)), np.nan)
        splits = list(self._folds.splits(0))
        found = fold_scores(self._unfitted(), self._train, self._gold, splits, [{}])
        for (fit, held), (scores,) in zip(splits, found, strict=True):
            held_out[np.ix_(held, np.unique(self._gold[fit]))] = scores
        logits = reliability.to_logits(held_out, self._estimator, self._parameters)
        return reliability.fit_temperature(logits, self._gold)

    def fitted(self) -> FittedWord:
        """The word, fitted on its whole training set, as :meth:`Fitting.word` says."""
        classifier = self._unfitted().fit(self._train, self._gold)
        train = out_of_distribution.unit(self._train).astype(np.float32)
        made = FittedWord(
            word=self.corpus.word,
            senses=self.corpus.senses,
            called=self._called,
            estimator=next(name for name, kind in ESTIMATORS.items() if type(classifier) is kind),
            parameters=classifier.get_params(),
            classifier=classifier,
            temperature=self.temperature(),
            threshold=out_of_distribution.threshold(train, self._folds.component),
            train=train,
            gold=self._gold.astype(np.int32),
            lines=self._lines,
            corpus=self.corpus.digest,
            forms=self.corpus.forms,
        )
        if self._stored is not None:
            self._check(made, self._stored)
        return made

    def _check(self, made: FittedWord, stored: WordPredictions) -> None:
        """Refuse a word that does not give the stored predictions of the test split again."""
        tested = self.vectors[self.corpus.split == TEST]
        again = made.scores(tested)
        alike = np.allclose(again, stored.scores, rtol=RTOL, atol=ATOL, equal_nan=True)
        if not alike or (np.nanargmax(again, axis=1) != stored.predicted).any():
            worst = float(np.nanmax(np.abs(again - stored.scores), initial=0))
            raise ResultError(
                f"fitted again, the classifier of {made.word!r} does not give the stored "
                f"predictions: a score differs by {worst:.2g}",
                fix="run snakemake again: the predictions are of other versions or another "
                "machine, and the scores with them",
            )
