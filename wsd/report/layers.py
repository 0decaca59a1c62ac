"""The layers page: every layer choice over all words, and word by word."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.files import write_text
from wsd.layers import LayerChoice
from wsd.predictions import TEST
from wsd.report import figures
from wsd.report.figures import Curve
from wsd.report.index import METRICS
from wsd.report.inputs import Report, records
from wsd.report.models import blocks, by_depth, notes
from wsd.report.render import render
from wsd.report.word import folder_of, label, opening_reader

CONTEXT = "context"
HEAT_STEPS = 20
FOREST = 240  # width of a difference's line
GEOMETRY = {
    "anisotropy": "Anisotropy: mean cosine of instances of different words",
    "self_similarity": "Self-similarity: mean cosine within a word",
    "silhouette": "Silhouette of the senses",
    "pair_auc": "Same-sense pairs told from others (AUC)",
    "kmeans_ari": "k-means without labels: adjusted Rand index",
    "kmeans_v": "k-means without labels: V-measure",
}
CENTRINGS = {"none": "as they are", "corpus": "less the corpus's mean"}
MEAN = "(mean)"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}
ALL = "(all)"
# Lines of a reliability diagram: scores as they are, after the temperature, and where both agree.
PERFECT = "confidence = accuracy"
KINDS = {"as they are": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html``.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    names = _names(report)
    best = report.tables["best-set"]
    page = render(
        "layers.html",
        report=report,
        dataset=report.dataset,
        metrics=METRICS,
        reader=opening_reader(report),
        lines=[(name, *_style(style, dash)) for name, style, dash in names],
        curves=[
            {"metric": metric, "model": model, "id": f"curves.{model}.{metric}", "figure": figure}
            for metric in METRICS
            for model, figure in _curves(report, metric).items()
        ],
        side=_side(report),
        models=[(name, *_style(i, _dash(report, name))) for i, name in enumerate(report.choices)],
        notes={name: notes(report.provenance["models"][name]) for name in report.choices},
        by_depth=by_depth(report),
        heat=_heat(report),
        differences=_differences(report),
        between=_between(report),
        best=[
            {
                "model": model,
                "rows": records(
                    of_model[of_model["not_told_from_best"]].sort_values(
                        "estimate", ascending=False, kind="stable"
                    )
                ),
                "n": len(of_model),
            }
            for model in report.choices
            for of_model in [best[best["model"] == model]]
        ],
        learning=_learning(report),
        geometry=_geometry(report),
        calibration=_calibration(report),
        kinds=[(name, *_style(i, dash)) for i, (name, dash) in enumerate(KINDS.items())],
        centrings=[(name, *_style(i, "solid")) for i, name in enumerate(CENTRINGS.values())],
        provenance=report.provenance,
        root="",
    )
    write_text(folder / "layers.html", page)


def _style(style: int, dash: str) -> tuple[int, str, str]:
    colour, marker = figures.sense_style(style)
    return colour, figures.MARKERS[marker], dash


def _names(report: Report) -> list[tuple[str, int, str]]:
    """The lines that every figure of the section has, with number of style and dash."""
    lines = []
    for i, reader in enumerate(report.readers):
        lines.append((reader, i, "solid"))
        if len(_context(report, reader)):
            lines.append((f"{reader}, context only", i, "dashed"))
    return lines


def _context(report: Report, reader: str) -> pd.DataFrame:
    """The rows of the context view: a control's, or a candidate's where it is classified too."""
    controls = report.rows("controls", kind="control view", view=CONTEXT, classifier=reader)
    if len(controls):
        return controls
    return report.rows("comparison", kind="candidate", view=CONTEXT, classifier=reader)


def _curves(report: Report, metric: str) -> dict[str, dict[str, Any]]:
    """Per model, the figure of one metric; all share the vertical axis."""
    lines: dict[str, list[Curve]] = {}
    own = report.rows("comparison", kind="candidate", view=report.view)
    for model, choices in report.choices.items():
        lines[model] = []
        singles = {c.name: float(c.layers[0]) for c in choices if c.is_single}
        top = max(singles.values(), default=0.0)
        others = [c.name for c in choices if not c.is_single]
        combined = {name: top + 1.5 + i for i, name in enumerate(others)}
        number = 0
        for i, reader in enumerate(report.readers):
            rows = own[(own["model"] == model) & (own["classifier"] == reader)]
            lines[model] += [
                _curve(rows, metric, singles, reader, i, number, dash="solid"),
                _curve(rows, metric, combined, reader, i, number, joined=False),
            ]
            number += 1
            context = _context(report, reader)
            if len(context):
                rows = context[context["model"] == model]
                name = f"{reader}, context only"
                lines[model].append(_curve(rows, metric, singles, name, i, number, dash="dashed"))
                number += 1
    everything = [of for of_model in lines.values() for of in of_model]
    low, high = _range(
        [value for line in everything for value in (line.low or line.y)]
        + [value for line in everything for value in (line.high or line.y)]
    )
    found = {}
    for model, of_model in lines.items():
        ticks = {
            place: text
            for line in of_model
            for place, text in zip(line.x, line.labels or [], strict=True)
        }
        ticks = {place: text.removeprefix("layer ") for place, text in ticks.items()}
        found[model] = figures.curves(
            of_model, x="layer, then combinations", y_range=(low, high), ticks=ticks
        )
    return found


def _side(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Per classifier, a figure per metric of the single layers of all models.

    Layers stand at their numbers if all models have as many blocks, else at their relative depth.
    """
    if len(report.choices) < 2:
        return {}
    own = report.rows("comparison", kind="candidate", view=report.view)
    depth = by_depth(report)
    found: dict[str, list[dict[str, Any]]] = {reader: [] for reader in report.readers}
    for metric in METRICS:
        lines: dict[str, list[Curve]] = {reader: [] for reader in report.readers}
        for reader, of_reader in lines.items():
            for i, (model, choices) in enumerate(report.choices.items()):
                count = blocks(report, model)
                places = {c.name: c.layers[0] / (count if depth else 1) for c in _singles(choices)}
                rows = own[(own["model"] == model) & (own["classifier"] == reader)]
                dash = _dash(report, model)
                line = _curve(rows, metric, places, model, i, i, dash=dash, of=f" of {count}")
                of_reader.append(line)
        everything = [line for of_reader in lines.values() for line in of_reader]
        y_range = _range(
            [v for line in everything for v in [*(line.low or []), *(line.high or [])]]
        )
        numbers = sorted({place for line in everything for place in line.x})
        ticks = DEPTHS if depth else {place: f"{place:g}" for place in numbers}
        for reader, of_reader in lines.items():
            figure = figures.curves(
                of_reader,
                x="relative depth: layer / number of blocks" if depth else "layer",
                y_range=y_range,
                ticks=ticks,
            )
            name = f"models.{reader}.{metric}"
            found[reader].append({"metric": metric, "id": name, "figure": figure})
    return found


