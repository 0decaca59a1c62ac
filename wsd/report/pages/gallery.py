"""The first page's small plots of test instances: of every word, and a film strip of one.

Each word's plot uses, and names, the projection selected by cross-validation. The page can also
show PCA for all words, which uses no labels. The film strip has one word in every single layer, on
the same axes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.instance_tables import Projection
from wsd.artifacts.predictions import TEST
from wsd.report.pages import plots
from wsd.report.pages.curves import mark_of
from wsd.report.pages.model_notes import initial_classifier, initial_model
from wsd.report.pages.render import encode, pack
from wsd.report.pages.report_data import Report, WordResults
from wsd.report.pages.word import best_method, initial_choice, sample

# Points per plot at most and at least, and in all plots together, so that the page stays small.
MOST_POINTS, FEWEST_POINTS, ALL_POINTS = 150, 30, 12_000
RARE = 5  # points per sense, if it has as many
BEGINNING = 64  # characters per sentence
SENSE = 40  # characters of a sense's name
STILL = 60  # words that the page lists without a script; the rest is packed
HEIGHT = 0.74  # of a plot, as a share of its width
PCA, LDA = "pca", "discriminant"
# Points per frame at most; points per sense at least, if it has as many.
MOST_IN_FRAME, RARE_IN_FRAME = 150, 10
MOST_FRAMES = 8  # of a deep model; the scrubber shows the other layers
LARGEST = 100  # the largest coordinate of a frame
ENOUGH = 40  # test instances of a word that the strip prefers


def packed_plots(report: Report) -> str:
    """Return the plots of every word and classifier, packed for the page's script.

    Words are ordered by model, then as in the report. Each word has the senses and sentences of its
    points. Per classifier it has their coordinates, their PCA coordinates if the projection is
    another one, and whether the classifier is wrong.
    """
    size = most(report)
    words = [_word(report, model, word, size) for model, word in report.pages]
    return pack({"styles": styles(report), "words": words})


def styles(report: Report) -> list[tuple[int, str]]:
    """Return the colour's number and the marker's outline of each sense of the largest word."""
    n_senses = [len(report.words[model][word].corpus.senses) for model, word in report.pages]
    return [mark_of(i) for i in range(max(n_senses, default=0))]


def method_of(report: Report, model: str, word: str, classifier: str) -> str:
    """Return the name of the projection of a word's plot for a classifier."""
    choice = initial_choice(report, model, word, classifier)
    return plots.METHODS[best_method(report.words[model][word], [choice])]


def methods(report: Report) -> set[str]:
    """Return the names of the projections of all plots."""
    classifiers = report.classifiers
    return {method_of(report, *page, name) for page in report.pages for name in classifiers}


def most(report: Report) -> int:
    """Return the largest number of test instances in a plot."""
    return min(MOST_POINTS, max(FEWEST_POINTS, ALL_POINTS // max(1, len(report.pages))))


def still_plots(report: Report) -> list[dict[str, Any]]:
    """Return the first ``STILL`` plots of the first classifier shown, for pages without a script.

    Returns
    -------
    list of dict
        ``senses``, a text of points per sense, and ``errors``, a text of points.
    """
    classifier, drawn = initial_classifier(report), []
    for model, word in report.pages[:STILL]:
        results = report.words[model][word]
        kept, gold = _shown(results, most(report))
        choice = initial_choice(report, model, word, classifier)
        placed = _placed(results, best_method(results, [choice]), choice, kept)
        points = np.rint(placed * (1, HEIGHT)).astype(int)
        wrong = results.predicted[classifier][choice][kept] != gold
        senses = by_sense(points, gold, len(results.corpus.senses))
        drawn.append({"senses": senses, "errors": by_sense(points, ~wrong, 1)[0]})
    return drawn


def by_sense(points: np.ndarray, gold: np.ndarray, n_senses: int) -> list[str]:
    """Return points as a text per sense, for SVG, whose vertical axis points down."""
    places = np.array([f"{x},{-y}" for x, y in points], dtype=object)
    return [" ".join(places[gold == sense]) for sense in range(n_senses)]


def _shown(results: WordResults, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the shown test instances, and their senses: rare senses last."""
    corpus = results.corpus.take(results.corpus.split == TEST)
    kept = np.flatnonzero(sample(corpus, size, RARE))
    kept = kept[np.argsort(-np.bincount(corpus.gold)[corpus.gold[kept]], kind="stable")]
    return kept, corpus.gold[kept]


def _placed(results: WordResults, method: str, choice: int, kept: np.ndarray) -> np.ndarray:
    """Return the places of some test instances; each axis has whole numbers from -100 to 100."""
    if not len(kept):
        return np.zeros((0, 2))
    points = results.projections[method][choice].points[results.corpus.split == TEST]
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, high - low, 1)
    return (np.round(200 * (points - low) / reach - 100) * (high > low))[kept]


def _word(report: Report, model: str, word: str, size: int) -> dict[str, Any]:
    results = report.words[model][word]
    corpus = results.corpus.take(results.corpus.split == TEST)
    kept, gold = _shown(results, size)
    classifiers = []
    for classifier in report.classifiers:
        choice = initial_choice(report, model, word, classifier)
        method = best_method(results, [choice])
        plot = {"points": encode(_placed(results, method, choice, kept).T, "i1")}
        if method != PCA and PCA in results.projections:
            plot[PCA] = encode(_placed(results, PCA, choice, kept).T, "i1")
        wrong = results.predicted[classifier][choice][kept] != gold
        classifiers.append({**plot, "wrong": encode(wrong, "u1")})
    senses = [text.name[:SENSE] for text in report.dataset.sense_texts(word, corpus.senses)]
    texts = [beginning(corpus, row) for row in kept.tolist()] if report.text else []
    points = {"gold": encode(gold, "<u2"), "senses": senses, "text": texts}
    return {**points, "classifiers": classifiers}


def beginning(corpus: Corpus, row: int) -> str:
    """Return the first words of a sentence that fit into a line."""
    text = corpus.text(row)
    short = text[:BEGINNING].rsplit(" ", 1)[0]
    return text if len(text) <= BEGINNING else f"{short} \N{HORIZONTAL ELLIPSIS}"


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
    kept, n_senses = np.flatnonzero(sample(tests, MOST_IN_FRAME, RARE_IN_FRAME)), len(tests.senses)
    placed, frames = on_same_axes(results, singles, method), []
    for i, score, points in zip(singles, scores[word], placed, strict=True):
        senses = by_sense(points[kept], tests.gold[kept], n_senses)
        frame: dict[str, Any] = {"layer": choices[i].layers[0], "name": choices[i].name}
        frames.append({**frame, "macro_f1": score, "senses": senses})
    shown = shown_frames(scores[word])
    for i, frame in enumerate(frames):
        frame["shown"] = i in shown
    texts = report.dataset.sense_texts(word, tests.senses)
    return {
        "word": word,
        "page": report.page(model, word),
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


def shown_frames(scores: Sequence[float]) -> set[int]:
    """Return the layers whose frames lie on the page: evenly spaced, with first, last and best.

    >>> sorted(shown_frames([*range(20), 90, *range(10)]))
    [0, 4, 9, 13, 17, 20, 26, 30]
    """
    last, best = len(scores) - 1, int(np.argmax(scores))
    shown = {round(i * last / (MOST_FRAMES - 1)) for i in range(MOST_FRAMES)}
    if best not in shown:
        shown.remove(min(shown - {0, last}, key=lambda i: abs(i - best)))
    return {*shown, best}


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
