"""The data of a word's page: every instance once, and what each layer choice makes of it."""

from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.neighbours import Neighbours
from wsd.artifacts.projection import Projection
from wsd.report.pages import word_plot
from wsd.report.pages.content import Report, WordRun
from wsd.report.pages.render import encode

# Whose sentences a page holds.
ALL, TEST_ONLY, NONE = "all", "test", "none"
NEIGHBOURS = 5


def word_data(
    report: Report,
    model: str,
    run: WordRun,
    confusions: list[list[list[list[int]]]],
    levels: int,
    *,
    text: str,
    neighbours: bool,
) -> dict[str, Any]:
    """What the page's script switches through; every instance shown stands here once.

    Coordinates are whole numbers of ``step``, which is the largest of a choice over ``levels``.
    """
    corpus = run.corpus
    train = corpus.split == "train"
    # Later rows are drawn on top: test over training instances, and rare senses over all.
    order = np.lexsort((corpus.index, ~train, -np.bincount(corpus.gold)[corpus.gold]))
    # The largest number is no row and stands for a neighbour that there is not.
    wide = len(order) >= 65535
    number = "<u4" if wide else "<u2"
    choices = [
        {
            "name": choice.name,
            "single": choice.is_single,
            **_choice(run, i, order, levels),
            "confusion": confusions[i],
            **(_neighbours(run.neighbours[i], order, number) if neighbours else {}),
        }
        for i, choice in enumerate(report.choices[model])
    ]
    data = {
        "word": corpus.word,
        "model": model,
        "senses": list(corpus.senses),
        "readers": [{"name": name, "confidence": kind} for name, kind in report.readers.items()],
        "pixels": word_plot.point_size(len(corpus)),
        "text": text,
        "wide": wide,
        "neighbours": NEIGHBOURS if neighbours else 0,
        "train": encode(train[order], "u1"),
        "index": encode(corpus.index[order], "<i4"),
        "gold": encode(corpus.gold[order], "<u2"),
        "choices": choices,
    }
    if text != NONE:
        blank = ("", "", "")
        texts = [sentence(corpus, i) if text == ALL or not train[i] else blank for i in order]
        data |= {part: [of[i] for of in texts] for i, part in enumerate(("left", "focal", "right"))}
    return data


def _choice(run: WordRun, i: int, order: np.ndarray, levels: int) -> dict[str, Any]:
    """One layer choice: its pictures, and what each classifier makes of the test instances."""
    test = run.corpus.split != "train"
    tests = (np.cumsum(test) - 1)[order][test[order]]
    return {
        "pictures": {
            method: _picture(of_method[i], order, levels)
            for method, of_method in run.pictures.items()
        },
        "score": _finite(run.neighbours[i].score),
        "predicted": [encode(of[i][tests], "<u2") for of in run.predicted.values()],
        "confidence": [_shades(of[i][tests]) for of in run.confidence.values()],
        "figures": [
            {metric: _finite(value) for metric, value in of[i].items()}
            for of in run.scores.values()
        ],
    }


def _neighbours(near: Neighbours, order: np.ndarray, number: str) -> dict[str, str]:
    """The neighbours by their places on the page, and their similarities in 255 steps."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows, similar = near.rows[order], np.nan_to_num(near.similarity[order], nan=0.0)
    return {
        "near": encode(np.where(rows >= 0, place[rows], np.iinfo(number).max), number),
        "similar": encode(np.round((similar + 1) * 127).clip(0, 254), "u1"),
    }


def _picture(picture: Projection, order: np.ndarray, levels: int) -> dict[str, Any]:
    step = float(np.abs(picture.points).max(initial=0)) / levels or 1.0
    return {
        "explained": picture.explained,
        "step": step,
        # All x before all y: neighbours in the file are alike, and pack better.
        "points": encode(np.round(picture.points[order].T / step), "<i2"),
        "score": _finite(picture.score),
    }


def _shades(values: np.ndarray) -> dict[str, Any]:
    """Confidences in 255 steps."""
    step = float(values.max(initial=0)) / 255 or 1.0
    return {"step": step, "values": encode(np.round(values / step).clip(0, 255), "u1")}


def _finite(value: float) -> float | None:
    return None if value != value else float(value)


def sentence(corpus: Corpus, row: int) -> tuple[str, str, str]:
    """What stands before the focal word, the focal word, and what stands after it."""
    tokens, at = corpus.tokens[row], int(corpus.position[row])
    return " ".join(tokens[:at]), tokens[at], " ".join(tokens[at + 1 :])