def _dash(report: Report, model: str) -> str:
    """Weights that were never trained have a dotted line."""
    drawn = "random_weights" in report.provenance["models"][model]["model"]
    return "dotted" if drawn else "solid"


def _curve(
    rows: pd.DataFrame,
    metric: str,
    places: Mapping[str, float],
    name: str,
    style: int,
    number: int,
    *,
    dash: str = "solid",
    joined: bool = True,
    of: str = "",
) -> Curve:
    kept = rows[rows["layers"].isin(list(places))]
    kept = kept.assign(place=kept["layers"].map(places)).sort_values("place")
    return Curve(
        name=name,
        x=[float(place) for place in kept["place"]],
        y=_percents(kept[metric]),
        low=_percents(kept[f"{metric}_low"]),
        high=_percents(kept[f"{metric}_high"]),
        style=style,
        number=number,
        dash=dash,
        labels=[f"layer {text}{of}" if text.isdigit() else text for text in kept["layers"]],
        joined=joined,
    )


def _percents(values: pd.Series) -> list[float]:
    return [round(float(value) * 100, 4) for value in values]


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Of an axis in percent: whole fives around what is shown."""
    if not values:
        return 0.0, 100.0
    low, high = np.floor(min(values) / 5) * 5, np.ceil(max(values) / 5) * 5
    return max(0.0, float(low)), min(100.0, float(high if high > low else low + 5))


def _heat(report: Report) -> dict[str, Any]:
    """Macro-F1 of every word and layer choice, one table per model and classifier."""
    table = report.tables["word-layers"]
    shown = table[table["view"] == report.view]["macro_f1"]
    # From the lowest tenth up, or the embedding layer alone would use up half of the shades.
    low, high = float(shown.quantile(0.1)), float(shown.max())

    def cell(value: float, chosen: bool = False) -> dict[str, Any]:
        share = max(0.0, value - low) / (high - low) if high > low else 1.0
        return {"value": value, "heat": round(share * HEAT_STEPS), "chosen": chosen}

    tables = []
    for model, words in report.words.items():
        choices = report.choices[model]
        of_model = report.rows("word-layers", model=model, view=report.view)
        for reader in report.readers:
            rows, values = [], []
            of_reader = of_model[of_model["classifier"] == reader]
            for word in words:
                of_word = of_reader[of_reader["word"] == word].set_index("layers")
                figures_of = of_word["macro_f1"].to_dict()
                chosen = of_word["chosen_on_folds"].to_dict()
                line = [cell(float(figures_of[c.name]), bool(chosen[c.name])) for c in choices]
                rows.append({"word": word, "cells": line})
                values.append([of["value"] for of in line])
            tables.append(
                {
                    "model": model,
                    "folder": folder_of(report, model),
                    "reader": reader,
                    "choices": choices,
                    "rows": rows,
                    "means": [cell(float(mean)) for mean in np.mean(values, axis=0)],
                }
            )
    return {"low": low, "high": high, "tables": tables}


def _shown(
    report: Report, table: pd.DataFrame
) -> Iterator[tuple[str, str, dict[str, str], pd.DataFrame]]:
    """Per model and classifier, the names of the layer choices that are shown, and their rows."""
    for model, choices in report.choices.items():
        labels = {choice.name: label(choice, blocks(report, model)) for choice in choices}
        for reader in report.readers:
            rows = table[(table["model"] == model) & (table["classifier"] == reader)]
            rows = rows[rows["layers"].isin(list(labels))]
            yield model, reader, labels, rows


def _differences(report: Report) -> list[dict[str, Any]]:
    """Per model and classifier, each layer choice less the one that the folds chose."""
    table = report.rows("layers", view=report.view)
    reach = _reach(table)
    found = []
    for model, reader, labels, rows in _shown(report, table):
        found.append(
            {
                "model": model,
                "reader": reader,
                "reference": labels.get(rows["reference"].iloc[0], rows["reference"].iloc[0]),
                "rows": [
                    {
                        **row,
                        **_drawn(row, reach),
                        "label": labels[row["layers"]],
                        "is_reference": row["layers"] == row["reference"],
                    }
                    for row in records(rows)
                ],
            }
        )
    return found


def _between(report: Report) -> list[dict[str, Any]]:
    """Per model but the first and classifier, each layer choice less the first model's."""
    table = report.rows("model-layers", view=report.view)
    if not len(table):
        return []
    reach = _reach(table)
    found = []
    for model, reader, labels, rows in _shown(report, table):
        if len(rows):
            found.append(
                {
                    "model": model,
                    "reader": reader,
                    "reference": rows["reference_model"].iloc[0],
                    "rows": [
                        {**row, **_drawn(row, reach), "label": labels[row["layers"]]}
                        for row in records(rows)
                    ],
                }
            )
    return found


