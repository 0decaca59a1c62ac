"""A fitted word: its classifier, temperature and training vectors, and its answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.senses import SenseText
from wsd.classification import fit_and_predict
from wsd.classification.estimators.vector_classifiers import NearestCentroid
from wsd.errors import ModelError
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
        return fit_and_predict.scores_of(self.classifier, vectors, len(self.senses))

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
