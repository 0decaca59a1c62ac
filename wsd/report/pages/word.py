"""A word's page: its instances in every layer choice, by every classifier, each told once."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.neighbour_table import Neighbours
from wsd.artifacts.predictions import TEST
from wsd.artifacts.projection import Projection
from wsd.logs import log
from wsd.metrics.scores import confusion
from wsd.report.pages import plots
from wsd.report.pages.model_notes import folder_of, labels, notes, opening_reader
from wsd.report.pages.render import encode, pack, render, render_portable
from wsd.report.pages.report_data import Report, WordRun, sentence
from wsd.storage.atomic import write_text
from wsd.storage.file_names import file_name
from wsd.studies.substitutes.word_panel import packed_substitutes, telling

# Whose sentences a page holds.
ALL, TEST_ONLY, NONE = "all", "test", "none"
NEIGHBOURS = 5
# Chromium opens no data: address above 2 MiB; base64 makes four bytes of three.
PORTABLE_BYTES = (2 * 1024 * 1024 - 256) // 4 * 3
_FORMS = (NONE, TEST_ONLY, ALL)
FINE, COARSE = 32767, 2047
# Instances that a page shows; of a larger word a sample, or no browser would open the page. Of each
# sense and split it has the share that they have of the word, or RARE if that is more.
MOST = 10_000
RARE = 50


def write_word(report: Report, model: str, word: str, *, folder: Path, portable: Path) -> None:
    """Write one word's page, as part of the report and as a file of its own.

    Parameters
    ----------
    report : Report
    model, word : str
    folder, portable : Path
        The two folders; see :func:`wsd.report.report.write_report`.
    """
    whole, own = report.words[model][word], folder_of(report, model)
    kept = sample(whole.corpus, MOST, RARE)
    run = whole.only(kept) if not kept.all() else whole
    context = {**_context(report, model, word), "n_shown": len(run.corpus)}
    figure = plots.word_plot(len(run.corpus.senses), len(run.corpus))
    text = ALL if report.text else NONE
    confusions = _confusions(whole, len(report.choices[model]))

    data_of = partial(word_data, report, model)
    data = data_of(run, confusions, FINE, text, neighbours=True)
    packed, above = pack({"data": data, "figure": figure}), "../" * own.count("/")
    every = tuple(run.pictures)
    shown = {**context, "offered": every}
    page = render("word.html", report, **shown, packed=packed, text=text, root=above)
    write_text(folder / f"{own}{file_name(word)}.html", page)
    # The fewer things in it the smaller; without sentences the page is of little use.
    one, fewer = (context["opening"],), min(text, TEST_ONLY, key=_FORMS.index)
    forms = [(text, True, every), (text, False, every), (text, False, one), (fewer, False, one)]
    for form, neighbours, offered in dict.fromkeys(forms):
        of = replace(run, pictures={method: run.pictures[method] for method in offered})
        data = data_of(of, confusions, COARSE, form, neighbours=neighbours)
        shown = {**context, "offered": offered, "text": form}
        single = render_portable(report, data=data, figure=figure, **shown)
        if len(single.encode()) <= PORTABLE_BYTES:
            break
    else:
        log.warning(
            "%s/%s: the page as one file is too large for Chromium's data: addresses", model, word
        )
    write_text(portable / model / f"{file_name(word)}.html", single)


def sample(corpus: Corpus, most: int, rare: int) -> np.ndarray:
    """Which instances of a word are shown: all, or a sample of about ``most``.

    Of a sense and split there are ``rare`` at least, if it has as many. The draw depends on the
    numbers of instances alone, so that every layer choice, every model and
    every run shows the same ones.

    Returns
    -------
    bool array of shape (len(corpus),)
    """
    kept = np.ones(len(corpus), dtype=bool)
    if len(corpus) <= most:
        return kept
    rng = np.random.default_rng(0)
    strata = np.unique(np.column_stack([corpus.split == "train", corpus.gold]), axis=0)
    for train, gold in strata:
        rows = np.flatnonzero(((corpus.split == "train") == train) & (corpus.gold == gold))
        share = max(round(most * len(rows) / len(corpus)), rare)
        kept[rng.permutation(rows)[share:]] = False
    return kept


def _confusions(run: WordRun, choices: int) -> list[list[list[list[int]]]]:
    """Per layer choice and reader the confusion matrix, of all test instances."""
    gold, senses = run.corpus.gold[run.corpus.split == TEST], len(run.corpus.senses)
    return [
        [confusion(gold, of[i], senses).astype(int).tolist() for of in run.predicted.values()]
        for i in range(choices)
    ]


def start(report: Report, model: str, word: str, reader: str) -> int:
    """Number of the layer choice that a word's folds chose for a classifier, of those shown."""
    rows = report.word_layers(model, word, reader)
    names = list(labels(report, model))
    # A learned mix can be chosen too, and has no picture.
    rows = rows[rows["layers"].isin(names)].sort_values(
        ["selected_by_cv", "macro_f1_cv"], ascending=False, kind="stable"
    )
    return names.index(rows["layers"].iloc[0])