def _reach(table: pd.DataFrame) -> float:
    """The difference that the ends of the scale stand for.

    The embedding layer is so far off that the others could not be told apart beside it.
    """
    ends = table[["difference_low", "difference_high"]].abs().to_numpy()
    ends = ends[np.isfinite(ends)]
    return (float(np.quantile(ends, 0.75)) * 1.15 if len(ends) else 0.0) or 0.01


def _drawn(row: Mapping[str, Any], reach: float) -> dict[str, Any]:
    """Where a difference and its interval stand on a line as wide as ``FOREST``."""

    def place(value: float) -> float:
        return round(FOREST / 2 + float(np.clip(value / reach, -1, 1)) * (FOREST / 2 - 6), 1)

    low, high = row["difference_low"], row["difference_high"]
    return {
        "apart": row["p_holm"] < 0.05,
        "x": place(row["difference"]),
        "x0": place(low),
        "x1": place(high),
        "cut": max(abs(low), abs(high)) > reach,
    }


def _learning(report: Report) -> list[dict[str, Any]]:
    """Per model and classifier, macro-F1 against the training set, a line per layer."""
    table = report.rows("learning", view=report.view)
    if table["train"].nunique() < 2:
        return []
    low, high = _range([v * 100 for v in table["mean_macro_f1_in_common"]])
    found = []
    for model, choices in report.choices.items():
        for reader in report.readers:
            rows = table[(table["model"] == model) & (table["classifier"] == reader)]
            rows = rows[rows["train"].isin(RATIOS)]
            if rows["train"].nunique() < 2:
                continue
            lines = [_learned(rows, choice, i) for i, choice in enumerate(_singles(choices))]
            places = sorted({place for line in lines for place in line.x})
            figure = figures.curves(
                lines,
                x="training instances of all words",
                y_range=(low, high),
                ticks={place: f"{round(place):,}" for place in places},
                log_x=True,
                ramp=True,
            )
            found.append(
                {
                    "model": model,
                    "reader": reader,
                    "id": f"learning.{model}.{reader}",
                    "figure": figure,
                    "layers": [
                        (line.name, round(i / max(1, len(lines) - 1) * (figures.RAMP - 1)))
                        for i, line in enumerate(lines)
                    ],
                }
            )
    return found


