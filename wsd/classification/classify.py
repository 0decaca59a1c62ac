"""Tune and fit one classifier on one feature set, word by word, and predict the test instances.

One file holds all words: word, split, index (line of the test file), gold, predicted, and a map
from every sense of the word to its score. A sense without training instances scores NaN and is
never predicted.
"""

import argparse
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from wsd.arguments import add_feature_set, add_files, add_objective, json_object, writes
from wsd.artifacts import folds as folding
from wsd.artifacts import search
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.features import StoredFeatures
from wsd.artifacts.predictions import write_predictions
from wsd.artifacts.search import fixed_parameters, grid_points, write_search
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_word import LabelledWord, estimator_for, fit_and_predict, provenance_on
from wsd.classification.tuning import tune
from wsd.errors import ConfigError, none_of
from wsd.metrics.one_thread import one_thread


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_feature_set(parser)
    parser.add_argument("--estimator", required=True, choices=list(search.PARAMETERS))
    parser.add_argument("--name", help="its name in the config (default: the estimator)")
    parser.add_argument(
        "--space", default="{}", metavar="JSON", help="parameters; lists of values are searched"
    )
    add_objective(parser, search.OBJECTIVES)
    add_files(parser, "--folds", "of `wsd folds`, one per training set")
    add_files(parser, "--searches", "for what the folds say, .parquet")
    add_files(parser, "--out", "for the predictions, .parquet")
    writes(parser, "searches", "out")


def _grid(estimator: str, space: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The points of a search space; what the estimator does not take is refused before any work."""
    known = search.PARAMETERS[estimator]
    if unknown := sorted(space.keys() - set(known)):
        raise none_of(f"{estimator} has no parameter {unknown[0]!r}", known, "--space")
    if not (grid := grid_points(space)):
        fix = "give every parameter a value, or a list of some"
        raise ConfigError("a parameter without values", where="--space", fix=fix)
    try:
        for point in grid:
            make_estimator(estimator, point)
    except ConfigError as error:
        raise ConfigError(error.what, where="--space", fix=error.fix) from None
    return grid


def run(
    args: argparse.Namespace,
    *,
    task: str = "sense",
    relabel: Callable[[Corpus], np.ndarray] | None = None,
) -> None:
    """Tune on the folds of each training set, fit on all of it, predict, and write the files.

    The point of the search space is one for all words: the one with the highest objective on the
    held-out training instances. Words that cannot be tuned get the estimator's defaults.

    Parameters
    ----------
    args : Namespace
    task : str
        What is learned, for the provenance.
    relabel : function of a corpus, optional
        Gives labels to learn in place of the senses, for all of its rows.
    """
    if not len(args.folds) == len(args.searches) == len(args.out):
        what = f"{len(args.folds)} folds, {len(args.searches)} searches, {len(args.out)} outputs"
        fix = "give one of each per training set"
        raise ConfigError(what, where="--folds, --searches, --out", fix=fix)
    space = json_object(args.space, "--space")
    grid = _grid(args.estimator, space)
    corpora = read_corpora(args.corpus, args.words)
    trains = [folding.of_words(path, corpora) for path in args.folds]
    stored = StoredFeatures(args.embeddings, args.view, args.layers)

    def words() -> Iterator[LabelledWord]:
        """Read anew each time: the vectors of one word at a time are in memory."""
        for corpus in corpora.values():
            vectors, labelled = stored.read(corpus), corpus
            if relabel is not None:
                labelled = dataclasses.replace(corpus, gold=relabel(corpus))
            unfitted = partial(estimator_for, args.estimator, stored.features)
            yield LabelledWord(corpus, labelled, vectors, unfitted)

    # On several threads a product's last bits depend on their number, and with them a near tie.
    with one_thread():
        searched = tune(words(), trains, grid)
        tuned = []
        for found in searched:
            parameters = found.best(args.objective) or fixed_parameters(space)
            untuned = list(found.untuned)
            tuned.append({"parameters": parameters, "space": space, "untuned": untuned})
        made = fit_and_predict(words(), trains, tuned)
    for i, train in enumerate(trains):
        provenance = {
            **provenance_on(train),
            **stored.provenance(args.out[i]),
            **tuned[i],
            "task": task,
            "estimator": args.estimator,
            "classifier": args.name or args.estimator,
            "objective": args.objective,
            "folds": {"k": train.k, "repeats": train.repeats, "seed": train.seed},
        }
        write_search(args.searches[i], searched[i], provenance)
        write_predictions(args.out[i], made[i], provenance)
