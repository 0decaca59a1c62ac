"""What a word's senses can be told by without any encoder.

``most_frequent_sense``
    the sense with the most training instances;
``bag_of_words``
    the sentence's other words, wherever they stand: TF-IDF and logistic regression;
``position_length``
    nothing of the words: where the focal word stands and how long the sentence is.

A baseline is tuned like a classifier: on the same folds and for the same objective, of all points
of a search space the one that is best over all words.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from wsd.arguments import add_corpora, add_objective, add_out, add_path
from wsd.artifacts import folds as folding
from wsd.artifacts import search
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.folds import Folds
from wsd.artifacts.predictions import WordPredictions, write_predictions
from wsd.artifacts.search import Search, grid_points
from wsd.classification.estimators.bag_of_words import BagOfWords
from wsd.classification.estimators.logistic import Logistic
from wsd.classification.fit_word import predict_word, provenance_on, tuned_parameters
from wsd.classification.tuning import score_word
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


@dataclass(frozen=True)
class Baseline:
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
    space: Mapping[str, list[float]] = field(default_factory=dict)


PRIOR_SHIFTS = [0.0, 0.25, 0.5, 0.75, 1.0]
BASELINES = {
    "most_frequent_sense": Baseline(positions, lambda: DummyClassifier(strategy="prior")),
    "bag_of_words": Baseline(
        documents,
        BagOfWords,
        {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "prior_shift": PRIOR_SHIFTS},
    ),
    "position_length": Baseline(
        positions,
        Logistic,
        {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0], "prior_shift": PRIOR_SHIFTS},
    ),
}


def tune(
    chosen: Baseline, corpora: Mapping[str, Corpus], train: Folds, objective: str
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The point of a baseline's search space that the folds choose for all words.

    Parameters
    ----------
    chosen : Baseline
    corpora : mapping of word to Corpus
    train : Folds
    objective : str
        Among ``wsd.artifacts.search.OBJECTIVES``.

    Returns
    -------
    dict, the point, or None if no word has folds or there is nothing to tune; and the words
    without folds, which get the estimator's defaults
    """
    grid, figures = grid_points(chosen.space), {}
    for word, corpus in corpora.items():
        folds = train.words.get(word)
        if folds is not None and folds.held is not None and chosen.space:
            rows = train.rows(corpus)
            vectors = chosen.features(corpus)[rows]
            figures[word] = score_word(chosen.estimator(), grid, vectors, corpus.gold[rows], folds)
    untuned = tuple(word for word in train.words if word not in figures)
    return Search(grid, figures, untuned).best(objective), untuned


def baseline_predictions(
    name: str, corpus: Corpus, rows_train: np.ndarray, parameters: Mapping[str, Any]
) -> list[WordPredictions]:
    """Fit a baseline on training instances and predict the rows of every other split.

    Parameters
    ----------
    name : str
        Among ``BASELINES``.
    corpus : Corpus
    rows_train : int array
        Rows of the corpus to fit on.
    parameters : mapping of parameter to value
        The estimator's defaults hold for the others.

    Returns
    -------
    list of WordPredictions
        The test split first, as :func:`wsd.classification.fit_word.predict_word` gives them.

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    chosen = _named(name)
    estimator = chosen.estimator().set_params(**parameters)
    return predict_word(corpus, chosen.features(corpus), estimator, rows_train)


def _named(name: str) -> Baseline:
    if name not in BASELINES:
        raise ConfigError(f"there is no baseline {name!r}", fix=f"use {' or '.join(BASELINES)}")
    return BASELINES[name]


def write_baseline(
    name: str, corpora: Mapping[str, Corpus], *, objective: str, folds: Path, out: Path
) -> None:
    """Tune and fit a baseline on a training set, predict, and write one file of predictions.

    Parameters
    ----------
    name : str
        Among ``BASELINES``.
    corpora : mapping of word to Corpus
    objective : str
        Among ``wsd.artifacts.search.OBJECTIVES``.
    folds : Path
        The training set, and what to tune on.
    out : Path

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    chosen = _named(name)
    train = folding.of_words(folds, corpora)
    point, untuned = tune(chosen, corpora, train, objective)
    provenance = {
        **provenance_on(train),
        "view": "text",
        "layers": "-",
        "classifier": name,
        "estimator": name,
        "parameters": point or {},
        "space": chosen.space,
        "objective": objective,
        "folds": {"k": train.k, "repeats": train.repeats, "seed": train.seed},
        "untuned": list(untuned),
        "encoder": {"model": {"name": "no encoder", "blocks": 0, "width": 0}},
        "corpus": {word: corpora[word].digest for word in train.words if word in corpora},
    }
    made: list[WordPredictions] = []
    for word in (word for word in corpora if word in train.words):
        parameters = tuned_parameters(provenance, word)
        made += baseline_predictions(name, corpora[word], train.rows(corpora[word]), parameters)
    write_predictions(out, made, provenance)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    parser.add_argument("--name", required=True)
    add_objective(parser, search.OBJECTIVES)
    add_path(parser, "--folds", "of `wsd folds`")
    add_out(parser, "the predictions, .parquet")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    write_baseline(
        args.name,
        read_corpora(args.corpus, args.words),
        objective=args.objective,
        folds=args.folds,
        out=args.out,
    )
