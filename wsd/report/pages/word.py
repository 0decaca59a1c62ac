"""A word's page: its instances in every layer choice, by every classifier."""

import logging
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.predictions import TEST
from wsd.metrics.scores import confusion
from wsd.report.pages import plots, word_plot
from wsd.report.pages.content import Report, WordRun
from wsd.report.pages.models import blocks, notes, selected
from wsd.report.pages.render import pack, render, render_portable
from wsd.report.pages.word_data import ALL, NONE, TEST_ONLY, word_data
from wsd.storage.atomic import write_text
from wsd.storage.file_names import file_name

log = logging.getLogger("wsd")


# Chromium opens no data: address above 2 MiB; base64 makes four bytes of three.
PORTABLE_BYTES = (2 * 1024 * 1024 - 256) // 4 * 3
FINE, COARSE = 32767, 2047
# Instances that a page shows; of a larger word a sample, or no browser would open the page. Of each
# sense and split it has the share that they have of the word, or RARE if that is more.
MOST = 10_000
RARE = 50


def folder_of(report: Report, model: str) -> str:
    """The folder of a model's word pages, as the first part of their addresses.

    The first model's stand in ``words/`` itself.
    """
    return "words/" if model == next(iter(report.choices)) else f"words/{model}/"


def write_word(report: Report, model: str, word: str, *, folder: Path, portable: Path) -> None:
    """Write one word's page, as part of the report and as a file of its own.

    Parameters
    ----------
    report : Report
    model, word : str
    folder, portable : Path
        The two folders; see :func:`wsd.report.report.build_report`.
    """
    whole, choices = report.words[model][word], report.choices[model]
    own = folder_of(report, model)
    kept = sample(whole.corpus)
    run = whole.only(kept) if not kept.all() else whole
    context = {**_context(report, model, word), "n_shown": len(run.corpus)}
    figure = word_plot.word_plot(len(run.corpus.senses), len(run.corpus))
    text = ALL if report.text else NONE
    confusions = _confusions(whole, len(choices))

    def data_of(levels: int, text: str, neighbours: bool) -> dict[str, Any]:
        return word_data(report, model, run, confusions, levels, text=text, neighbours=neighbours)

    packed = pack({"data": data_of(FINE, text, True), "figure": figure})
    page = render(
        "word.html",
        **context,
        packed=packed,
        text=text,
        root="../" * own.count("/"),
    )
    write_text(folder / f"{own}{file_name(word)}.html", page)
    # The fewer things in it the smaller; without sentences the page is of little use.
    forms = [(text, True), (text, False), (min(text, TEST_ONLY, key=_FORMS.index), False)]
    for form, neighbours in dict.fromkeys(forms):
        data = data_of(COARSE, form, neighbours)
        single = render_portable("word.html", data=data, figure=figure, **context, text=form)
        if len(single.encode()) <= PORTABLE_BYTES:
            break
    else:
        log.warning(
            "%s/%s: the page as one file is too large for Chromium's data: addresses", model, word
        )
    write_text(portable / model / f"{file_name(word)}.html", single)


_FORMS = (NONE, TEST_ONLY, ALL)


def sample(corpus: Corpus) -> np.ndarray:
    """Which instances of a word its page shows: all, or a sample of about ``MOST``.

    The draw depends on the numbers of instances alone, so that every layer choice, every model and
    every run shows the same ones.

    Returns
    -------
    bool array of shape (len(corpus),)
    """
    kept = np.ones(len(corpus), dtype=bool)
    if len(corpus) <= MOST:
        return kept
    rng = np.random.default_rng(0)
    strata = np.unique(np.column_stack([corpus.split == "train", corpus.gold]), axis=0)
    for train, gold in strata:
        rows = np.flatnonzero(((corpus.split == "train") == train) & (corpus.gold == gold))
        share = max(round(MOST * len(rows) / len(corpus)), RARE)
        kept[rng.permutation(rows)[share:]] = False
    return kept


def _confusions(run: WordRun, choices: int) -> list[list[list[list[int]]]]:
    """Per layer choice and reader the confusion matrix, of all test instances."""
    gold, senses = run.corpus.gold[run.corpus.split == TEST], len(run.corpus.senses)
    return [
        [confusion(gold, of[i], senses).astype(int).tolist() for of in run.predicted.values()]
        for i in range(choices)
    ]


def label(choice: LayerChoice, last: int) -> str:
    """A layer choice's name with what a reader needs to place it.

    Parameters
    ----------
    choice : LayerChoice
    last : int
        Number of the encoder's last layer.
    """
    if choice.is_single:
        (layer,) = choice.layers
        return f"layer {layer}" + {0: " (embeddings)", last: " (last)"}.get(layer, "")
    low, high = choice.layers[0], choice.layers[-1]
    if choice.layers == tuple(range(low, high + 1)):
        return f"{choice.name} ({low}\N{EN DASH}{high})"
    return choice.name


def _start(report: Report, model: str, word: str) -> tuple[int, int]:
    """What the page opens with: the first classifier and the layer choice that its folds chose."""
    reader = opening_reader(report)
    rows = report.rows("word-layers", model=model, view=report.view, word=word, classifier=reader)
    names = [choice.name for choice in report.choices[model]]
    # A learned mix can be chosen too, and has no picture.
    rows = rows[rows["layers"].isin(names)].sort_values(
        ["chosen_on_folds", "macro_f1_on_folds"], ascending=False, kind="stable"
    )
    return names.index(rows["layers"].iloc[0]), list(report.readers).index(reader)


def opening_reader(report: Report) -> str:
    """The classifier that pages open with: the one selected on folds, else the first."""
    chosen = selected(report)["classifier"].tolist()
    return next((name for name in chosen if name in report.readers), next(iter(report.readers)))


def _context(report: Report, model: str, word: str) -> dict[str, Any]:
    """What both forms of the page show besides the instances."""
    run, choices = report.words[model][word], report.choices[model]
    corpus = run.corpus
    train = corpus.split == "train"
    words = list(report.words[model])
    at = words.index(word)
    last = blocks(report, model)
    encoder = report.provenance["models"][model]
    start, reader = _start(report, model, word)
    return {
        "dataset": report.dataset,
        "model": model,
        "models": {name: folder_of(report, name) for name in report.choices},
        "word": word,
        "width": encoder["model"]["width"],
        "pooling": encoder["pooling"],
        "notes": notes(encoder),
        "view": report.view,
        "methods": {method: word_plot.METHODS[method] for method in report.methods},
        "previous": words[at - 1] if at else None,
        "next": words[at + 1] if at + 1 < len(words) else None,
        "readers": report.readers,
        "choices": [
            {
                "name": choice.name,
                "label": label(choice, last),
                "cells": [
                    {**run.scores[reader][i], "wrong": run.wrong(reader, i)}
                    for reader in report.readers
                ],
            }
            for i, choice in enumerate(choices)
        ],
        "start": start,
        "start_reader": reader,
        "senses": [
            {
                "name": sense,
                "n_train": int((train & (corpus.gold == i)).sum()),
                "n_test": int((~train & (corpus.gold == i)).sum()),
                "colour": plots.sense_style(i)[0],
                "path": plots.MARKERS[plots.sense_style(i)[1]],
            }
            for i, sense in enumerate(corpus.senses)
        ],
        "n_train": run.n_train,
        "n_test": run.n_test,
    }
