"""The report's first page: the answer, the selected configuration, the words, the comparison."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BEST, CANDIDATE, PUBLISHED, SYSTEM
from wsd.artifacts.feature_set import LayerChoice
from wsd.artifacts.senses import parts_of_speech
from wsd.metrics.scores import confusion, word_scores
from wsd.report.pages import gallery, layers, model_notes
from wsd.report.pages.model_notes import DASH, ranges
from wsd.report.pages.render import percent, render
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
    most, methods = gallery.most(report), gallery.methods(report)
    results = [results for words in report.words.values() for results in words.values()]
    curve, has_ring = layers.opening_curve(report)
    page = render(
        "index.html",
        report,
        # Across models: the one with the highest CV score, and the highest on the test set.
        selected=records(model_notes.selected(report).head(1)),
        has_words=compared["mean_macro_f1_low_over_words"].notna().any(),
        best=records(having(best_first, kind=BEST).head(1)),
        comparison=model_notes.comparison(report),
        notes={name: model_notes.notes(encoder) for name, encoder in encoders.items()},
        encoders=encoders,
        facts={name: model_notes.facts(encoder) for name, encoder in encoders.items()},
        pieces={name: model_notes.pieces(report, name) for name in encoders},
        rows=records(further),
        published=records(compared[compared["kind"].isin(others)]),
        candidates=records(having(best_first, kind=CANDIDATE)),
        models={model: word_rows(report, model) for model in report.choices},
        classifier=model_notes.initial_classifier(report),
        objective=model_notes.objective(report),
        answer=answer(report),
        warnings=model_notes.long_vectors(report),
        film=gallery.film_strip(report),
        curve=curve,
        has_ring=has_ring,
        by_depth=model_notes.by_depth(report),
        peaks=layers.opening_peaks(report),
        parts=dict(Counter(parts_of_speech(report.provenance["corpus"]).values()).most_common()),
        styles=gallery.styles(report),
        still=gallery.still_plots(report),
        most_inline=gallery.STILL,
        packed=gallery.packed_plots(report),
        most=most,
        methods=methods,
        # Without LDA there is nothing to compare PCA with.
        has_switch="LDA" in methods and all(gallery.PCA in word.projections for word in results),
        sampled=any(word.n_test > most for word in results),
    )
    write_text(folder / "index.html", page)


def answer(report: Report) -> list[str]:
    """Return the answer in sentences: readable and best layers, the confidence set, references.

    All scores are the metric of the selection. A layer is readable if its 95% CI lies above the
    score of the strongest baseline. Best are the single layers in the confidence set of the best
    configuration. A sentence that the tables do not support is left out.
    """
    models, classifier = list(report.choices), model_notes.initial_classifier(report)
    model = model_notes.initial_model(report)
    from_layer = readable(report, model, classifier)
    best = {name: best_layers(report, name, classifier) for name in models}
    clauses = [f"readable {from_layer}"] if from_layer else []
    if best[model]:
        verb = "best" if clauses else "best readable"
        clauses.append(f"{verb} among single layers at {best[model]}")
    where = f"In {model}, with" if len(models) > 1 else "With"
    sentences = [f"{where} {classifier}, senses are {' and '.join(clauses)}."] if clauses else []
    if others := [f"{name}, {text}" for name, text in best.items() if text and name != model]:
        sentences.append(f"Best in the other models: {'; '.join(others)}.")
    return [*sentences, *confidence_set(report, model), *references(report, exceeded=from_layer)]


def readable(report: Report, model: str, classifier: str) -> str:
    """Return the single layers that exceed the strongest baseline, such as "from layer 1 (88.4)".

    The text is empty if there is no such layer, or no baseline.
    """
    rows, metric = single_layers(report, model, classifier), model_notes.objective(report)
    strongest = next((row[metric] for row in model_notes.baselines(report)), np.inf)
    above = rows[rows[f"{metric}_low"] > strongest]
    if above.empty:
        return ""
    first = above.iloc[0]
    if len(rows) > len(above) == (rows["layer"] >= first["layer"]).sum():
        return f"from layer {first['layer']} ({percent(first[metric], 1)})"
    return f"at {layers_and_scores(above, metric)}"


def best_layers(report: Report, model: str, classifier: str) -> str:
    """Return the single layers in the confidence set, such as "layers 4\N{EN DASH}6 (91.6)".

    If the set has no single layer, the text names the best of them. It is empty if the model has
    one single layer, or no confidence set.
    """
    rows, metric = single_layers(report, model, classifier), model_notes.objective(report)
    within = report.rows("best-set", model=model, in_confidence_set=True)
    if len(rows) < 2 or within.empty:
        return ""
    own = having(within, view=report.view, classifier=classifier)
    kept = rows[rows["layers"].isin(own["layers"])]
    return layers_and_scores(kept if len(kept) else rows.sort_values(metric).tail(1), metric)


def confidence_set(report: Report, model: str) -> list[str]:
    """Return how many configurations of a model may be the best, as a sentence."""
    rows = report.rows("best-set", model=model)
    n, n_within = len(rows), int(rows["in_confidence_set"].sum())
    if n < 2 or not n_within:
        return []
    top = rows.sort_values("estimate", kind="stable").iloc[-1]
    name = f"layer {top['layers']}" if top["layers"].isdecimal() else top["layers"]
    best = f"{name} with {top['classifier']} ({percent(top['estimate'], 1)})"
    total = f"{model}'s {n}" if len(report.choices) > 1 else n
    if n_within == 1:
        return [
            f"The best of {total} configurations, {best}, is significantly better than all others."
        ]
    kept = f"{n_within} of {total} configurations are not significantly different from the best"
    return [f"{kept}, {best}."]


def references(report: Report, *, exceeded: str) -> list[str]:
    """Return the scores of the strongest baseline and of the best published row, as sentences."""
    metric, sentences = model_notes.objective(report), []
    for row in model_notes.baselines(report)[:1]:
        end = "" if exceeded else ", and no single layer is shown to exceed it"
        article = "A" if row["classifier"] == model_notes.BAG else "The"
        name = model_notes.BASELINES[row["classifier"]]
        sentences.append(f"{article} {name} reaches {percent(row[metric], 1)}{end}.")
    for row in records(report.other_systems.sort_values(metric).tail(1)):
        score = percent(row[metric], 1)
        sentences.append(f"The best {row['kind']} row, {row['model']}, has {score}.")
    return sentences


def single_layers(report: Report, model: str, classifier: str) -> pd.DataFrame:
    """Return the comparison's rows of a model's single layers, with a column ``layer``."""
    same = {"kind": CANDIDATE, "view": report.view, "model": model, "classifier": classifier}
    rows = report.rows("comparison", **same).drop_duplicates("layers")
    rows = rows[rows["layers"].str.isdecimal()]
    return rows.assign(layer=rows["layers"].astype(int)).sort_values("layer")


def layers_and_scores(rows: pd.DataFrame, metric: str) -> str:
    """Return layers and the range of their scores, such as "layers 4\N{EN DASH}6 (91.6)"."""
    scores = [percent(value, 1) for value in (rows[metric].min(), rows[metric].max())]
    noun = "layer" if len(rows) == 1 else "layers"
    return f"{noun} {', '.join(ranges(rows['layer']))} ({DASH.join(dict.fromkeys(scores))})"


def word_rows(report: Report, model: str) -> list[dict[str, Any]]:
    """Return a row per word: its counts, and its scores with each classifier.

    A classifier's scores are for the layer choice that cross-validation selected for the word.
    """
    # One scale for the sparklines of all models.
    lowest = float(report.rows("word-layers", view=report.view)["macro_f1"].quantile(0.05))
    parts = parts_of_speech(report.words[model])
    rows = []
    for word, results in report.words[model].items():
        cells = {}
        for classifier in report.classifiers:
            scores = report.word_layers(model, word, classifier)
            method = gallery.method_of(report, model, word, classifier)
            cells[classifier] = {**_cell(report, model, scores, lowest), "method": method}
        row = {"word": word, "part": parts.get(word), "baseline": most_frequent_sense(results)}
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
    choices, shown = report.choices[model], model_notes.labels(report, model)
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
    singles = sorted(choice.layers[0] for choice in choices if choice.is_single)
    combined = len(choices) - len(singles)
    return ", ".join([*ranges(singles), *([f"{combined} combined"] if combined else [])])


def _spark(
    points: Sequence[tuple[int, float]], selected: str, lowest: float
) -> dict[str, Any] | None:
    """Return a sparkline over the single layers, from ``lowest`` at the bottom to 1 at the top."""
    if len(points) < 2:
        return None
    width, height = SPARK
    first, last = points[0][0], points[-1][0]
    dots = {}
    for layer, value in points:
        share = (max(value, lowest) - lowest) / (1 - lowest) if lowest < 1 else 1.0
        across = (layer - first) / (last - first)
        y = round(height - 3 - share * (height - 6), 1)
        dots[str(layer)] = round(3 + across * (width - 6), 1), y
    return {
        "points": " ".join(f"{x},{y}" for x, y in dots.values()),
        "dot": dots.get(selected),
        "text": ", ".join(f"layer {layer} {value * 100:.1f}" for layer, value in points),
    }
