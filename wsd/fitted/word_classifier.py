"""Fit a configuration of the results again, word by word, for use on new text.

The evaluation's vectors, training rows, folds and tuned parameters are used. A fitted word must
reproduce the stored predictions of the test split, so that the reported scores hold for it. It has
its classifier, temperature and training vectors, and answers vectors of new text. Stored scores
become probabilities in the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import ENGLISH
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.predictions import CV, PER_WORD, TEST, WordPredictions, read_predictions
from wsd.artifacts.senses import SenseText
from wsd.classification.estimators.registry import ESTIMATORS
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.classification.fit_and_predict import estimator_for, scores_of, tuned_parameters
from wsd.errors import ConfigError, ModelError, ResultError
from wsd.fitted.selected_results import Configuration, Results
from wsd.metrics import nearest, reliability


@dataclass(frozen=True, eq=False)
class VectorAnswers:
    """The predictions of a fitted word for some vectors.

    Attributes
    ----------
    predicted : int array of shape (n,)
        Indices into the word's senses.
    scores : array of shape (n, senses)
        The scores of the evaluation: probabilities, shares of votes, or cosines; NaN for a sense
        without training instances.
    probabilities : array of shape (n, senses)
        Probabilities after temperature scaling; all NaN for cosines without calibration.
    distance : array of shape (n,)
        Cosine distance to the nearest training instance.
    neighbours : int array of shape (n, 5)
        The nearest training instances, as rows of ``train``; -1 if there are fewer.
    similarity : array of shape (n, 5)
    """

    predicted: np.ndarray
    scores: np.ndarray
    probabilities: np.ndarray
    distance: np.ndarray
    neighbours: np.ndarray
    similarity: np.ndarray


@dataclass(frozen=True, eq=False)
class FittedWord:
    """A fitted word.

    Attributes
    ----------
    word : str
    senses : tuple of str
    called : tuple of SenseText
        Names and glosses for readers.
    estimator : str
        A name of :mod:`wsd.classification.estimators.registry`.
    parameters : mapping
        The tuned parameters.
    classifier : the fitted estimator
    temperature : float or None
        Fitted on folds of the training set; None if the word has no folds.
    threshold : float or None
        The cosine distance above which a sentence is out of distribution.
    train : float32 array of shape (n_train, features)
        Directions of the training vectors, rounded to half precision.
    gold, lines : int arrays of shape (n_train,)
        Their senses, and their lines in the training file, counted from 0.
    corpus : str
        The digest of the corpus table.
    forms : tuple of str
        The word's forms in the training sentences.
    """

    word: str
    senses: tuple[str, ...]
    called: tuple[SenseText, ...]
    estimator: str
    parameters: Mapping[str, Any]
    classifier: Any
    temperature: float | None
    threshold: float | None
    train: np.ndarray
    gold: np.ndarray
    lines: np.ndarray
    corpus: str
    forms: tuple[str, ...] = ()

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Return the scores of every sense: array of shape (n, senses)."""
        return scores_of(self.classifier, vectors, len(self.senses))

    def answer(self, vectors: np.ndarray) -> VectorAnswers:
        """Return senses, scores, probabilities and nearest training instances of some vectors.

        Parameters
        ----------
        vectors : array of shape (n, features)

        Raises
        ------
        ModelError
            If a score or a probability is not finite, as with weights of enormous size.
        """
        with np.errstate(all="ignore"):  # values that are not finite are refused below
            scores = self.scores(vectors)
            logits = reliability.to_logits(scores, self.estimator, self.parameters)
            probabilities = reliability.to_probabilities(logits, self.temperature or 1.0)
            neighbours, similarity = nearest.nearest_trained(vectors, self.train)
        known = scores[:, self.classifier.classes_]
        if not (np.isfinite(known).all() and np.isfinite(probabilities).all()):
            problem = f"the classifier of {self.word!r} gives scores that are not finite numbers"
            fix = "make the model file again with `wsd fit`, or download it again"
            raise ModelError(problem, fix=fix)
        if self.temperature is None and self.estimator == "nearest_centroid":
            probabilities = np.full_like(scores, np.nan)
        return VectorAnswers(
            predicted=np.nanargmax(scores, axis=1).astype(np.int32),
            scores=scores,
            probabilities=probabilities,
            distance=np.clip(1 - similarity[:, 0], 0, None),
            neighbours=neighbours,
            similarity=similarity,
        )

    def is_ood(self, distance: np.ndarray) -> np.ndarray:
        """Return which distances exceed the threshold: bool array of the same shape."""
        return distance > (np.inf if self.threshold is None else self.threshold)


def nearest_gloss(
    glosses: Corpus, vectors: np.ndarray, called: tuple[SenseText, ...]
) -> FittedWord:
    """Return a word whose training instances are its glosses: nearest centroid, uncalibrated.

    Parameters
    ----------
    glosses : Corpus
        As from :func:`wsd.corpora.glosses.gloss_table`.
    vectors : array of shape (glosses, features)
    called : tuple of SenseText
        The name and gloss of each sense.
    """
    return FittedWord(
        word=glosses.word,
        senses=glosses.senses,
        called=called,
        estimator="nearest_centroid",
        parameters={},
        classifier=NearestCentroid().fit(vectors, glosses.gold),
        temperature=None,
        threshold=None,
        train=nearest.half_units(vectors).astype(np.float32),
        gold=glosses.gold,
        lines=glosses.index,
        corpus=glosses.digest,
    )


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
        return [table.text(row) for row in self.folds.rows(table)]


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
        results, chosen = fitting.results, fitting.configuration
        self._fitting, self.corpus = fitting, results.corpus(word)
        self._features, self.vectors, _ = read_features(
            results.vectors(chosen), self.corpus, chosen.view, chosen.layers
        )
        rows = fitting.folds.rows(self.corpus)
        self._train, self._gold = self.vectors[rows], self.corpus.gold[rows]
        self._lines = self.corpus.index[rows]

    def fit(self) -> Any:
        """Fit the classifier on the whole training set and check it, as :meth:`Fitting.word`."""
        source, word = self._fitting.source, self.corpus.word
        parameters = tuned_parameters(source, word)
        unfitted = estimator_for(source["estimator"], self._features, parameters)
        classifier = unfitted.fit(self._train, self._gold)
        if stored := self._fitting.stored.get((TEST, word)):
            test = self.vectors[self.corpus.split == TEST]
            again = scores_of(classifier, test, len(self.corpus.senses))
            alike = np.allclose(again, stored.scores, rtol=RTOL, atol=ATOL, equal_nan=True)
            if not alike or (np.nanargmax(again, axis=1) != stored.predicted).any():
                worst = float(np.nanmax(np.abs(again - stored.scores), initial=0))
                problem = f"the classifier of {word!r}, fitted again, does not reproduce "
                problem += f"the stored predictions: a score differs by {worst:.2g}"
                raise ResultError(problem, fix="run snakemake again, on this machine")
        return classifier

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """Return the scores of new vectors: array of shape (n, senses)."""
        return scores_of(self.fit(), vectors, len(self.corpus.senses))

    def fitted(self) -> FittedWord:
        """Return the fitted word, as :meth:`Fitting.word`."""
        classifier = self.fit()
        train, threshold = self.directions()
        return FittedWord(
            word=self.corpus.word,
            senses=self.corpus.senses,
            called=self._fitting.results.sense_texts(self.corpus),
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
        return train, nearest.ood_threshold(
            train, self._fitting.folds.words[self.corpus.word].component
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
