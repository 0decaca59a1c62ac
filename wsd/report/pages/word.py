"""A word's page: its instances in every layer choice, with every classifier."""

from pathlib import Path
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST
from wsd.metrics.scores import confusion
from wsd.report.pages import plots
from wsd.report.pages.model_notes import folder_of, initial_classifier, labels, notes
from wsd.report.pages.packed_columns import most_colours
from wsd.report.pages.render import BOKEH, asset, pack, render, render_alone, word_scripts
from wsd.report.pages.report_data import NEW, Report, WordResults
from wsd.report.pages.word_data import word_data
from wsd.report.pages.word_plot import word_plot
from wsd.report.plot_colours import mark_of
from wsd.storage.atomic import write_text
from wsd.storage.file_names import file_name

# Instances on a page. A larger word is sampled, or no browser would open its page. Each sense and
# split keeps its share of the word's instances, or RARE if that is more.
MOST = 10_000
RARE = 50


def write_word(report: Report, model: str, word: str, folder: Path) -> None:
    """Write one word's page into the folder of the report."""
    results, pages = report.words[model][word], folder_of(report, model)
    kept = sample(results.corpus, MOST, RARE)
    packed, values = _contents(report, model, results.take(kept))
    page = render("word.html", report, **values, packed=pack(packed), root="../" * pages.count("/"))
    write_text(folder / f"{pages}{file_name(word)}.html", page)


def portable_page(report: Report, model: str, results: WordResults) -> str:
    """Return a word's page as a single file, which may also show new sentences.

    Parameters
    ----------
    report : Report
    model : str
    results : WordResults
        The word's results; new sentences are the last rows.
    """
    is_new = results.corpus.split == NEW
    known = report.words[model][results.corpus.word]
    kept = np.append(sample(known.corpus, MOST, RARE), is_new[is_new])
    packed, values = _contents(report, model, results.take(kept))
    bokeh = asset(BOKEH)
    values["packed"] = pack({"bokeh": bokeh, **packed})
    return render_alone("word.html", word_scripts(report), bokeh, report=report, **values)


def _contents(
    report: Report, model: str, shown: WordResults
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data of a page's script, and the values of its template."""
    word, n_new = shown.corpus.word, int((shown.corpus.split == NEW).sum())
    confusions = _confusions(report.words[model][word], len(report.choices[model]))
    data = word_data(report, model, shown, confusions)
    n_colours = most_colours(data.get("extra", ()))
    figure = word_plot(len(shown.corpus.senses), len(shown.corpus), n_colours)
    counts = {"n_shown": len(shown.corpus) - n_new, "n_new": n_new, "by_value": n_colours > 0}
    return {"data": data, "figure": figure}, {**_context(report, model, word), **counts}


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
    strata = np.unique(np.column_stack([corpus.split == "train", corpus.gold]), axis=0)
    for train, gold in strata:
        rows = np.flatnonzero(((corpus.split == "train") == train) & (corpus.gold == gold))
        share = max(round(most * len(rows) / len(corpus)), rare)
        kept[rng.permutation(rows)[share:]] = False
    return kept


def _confusions(results: WordResults, choices: int) -> list[list[list[list[int]]]]:
    """Return, per layer choice and classifier, the confusion matrix of all test instances."""
    corpus, predicted = results.corpus, results.predicted.values()
    gold, k = corpus.gold[corpus.split == TEST], len(corpus.senses)
    return [
        [confusion(gold, senses[i], k).astype(int).tolist() for senses in predicted]
        for i in range(choices)
    ]


def initial_choice(report: Report, model: str, word: str, classifier: str) -> int:
    """Return the number of the shown layer choice with the best CV score of a word."""
    rows = report.word_layers(model, word, classifier)
    names = list(labels(report, model))
    # A learned mix can be selected too, and has no projection.
    rows = rows[rows["layers"].isin(names)].sort_values(
        ["selected_by_cv", "macro_f1_cv"], ascending=False, kind="stable"
    )
    return names.index(rows["layers"].iloc[0])


def initial_method(results: WordResults, choice: int) -> str:
    """Return the projection with the best CV score at a layer choice, or the first.

    Only the training set decides. t-SNE depends on the test instances, and is used only if there is
    no other projection.
    """
    return max(
        cv_scores(results, choice) or results.projections,
        key=lambda method: np.nan_to_num(results.projections[method][choice].score_cv, nan=-1),
    )


def cv_scores(results: WordResults, choice: int) -> dict[str, float]:
    """Return the CV score of each projection that a page may open with: all but t-SNE."""
    return {
        method: projections[choice].score_cv
        for method, projections in results.projections.items()
        if method != "tsne"
    }


def _context(report: Report, model: str, word: str) -> dict[str, Any]:
    """Return the values of the template that both forms of the page share."""
    results = report.words[model][word]
    words = list(report.words[model])
    place = words.index(word)
    encoder = report.provenance["models"][model]
    classifier = initial_classifier(report)
    choice = initial_choice(report, model, word, classifier)
    scores = {plots.METHODS[m]: score for m, score in cv_scores(results, choice).items()}
    return {
        "model": model,
        "models": {name: folder_of(report, name) for name in report.choices},
        "word": word,
        "results": results,
        "width": encoder["model"]["width"],
        "notes": notes(encoder),
        "methods": {method: plots.METHODS[method] for method in results.projections},
        "missing": {plots.METHODS[method]: reason for method, reason in results.missing.items()},
        "opening": initial_method(results, choice),
        "cv_scores": {name: score for name, score in scores.items() if score == score},
        "previous": words[place - 1] if place else None,
        "next": words[place + 1] if place + 1 < len(words) else None,
        "choices": _choice_rows(report, model, results),
        "start": choice,
        "initial_classifier": list(report.classifiers).index(classifier),
        "senses": _sense_rows(report, model, results.corpus),
    }


def _choice_rows(report: Report, model: str, results: WordResults) -> list[dict[str, Any]]:
    scores = results.scores.items()
    return [
        {
            "name": name,
            "label": label,
            "cells": [{**own[i], "wrong": results.n_errors(c, i)} for c, own in scores],
        }
        for i, (name, label) in enumerate(labels(report, model).items())
    ]


def _sense_rows(report: Report, model: str, corpus: Corpus) -> list[dict[str, Any]]:
    rows, train = [], corpus.split == "train"
    texts = report.dataset.sense_texts(corpus.word, corpus.senses)
    for i, (label, text) in enumerate(zip(corpus.senses, texts, strict=True)):
        notes = (added.sense_note(report, model, corpus.word, label) for added in report.extensions)
        colour, outline = mark_of(i)
        rows.append(
            {
                "label": label,
                **text._asdict(),
                "n_train": int((train & (corpus.gold == i)).sum()),
                "n_test": int((~train & (corpus.gold == i)).sum()),
                "colour": colour,
                "path": outline,
                "notes": [note for note in notes if note],
            }
        )
    return rows
