"""A word's page: its instances in every layer choice, by every classifier."""

import logging
from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus import Corpus
from wsd.artifacts.predictions import TEST
from wsd.metrics.scores import confusion
from wsd.report.pages import plots, word_plot
from wsd.report.pages.content import Report, WordRun
from wsd.report.pages.models import folder_of, labels, notes, opening_reader
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


def write_word(report: Report, model: str, word: str, *, folder: Path, portable: Path) -> None:
    """Write one word's page, as part of the report and as a file of its own.

    Parameters
    ----------
    report : Report
    model, word : str
    folder, portable : Path
        The two folders; see :func:`wsd.report.report.write_report`.
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
    above = "../" * own.count("/")
    page = render("word.html", report, **context, packed=packed, text=text, root=above)
    write_text(folder / f"{own}{file_name(word)}.html", page)
    # The fewer things in it the smaller; without sentences the page is of little use.
    forms = [(text, True), (text, False), (min(text, TEST_ONLY, key=_FORMS.index), False)]
    for form, neighbours in dict.fromkeys(forms):
        data = data_of(COARSE, form, neighbours)
        single = render_portable(
            "word.html", report, data=data, figure=figure, **context, text=form
        )
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


def _start(report: Report, model: str, word: str) -> tuple[int, int]:
    """What the page opens with: the first classifier and the layer choice that its folds chose."""
    reader = opening_reader(report)
    rows = report.rows("word-layers", model=model, view=report.view, word=word, classifier=reader)
    names = list(labels(report, model))
    # A learned mix can be chosen too, and has no picture.
    rows = rows[rows["layers"].isin(names)].sort_values(
        ["chosen_on_folds", "macro_f1_on_folds"], ascending=False, kind="stable"
    )
    return names.index(rows["layers"].iloc[0]), list(report.readers).index(reader)


def _context(report: Report, model: str, word: str) -> dict[str, Any]:
    """What both forms of the page show besides the instances."""
    run = report.words[model][word]
    corpus = run.corpus
    train = corpus.split == "train"
    words = list(report.words[model])
    at = words.index(word)
    encoder = report.provenance["models"][model]
    start, reader = _start(report, model, word)
    return {
        "model": model,
        "models": {name: folder_of(report, name) for name in report.choices},
        "word": word,
        "width": encoder["model"]["width"],
        "pooling": encoder["pooling"],
        "notes": notes(encoder),
        "methods": {method: word_plot.METHODS[method] for method in report.methods},
        "previous": words[at - 1] if at else None,
        "next": words[at + 1] if at + 1 < len(words) else None,
        "choices": [
            {
                "name": name,
                "label": text,
                "cells": [
                    {**run.scores[reader][i], "wrong": run.wrong(reader, i)}
                    for reader in report.readers
                ],
            }
            for i, (name, text) in enumerate(labels(report, model).items())
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
