"""The first page's small plots: the test instances of every word, at the selected layers.

Each plot uses, and names, the projection selected by cross-validation. The page can also show PCA
for all words, which uses no labels.
"""

from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST
from wsd.report.pages import plots
from wsd.report.pages.model_notes import initial_classifier
from wsd.report.pages.render import encode, pack
from wsd.report.pages.report_data import Report, WordResults
from wsd.report.pages.word import initial_choice, initial_method, sample
from wsd.report.plot_colours import mark_of

# Points per plot at most and at least, and in all plots together, so that the page stays small.
MOST_POINTS, FEWEST_POINTS, ALL_POINTS = 150, 30, 12_000
RARE = 5  # points per sense, if it has as many
BEGINNING = 64  # characters per sentence
SENSE = 40  # characters of a sense's name
STILL = 60  # words that the page lists without a script; the rest is packed
HEIGHT = 0.74  # of a plot, as a share of its width
PCA = "pca"


def packed_plots(report: Report) -> str:
    """Return the plots of every word and classifier, packed for the page's script.

    Words are ordered by model, then as in the report. Each word has the senses and sentences of its
    points. Per classifier it has their coordinates, their PCA coordinates if the projection is
    another one, and whether the classifier is wrong.
    """
    pages = [(model, word) for model, words in report.words.items() for word in words]
    size = most(report)
    return pack(
        {
            "styles": styles(report),
            "words": [_word(report, model, word, size) for model, word in pages],
        }
    )


def styles(report: Report) -> list[tuple[int, str]]:
    """Return the colour's number and the marker's outline of each sense of the largest word."""
    words = [results for words in report.words.values() for results in words.values()]
    return [mark_of(i) for i in range(max((len(w.corpus.senses) for w in words), default=0))]


def method_of(report: Report, model: str, word: str, classifier: str) -> str:
    """Return the name of the projection of a word's plot for a classifier."""
    choice = initial_choice(report, model, word, classifier)
    return plots.METHODS[initial_method(report.words[model][word], choice)]


def methods(report: Report) -> set[str]:
    """Return the names of the projections of all plots."""
    return {
        method_of(report, model, word, classifier)
        for model, words in report.words.items()
        for word in words
        for classifier in report.classifiers
    }


def is_everywhere(report: Report, method: str) -> bool:
    """Return whether every word has a projection by this method."""
    return all(
        method in results.projections
        for words in report.words.values()
        for results in words.values()
    )


def most(report: Report) -> int:
    """Return the largest number of test instances in a plot."""
    n_plots = sum(map(len, report.words.values()))
    return min(MOST_POINTS, max(FEWEST_POINTS, ALL_POINTS // max(1, n_plots)))


def still_plots(report: Report) -> list[dict[str, Any]]:
    """Return the first ``STILL`` plots of the first classifier shown, for pages without a script.

    Returns
    -------
    list of dict
        ``senses``, a text of points per sense, and ``errors``, a text of points.
    """
    pages = [(model, word) for model, words in report.words.items() for word in words][:STILL]
    size, classifier = most(report), initial_classifier(report)
    drawn = []
    for model, word in pages:
        results = report.words[model][word]
        kept, gold = _shown(results, size)
        choice = initial_choice(report, model, word, classifier)
        placed = _placed(results, initial_method(results, choice), choice, kept)
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
    tests = results.corpus.split == TEST
    return _scaled(results.projections[method][choice].points[tests])[kept]


def _word(report: Report, model: str, word: str, size: int) -> dict[str, Any]:
    results = report.words[model][word]
    corpus = results.corpus.take(results.corpus.split == TEST)
    kept, gold = _shown(results, size)
    classifiers = []
    for classifier in report.classifiers:
        choice = initial_choice(report, model, word, classifier)
        methods = {"points": initial_method(results, choice)}
        if methods["points"] != PCA and PCA in results.projections:
            methods[PCA] = PCA
        coordinates = {
            name: encode(_placed(results, method, choice, kept).T, "i1")
            for name, method in methods.items()
        }
        wrong = results.predicted[classifier][choice][kept] != gold
        classifiers.append({**coordinates, "wrong": encode(wrong, "u1")})
    return {
        "gold": encode(gold, "<u2"),
        "senses": [text.name[:SENSE] for text in report.dataset.sense_texts(word, corpus.senses)],
        "text": [beginning(corpus, row) for row in kept.tolist()] if report.text else [],
        "classifiers": classifiers,
    }


def _scaled(points: np.ndarray) -> np.ndarray:
    """Scale each axis to whole numbers from -100 to 100."""
    if not len(points):
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, high - low, 1)
    return np.round(200 * (points - low) / reach - 100) * (high > low)


def beginning(corpus: Corpus, row: int) -> str:
    """Return the first words of a sentence that fit into a line."""
    text = " ".join(corpus.tokens[row][:BEGINNING])
    if len(text) <= BEGINNING:
        return text
    return f"{text[:BEGINNING].rsplit(' ', 1)[0]} \N{HORIZONTAL ELLIPSIS}"
