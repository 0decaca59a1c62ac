"""The first page's small plots: the test instances of every word, at the selected layers.

Each is drawn in the projection selected by cross-validation, and names it. The page can show all
of them by PCA, which sees no labels.
"""

from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST
from wsd.report.pages import plots
from wsd.report.pages.render import encode, pack
from wsd.report.pages.report_data import Report
from wsd.report.pages.word import opening, sample, start

# Points of one picture, and of all of them: the page stays light with any number of words.
MOST, FEWEST, OF_ALL = 150, 30, 12_000
RARE = 5  # of a sense, if it has as many
BEGINNING = 64  # characters of a sentence
SENSE = 40  # and of a sense's name
PCA = "pca"


def pictures(report: Report) -> str:
    """The pictures of every word and classifier, packed for the page's script.

    Words are in the order of models and of their words; each has its points' senses and
    sentences once, and per classifier their places, the places by PCA where they differ, and
    whether it is wrong.
    """
    pages = [(model, word) for model, words in report.words.items() for word in words]
    size = most(report)
    kinds = max((len(report.words[m][w].corpus.senses) for m, w in pages), default=0)
    return pack(
        {
            "styles": [_style(i) for i in range(kinds)],
            "words": [_word(report, model, word, size) for model, word in pages],
        }
    )


def method_of(report: Report, model: str, word: str, reader: str) -> str:
    """The name of the projection in which a word is drawn for a classifier."""
    run = report.words[model][word]
    return plots.METHODS[opening(run, start(report, model, word, reader))]


def methods(report: Report) -> set[str]:
    """The names of the projections in which the words are drawn."""
    return {
        method_of(report, model, word, reader)
        for model, words in report.words.items()
        for word in words
        for reader in report.readers
    }


def is_everywhere(report: Report, method: str) -> bool:
    """Whether every word has a projection."""
    return all(method in run.pictures for of in report.words.values() for run in of.values())


def most(report: Report) -> int:
    """Test instances that a picture has at most."""
    return min(MOST, max(FEWEST, OF_ALL // max(1, sum(map(len, report.words.values())))))


def _style(sense: int) -> tuple[int, str]:
    colour, marker = plots.sense_style(sense)
    return colour, plots.MARKERS[marker]


def _word(report: Report, model: str, word: str, size: int) -> dict[str, Any]:
    run = report.words[model][word]
    tests = np.flatnonzero(run.corpus.split == TEST)
    corpus = run.corpus.take(run.corpus.split == TEST)
    kept = np.flatnonzero(sample(corpus, size, RARE))
    # Rare senses are drawn on top.
    kept = kept[np.argsort(-np.bincount(corpus.gold)[corpus.gold[kept]], kind="stable")]
    readers = []
    for reader in report.readers:
        choice = start(report, model, word, reader)
        wrong = run.predicted[reader][choice][kept] != corpus.gold[kept]
        drawn = {"points": opening(run, choice)}
        if drawn["points"] != PCA and PCA in run.pictures:
            drawn[PCA] = PCA
        places = {
            name: encode(_fitted(run.pictures[method][choice].points[tests])[kept].T, "i1")
            for name, method in drawn.items()
        }
        readers.append({**places, "wrong": encode(wrong, "u1")})
    return {
        "gold": encode(corpus.gold[kept], "<u2"),
        "senses": [text.name[:SENSE] for text in report.dataset.sense_texts(word, corpus.senses)],
        "text": [beginning(corpus, row) for row in kept.tolist()] if report.text else [],
        "readers": readers,
    }


def _fitted(points: np.ndarray) -> np.ndarray:
    """Points in whole numbers from -100 to 100, each axis by its own range."""
    if not len(points):
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    reach = np.where(high > low, high - low, 1)
    return np.round(200 * (points - low) / reach - 100) * (high > low)


def beginning(corpus: Corpus, row: int) -> str:
    """The first words of a sentence, as far as a line has room."""
    text = " ".join(corpus.tokens[row][:BEGINNING])
    return (
        text
        if len(text) <= BEGINNING
        else f"{text[:BEGINNING].rsplit(' ', 1)[0]} \N{HORIZONTAL ELLIPSIS}"
    )
