"""The report's first page: the selected configuration, the words, and the comparison."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, PUBLISHED, SYSTEM
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.parts_of_speech import parts_of_speech
from wsd.metrics.scores import confusion, word_scores
from wsd.report.pages import gallery, layer_plots, model_notes
from wsd.report.pages.answer import answer, ranges
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, WordResults, having, records
from wsd.storage.atomic import write_text

SPARK = (96, 24)  # width and height of a sparkline


def write_index(report: Report, folder: Path) -> None:
    """Write ``index.html`` into the report's folder."""
    compared = report.tables["comparison"].drop_duplicates(
        ["kind", "model", "view", "layers", "classifier"]
    )
    best_first = compared.sort_values("mean_macro_f1", ascending=False, kind="stable")
    others = [PUBLISHED, SYSTEM]
    further = compared[~compared["kind"].isin([CANDIDATE, *others])]
    # Rows of one kind are listed together, whatever their model.
    further = further.sort_values("kind", key=lambda kind: pd.factorize(kind)[0], kind="stable")
    # The models in their order, then the random-initialisation controls.
    encoders = {name: report.provenance["models"][name] for name in report.choices}
    encoders |= report.provenance["models"]
    most, objective = gallery.most(report), model_notes.objective(report)
    methods = gallery.methods(report)
    selected = model_notes.selected(report).head(1)
    results = [results for words in report.words.values() for results in words.values()]
    curve, has_ring = layer_plots.opening_curve(report)
    page = render(
        "index.html",
        report,
        # Across models: the one with the highest CV score, and the highest on the test set.
        selected=records(selected),
        has_words=compared["mean_macro_f1_low_over_words"].notna().any(),
        best=records(having(best_first, kind=BEST).head(1)),
        comparison=model_notes.comparison(report),
        notes=[note for model in report.choices for note in model_notes.notes(encoders[model])],
        encoders=encoders,
        facts={name: model_notes.facts(encoder) for name, encoder in encoders.items()},
        pieces={name: model_notes.pieces(report, name) for name in encoders},
        rows=records(further),
        published=records(compared[compared["kind"].isin(others)]),
        candidates=records(having(best_first, kind=CANDIDATE)),
        models=[
            {
                "name": model,
                "folder": model_notes.folder_of(report, model),
                "words": word_rows(report, model),
            }
            for model in report.choices
        ],
        classifier=model_notes.initial_classifier(report),
        objective=objective,
        answer=answer(report),
        film=gallery.film_strip(report),
        curve=curve,
        has_ring=has_ring,
        by_depth=model_notes.by_depth(report),
        peaks=layer_plots.opening_peaks(report),
        parts=dict(Counter(parts_of_speech(report.provenance["corpus"]).values()).most_common()),
        styles=gallery.styles(report),
        still=gallery.still_plots(report),
        most_inline=gallery.STILL,
        packed=gallery.packed_plots(report),
        most=most,
        methods=methods,
        # Without LDA there is nothing to compare PCA with.
        has_switch="LDA" in methods and gallery.is_everywhere(report, gallery.PCA),
        sampled=any(word.n_test > most for word in results),
    )
    write_text(folder / "index.html", page)


def word_rows(report: Report, model: str) -> list[dict[str, Any]]:
    """Return a row per word: its counts, and its scores with each classifier.

    A classifier's scores are for the layer choice that cross-validation selected for the word.
    """
    table = report.rows("word-layers", view=report.view)
    # One scale for the sparklines of all models.
    lowest = float(table["macro_f1"].quantile(0.05))
    parts = parts_of_speech(report.words[model])
    rows = []
    for word, results in report.words[model].items():
        cells = {}
        for classifier in report.classifiers:
            scores = report.word_layers(model, word, classifier)
            method = gallery.method_of(report, model, word, classifier)
            cells[classifier] = {**_cell(report, model, scores, lowest), "method": method}
        baseline = most_frequent_sense(results)
        row = {"word": word, "part": parts.get(word), "baseline": baseline}
        rows.append({**row, "results": results, "classifiers": cells})
    return rows


def most_frequent_sense(results: WordResults) -> float:
    """Return macro-F1 of always predicting the sense with the most training instances."""
    corpus = results.corpus
    train, k = corpus.split == "train", len(corpus.senses)
    gold = corpus.gold[~train]
    sense = np.bincount(corpus.gold[train], minlength=k).argmax()
    return float(word_scores(confusion(gold, np.full_like(gold, sense), k))["macro_f1"])


def _cell(report: Report, model: str, scores: pd.DataFrame, lowest: float) -> dict[str, Any]:
    """Return a classifier's entry for a word, from its scores at all layer choices."""
    choices = report.choices[model]
    shown = model_notes.labels(report, model)
    by_name = {row["layers"]: row for row in records(scores)}
    within = [name for name, row in by_name.items() if row["in_confidence_set_of_word"]]
    # A learned mix can be selected too, and has no projection.
    selected = by_name[scores.loc[scores["selected_by_cv"], "layers"].iloc[0]]
    singles = [(c.layers[0], by_name[c.name]["macro_f1"]) for c in choices if c.is_single]
    return {
        **selected,
        "label": shown.get(selected["layers"], selected["layers"]),
        "shown": selected["layers"] in shown,
        "within": brief([choice for choice in choices if choice.name in within]),
        "names": within,
        "n_choices": len(by_name),
        "spark": _spark(singles, selected["layers"], lowest),
    }


def brief(choices: Sequence[LayerChoice]) -> str:
    """Return layer choices in few characters, such as "3, 7, 2 combined"."""
    layers = sorted(choice.layers[0] for choice in choices if choice.is_single)
    parts = ranges(layers)
    if combined := len(choices) - len(layers):
        parts.append(f"{combined} combined")
    return ", ".join(parts)


def _spark(
    points: Sequence[tuple[int, float]], selected: str, lowest: float
) -> dict[str, Any] | None:
    """Return a sparkline over the single layers, from ``lowest`` at the bottom to 1 at the top."""
    if len(points) < 2:
        return None
    width, height = SPARK
    first, last = points[0][0], points[-1][0]

    def place(layer: int, value: float) -> tuple[float, float]:
        share = (max(value, lowest) - lowest) / (1 - lowest) if lowest < 1 else 1.0
        across = (layer - first) / (last - first)
        return round(3 + across * (width - 6), 1), round(height - 3 - share * (height - 6), 1)

    places = [place(*point) for point in points]
    dots = {str(layer): dot for (layer, _), dot in zip(points, places, strict=True)}
    return {
        "points": " ".join(f"{x},{y}" for x, y in places),
        "dot": dots.get(selected),
        "text": ", ".join(f"layer {layer} {value * 100:.1f}" for layer, value in points),
    }
