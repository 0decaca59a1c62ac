"""Tune and fit classifiers on feature sets, word by word, and predict the test instances.

There is a file of predictions per feature set, classifier and training set, with a row per instance
of all words: word, split, index (line of the split's file), gold, predicted, and a map from every
sense of the word to its score. A sense without training instances has the score NaN and is never
predicted. Training instances have out-of-fold predictions, as rows of the split ``cv``.

Cross-validation of a search space uses the training set alone, and no test instance. In each
repeat, every point of the search space predicts every training instance once, after a fit (scaling
included) on the other folds. A score is computed on the predictions of all folds together, not
averaged over folds, because a fold may lack a rare sense.

Macro-F1 and balanced accuracy are averaged over the senses of the training set.
"""

import argparse
import dataclasses
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from wsd.artifacts import training_set as folding
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.cv_table import Search, fixed_parameters, grid_points, write_search
from wsd.artifacts.feature_set import StoredFeatures
from wsd.artifacts.predictions import CV, WordPredictions, write_predictions
from wsd.artifacts.training_set import Folds, WordFolds
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.estimators.vector_classifiers import Split, class_scores
from wsd.classification.fit_and_predict import (
    LabelledWord,
    estimator_for,
    fit_and_predict,
    predictions_from,
    provenance_on,
)
from wsd.classification.text_features import SPACES, TextFeatures, features_of
from wsd.errors import ConfigError
from wsd.metrics.scores import WORD_SCORES, confusion, word_scores
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
    """Return the points of a search space; refuse values that the estimator cannot have."""
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
    trains = [folding.read_folds_for(path, corpora) for path in args.folds]
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


def tune(
    words: Iterable[LabelledWord], trains: Sequence[Folds], grid: list[dict[str, Any]]
) -> list[Search]:
    """Return the cross-validated scores of every point of a search space, per training set."""
    seen: list[str] = []
    tuned: list[dict[str, tuple[np.ndarray, np.ndarray]]] = [{} for _ in trains]
    for word in words:
        name = word.corpus.word
        seen.append(name)
        for train, by_word in zip(trains, tuned, strict=True):
            folds = train.words.get(name)
            if folds is not None and folds.held is not None:
                rows = train.rows(word.corpus)
                vectors, gold = word.vectors[rows], word.labelled.gold[rows]
                by_word[name] = score_word(word.unfitted({}), grid, vectors, gold, folds)
    return [
        Search(
            grid,
            scores={word: scores for word, (scores, _) in by_word.items()},
            untuned=tuple(word for word in seen if word in train.words and word not in by_word),
            held_out={word: held_out for word, (_, held_out) in by_word.items()},
        )
        for train, by_word in zip(trains, tuned, strict=True)
    ]


def out_of_fold(
    search: Search, parameters: dict[str, Any], train: Folds, corpora: Corpora
) -> list[WordPredictions]:
    """Return the out-of-fold predictions at one point, in the first repeat of the folds.

    Parameters
    ----------
    search : Search
        From :func:`tune`.
    parameters : mapping
        The point.
    train : Folds
    corpora : mapping of word to Corpus
        With the labels that were learned.
    """
    predictions = []
    for word, scores in search.held_out.items():
        corpus = corpora[word]
        rows = corpus.training_rows(train.words[word].lines)
        senses_without_training = len(corpus.senses) - scores.shape[2]
        at_point = np.pad(
            scores[search.grid.index(parameters)],
            ((0, 0), (0, senses_without_training)),
            constant_values=np.nan,
        )
        predictions.append(predictions_from(at_point, corpus, rows, len(rows), CV))
    return predictions


def fold_scores(
    classifier: Any, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Any
) -> list[np.ndarray]:
    """Return, per split, the scores of its held-out instances at every point.

    They have the shape (len(grid), n_held, n_classes). An estimator with a method ``search`` fits
    all points at once, one with ``search_folds`` all splits too.
    """
    if hasattr(classifier, "search_folds"):
        results: list[np.ndarray] = classifier.search_folds(X, y, splits, grid)
        return results
    if hasattr(classifier, "search"):
        return [classifier.search(X[fit], y[fit], X[held], grid) for fit, held in splits]

    def at(point: Mapping[str, Any], fit: np.ndarray, held: np.ndarray) -> np.ndarray:
        return class_scores(classifier.set_params(**point).fit(X[fit], y[fit]), X[held])

    return [np.stack([at(point, *split) for point in grid]) for split in splits]


def score_word(
    classifier: Any,
    grid: Sequence[Mapping[str, Any]],
    vectors: np.ndarray,
    gold: np.ndarray,
    folds: WordFolds,
) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validate every point of a search space on one word.

    Parameters
    ----------
    classifier : scikit-learn classifier
    grid : sequence of n_points mappings of parameter to value
    vectors : array of shape (n, features)
        The vectors of the training instances.
    gold : int array of shape (n,)
    folds : WordFolds
        Its ``held`` is not None.

    Returns
    -------
    array of shape (repeats, n_points, 3)
        The scores in the order of ``WORD_SCORES``.
    array of shape (n_points, n, senses)
        The out-of-fold scores of the instances in the first repeat; NaN for a sense that a fold's
        training instances lack.
    """
    assert folds.held is not None
    n_senses = int(gold.max()) + 1
    repeats = [list(folds.splits(i)) for i in range(len(folds.held))]
    splits = [split for repeat in repeats for split in repeat]
    fold_results = iter(fold_scores(classifier, vectors, gold, splits, grid))
    scores = np.empty((len(repeats), len(grid), len(WORD_SCORES)))
    held_out = np.full((len(grid), len(gold), n_senses), np.nan)
    for i, repeat in enumerate(repeats):
        predicted = np.empty((len(grid), len(gold)), dtype=np.int64)
        for fit, held in repeat:
            senses, fold = np.unique(gold[fit]), next(fold_results)
            predicted[:, held] = senses[fold.argmax(axis=2)]
            if i == 0:
                held_out[:, held[:, np.newaxis], senses] = fold
        by_metric = word_scores(np.stack([confusion(gold, point, n_senses) for point in predicted]))
        scores[i] = np.stack([by_metric[metric] for metric in WORD_SCORES], axis=-1)
    return scores, held_out
