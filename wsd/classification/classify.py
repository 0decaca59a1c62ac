"""Tune and fit classifiers on feature sets, word by word, and predict the test instances.

There is a file of predictions per feature set, classifier and training set, with a row per instance
of all words: word, split, index (line of the split's file), gold, predicted, and a map from every
sense of the word to its score. A sense without training instances has the score NaN and is never
predicted. Training instances have out-of-fold predictions, as rows of the split ``cv``.
"""

import argparse
import dataclasses
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wsd.arguments import (
    add_corpora,
    add_files,
    add_objective,
    add_optional_files,
    add_word_files,
    json_object,
    writes,
)
from wsd.artifacts import cv_table
from wsd.artifacts import fold_table as folding
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.cv_table import fixed_parameters, grid_points, write_search
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.predictions import write_predictions
from wsd.classification.cross_validation import out_of_fold, tune
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_and_predict import (
    LabelledWord,
    estimator_for,
    fit_and_predict,
    provenance_on,
)
from wsd.classification.text_features import SPACES, TextFeatures, features_of
from wsd.errors import ConfigError, unknown_choice
from wsd.metrics.single_thread import one_thread


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_corpora(parser)
    text = "folder of <word>/<view>.safetensors, or of `wsd substitutes`; none for the view text"
    add_word_files(parser, "--embeddings", text, required=False)
    parser.add_argument("--view", default="focal", help="the view: focal (the default), ...")
    text = "layer choices: 6, mean-last-4, ..."
    parser.add_argument("--layers", nargs="+", required=True, help=text)
    estimators = [*cv_table.PARAMETERS, *SPACES]
    parser.add_argument("--estimator", nargs="+", required=True, choices=estimators)
    text = "the classifiers' names in the config (default: the estimators' names)"
    parser.add_argument("--name", nargs="+", help=text)
    text = "the parameters of each estimator; lists of values are searched"
    parser.add_argument("--space", nargs="+", metavar="JSON", help=text)
    add_objective(parser, cv_table.OBJECTIVES)
    add_files(parser, "--folds", "of `wsd folds`, one per training set")
    text = ", .parquet; one per layer choice, estimator and training set, the last changing fastest"
    add_optional_files(parser, "--searches", f"for the cross-validated scores{text}")
    add_files(parser, "--out", "for the predictions; as many, in the same order")
    writes(parser, "searches", "out")


class _Classifier(NamedTuple):
    name: str
    estimator: str
    space: Mapping[str, Any]
    grid: list[dict[str, Any]]


def _grid(estimator: str, space: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a search space; refuse parameters that the estimator lacks."""
    known = cv_table.PARAMETERS.get(estimator) or SPACES[estimator]
    if unknown := sorted(space.keys() - set(known)):
        problem = f"{estimator} has no parameter {unknown[0]!r}"
        raise unknown_choice(problem, known, "--space")
    if not (grid := grid_points(space)):
        fix = "give every parameter a value, or a list of values"
        raise ConfigError("a parameter without values", where="--space", fix=fix)
    try:
        for point in grid:
            make_estimator(estimator, point)
    except ConfigError as error:
        raise ConfigError(error.problem, where="--space", fix=error.fix) from None
    return grid


def _classifiers(args: argparse.Namespace) -> list[_Classifier]:
    estimators = args.estimator
    names = args.name or estimators
    spaces = args.space or [json.dumps(SPACES.get(estimator, {})) for estimator in estimators]
    if not len(names) == len(spaces) == len(estimators):
        problem = f"{len(estimators)} estimators, {len(names)} names, {len(spaces)} spaces"
        fix = "give a name and a space for each estimator, or none"
        raise ConfigError(problem, where="--estimator, --name, --space", fix=fix)
    spaces = [json_object(space, "--space") for space in spaces]
    return list(map(_Classifier, names, estimators, spaces, map(_grid, estimators, spaces)))


def run(
    args: argparse.Namespace,
    *,
    task: str = "sense",
    relabel: Callable[[Corpus], np.ndarray] | None = None,
) -> None:
    """Tune on the folds of each training set, fit on the whole set, predict, and write the files.

    All words share the point of the search space with the highest cross-validated objective. Words
    that cannot be tuned get the estimator's defaults.

    Parameters
    ----------
    args : Namespace
    task : str
        The name of the task, for the provenance.
    relabel : function of a corpus, optional
        Returns the labels of all rows to learn instead of the senses.
    """
    choices = list(itertools.product(args.layers, _classifiers(args)))
    n, n_searches, n_out = len(choices) * len(args.folds), len(args.searches), len(args.out)
    if n != n_out or n_searches not in (0, n):
        problem = f"{n} results, but {n_searches} paths in --searches and {n_out} in --out"
        fix = "give one of each per layer choice, estimator and file of folds"
        raise ConfigError(problem, where="--searches, --out", fix=fix)
    outputs = iter(zip(args.searches or itertools.repeat(None), args.out, strict=False))
    corpora = read_corpora(args.corpus, args.words)
    trains = [folding.read_for_words(path, corpora) for path in args.folds]
    labelled = {
        word: dataclasses.replace(corpus, gold=relabel(corpus)) if relabel else corpus
        for word, corpus in corpora.items()
    }
    for layers, classifier in choices:
        stored = features_of(args.embeddings, args.view, layers, classifier.estimator)
        words = partial(_read, corpora, labelled, stored, classifier.estimator)
        # The number of threads changes the last bits of a product, which could decide a near-tie.
        with one_thread():
            searches = tune(words(), trains, classifier.grid)
            tuned = [
                {
                    "parameters": search.best(args.objective) or fixed_parameters(classifier.space),
                    "space": classifier.space,
                    "untuned": list(search.untuned),
                }
                for search in searches
            ]
            predictions = fit_and_predict(words(), trains, tuned)
        # `trains` comes first, so that zip takes no output from the iterator after the last one.
        results = zip(trains, tuned, searches, predictions, outputs, strict=False)
        for train, settings, search, predicted, (path, out) in results:
            provenance = {
                **provenance_on(train),
                **stored.provenance(),
                **settings,
                "task": task,
                "estimator": classifier.estimator,
                "classifier": classifier.name,
                "objective": args.objective,
                "folds": train.settings,
            }
            if path:
                write_search(path, search, provenance)
            held_out = out_of_fold(search, settings["parameters"], train, labelled)
            write_predictions(out, [*predicted, *held_out], provenance)


def _read(
    corpora: Corpora, labelled: Corpora, stored: StoredFeatures | TextFeatures, estimator: str
) -> Iterator[LabelledWord]:
    """Yield words with their vectors, so that the vectors of one word are in memory at a time."""
    for word, corpus in corpora.items():
        vectors = stored.read(corpus)
        unfitted = partial(estimator_for, estimator, stored.features)
        yield LabelledWord(corpus, labelled[word], vectors, unfitted)