def opening(run: WordRun, choice: int) -> str:
    """The projection that keeps most of the senses at a layer choice, of equal ones the first.

    That is decided on folds of the training set: test labels choose nothing. Without folds it is
    the first one. t-SNE is shaped by the test instances, and is taken only where there is no other.
    """
    return max(
        on_folds(run, choice) or run.pictures,
        key=lambda method: np.nan_to_num(run.pictures[method][choice].score_cv, nan=-1),
    )


def on_folds(run: WordRun, choice: int) -> dict[str, float]:
    """The score on folds of each projection that a page may open with: of all but t-SNE."""
    return {
        method: pictures[choice].score_cv
        for method, pictures in run.pictures.items()
        if method != "tsne"
    }


def _context(report: Report, model: str, word: str) -> dict[str, Any]:
    """What both forms of the page show besides the instances."""
    run = report.words[model][word]
    corpus = run.corpus
    train = corpus.split == "train"
    words = list(report.words[model])
    at = words.index(word)
    encoder = report.provenance["models"][model]
    reader = opening_reader(report)
    choice = start(report, model, word, reader)
    choices = []
    for i, (name, text) in enumerate(labels(report, model).items()):
        cells = [{**run.scores[of][i], "wrong": run.wrong(of, i)} for of in report.readers]
        choices.append({"name": name, "label": text, "cells": cells})
    senses = []
    called = report.dataset.sense_texts(word, corpus.senses)
    for i, (label, said) in enumerate(zip(corpus.senses, called, strict=True)):
        own, (colour, marker) = corpus.gold == i, plots.sense_style(i)
        counts = {"n_train": int((train & own).sum()), "n_test": int((~train & own).sum())}
        drawn = {"colour": colour, "path": plots.MARKERS[marker]}
        told = telling(report, model, word, label)
        senses.append({"label": label, **said._asdict(), **counts, **drawn, "told": told})
    return {
        "model": model,
        "models": {name: folder_of(report, name) for name in report.choices},
        "word": word,
        "run": run,
        "width": encoder["model"]["width"],
        "notes": notes(encoder),
        "methods": {method: plots.METHODS[method] for method in run.pictures},
        "missing": {plots.METHODS[method]: why for method, why in run.missing.items()},
        "opening": opening(run, choice),
        "on_folds": {
            plots.METHODS[method]: score
            for method, score in on_folds(run, choice).items()
            if score == score
        },
        "previous": words[at - 1] if at else None,
        "next": words[at + 1] if at + 1 < len(words) else None,
        "choices": choices,
        "start": choice,
        "start_reader": list(report.readers).index(reader),
        "senses": senses,
    }


def word_data(
    report: Report,
    model: str,
    run: WordRun,
    confusions: list[list[list[list[int]]]],
    levels: int,
    text: str,
    *,
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
    choices = [
        {
            "name": choice.name,
            "single": choice.is_single,
            **_choice(run, i, order, levels),
            "confusion": confusions[i],
            **(_neighbours(run.neighbours[i], order, wide) if neighbours else {}),
        }
        for i, choice in enumerate(report.choices[model])
    ]
    called = report.dataset.sense_texts(corpus.word, corpus.senses)
    data = {
        "word": corpus.word,
        "model": model,
        "senses": list(corpus.senses),
        "names": [text.name for text in called],
        "glosses": [text.gloss for text in called],
        "readers": [{"name": name, "confidence": kind} for name, kind in report.readers.items()],
        "pixels": plots.point_size(len(corpus)),
        "text": text,
        "wide": wide,
        "neighbours": NEIGHBOURS if neighbours else 0,
        "train": encode(train[order], "u1"),
        "index": encode(corpus.index[order], "<i4"),
        "gold": encode(corpus.gold[order], "<u2"),
        "choices": choices,
    }
    if neighbours and run.substitutes is not None:
        data["substitutes"] = packed_substitutes(run.substitutes, order)
    if text != NONE:
        blank = dict.fromkeys(("left", "focal", "right"), "")
        texts = [sentence(corpus, i) if text == ALL or not train[i] else blank for i in order]
        data |= {part: [of[part] for of in texts] for part in blank}
    return data


def _choice(run: WordRun, i: int, order: np.ndarray, levels: int) -> dict[str, Any]:
    """One layer choice: its pictures, and what each classifier makes of the test instances."""
    test = run.corpus.split != "train"
    tests = (np.cumsum(test) - 1)[order][test[order]]
    return {
        "pictures": {m: _picture(of[i], order, levels) for m, of in run.pictures.items()},
        "score": _finite(run.neighbours[i].score),
        "predicted": [encode(of[i][tests], "<u2") for of in run.predicted.values()],
        "confidence": [_shades(of[i][tests]) for of in run.confidence.values()],
        "scores": [{k: _finite(v) for k, v in of[i].items()} for of in run.scores.values()],
    }


def _neighbours(near: Neighbours, order: np.ndarray, wide: bool) -> dict[str, str]:
    """The neighbours by their places on the page, and their similarities in 255 steps."""
    number = "<u4" if wide else "<u2"
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
