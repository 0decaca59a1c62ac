"""The first page's answer, in sentences: which layers know the senses, and compared with what."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import CANDIDATE
from wsd.report.pages.model_notes import (
    BAG,
    BASELINES,
    baselines,
    initial_classifier,
    initial_model,
    objective,
)
from wsd.report.pages.render import percent
from wsd.report.pages.report_data import Report, having, records

DASH = "\N{EN DASH}"


def answer(report: Report) -> list[str]:
    """Return the answer in sentences: readable and best layers, the confidence set, references.

    All scores are the metric of the selection. A layer is readable if its 95% CI lies above the
    score of the strongest baseline. Best are the single layers in the confidence set of the best
    configuration. A sentence that the tables do not support is left out.
    """
    models, classifier = list(report.choices), initial_classifier(report)
    model = initial_model(report)
    from_layer = readable(report, model, classifier)
    best = {name: best_layers(report, name, classifier) for name in models}
    clauses = [f"readable {from_layer}"] if from_layer else []
    if best[model]:
        verb = "best" if clauses else "best readable"
        clauses.append(f"{verb} among single layers at {best[model]}")
    where = f"In {model}, with" if len(models) > 1 else "With"
    where += f" {classifier}, senses"
    sentences = [f"{where} are {' and '.join(clauses)}."] if clauses else []
    others = [f"{name}, {text}" for name, text in best.items() if text and name != model]
    if others:
        sentences.append(f"Best in the other models: {'; '.join(others)}.")
    return [*sentences, *confidence_set(report, model), *references(report, exceeded=from_layer)]


def readable(report: Report, model: str, classifier: str) -> str:
    """Return the single layers that exceed the strongest baseline, such as "from layer 1 (88.4)".

    The text is empty if there is no such layer, or no baseline.
    """
    rows, metric = single_layers(report, model, classifier), objective(report)
    for baseline in baselines(report)[:1]:
        above = rows[rows[f"{metric}_low"] > baseline[metric]]
        if above.empty:
            continue
        first = above.iloc[0]
        if len(rows) > len(above) == (rows["layer"] >= first["layer"]).sum():
            return f"from layer {first['layer']} ({percent(first[metric], 1)})"
        return f"at {layers(above, metric)}"
    return ""


def best_layers(report: Report, model: str, classifier: str) -> str:
    """Return the single layers in the confidence set, such as "layers 4\N{EN DASH}6 (91.6)".

    If the set has no single layer, the text names the best of them. It is empty if the model has
    one single layer, or no confidence set.
    """
    rows, metric = single_layers(report, model, classifier), objective(report)
    within = report.rows("best-set", model=model, in_confidence_set=True)
    if len(rows) < 2 or within.empty:
        return ""
    own = having(within, view=report.view, classifier=classifier)
    kept = rows[rows["layers"].isin(own["layers"])]
    if len(kept):
        return layers(kept, metric)
    return layers(rows.sort_values(metric).tail(1), metric)


def confidence_set(report: Report, model: str) -> list[str]:
    """Return how many configurations of a model may be the best, as a sentence."""
    rows = report.rows("best-set", model=model)
    n, n_within = len(rows), int(rows["in_confidence_set"].sum())
    if n < 2 or not n_within:
        return []
    top = rows.sort_values("estimate", kind="stable").iloc[-1]
    name = f"layer {top['layers']}" if top["layers"].isdecimal() else top["layers"]
    best = f"{name} with {top['classifier']} ({percent(top['estimate'], 1)})"
    if n_within == 1:
        return [f"The best of {n} configurations, {best}, is significantly better than all others."]
    kept = f"{n_within} of {n} configurations are not significantly different from the best"
    return [f"{kept}, {best}."]


def references(report: Report, *, exceeded: str) -> list[str]:
    """Return the scores of the strongest baseline and of the best published row, as sentences."""
    metric, sentences = objective(report), []
    for row in baselines(report)[:1]:
        end = "" if exceeded else ", and no single layer is shown to exceed it"
        article = "A" if row["classifier"] == BAG else "The"
        name = BASELINES[row["classifier"]]
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


def layers(rows: pd.DataFrame, metric: str) -> str:
    """Return layers and the range of their scores, such as "layers 4\N{EN DASH}6 (91.6)"."""
    scores = [percent(value, 1) for value in (rows[metric].min(), rows[metric].max())]
    noun = "layer" if len(rows) == 1 else "layers"
    return f"{noun} {', '.join(ranges(rows['layer']))} ({DASH.join(dict.fromkeys(scores))})"


def ranges(numbers: Iterable[int]) -> list[str]:
    """Return the runs of ascending layers, such as "4\N{EN DASH}6".

    >>> ranges([1, 4, 6])
    ['1', '4', '6']
    """
    layers = np.array(list(numbers), dtype=int)
    runs = [run for run in np.split(layers, np.flatnonzero(np.diff(layers) > 1) + 1) if len(run)]
    return [f"{run[0]}{DASH}{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
