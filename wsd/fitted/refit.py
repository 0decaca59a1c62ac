"""A configuration of the results, fitted again word by word for use on new text.

Everything comes from what the evaluation left behind: the vectors, the rows and folds of the
training set, the tuned parameters. A fitted word is only handed out if it gives the stored
predictions on the test split again, so that the scores that were reported are those of what is
used.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.features import Features, read_features
from wsd.artifacts.folds import WordFolds, read
from wsd.artifacts.predictions import PER_WORD, TEST, WordPredictions, read_predictions
from wsd.artifacts.training_set import FULL
from wsd.classification import fit_word
from wsd.classification.estimators.registry import ESTIMATORS
from wsd.errors import ConfigError, ResultError
from wsd.fitted.fitted_word import FittedWord
from wsd.fitted.results import Configuration, Results
from wsd.metrics import calibration, novelty

# How far scores may lie from the stored ones: rounding, never another fit.
RTOL, ATOL = 1e-6, 1e-9


class Fitting:
    """Fits the words of one configuration.

    Parameters
    ----------
    results : Results
    configuration : Configuration

    Raises
    ------
    ResultError
        If the results lack the configuration.
    ConfigError
        If it cannot be used on new text.
    """

    def __init__(self, results: Results, configuration: Configuration) -> None:
        self.results, self.configuration = results, configuration
        if not configuration.is_usable:
            raise ConfigError(
                "the view `other` is one random word of the sentence, a control",
                where="--view",
                fix="choose another view",
            )
        stored, self.source = read_predictions(results.predictions(configuration))
        if self.source["estimator"] == PER_WORD:
            raise ConfigError("configurations that differ from word to word cannot be used here")
        self.words: tuple[str, ...] = tuple(self.source["words"])
        # What made the vectors: model, pooling, input, precision, versions.
        self.encoder: dict[str, Any] = self.source["encoder"]
        self.features = configuration.features(self.encoder["model"]["blocks"])
        self._stored = {one.word: one for one in stored if one.split == TEST}
        self._folds = read(results.folder / "folds" / f"{FULL}.parquet")

    def word(self, word: str) -> FittedWord:
        """Fit one word, and check it against the stored predictions.

        Raises
        ------
        ResultError
            If table, vectors or folds are not those of the predictions, or the fitted word does
            not give the stored predictions of the test split again.
        """
        return self.learner(word).fitted()

    def sentences(self, word: str) -> list[str]:
        """A word's training sentences in the order of its vectors."""
        table = self.results.corpus(word)
        return [" ".join(table.tokens[row]) for row in self._folds.rows(table)]

    def learner(self, word: str) -> "Learner":
        """A word with its vectors, before it is fitted."""
        table = self.results.corpus(word)
        made = self.results.folder / self.configuration.model
        if table.digest != self.source["corpus"][word]:
            raise _stale(f"the corpus of {word!r} is not the one that was predicted", made.parent)
        of = self.configuration
        found, vectors, made_by = read_features(made / "embeddings", table, of.view, of.layers)
        if made_by["model"] != self.encoder["model"]:
            raise _stale(
                f"the vectors of {word!r} are of another encoder than the predictions", made
            )
        return Learner(
            corpus=table,
            vectors=vectors,
            features=found,
            rows=self._folds.rows(table),
            folds=self._folds.words[word],
            estimator=self.source["estimator"],
            parameters=fit_word.tuned_parameters(self.source, word),
            stored=self._stored.get(word),
        )


def _stale(what: str, where: Path) -> ResultError:
    return ResultError(what, where=str(where), fix="run snakemake again")


@dataclass(frozen=True, eq=False)
class Learner:
    """A word's vectors and all that its classifier was tuned to.

    Attributes
    ----------
    corpus : Corpus
    vectors : float32 array of shape (len(corpus), features)
    features : Features
    rows : int array of shape (n_train,)
        The training set.
    folds : WordFolds
        Of the training set.
    estimator : str
    parameters : mapping
    stored : WordPredictions or None
        Of the test split.
    """

    corpus: Corpus
    vectors: np.ndarray
    features: Features
    rows: np.ndarray
    folds: WordFolds
    estimator: str
    parameters: Mapping[str, Any]
    stored: WordPredictions | None

    def unfitted(self) -> Any:
        """The estimator with the tuned parameters."""
        return fit_word.estimator_for(self.estimator, self.features, self.parameters)

    def temperature(self) -> float | None:
        """Fitted on each training instance while its fold is held out, in the first drawing.

        None if the word has no folds.
        """
        if self.folds.held is None:
            return None
        vectors, gold = self.vectors[self.rows], self.corpus.gold[self.rows]
        held_out = np.empty((len(gold), len(self.corpus.senses)))
        for fit, held in self.folds.splits(0):
            fitted = self.unfitted().fit(vectors[fit], gold[fit])
            held_out[held] = fit_word.scores_of(fitted, vectors[held], held_out.shape[1])
        logits = calibration.to_logits(held_out, self.estimator, self.parameters)
        return calibration.fit_temperature(logits, gold)

    def fitted(self) -> FittedWord:
        """The word, fitted on its whole training set, as :meth:`Fitting.word` says."""
        vectors, gold = self.vectors[self.rows], self.corpus.gold[self.rows]
        classifier = self.unfitted().fit(vectors, gold)
        train = novelty.unit(vectors).astype(np.float32)
        made = FittedWord(
            word=self.corpus.word,
            senses=self.corpus.senses,
            estimator=_registered(classifier),
            parameters=classifier.get_params(),
            classifier=classifier,
            temperature=self.temperature(),
            threshold=novelty.threshold(train, self.folds.component),
            train=train,
            gold=gold.astype(np.int32),
            lines=self.corpus.index[self.rows],
            corpus=self.corpus.digest,
        )
        self.check(made)
        return made

    def check(self, made: FittedWord) -> None:
        """Refuse a word that does not give the stored predictions of the test split again."""
        if self.stored is None:
            return
        tested = self.vectors[self.corpus.split == TEST]
        again = made.scores(tested)
        alike = np.allclose(again, self.stored.scores, rtol=RTOL, atol=ATOL, equal_nan=True)
        if not alike or (made.classifier.predict(tested) != self.stored.predicted).any():
            worst = float(np.nanmax(np.abs(again - self.stored.scores), initial=0))
            raise ResultError(
                f"fitted again, the classifier of {made.word!r} does not give the stored "
                f"predictions: a score differs by {worst:.2g}",
                fix="run snakemake again: the predictions are of other versions or another "
                "machine, and the scores with them",
            )


def _registered(classifier: Any) -> str:
    return next(name for name, kind in ESTIMATORS.items() if type(classifier) is kind)
