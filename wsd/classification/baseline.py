"""What a word's senses can be told by without any vector of an encoder.

``most_frequent_sense``
    the sense with the most training instances;
``bag_of_words``
    the sentence's other words, wherever they stand: TF-IDF and logistic regression;
``position_length``
    nothing of the words: where the focal word stands and how long the sentence is;
``bag_of_substitutes``
    with ``--substitutes``, what an encoder would say in the place of the focal word, which is
    masked: its ten likeliest pieces, weighed and learned from as a bag of words.

A baseline is tuned like a classifier: on the same folds and for the same objective, of all points
of a search space the one that is best over all words.
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
    """The words of every sentence, lower-cased, without the focal one.

    Returns
    -------
    array of shape (len(corpus),) of tuples of str
    """
    found = np.empty(len(corpus), dtype=object)
    found[:] = [
        tuple(token.lower() for token in (*tokens[:position], *tokens[position + 1 :]))
        for tokens, position in zip(corpus.tokens, corpus.position.tolist(), strict=True)
    ]
    return found


def positions(corpus: Corpus) -> np.ndarray:
    """The focal word's index, the sentence's length, and the index as a share of the last one.

    Returns
    -------
    array of shape (len(corpus), 3)
    """
    length = np.array([len(tokens) for tokens in corpus.tokens], dtype=np.float64)
    relative = corpus.position / np.maximum(length - 1, 1)
    return np.column_stack([corpus.position, length, relative])


class Baseline(NamedTuple):
    """What is seen of an instance, what is fitted on it, and the search space.

    Attributes
    ----------
    features : callable
        From a corpus to an array with one entry or row per instance.
    estimator : callable
        Makes the unfitted estimator, with its defaults.
    space : mapping of parameter to list of values
        As a config would have it; empty if there is nothing to tune.
    """

    features: Callable[[Corpus], np.ndarray]
    estimator: Callable[[], Any]
    space: Mapping[str, list[float]]

    def labelled(self, corpus: Corpus) -> LabelledWord:
        """A word with what the baseline sees of it."""
        return LabelledWord(corpus, corpus, self.features(corpus), self.unfitted)

    def unfitted(self, parameters: Mapping[str, Any]) -> Any:
        """The estimator with these parameters, and its defaults for the others."""
        return self.estimator().set_params(**parameters)


def _space(*penalties: float) -> dict[str, list[float]]:
    return {"C": list(penalties), "prior_shift": [0.0, 0.25, 0.5, 0.75, 1.0]}


BASELINES = {
    "most_frequent_sense": Baseline(positions, lambda: DummyClassifier(strategy="prior"), {}),
    "bag_of_words": Baseline(documents, BagOfWords, _space(0.1, 1.0, 10.0, 100.0, 1000.0)),
    "position_length": Baseline(positions, Logistic, _space(0.001, 0.01, 0.1, 1.0, 10.0, 100.0)),
}


SUBSTITUTES = "bag_of_substitutes"


def of_substitutes(words: Mapping[str, Substitutes]) -> Baseline:
    """The bag of substitutes, of an encoder's tables."""

    def features(corpus: Corpus) -> np.ndarray:
        found = np.empty(len(corpus), dtype=object)
        found[:] = [tuple(of) for of in words[corpus.word].fillers[MASKED].pieces]
        return found

    return BASELINES["bag_of_words"]._replace(features=features)


def search_baseline(chosen: Baseline, corpora: Mapping[str, Corpus], train: Folds) -> Search:
    """What the folds say about a baseline's search space.

    Words without folds are untuned, and all of them if there is nothing to tune.
    """
    words = map(chosen.labelled, corpora.values()) if chosen.space else ()
    (found,) = tune(words, [train], grid_points(chosen.space))
    untuned = tuple(word for word in train.words if word not in found.scores)
    return replace(found, untuned=untuned)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
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
        what = f"--substitutes is for {SUBSTITUTES}, which needs it"
        raise ConfigError(what, where="--name, --substitutes", fix="give both or neither")
    corpora = read_corpora(args.corpus, args.words)
    seen, encoder = ("text", "-"), {"name": "no encoder", "blocks": 0, "width": 0}
    if args.substitutes is None:
        chosen = BASELINES[args.name]
    else:
        tables, source = read_substitutes(args.substitutes, corpora)
        chosen, encoder = of_substitutes(tables), source["model"]
        seen = ("substitutes", MASKED)
    train = folding.read_for_words(args.folds, corpora)
    found = search_baseline(chosen, corpora, train)
    provenance = {
        **provenance_on(train),
        "view": seen[0],
        "layers": seen[1],
        "classifier": args.name,
        "estimator": args.name,
        "parameters": found.best(args.objective) or {},
        "space": chosen.space,
        "objective": args.objective,
        "folds": train.settings,
        "untuned": list(found.untuned),
        "encoder": {"model": encoder},
        "corpus": {word: corpora[word].digest for word in train.words if word in corpora},
    }
    words = map(chosen.labelled, corpora.values())
    (made,) = fit_and_predict(words, [train], [provenance])
    write_predictions(args.out, made, provenance)
