"""A word's page: its instances in every layer choice, with every classifier."""

from pathlib import Path
from typing import Any

import numpy as np
from bokeh import models
from bokeh.core.properties import value

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST
from wsd.metrics.scores import confusion
from wsd.report.pages.curves import COLOURS, mark_of, style_of
from wsd.report.pages.model_notes import folder_of, initial_classifier, labels, notes
from wsd.report.pages.plots import FONT, METHODS, TONES, new_plot, plot_json, point_size
from wsd.report.pages.render import (
    BOKEH,
    asset,
    most_colours,
    pack,
    render,
    render_alone,
    word_scripts,
)
from wsd.report.pages.report_data import NEW, Report, WordResults
from wsd.report.pages.word_data import word_data
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


def initial_method(results: WordResults, choice: int) -> str:
    """Return the projection with the best CV score at a layer choice, or the first.

    Only the training set decides. t-SNE depends on the test instances, and is used only if there is
    no other projection.
    """
    scores = cv_scores(results, choice) or dict.fromkeys(results.projections, -1.0)
    return max(scores, key=lambda method: np.nan_to_num(scores[method], nan=-1))


def cv_scores(results: WordResults, choice: int) -> dict[str, float]:
    """Return the CV score of each projection that a page may open with: all but t-SNE."""
    return {
        method: projections[choice].score_cv
        for method, projections in results.projections.items()
        if method != "tsne"
    }


