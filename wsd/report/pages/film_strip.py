"""The film strip: the test instances of one word in every single layer, on the same axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsd.artifacts.predictions import TEST
from wsd.artifacts.projection import Projection
from wsd.report.pages import plots
from wsd.report.pages.gallery import PCA, by_sense
from wsd.report.pages.model_notes import folder_of, initial_classifier, initial_model
from wsd.report.pages.report_data import Report, WordResults
from wsd.report.pages.word import sample
from wsd.report.plot_colours import mark_of

# Points per frame at most; points per sense at least, if it has as many.
MOST, RARE = 150, 10
LARGEST = 100  # the largest coordinate of a frame
ENOUGH = 40  # test instances of a word that the strip prefers
LDA = "discriminant"


def film_strip(report: Report) -> dict[str, Any] | None:
    """Return the strip of the word with the largest gain over the layers, for the template.

    Words with at least ``ENOUGH`` test instances compete, or all words if there is none. The model
    is the one that cross-validation selects, else the first. The strip is None if the model has
    fewer than two single layers.
    """
    model, classifier = initial_model(report), initial_classifier(report)
    choices, words = report.choices[model], report.words[model]
    singles = [i for i, choice in enumerate(choices) if choice.is_single]
    if len(singles) < 2:
        return None
    large = {word: results for word, results in words.items() if results.n_test >= ENOUGH}
    scores = {
        word: [results.scores[classifier][i]["macro_f1"] for i in singles]
        for word, results in (large or words).items()
    }
    word = max(scores, key=lambda name: max(scores[name]) - scores[name][0])
    results, method = words[word], best_method(words[word], singles)
    tests = results.corpus.take(results.corpus.split == TEST)
    kept, n_senses = np.flatnonzero(sample(tests, MOST, RARE)), len(tests.senses)
    placed = on_same_axes(results, singles, method)
    frames: list[dict[str, Any]] = [
        {
            "layer": choices[i].layers[0],
            "name": choices[i].name,
            "macro_f1": score,
            "senses": by_sense(points[kept], tests.gold[kept], n_senses),
        }
        for i, score, points in zip(singles, scores[word], placed, strict=True)
    ]
    texts = report.dataset.sense_texts(word, tests.senses)
    return {
        "word": word,
        "folder": folder_of(report, model),
        "model": model if len(report.choices) > 1 else None,
        "classifier": classifier,
        "method": method,
        "projection": plots.METHODS[method],
        "n_words": len(scores),
        "enough": ENOUGH if 0 < len(large) < len(words) else None,
        "n_shown": len(kept),
        "senses": [(text.name, *mark_of(i)) for i, text in enumerate(texts)],
        "frames": frames,
        "first": frames[0],
        "best": max(frames, key=lambda frame: frame["macro_f1"]),
    }


def best_method(results: WordResults, choices: Sequence[int]) -> str:
    """Return the projection with the best mean CV score over layer choices, or the first."""

    def score(method: str) -> float:
        scores = [results.projections[method][i].score_cv for i in choices]
        return float(np.nan_to_num(np.mean(scores), nan=-1))

    methods = [method for method in results.projections if method != "tsne"]
    return max(methods or results.projections, key=score)


def on_same_axes(results: WordResults, choices: Sequence[int], method: str) -> list[np.ndarray]:
    """Return the test instances at each layer choice, in whole numbers up to ``LARGEST``.

    Layers differ in scale, so each has a unit of its own: LDA has the standard deviation within
    senses already; PCA gets the layer's total standard deviation, over all dimensions. In these
    units all layers share both axes. The two axes share their scale too, except for LDA with two
    senses, whose second axis separates nothing.

    Returns
    -------
    list of int arrays of shape (n_test, 2)
    """
    test = results.corpus.split == TEST
    projections = [results.projections[method][i] for i in choices]
    placed = [p.points[test] / unit(p, ~test, method) for p in projections]
    together = np.concatenate([*placed, np.zeros((1, 2))])
    low, high = together.min(axis=0), together.max(axis=0)
    reach = (high - low) / 2
    if method != LDA or len(results.corpus.senses) > 2:
        reach[:] = reach.max()
    reach[reach == 0] = 1
    return [np.rint((points - (low + high) / 2) / reach * LARGEST).astype(int) for points in placed]


def unit(projection: Projection, train: np.ndarray, method: str) -> float:
    """Return the unit of a projection's axes: for PCA, the layer's total standard deviation."""
    if method != PCA or not projection.explained or not projection.explained[0]:
        return 1.0
    return float(projection.points[train, 0].std() / np.sqrt(projection.explained[0])) or 1.0
