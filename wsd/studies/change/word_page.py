"""The page of one word: the uses of both groups in every layer choice."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wsd.analysis.project import pca
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.projection import align_signs
from wsd.metrics.nearest import unit_vectors
from wsd.report.pages.render import pack, render_alone
from wsd.report.pages.report_data import sentence
from wsd.report.plot_colours import mark_of

SCRIPTS = ("page.js", "change/change-word.js")
# The most uses of a group that the page shows: a random sample of more.
MOST = 500
# The largest coordinate of a plot.
LARGEST = 100
TYPICAL = 5


def shown(is_second: np.ndarray, seed: int = 1) -> np.ndarray:
    """Return which uses the page shows: a bool array of the same shape."""
    random = np.random.default_rng(seed)
    taken = np.ones(len(is_second), dtype=bool)
    for group in (False, True):
        rows = np.flatnonzero(is_second == group)
        taken[random.permutation(rows)[MOST:]] = False
    return taken


def typical(units: np.ndarray, is_second: np.ndarray) -> list[list[dict[str, Any]]]:
    """Return the uses most typical of each group, each with its nearest use of the other group.

    A use is typical of its group if its mean cosine with the group, minus its mean cosine with the
    other group, is high.

    Parameters
    ----------
    units : float array of shape (n, features)
    is_second : bool array of shape (n,)

    Returns
    -------
    list of two lists of dict
        With the row, the row of the nearest use of the other group, and their cosine.
    """
    lists = []
    means = [units[is_second == group].mean(axis=0) for group in (False, True)]
    for group in (False, True):
        rows, others = np.flatnonzero(is_second == group), np.flatnonzero(is_second != group)
        gain = units[rows] @ (means[group] - means[not group])
        first = rows[np.argsort(-gain, kind="stable")[:TYPICAL]]
        cosines = units[first] @ units[others].T
        nearest = cosines.argmax(axis=1)
        lists.append(
            [
                {"row": int(row), "near": int(others[near]), "cosine": float(own[near])}
                for row, near, own in zip(first, nearest, cosines, strict=True)
            ]
        )
    return lists


def places(vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the uses on the first two principal components of each layer choice.

    Returns
    -------
    list of int arrays of shape (n, 2)
        Each axis fills the plot, from ``-LARGEST`` to ``LARGEST``; the second axis points down.
    """
    projected = [pca(own, np.ones(len(own), dtype=bool))[0] for own in vectors]
    scaled = []
    for points in align_signs(projected):
        low, high = points.min(axis=0), points.max(axis=0)
        spread = np.where(high > low, high - low, 1)
        scaled.append(np.rint(((points - low) / spread * 2 - 1) * [LARGEST, -LARGEST]).astype(int))
    return scaled


def word_page(
    dataset: Dataset,
    model: str,
    corpus: Corpus,
    is_second: np.ndarray,
    names: Sequence[str],
    vectors: Mapping[str, np.ndarray],
    **facts: Any,
) -> str:
    """Return the page of a word as one file that loads nothing.

    Parameters
    ----------
    dataset : Dataset
    model : str
    corpus : Corpus
        The shown uses.
    is_second : bool array of shape (len(corpus),)
    names : sequence of two str
        The groups.
    vectors : mapping of layer choice to array of shape (len(corpus), features)
    **facts
        ``layers``, with a dict per layer choice: name, label and measures; ``start``, the index of
        the first shown layer choice; ``about``, the row of the word in ``change-words.csv``.
    """
    layers = []
    for own, points, layer in zip(
        vectors.values(), places(list(vectors.values())), facts.pop("layers"), strict=True
    ):
        texts = np.array([f"{x},{y}" for x, y in points], dtype=object)
        groups = [" ".join(texts[is_second == group]) for group in (False, True)]
        lists = typical(unit_vectors(own.astype(np.float64)), is_second)
        layers.append({**layer, "points": groups, "typical": lists})
    sentences = [sentence(corpus, row) for row in range(len(corpus))]
    return render_alone(
        "change/change-word.html",
        SCRIPTS,
        report={"dataset": dataset},
        model=model,
        word=corpus.word,
        names=list(names),
        layers=layers,
        sentences=sentences,
        styles=[mark_of(0), mark_of(1)],
        packed=pack(
            {
                "sentences": [[*parts.values()] for parts in sentences],
                "rows": [np.flatnonzero(is_second == group).tolist() for group in (False, True)],
                "names": list(names),
                "styles": [mark_of(0), mark_of(1)],
            }
        ),
        **facts,
    )
