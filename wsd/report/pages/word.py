"""A word's page: its instances in every layer choice, with every classifier."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.column_names import SELECTED
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.instance_tables import Neighbours, Projection
from wsd.artifacts.predictions import TEST
from wsd.metrics.scores import confusion
from wsd.report.pages import render
from wsd.report.pages.curves import mark_of
from wsd.report.pages.model_notes import initial_classifier, labels, notes
from wsd.report.pages.plots import METHODS, point_size, word_plot
from wsd.report.pages.render import encode
from wsd.report.pages.report_data import NEW, Report, WordResults, records, sentence
from wsd.storage.atomic import write_text

# Instances on a page. A larger word is sampled, or no browser would open its page. Each sense and
# split keeps its share of the word's instances, or RARE if that is more.
MOST = 10_000
RARE = 50
# The largest coordinate, in steps.
FINE = 32767
NEIGHBOURS = 5
# The packed gold sense of a new sentence.
NO_SENSE = 65535


def write_word(report: Report, model: str, word: str, folder: Path) -> None:
    """Write one word's page into the folder of the report."""
    page = report.page(model, word)
    packed, values = _contents(report, model, report.words[model][word])
    values |= {"packed": render.pack(packed), "root": "../" * page.count("/")}
    write_text(folder / page, render.render("word.html", report, **values))


def portable_page(report: Report, model: str, results: WordResults) -> str:
    """Return a word's page as a single file, which may also show new sentences.

    Parameters
    ----------
    report : Report
    model : str
    results : WordResults
        The word's results; new sentences are the last rows.
    """
    packed, values = _contents(report, model, results)
    scripts, bokeh = render.word_scripts(report), render.asset(render.BOKEH)
    values |= {"packed": render.pack({"bokeh": bokeh, **packed}), "report": report}
    return render.render_alone("word.html", scripts, bokeh, **values)


def sample(corpus: Corpus, most: int, rare: int) -> np.ndarray:
    """Return the instances of a word that are shown: all, or a sample of about ``most``.

    A sense and split keeps at least ``rare`` instances, or all if it has fewer. The draw depends on
    the numbers of instances alone, so that every layer choice, model and run shows the same ones.

    Returns
    -------
    bool array of shape (len(corpus),)
    """
    kept = np.ones(len(corpus), dtype=bool)
    if len(corpus) <= most:
        return kept
    rng = np.random.default_rng(0)
    is_train = corpus.split == "train"
    for train, gold in np.unique(np.column_stack([is_train, corpus.gold]), axis=0):
        rows = np.flatnonzero((is_train == train) & (corpus.gold == gold))
        share = max(round(most * len(rows) / len(corpus)), rare)
        kept[rng.permutation(rows)[share:]] = False
    return kept


def initial_choice(report: Report, model: str, word: str, classifier: str) -> int:
    """Return the number of the shown layer choice with the best CV score of a word."""
    rows = report.word_layers(model, word, classifier)
    names = list(labels(report, model))
    # A learned mix can be selected too, and has no projection.
    rows = rows[rows["layers"].isin(names)].sort_values(
        ["selected_by_cv", "macro_f1_cv"], ascending=False, kind="stable"
    )
    return names.index(rows["layers"].iloc[0])


def best_method(results: WordResults, choices: Sequence[int]) -> str:
    """Return the projection with the best mean CV score over layer choices, or the first.

    Only the training set decides. t-SNE depends on the test instances, and is used only if there is
    no other projection.
    """

    def score(method: str) -> float:
        scores = [results.projections[method][i].score_cv for i in choices]
        return float(np.nan_to_num(np.mean(scores), nan=-1))

    methods = [method for method in results.projections if method != "tsne"]
    return max(methods or results.projections, key=score)


def cv_scores(results: WordResults, choice: int) -> dict[str, float]:
    """Return the CV score of each projection that a page may open with: all but t-SNE."""
    return {
        method: projections[choice].score_cv
        for method, projections in results.projections.items()
        if method != "tsne"
    }