def _contents(
    report: Report, model: str, shown: WordResults
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data of a page's script, and the values of its template."""
    word, n_new = shown.corpus.word, int((shown.corpus.split == NEW).sum())
    # Scores and counts are for all instances, shown or not.
    results, words, choices = report.words[model][word], list(report.words[model]), []
    corpus, k = results.corpus, len(results.corpus.senses)
    gold, confusions = corpus.gold[corpus.split == TEST], []
    for i, (name, label) in enumerate(labels(report, model).items()):
        predicted = [senses[i] for senses in results.predicted.values()]
        confusions.append([confusion(gold, senses, k).astype(int).tolist() for senses in predicted])
        cells = [{**own[i], "wrong": results.n_errors(c, i)} for c, own in results.scores.items()]
        choices.append({"name": name, "label": label, "cells": cells})
    data = word_data(report, model, shown, confusions)
    n_colours = most_colours(data.get("extra", ()))
    figure = word_plot(len(shown.corpus.senses), len(shown.corpus), n_colours)
    encoder, classifier = report.provenance["models"][model], initial_classifier(report)
    start = initial_choice(report, model, word, classifier)
    place, scores = words.index(word), cv_scores(results, start).items()
    values = {
        "model": model,
        "models": {name: folder_of(report, name) for name in report.choices},
        "word": word,
        "results": results,
        "width": encoder["model"]["width"],
        "notes": notes(encoder),
        "methods": {method: METHODS[method] for method in results.projections},
        "missing": {METHODS[method]: reason for method, reason in results.missing.items()},
        "opening": initial_method(results, start),
        "cv_scores": {METHODS[method]: score for method, score in scores if score == score},
        "previous": words[place - 1] if place else None,
        "next": words[place + 1] if place + 1 < len(words) else None,
        "choices": choices,
        "start": start,
        "initial_classifier": list(report.classifiers).index(classifier),
        "senses": _sense_rows(report, model, corpus),
        "n_shown": len(shown.corpus) - n_new,
        "n_new": n_new,
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


def word_plot(n_senses: int, n: int, n_values: int = 0) -> dict[str, Any]:
    """Return the plot of one word, without data, as ``Bokeh.embed.embed_item`` takes it.

    The page's script fills the source ``points`` (columns x, y, sense, tone, size, fill, edge), the
    source ``errors`` (x, y, row, tone), ``centroids`` (x, y, sense, name, offset), ``pinned``
    (x, y), and ``added`` for new sentences (x, y, tone, name, offset). A single renderer draws all
    instances, so that only one tooltip appears at a time. The marker shows the gold sense; the
    colour shows ``tone``: a sense's number, a name of ``TONES``, or
    ``value-0``, … for the values of an extra column.

    Parameters
    ----------
    n_senses, n : int
        Number of senses, and of instances.
    n_values : int
        Number of colours for the values of extra columns.
    """
    plot = new_plot(
        tools="pan,wheel_zoom,lasso_select,box_zoom,zoom_in,zoom_out,reset",
        active_drag="pan",
        sizing_mode="stretch_both",
        match_aspect=True,
        x_range=models.DataRange1d(range_padding=0.06),
        y_range=models.DataRange1d(range_padding=0.06),
        lod_threshold=None,
    )

    def source(name: str, *columns: str) -> models.ColumnDataSource:
        return models.ColumnDataSource({column: [] for column in ("x", "y", *columns)}, name=name)

    def add(name: str, data: models.ColumnDataSource, glyph: Any) -> Any:
        """Add a glyph that looks the same whether selected or not: the page's script greys out."""
        renderer = plot.add_glyph(data, glyph, name=name)
        renderer.nonselection_glyph = renderer.selection_glyph = renderer.muted_glyph = None
        return renderer

    def mark(name: str, data: models.ColumnDataSource, colour: str, **look: Any) -> None:
        tags = [{"line_color": colour}] if colour else []
        add(name, data, models.Scatter(x="x", y="y", tags=tags, **look))

    def label(name: str, data: models.ColumnDataSource) -> None:
        text = models.Text(x="x", y="y", text="name", y_offset="offset", text_font=value(FONT))
        text.update(text_align="center", text_baseline="middle", text_font_size="13px")
        text.update(text_font_style="bold", padding=3, border_radius=4, background_fill_alpha=0.8)
        text.tags = [{"text_color": "--ink", "background_fill_color": "--surface"}]
        add(name, data, text)

    senses, styles = [str(i) for i in range(n_senses)], [style_of(i) for i in range(n_senses)]
    tones = TONES | {f"value-{i}": f"--value-{i}" for i in range(n_values)}
    variables = [*(f"--sense-{colour}" for colour, _ in styles), *tones.values()]
    markers: list[Any] = [marker for _, marker in styles]
    by_sense = models.CategoricalMarkerMapper(factors=senses, markers=markers)
    # The page's script fills the palette from the style sheet.
    colours = models.CategoricalColorMapper(
        factors=[*senses, *tones],
        palette=["gray"] * len(variables),
        name="colours",
        tags=[{"palette": variables}],
    )
    marker = {"field": "sense", "transform": by_sense}
    gold, predicted = ({"field": name, "transform": colours} for name in ("sense", "tone"))
    # Outlines are slow to draw: filled markers have none.
    look: dict[str, Any] = {"line_alpha": "edge", "line_width": 1 if n < 1500 else 0.8}
    look |= {"marker": marker, "line_color": predicted, "fill_color": predicted}
    glyph = models.Scatter(x="x", y="y", size="size", fill_alpha="fill", hit_dilation=1.5, **look)
    points = source("points", "sense", "tone", "size", "fill", "edge")
    instances = add("instances", points, glyph)
    circle: dict[str, Any] = {"marker": "circle", "fill_alpha": 0}
    ring, width = (5, 1.5) if n >= 1500 else (7, 2)
    # Large centroids of many senses would hide the instances.
    large = 12 if n_senses <= len(COLOURS) else 5
    size = point_size(n)
    # An error's ring has the colour of the predicted sense, on a halo that sets it off.
    errors, circled = source("errors", "row", "tone"), {"size": size + ring, **circle}
    mark("halos", errors, "--surface", line_width=width + 3, line_alpha=0.9, **circled)
    mark("rings", errors, "", line_width=width, line_color=predicted, **circled)
    centroids = source("centroids", "sense", "name", "offset")
    centroid: dict[str, Any] = {"marker": marker, "fill_color": gold, "line_width": 2.5}
    mark("centres", centroids, "--error-mark", size=size + large, **centroid)
    label("labels", centroids)
    # New sentences, on a copy of the page.
    added, star = source("added", "tone", "name", "offset"), {"marker": "star", "line_width": 1.5}
    mark("stars", added, "--ink", size=size + 16, fill_color=predicted, **star)
    label("star-labels", added)
    mark("pin", source("pinned"), "--accent", size=size + 16, line_width=3, **circle)
    lasso = plot.select_one({"type": models.LassoSelectTool})
    lasso.update(continuous=False, renderers=[instances])
    hover = models.HoverTool(renderers=[instances], tooltips=None, name="hover", visible=False)
    plot.add_tools(hover)
    plot.xaxis.name, plot.yaxis.name = "x-axis", "y-axis"
    return plot_json(plot)
