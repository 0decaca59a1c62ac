"""Cross-validate a classifier's search space on the training set; no test instance is used.

In each repeat, every point of the search space predicts every training instance once, after a fit
(scaling included) on the other folds. A score is computed on the predictions of all folds together,
not averaged over folds, because a fold may lack a rare sense.

Macro-F1 and balanced accuracy are averaged over the senses of the training set.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.cv_table import Search
from wsd.artifacts.fold_table import Folds, WordFolds
from wsd.artifacts.predictions import CV, WordPredictions
from wsd.classification.estimators.base import Split, class_scores
from wsd.classification.fit_and_predict import LabelledWord, predictions_from
from wsd.logs import log
from wsd.metrics.scores import WORD_SCORES, confusion, word_scores


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
        log.debug("tuned on %d words", len(seen))
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


def grid_scores(classifier: Any, X: np.ndarray, y: np.ndarray, held: np.ndarray, grid: Any) -> Any:
    """Return scores of held-out instances at every point: array (len(grid), n_held, n_classes).

    An estimator with a method ``search`` fits all points at once.
    """
    if hasattr(classifier, "search"):
        return classifier.search(X, y, held, grid)
    return np.stack(
        [class_scores(classifier.set_params(**point).fit(X, y), held) for point in grid]
    )


def fold_scores(
    classifier: Any, X: np.ndarray, y: np.ndarray, splits: Sequence[Split], grid: Any
) -> list[np.ndarray]:
    """Return, per split, the scores of its held-out instances, as :func:`grid_scores` does.

    An estimator with a method ``search_folds`` fits all splits at once.
    """
    if hasattr(classifier, "search_folds"):
        results: list[np.ndarray] = classifier.search_folds(X, y, splits, grid)
        return results
    return [grid_scores(classifier, X[fit], y[fit], X[held], grid) for fit, held in splits]


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
