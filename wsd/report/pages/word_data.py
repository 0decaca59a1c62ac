"""The data of a word's page, for its script: every shown instance, and every layer choice."""

from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.neighbour_table import Neighbours
from wsd.artifacts.projection import Projection
from wsd.report.pages import plots
from wsd.report.pages.render import encode, packed_columns
from wsd.report.pages.report_data import NEW, Report, WordResults, sentence

# The largest coordinate, in steps.
FINE = 32767
NEIGHBOURS = 5
# The packed gold sense of a new sentence.
NO_SENSE = 65535


def word_data(
    report: Report, model: str, results: WordResults, confusions: list[Any]
) -> dict[str, Any]:
    """Return the data of the page's script, with every shown instance once.

    Coordinates are multiples of ``step``. ``confusions`` has a confusion matrix per layer choice
    and classifier.
    """
    corpus = results.corpus
    train, is_new = corpus.split == "train", corpus.split == NEW
    # Later rows are drawn on top: test over training instances, rare senses over frequent ones,
    # and new sentences over all.
    frequency = np.bincount(corpus.gold[~is_new])[corpus.gold]
    order = np.lexsort((corpus.index, ~train, -frequency, is_new))
    # The largest number of the type stands for a missing neighbour.
    wide = len(order) >= 65535
    intervals, choices = _intervals(report, model, corpus.word), []
    for i, choice in enumerate(report.choices[model]):
        about = {"name": choice.name, "single": choice.is_single}
        own = {"intervals": [by_choice.get(choice.name) for by_choice in intervals]}
        shown = {**_choice(results, i, order), "confusion": confusions[i]}
        near = _neighbours(results.neighbours[i], order, wide)
        choices.append({**about, **own, **shown, **near})
    texts = report.dataset.sense_texts(corpus.word, corpus.senses)
    classifiers, added = report.classifiers.items(), report.extensions
    extensions = {study.name: study.word_values(model, corpus, order) for study in added}
    has_text = np.full(len(order), True) if report.text else is_new[order]
    extra = packed_columns(corpus.extra, order, has_text)
    return {
        "word": corpus.word,
        "model": model,
        "senses": list(corpus.senses),
        "names": [text.name for text in texts],
        "glosses": [text.gloss for text in texts],
        "classifiers": [{"name": name, "confidence": kind} for name, kind in classifiers],
        "pixels": plots.point_size(len(corpus)),
        "text": report.text,
        "wide": wide,
        "neighbours": NEIGHBOURS,
        "train": encode(train[order], "u1"),
        "index": encode(corpus.index[order], "<i4"),
        "gold": encode(np.where(is_new, NO_SENSE, corpus.gold)[order], "<u2"),
        "new": int(is_new.sum()),
        "choices": choices,
        "extensions": {name: value for name, value in extensions.items() if value is not None},
        **_sentences(corpus, order, has_text),
        **({"extra": extra} if extra else {}),
    }


def _intervals(report: Report, model: str, word: str) -> list[dict[str, tuple[float, float]]]:
    """Return the 95% CI of macro-F1 by layer choice, for each classifier."""
    tables = [report.word_layers(model, word, classifier) for classifier in report.classifiers]
    kept = [t[["layers", "macro_f1_low", "macro_f1_high"]].dropna() for t in tables]
    return [{n: (low, high) for n, low, high in t.itertuples(index=False)} for t in kept]


def _sentences(corpus: Corpus, order: np.ndarray, has_text: np.ndarray) -> dict[str, list[str]]:
    """Return the sentences that the page may show, if any; others are empty."""
    parts = ("left", "focal", "right") if has_text.any() else ()
    hidden = dict.fromkeys(parts, "")
    shown = [sentence(corpus, r) if has else hidden for r, has in zip(order, has_text, strict=True)]
    return {part: [texts[part] for texts in shown] for part in parts}


def _choice(results: WordResults, i: int, order: np.ndarray) -> dict[str, Any]:
    """Return one layer choice: its projections, and every classifier's predictions."""
    test = results.corpus.split != "train"
    tests = (np.cumsum(test) - 1)[order][test[order]]
    predicted, confidence = results.predicted.values(), results.confidence.values()
    scores = [own[i].items() for own in results.scores.values()]
    return {
        "projections": {m: _projection(p[i], order) for m, p in results.projections.items()},
        "score": _finite(results.neighbours[i].score),
        "predicted": [encode(senses[i][tests], "<u2") for senses in predicted],
        "confidence": [_shades(values[i][tests]) for values in confidence],
        "scores": [{metric: _finite(score) for metric, score in own} for own in scores],
    }


def _neighbours(neighbours: Neighbours, order: np.ndarray, wide: bool) -> dict[str, str]:
    """Return the neighbours by their places on the page; similarities have 255 steps."""
    number = "<u4" if wide else "<u2"
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows = neighbours.rows[order]
    similarity = np.nan_to_num(neighbours.similarity[order], nan=0.0)
    return {
        "near": encode(np.where(rows >= 0, place[rows], np.iinfo(number).max), number),
        "similar": encode(np.round((similarity + 1) * 127).clip(0, 254), "u1"),
    }


def _projection(projection: Projection, order: np.ndarray) -> dict[str, Any]:
    step = float(np.abs(projection.points).max(initial=0)) / FINE or 1.0
    return {
        "explained": projection.explained,
        "step": step,
        # All x before all y: similar numbers next to each other compress better.
        "points": encode(np.round(projection.points[order].T / step), "<i2"),
        "score": _finite(projection.score),
    }


def _shades(values: np.ndarray) -> dict[str, Any]:
    """Return confidences in 255 steps."""
    step = float(values.max(initial=0)) / 255 or 1.0
    return {"step": step, "values": encode(np.round(values / step).clip(0, 255), "u1")}


def _finite(value: float) -> float | None:
    return None if value != value else float(value)
