"""Tune and fit one classifier on one feature set, word by word, and predict the test instances.

One file holds all words: word, split, index (line of the test file), gold, predicted, and a map
from every sense of the word to its score. A sense without training instances scores NaN and is
never predicted.
"""

import argparse
import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from wsd.arguments import add_feature_set, add_files, add_objective, json_object
from wsd.artifacts import folds as folding
from wsd.artifacts import search
from wsd.artifacts.corpus import Corpus, read_corpora
from wsd.artifacts.features import Features, StoredFeatures
from wsd.artifacts.folds import Folds
from wsd.artifacts.predictions import WordPredictions, write_predictions
from wsd.artifacts.search import Search, fixed_parameters, grid_points, write_search
from wsd.classification import tuning
from wsd.classification.estimators.registry import make_estimator
from wsd.classification.fit_word import estimator_for, predict_word, provenance_on, tuned_parameters
from wsd.errors import ConfigError

log = logging.getLogger("wsd")


class LabelledWord(NamedTuple):
    """A word's vectors with what is to be learned from them.

    Attributes
    ----------
    corpus : Corpus
        As it is on disk: the digest of folds and vectors is its own.
    labelled : Corpus
        The same, with the labels to learn.
    features : Features
    vectors : array of shape (len(corpus), features)
    """

    corpus: Corpus
    labelled: Corpus
    features: Features
    vectors: np.ndarray


def classify(
    corpora: Mapping[str, Corpus],
    embeddings: Path,
    *,
    view: str,
    layers: str,
    name: str,
    estimator: str,
    space: Mapping[str, Any],
    objective: str,
    folds: Sequence[Path],
    searches: Sequence[Path],
    out: Sequence[Path],
    relabel: Callable[[Corpus], np.ndarray] | None = None,
    task: str = "sense",
) -> None:
    """Tune on the folds of each training set, fit on all of it, predict, and write the files.

    The point of the search space is one for all words: the one with the highest objective on the
    held-out training instances. Words that cannot be tuned get the estimator's defaults.

    Parameters
    ----------
    corpora : mapping of word to Corpus
    embeddings : Path
        Folder with ``<word>/<view>.safetensors``.
    view, layers : str
        Which vectors are classified: see :mod:`wsd.artifacts.features`.
    name, estimator : str
        The classifier's name in the config, and its estimator.
    space : mapping of parameter to a value, or to a list of values
    objective : str
        Among ``wsd.artifacts.search.OBJECTIVES``.
    folds, searches, out : sequences of Path
        Per training set: its folds, and where to write what they say and the predictions.
    relabel : function of a corpus, optional
        Gives labels to learn in place of the senses, for all of its rows.
    task : str
        What is learned, for the provenance.
    """
    grid = grid_points(space)
    for point in grid:  # what the estimator does not take is refused before any work
        make_estimator(estimator, point)
    trains = [folding.of_words(path, corpora) for path in folds]
    stored = StoredFeatures(embeddings, view, layers)

    def words() -> Iterator[LabelledWord]:
        """Read anew each time: the vectors of one word at a time are in memory."""
        for corpus in corpora.values():
            vectors, labelled = stored.read(corpus), corpus
            if relabel is not None:
                labelled = dataclasses.replace(corpus, gold=relabel(corpus))
            yield LabelledWord(corpus, labelled, stored.features, vectors)

    # On several threads a product's last bits depend on their number, and with them a near tie.
    with threadpool_limits(1):
        searched = tune(words(), trains, estimator, grid)
        chosen = [
            {
                "estimator": estimator,
                "parameters": search.best(objective) or fixed_parameters(space),
                "space": dict(space),
                "untuned": list(search.untuned),
            }
            for search in searched
        ]
        made = fit_and_predict(words(), trains, chosen)
    for i, train in enumerate(trains):
        provenance = {
            **provenance_on(train),
            **stored.provenance(out[i]),
            **chosen[i],
            "task": task,
            "classifier": name,
            "objective": objective,
            "folds": {"k": train.k, "repeats": train.repeats, "seed": train.seed},
        }
        write_search(searches[i], searched[i], provenance)
        write_predictions(out[i], made[i], provenance)


def tune(
    words: Iterable[LabelledWord],
    trains: Sequence[Folds],
    estimator: str,
    grid: list[dict[str, Any]],
) -> list[Search]:
    """What the folds of each training set say about every point of a search space."""
    seen: list[str] = []
    figures: list[dict[str, np.ndarray]] = [{} for _ in trains]
    for word in words:
        name = word.corpus.word
        seen.append(name)
        for train, of_words in zip(trains, figures, strict=True):
            folds = train.words.get(name)
            if folds is not None and folds.held is not None:
                rows = train.rows(word.corpus)
                vectors, gold = word.vectors[rows], word.labelled.gold[rows]
                classifier = estimator_for(estimator, {}, word.features)
                of_words[name] = tuning.score_word(classifier, grid, vectors, gold, folds)
        log.debug("%s on %s: tuned on %d words", estimator, word.features.layers, len(seen))
    return [
        Search(grid, of_words, tuple(w for w in seen if w in train.words and w not in of_words))
        for train, of_words in zip(trains, figures, strict=True)
    ]


def fit_and_predict(
    words: Iterable[LabelledWord], trains: Sequence[Folds], chosen: Sequence[Mapping[str, Any]]
) -> list[list[WordPredictions]]:
    """Fit on the whole of each training set what was chosen on its folds, and predict.

    Parameters
    ----------
    words : iterable of LabelledWord
    trains : sequence of Folds
        A word that one of them lacks is left out there.
    chosen : sequence of mappings
        Per training set estimator, parameters, space and untuned words, as in the provenance.
    """
    made: list[list[WordPredictions]] = [[] for _ in trains]
    for word in words:
        name = word.corpus.word
        for train, of_train, into in zip(trains, chosen, made, strict=True):
            if name in train.words:
                parameters = tuned_parameters(of_train, name)
                classifier = estimator_for(of_train["estimator"], parameters, word.features)
                rows = train.rows(word.corpus)
                into += predict_word(word.labelled, word.vectors, classifier, rows)
    return made


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


def run(args: argparse.Namespace, **task: Any) -> None:
    """Run the command, or the same on the labels of another ``task``."""
    if not len(args.folds) == len(args.searches) == len(args.out):
        raise ConfigError(
            f"{len(args.folds)} folds, {len(args.searches)} searches, {len(args.out)} outputs",
            where="--folds, --searches, --out",
            fix="give one of each per training set",
        )
    classify(
        read_corpora(args.corpus, args.words),
        args.embeddings,
        view=args.view,
        layers=args.layers,
        name=args.name or args.estimator,
        estimator=args.estimator,
        space=json_object(args.space, "--space"),
        objective=args.objective,
        folds=args.folds,
        searches=args.searches,
        out=args.out,
        **task,
    )
