"""Predict senses with baselines, which use no vectors.

``most_frequent_sense``
    predicts the sense with the most training instances;
``bag_of_words``
    uses the other words of the sentence, in any order: TF-IDF and logistic regression;
``position_length``
    uses the position of the focal word and the length of the sentence;
``bag_of_substitutes``
    uses the ten word pieces that an encoder finds most likely for the masked focal word, as a bag
    of words (with ``--substitutes``).

A baseline is tuned like a classifier: on the same folds, for the same objective, over all words.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier

from wsd.arguments import add_corpora, add_objective, add_out, add_path, add_word_files
from wsd.artifacts import cv_table
from wsd.artifacts import fold_table as folding
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.cv_table import Search, grid_points
from wsd.artifacts.fold_table import Folds
from wsd.artifacts.predictions import write_predictions
from wsd.artifacts.substitute_table import Substitutes, read_substitutes
from wsd.artifacts.view_names import MASKED
from wsd.classification.cross_validation import tune
from wsd.classification.estimators.bag_of_words import BagOfWords
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.fit_and_predict import LabelledWord, fit_and_predict, provenance_on
from wsd.errors import ConfigError


def documents(corpus: Corpus) -> np.ndarray:
    """Return the words of every sentence, lower-cased, without the focal word.

    Returns
    -------
    array of shape (len(corpus),) of tuples of str
    """
    words = np.empty(len(corpus), dtype=object)
    words[:] = [
        tuple(token.lower() for token in (*tokens[:position], *tokens[position + 1 :]))
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]
    return words


def positions(corpus: Corpus) -> np.ndarray:
    """Return the focal word's index, the sentence length, and the index divided by the last one.

    Returns
    -------
    array of shape (len(corpus), 3)
    """
    length = np.array([len(tokens) for tokens in corpus.tokens], dtype=np.float64)
    relative = corpus.position / np.maximum(length - 1, 1)
    return np.column_stack([corpus.position, length, relative])


class Baseline(NamedTuple):
    """The features, the estimator and the search space of a baseline.

    Attributes
    ----------
    features : function of a corpus
        Returns an array with an entry or a row per instance.
    estimator : function
        Returns the unfitted estimator with its defaults.
    space : mapping of parameter to list of values
        As in a config; empty if there is nothing to tune.
    """

    features: Callable[[Corpus], np.ndarray]
    estimator: Callable[[], Any]
    space: Mapping[str, list[float]]

    def labelled(self, corpus: Corpus) -> LabelledWord:
        """Return a word with the baseline's features."""

        def unfitted(parameters: Mapping[str, Any]) -> Any:
            return self.estimator().set_params(**parameters)

        return LabelledWord(corpus, corpus, self.features(corpus), unfitted)


def _space(*penalties: float) -> dict[str, list[float]]:
    return {"C": list(penalties), "prior_shift": [0.0, 0.25, 0.5, 0.75, 1.0]}


BASELINES = {
    "most_frequent_sense": Baseline(positions, lambda: DummyClassifier(strategy="prior"), {}),
    "bag_of_words": Baseline(documents, BagOfWords, _space(0.1, 1.0, 10.0, 100.0, 1000.0)),
    "position_length": Baseline(positions, Logistic, _space(0.001, 0.01, 0.1, 1.0, 10.0, 100.0)),
}
SUBSTITUTES = "bag_of_substitutes"


def substitutes_baseline(words: Mapping[str, Substitutes]) -> Baseline:
    """Return the bag of substitutes from an encoder's tables, by word."""

    def features(corpus: Corpus) -> np.ndarray:
        pieces = np.empty(len(corpus), dtype=object)
        pieces[:] = [tuple(row) for row in words[corpus.word][MASKED].pieces]
        return pieces

    return BASELINES["bag_of_words"]._replace(features=features)


def search_baseline(baseline: Baseline, corpora: Mapping[str, Corpus], train: Folds) -> Search:
    """Cross-validate a baseline's search space.

    Words without folds are untuned. If there is nothing to tune, all words are.
    """
    words = map(baseline.labelled, corpora.values()) if baseline.space else ()
    (search,) = tune(words, [train], grid_points(baseline.space))
    untuned = tuple(word for word in train.words if word not in search.scores)
    return replace(search, untuned=untuned)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    parser.add_argument("--name", required=True, choices=[*BASELINES, SUBSTITUTES])
    text = f"folder of `wsd substitutes`, for {SUBSTITUTES}"
    add_word_files(parser, "--substitutes", text, required=False)
    add_objective(parser, cv_table.OBJECTIVES)
    add_path(parser, "--folds", "of `wsd folds`")
    add_out(parser, "the predictions", ".parquet")


def run(args: argparse.Namespace) -> None:
    """Tune and fit a baseline on a training set, predict, and write the predictions."""
    if (args.substitutes is not None) != (args.name == SUBSTITUTES):
        problem = f"--substitutes is for {SUBSTITUTES}, which needs it"
        raise ConfigError(problem, where="--name, --substitutes", fix="give both or neither")
    corpora = read_corpora(args.corpus, args.words)
    if args.substitutes is None:
        baseline, view, layers = BASELINES[args.name], "text", "-"
        encoder = {"name": "no encoder", "blocks": 0, "width": 0}
    else:
        tables, source = read_substitutes(args.substitutes, corpora)
        baseline, view, layers = substitutes_baseline(tables), "substitutes", MASKED
        encoder = source["model"]
    train = folding.read_for_words(args.folds, corpora)
    search = search_baseline(baseline, corpora, train)
    provenance = {
        **provenance_on(train),
        "view": view,
        "layers": layers,
        "classifier": args.name,
        "estimator": args.name,
        "parameters": search.best(args.objective) or {},
        "space": baseline.space,
        "objective": args.objective,
        "folds": train.settings,
        "untuned": list(search.untuned),
        "encoder": {"model": encoder},
        "corpus": {word: corpora[word].digest for word in train.words if word in corpora},
    }
    words = map(baseline.labelled, corpora.values())
    (predictions,) = fit_and_predict(words, [train], [provenance])
    write_predictions(args.out, predictions, provenance)