def _contents(
    report: Report, model: str, given: WordResults
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data of a page's script, and the values of its template."""
    word, is_new = given.corpus.word, given.corpus.split == NEW
    # Scores and counts are for all instances, shown or not.
    results, words, choices = report.words[model][word], list(report.words[model]), []
    shown = given.take(np.append(sample(results.corpus, MOST, RARE), is_new[is_new]))
    data = word_data(report, model, shown)
    for i, (name, label) in enumerate(labels(report, model).items()):
        scores = [own[i] for own in results.scores.values()]
        counts = np.array(data["choices"][i]["confusion"])
        wrong = counts.sum(axis=(1, 2)) - counts.trace(axis1=1, axis2=2)
        cells = [{**own, "wrong": n} for own, n in zip(scores, wrong, strict=True)]
        choices.append({"name": name, "label": label, "cells": cells})
    n_colours = render.most_colours(data.get("extra", ()))
    figure = word_plot(len(shown.corpus.senses), len(shown.corpus), n_colours)
    encoder, classifier = report.provenance["models"][model], initial_classifier(report)
    start = initial_choice(report, model, word, classifier)
    own = report.rows("words", kind=SELECTED, model=model, word=word).head(1)
    place, of_methods = words.index(word), cv_scores(results, start).items()
    values = {
        "model": model,
        "word": word,
        "results": results,
        "width": encoder["model"]["width"],
        "notes": notes(encoder),
        "copied": records(own[own["n_test"] > own["n_test_without_duplicates"]]),
        "methods": {method: METHODS[method] for method in results.projections},
        "missing": {METHODS[method]: reason for method, reason in results.missing.items()},
        "opening": best_method(results, [start]),
        "cv_scores": {METHODS[method]: score for method, score in of_methods if score == score},
        "previous": words[place - 1] if place else None,
        "next": words[place + 1] if place + 1 < len(words) else None,
        "choices": choices,
        "start": start,
        "initial_classifier": list(report.classifiers).index(classifier),
        "senses": _sense_rows(report, model, results.corpus),
        "n_shown": len(shown.corpus) - is_new.sum(),
        "n_new": is_new.sum(),
        "by_value": n_colours > 0,
    }
    return {"data": data, "figure": figure}, values


def _sense_rows(report: Report, model: str, corpus: Corpus) -> list[dict[str, Any]]:
    rows, train = [], corpus.split == "train"
    texts = report.dataset.sense_texts(corpus.word, corpus.senses)
    for i, (label, text) in enumerate(zip(corpus.senses, texts, strict=True)):
        notes = (added.sense_note(report, model, corpus.word, label) for added in report.extensions)
        colour, outline = mark_of(i)
        n_train, n = int((train & (corpus.gold == i)).sum()), int((corpus.gold == i).sum())
        row = {"label": label, **text._asdict(), "n_train": n_train, "n_test": n - n_train}
        rows.append({**row, "colour": colour, "path": outline, "notes": [*filter(None, notes)]})
    return rows


def word_data(report: Report, model: str, results: WordResults) -> dict[str, Any]:
    """Return the data of the page's script, with every shown instance once.

    Coordinates are multiples of ``step``. A confusion matrix is of all test instances, shown or
    not.
    """
    corpus, whole = results.corpus, report.words[model][results.corpus.word]
    gold, k = whole.corpus.gold[whole.corpus.split == TEST], len(corpus.senses)
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
        counts = [confusion(gold, senses[i], k).astype(int) for senses in whole.predicted.values()]
        shown = {**_choice(results, i, order), "confusion": [own.tolist() for own in counts]}
        near = _neighbours(results.neighbours[i], order, wide)
        choices.append({**about, **own, **shown, **near})
    texts = report.dataset.sense_texts(corpus.word, corpus.senses)
    classifiers, added = report.classifiers.items(), report.extensions
    extensions = {study.name: study.word_values(model, corpus, order) for study in added}
    has_text = np.full(len(order), True) if report.text else is_new[order]
    extra = render.packed_columns(corpus.extra, order, has_text)
    return {
        "word": corpus.word,
        "model": model,
        "senses": list(corpus.senses),
        "names": [text.name for text in texts],
        "glosses": [text.gloss for text in texts],
        "classifiers": [{"name": name, "confidence": kind} for name, kind in classifiers],
        "pixels": point_size(len(corpus)),
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
