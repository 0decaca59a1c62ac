"""Fit a classifier on a word's training rows and predict the other rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import fixed_parameters
from wsd.artifacts.feature_set import Features
from wsd.artifacts.predictions import WordPredictions, versions
from wsd.artifacts.training_set import Folds
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.estimators.vector_classifiers import class_scores
from wsd.errors import ConfigError


class LabelledWord(NamedTuple):
    """A word's vectors and the labels to learn from them.

    Attributes
    ----------
    corpus : Corpus
        The corpus as stored: folds and vectors have its digest.
    labelled : Corpus
        The same corpus with the labels to learn.
    vectors : array of shape (len(corpus), features)
    unfitted : function of parameters
        Returns the unfitted estimator with these parameters and defaults for the others.
    """

    corpus: Corpus
    labelled: Corpus
    vectors: np.ndarray
    unfitted: Callable[[Mapping[str, Any]], Any]


def fit_and_predict(
    words: Iterable[LabelledWord], trains: Sequence[Folds], tuned: Sequence[Mapping[str, Any]]
) -> list[list[WordPredictions]]:
    """Fit on each whole training set with the tuned parameters, and predict.

    Parameters
    ----------
    words : iterable of LabelledWord
    trains : sequence of Folds
        A word is not predicted from a training set that lacks it.
    tuned : sequence of mappings
        Parameters, space and untuned words of each training set, as in the provenance.

    Returns
    -------
    list over training sets of lists of WordPredictions
    """
    results: list[list[WordPredictions]] = [[] for _ in trains]
    for word in words:
        for train, settings, predictions in zip(trains, tuned, results, strict=True):
            if word.corpus.word in train.words:
                classifier = word.unfitted(tuned_parameters(settings, word.corpus.word))
                rows = train.rows(word.corpus)
                predictions += predict_word(word.labelled, word.vectors, classifier, rows)
    return results


def predict_word(
    corpus: Corpus, vectors: np.ndarray, classifier: Any, rows: np.ndarray | None = None
) -> list[WordPredictions]:
    """Fit on training rows of a word and predict the rows of every other split.

    Parameters
    ----------
    corpus : Corpus
    vectors : array of shape (len(corpus), features)
        In the order of the corpus's rows.
    classifier : scikit-learn classifier
        Unfitted; with ``predict_proba`` or ``decision_function`` over all classes.
    rows : int array, optional
        The rows to fit on; by default the training split.

    Returns
    -------
    list of WordPredictions
        One per split, in the order of the corpus.
    """
    train = np.flatnonzero(corpus.split == "train") if rows is None else rows
    classifier.fit(vectors[train], corpus.gold[train])
    return predict_splits(corpus, vectors, classifier, len(train))


def predict_splits(
    corpus: Corpus, vectors: np.ndarray, classifier: Any, n_train: int
) -> list[WordPredictions]:
    """Predict all rows but the training split, with a classifier fitted on ``n_train`` instances.

    It returns the same as :func:`predict_word`.
    """
    predictions = []
    for split in dict.fromkeys(corpus.split.tolist()):
        if split != "train":
            tested = np.flatnonzero(corpus.split == split)
            scores = scores_of(classifier, vectors[tested], len(corpus.senses))
            predictions.append(predictions_from(scores, corpus, tested, n_train, split))
    return predictions


def predictions_from(
    scores: np.ndarray, corpus: Corpus, rows: np.ndarray, n_train: int, split: str
) -> WordPredictions:
    """Return the predictions of some rows of a corpus from the scores of every sense."""
    return WordPredictions(
        word=corpus.word,
        senses=corpus.senses,
        n_train=n_train,
        index=corpus.index[rows],
        gold=corpus.gold[rows],
        predicted=np.nanargmax(scores, axis=1).astype(np.int32),
        scores=scores,
        split=split,
        extra={name: tuple(values[row] for row in rows) for name, values in corpus.extra.items()},
    )


def scores_of(classifier: Any, vectors: np.ndarray, n_senses: int) -> np.ndarray:
    """Return the scores of every sense; NaN for a sense without training instances.

    Parameters
    ----------
    classifier : scikit-learn classifier
        Fitted; its classes are indices of senses.
    vectors : array of shape (n, features)
    n_senses : int

    Returns
    -------
    array of shape (n, n_senses)
    """
    scores = np.full((len(vectors), n_senses), np.nan)
    scores[:, classifier.classes_] = class_scores(classifier, vectors)
    return scores


def estimator_for(estimator: str, features: Features, parameters: Mapping[str, Any]) -> Any:
    """Return the unfitted estimator for a feature set; a learned mix of layers has its own."""
    mixed = [choice for _, choice in features.parts if choice.operation == "mix"]
    if not mixed:
        return make_estimator(estimator, parameters)
    if estimator != "logistic" or len(features.parts) > 1:
        problem = f"{estimator} on {features.view} cannot learn the mix {features.layers!r}"
        raise ConfigError(problem, where="layers", fix="use logistic on one view")
    return make_estimator("mixed_logistic", {**parameters, "layers": len(mixed[0].layers)})


def tuned_parameters(provenance: Mapping[str, Any], word: str) -> dict[str, Any]:
    """Return the parameters that a word was fitted with, from the provenance of its predictions."""
    if word in provenance["untuned"]:
        return fixed_parameters(provenance["space"])
    return provenance["parameters"]


def provenance_on(train: Folds) -> dict[str, Any]:
    """Return the provenance that all predictions share: training set, task, versions."""
    return {"train": train.train, "task": "sense", "versions": versions()}