def _singles(choices: Sequence[LayerChoice]) -> list[LayerChoice]:
    return [choice for choice in choices if choice.is_single]


def _learned(rows: pd.DataFrame, choice: LayerChoice, number: int) -> Curve:
    kept = rows[rows["layers"] == choice.name].sort_values("n_train")
    return Curve(
        name=f"layer {choice.name}",
        x=[float(n) for n in kept["n_train"]],
        y=_percents(kept["mean_macro_f1_in_common"]),
        style=number,
        number=number,
        labels=list(kept["train"]),
    )


def _geometry(report: Report) -> list[dict[str, Any]]:
    """Per measure and model, means over words of the vectors as they are and centred."""
    table = report.rows("geometry", word=MEAN, view=report.view)
    found = []
    for measure, title in GEOMETRY.items():
        for model, choices in report.choices.items():
            of_model = table[table["model"] == model]
            if not len(of_model):
                continue
            singles = {c.name: float(c.layers[0]) for c in _singles(choices)}
            lines = []
            for i, (centring, name) in enumerate(CENTRINGS.items()):
                rows = of_model[
                    (of_model["centring"] == centring) & of_model["layers"].isin(list(singles))
                ]
                rows = rows.assign(place=rows["layers"].map(singles)).sort_values("place")
                lines.append(
                    Curve(
                        name=name,
                        x=[float(place) for place in rows["place"]],
                        y=[round(float(value), 4) for value in rows[measure]],
                        style=i,
                        number=i,
                    )
                )
            found.append(
                {
                    "model": model,
                    "title": title,
                    "id": f"geometry.{model}.{measure}",
                    "figure": figures.curves(
                        lines, x="layer", ticks={place: name for name, place in singles.items()}
                    ),
                }
            )
    return found


def _calibration(report: Report) -> list[dict[str, Any]]:
    """Per model, what the selected configuration's probabilities are worth on the test set."""
    found = []
    for model in report.choices:
        rows = report.rows("calibration", model=model, word=ALL)
        if not len(rows):
            continue
        bins = report.rows("reliability", model=model, test=TEST)
        lines = [
            Curve(
                name=kind,
                x=_percents(of_kind["confidence"]),
                y=_percents(of_kind["accuracy"]),
                low=_percents(of_kind["accuracy_low"]),
                high=_percents(of_kind["accuracy_high"]),
                style=i,
                number=i,
                dash=dash,
                labels=[f"{int(n)} sentences" for n in of_kind["n"]],
            )
            for i, (kind, dash) in enumerate(KINDS.items())
            for of_kind in [bins[bins["scores"] == kind]]
            if len(of_kind)
        ]
        low = min(min(line.x) for line in lines)
        ends = [low, 100.0]
        number = list(KINDS).index(PERFECT)
        diagonal = Curve(PERFECT, ends, ends, number, number, dash=KINDS[PERFECT])
        found.append(
            {
                "model": model,
                "rows": records(rows),
                "far": records(report.rows("novelty", model=model, word=ALL)),
                "id": f"reliability.{model}",
                "figure": figures.curves(
                    [*lines, diagonal],
                    x="mean confidence, percent; upwards, accuracy",
                    y_range=_range([low, 100.0, *(v for line in lines for v in line.low or [])]),
                ),
            }
        )
    return found
