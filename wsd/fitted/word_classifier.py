"""One word, ready to predict: its classifier, temperature and training vectors, and what it says of
vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wsd.artifacts.senses import SenseText
from wsd.classification import fit_and_predict
from wsd.errors import ModelError
from wsd.metrics import out_of_distribution, reliability


@dataclass(frozen=True, eq=False)
class VectorAnswers:
    """What a fitted word says of some vectors.

    Attributes
    ----------
    predicted : int array of shape (n,)
        Indices into the word's senses.
    scores : array of shape (n, senses)
        As the evaluation has them: probabilities, shares of votes, or cosines; NaN for a sense
        without training instances.
    probabilities : array of shape (n, senses)
        After the temperature; NaN everywhere if there are none: cosines that were not calibrated.
    distance : array of shape (n,)
        Cosine distance to the nearest training instance.
    neighbours : int array of shape (n, 5)
        The nearest training instances, numbered as in the fitted word; -1 where there are fewer.
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
    """One word, ready to predict.

    Attributes
    ----------
    word : str
    senses : tuple of str
    called : tuple of SenseText
        What people read in place of each.
    estimator : str
        In the registry of :mod:`wsd.classification.estimators.registry`.
    parameters : mapping
        Those that were tuned.
    classifier : the fitted estimator
    temperature : float or None
        Fitted on folds of the training set; None where the word has no folds.
    threshold : float or None
        The cosine distance beyond which a sentence is far from all training instances.
    train : float32 array of shape (n_train, features)
        Directions of the training vectors, of half precision.
    gold, lines : int arrays of shape (n_train,)
        Their senses, and their lines in the training file, counted from 0.
    corpus : str
        The digest of the table that they are rows of.
    forms : tuple of str
        That they have of the word; none in a file of an earlier version.
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
        """The scores of every sense: array of shape (n, senses)."""
        return fit_and_predict.scores_of(self.classifier, vectors, len(self.senses))

    def answer(self, vectors: np.ndarray) -> VectorAnswers:
        """Senses, scores, probabilities and nearest training instances of some vectors.

        Parameters
        ----------
        vectors : array of shape (n, features)

        Raises
        ------
        ModelError
            If a score or a probability is not finite, as with weights of enormous size.
        """
        with np.errstate(all="ignore"):  # what is not finite is refused below
            scores = self.scores(vectors)
            logits = reliability.to_logits(scores, self.estimator, self.parameters)
            shown = reliability.to_probabilities(logits, self.temperature or 1.0)
            neighbours, similarity = out_of_distribution.nearest(vectors, self.train)
        known = scores[:, self.classifier.classes_]
        if not (np.isfinite(known).all() and np.isfinite(shown).all()):
            what = f"the classifier of {self.word!r} gives scores that are not finite numbers"
            fix = "make the model file again with `wsd fit`, or get it again from where it came"
            raise ModelError(what, fix=fix)
        if self.temperature is None and self.estimator == "nearest_centroid":
            shown = np.full_like(scores, np.nan)
        return VectorAnswers(
            predicted=np.nanargmax(scores, axis=1).astype(np.int32),
            scores=scores,
            probabilities=shown,
            distance=np.clip(1 - similarity[:, 0], 0, None),
            neighbours=neighbours,
            similarity=similarity,
        )

    def is_ood(self, distance: np.ndarray) -> np.ndarray:
        """Which distances lie beyond the threshold: bool array of the same shape."""
        return distance > (np.inf if self.threshold is None else self.threshold)
