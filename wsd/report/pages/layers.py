"""The layers page: every layer choice over all words, and word by word.

Its plots have scores over layers, learning curves and calibration; the first page has some of them.
"""

from collections.abc import Iterable, Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from wsd.artifacts.column_names import CANDIDATE, CONTROL_VIEW, TOGETHER, ZERO_SHOT
from wsd.artifacts.predictions import TEST
from wsd.report.pages import curves, model_notes
from wsd.report.pages.curves import HEAT_POINTS, Curve, Note, mark_of
from wsd.report.pages.model_notes import blocks, objective, rows_per_classifier
from wsd.report.pages.plots import RAMP, plot_of
from wsd.report.pages.render import render
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import METRICS, after_fine_tuning, with_verdicts
from wsd.storage.atomic import write_text

HEAT_STEPS = 20  # of the heat map's colours
# A word's score in each mean over words.
WORD_SCORE = {
    "mean_macro_f1": "macro_f1",
    "mean_balanced_accuracy": "balanced_accuracy",
    "mean_word_accuracy": "accuracy",
    "micro_accuracy": "accuracy",
}
HEAT_LEGEND = (0, 1, 2, 5, 10, HEAT_POINTS)
FOREST = 240  # width of a difference's line
KEY = ["model", "layers", "classifier"]
CONTEXT = "context"
DEPTH = "relative depth: layer / number of blocks"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}
# Lines of a reliability diagram: raw scores, scores after the temperature, and the diagonal.
PERFECT = "confidence = micro accuracy"
RELIABILITY_LINES = {"raw": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html`` into the report's folder."""
    encoders = report.provenance["models"]
    reliability = {PERFECT, *report.rows("reliability", test=TEST)["scores"]}
    page = render(
        "layers.html",
        report,
        classifier=model_notes.initial_classifier(report),
        by_depth=model_notes.by_depth(report),
        objective=objective(report),
        lines=[(name, *mark_of(i), dash) for name, (_, i, dash) in overall_lines(report).items()],
        curves=[plot for m in METRICS for plot in overall_curves(report, m)],
        baselines=baselines(report, "mean_macro_f1"),
        side_by_side=side_by_side(report),
        learning=learning(report),
        calibration=calibration(report),
        sections=[part for added in report.extensions for part in added.layer_sections(report)],
        peaks=peaks(report),
        heat=heat(report),
        heat_scale=[(points, heat_row([1, 1 - points / 100])[1][2]) for points in HEAT_LEGEND],
        warnings=model_notes.long_vectors(report),
        notes={model: model_notes.notes(encoders[model]) for model in report.choices},
        differences=differences(report, "layers", "reference"),
        between=differences(report, "model-layers", "reference_model"),
        best=[confidence_set(report, model) for model in report.choices],
        models=legend({name: weights_dash(report, name) for name in report.choices}),
        reliability=[x for x in legend(RELIABILITY_LINES) if x[0] in reliability],
    )
    write_text(folder / "layers.html", page)


def legend(dashes: Mapping[str, str]) -> list[tuple[str, int, str, str]]:
    """Return the entries of a legend: name, colour, outline of the marker, dash."""
    return [(name, *mark_of(i), dash) for i, (name, dash) in enumerate(dashes.items())]


def confidence_set(report: Report, model: str) -> dict[str, Any]:
    """Return the configurations not significantly different from a model's best, best first."""
    rows = report.rows("best-set", model=model)
    kept = rows[rows["in_confidence_set"]].sort_values("estimate", ascending=False, kind="stable")
    return {"model": model, "rows": records(kept), "n": len(rows)}


def heat(report: Report) -> list[dict[str, Any]]:
    """Return the scores of every word and layer choice, one table per model and classifier.

    A cell has the points below the row's best layer choice, the score in percent, and the step of
    its colour. ``metrics`` has all cells by metric, row by row; the last row is all words.
    """
    table = report.rows("word-layers", view=report.view)
    tables = []
    for model, classifier, _, rows in rows_per_classifier(report, table):
        chosen = rows[rows["selected_by_cv"]]
        words = report.words[model]
        cells = {}
        for metric, name in WORD_SCORE.items():
            scores = [[s[name] for s in word.scores[classifier]] for word in words.values()]
            is_micro = metric == "micro_accuracy"
            weights = [word.n_test if is_micro else 1 for word in words.values()]
            means = np.average(scores, axis=0, weights=weights)
            cells[metric] = [heat_row(line) for line in np.vstack([scores, means])]
        *lines, last = cells["mean_macro_f1"]
        about = {"model": model, "classifier": classifier, "choices": report.choices[model]}
        selected = set(zip(chosen["word"], chosen["layers"], strict=True))
        content = {"rows": list(zip(words, lines, strict=True)), "last": last, "metrics": cells}
        tables.append({**about, **content, "selected": selected})
    return tables


def heat_row(scores: ArrayLike) -> list[tuple[float, float, int]]:
    """Return, per layer choice, points below the best, score in percent, and step of the colour.

    >>> heat_row([0.5, 0.88, 0.99])
    [(-49.0, 50.0, 0), (-11.0, 88.0, 5), (0.0, 99.0, 20)]
    """
    percents = 100 * np.asarray(scores, dtype=float)
    below = percents - percents.max()
    steps = HEAT_STEPS * curves.heat(-below)
    rows = np.c_[below, percents, steps].tolist()
    return [(round(points, 1) + 0.0, round(score, 1), round(step)) for points, score, step in rows]


def differences(report: Report, table_name: str, reference: str) -> list[dict[str, Any]]:
    """Return, per model and classifier, each layer choice's difference from its reference.

    A difference of layers is marked if the layer choice is outside the model's confidence set, a
    difference of models if it is significant.

    Parameters
    ----------
    report : Report
    table_name : str
        ``"layers"`` or ``"model-layers"``.
    reference : str
        The column that names the reference: a layer choice, or a model.
    """
    table = report.rows(table_name, view=report.view)
    if table.empty:
        return []
    if table_name == "layers":
        table = with_verdicts(table, report.rows("best-set"))
    reach = _reach(table)
    candidates = report.rows("comparison", kind=CANDIDATE, view=report.view)
    scores = {tuple(row[key] for key in KEY): row for row in records(candidates)}
    tested = []
    for model, classifier, labels, rows in rows_per_classifier(report, table):
        if rows.empty:
            continue
        other, drawn, untested = rows[reference].iloc[0], [], []
        for row in records(rows):
            layers = row["layers"]
            look = {"label": labels[layers], "is_reference": layers == other}
            drawn.append({**row, **_drawn(row, reach), **look})
            against = (model, other) if reference == "reference" else (other, layers)
            pair = [scores.get((*key, classifier)) for key in ((model, layers), against)]
            if all(pair):
                untested.append((drawn[-1], *pair))
        name = labels.get(other, other) if reference == "reference" else other
        block = {"model": model, "classifier": classifier, "reference": name}
        tested.append({**block, "rows": drawn, "untested": untested})
    return tested


def _reach(table: pd.DataFrame) -> float:
    """Return the difference at the ends of the scale.

    The embedding layer's difference is so large that a scale up to it would hide all others.
    """
    ends = table[["difference_low", "difference_high"]].abs().to_numpy(float)
    ends = ends[np.isfinite(ends)]
    return (float(np.quantile(ends, 0.75)) * 1.15 if len(ends) else 0.0) or 0.01


def _drawn(row: Mapping[str, Any], reach: float) -> dict[str, Any]:
    """Return the places of a difference and its interval on a line as wide as ``FOREST``."""

    def place(value: float) -> float:
        return round(FOREST / 2 + float(np.clip(value / reach, -1, 1)) * (FOREST / 2 - 6), 1)

    low, high = row["difference_low"], row["difference_high"]
    is_marked = row["p_holm"] <= 0.05 if "p_holm" in row else row["is_within"] == "no"
    if low != low:  # the reference, or a choice with the same predictions
        return {"x": FOREST / 2, "x0": None, "x1": None, "is_marked": is_marked, "cut": False}
    places = {"x": place(row["difference"]), "x0": place(low), "x1": place(high)}
    return {**places, "is_marked": is_marked, "cut": max(abs(low), abs(high)) > reach}


def overall_lines(report: Report) -> dict[str, tuple[pd.DataFrame, int, str]]:
    """Return the lines of the plots over all words: by name, rows of all models, style and dash.

    Each classifier has a line for the report's view, and if present one for the context view and
    one for the view after fine-tuning. Zero-shot predictions follow.
    """
    lines = {}
    tuned = after_fine_tuning(report.tables["controls"], report.tables["comparison"])
    for classifier in report.classifiers:
        style = report.styles[classifier]
        candidates = report.rows("comparison", kind=CANDIDATE, classifier=classifier)
        lines[classifier] = having(candidates, view=report.view), style, "solid"
        # The context is a control, or a candidate if it is classified too.
        context = report.rows("controls", kind=CONTROL_VIEW, view=CONTEXT, classifier=classifier)
        context = having(candidates, view=CONTEXT) if context.empty else context
        if len(context):
            lines[f"{classifier}, context only"] = context, style, "dashed"
        after = having(tuned, classifier=classifier)
        if len(after):
            lines[f"{classifier}, fine-tuned"] = after, style, "dashdot"
    glosses = report.rows("controls", kind=ZERO_SHOT, view=report.view)
    first = max(report.styles.values()) + 1
    for style, kind in enumerate(dict.fromkeys(glosses["classifier"]), first):
        lines[f"{ZERO_SHOT}, {kind}"] = having(glosses, classifier=kind), style, "dotted"
    return lines


def overall_curves(report: Report, metric: str) -> list[dict[str, Any]]:
    """Return the plot of a metric per model; all share the vertical axis."""
    lines = {model: classifier_lines(report, model, metric) for model in report.choices}
    axes = vertical_axis(report, metric, lines.values())
    plots = []
    for model, own in lines.items():
        figure = plot_of(own, **places_of(report, model).axis, **axes)
        about = {"metric": metric, "model": model, "id": f"curves.{model}.{metric}"}
        plots.append({**about, "figure": figure})
    return plots


def vertical_axis(
    report: Report, metric: str, lines: Iterable[list[Curve]], **more: float
) -> dict[str, Any]:
    """Return the vertical axis of a metric, with baselines and ``more`` scores as levels."""
    levels = baselines(report, metric) | more
    y_range = curves.common_range([*chain.from_iterable(lines)], levels.values())
    return {"y": f"{METRICS[metric]}, percent", "y_range": y_range, "levels": levels}


def places_of(report: Report, model: str) -> curves.Places:
    """Return the places of a model's layer choices."""
    return curves.Places.of(choice.name for choice in report.choices[model])


def places_among_models(report: Report, model: str) -> curves.Places:
    """Return the places of a model's layer choices in a plot of all models.

    Models of different depth share the relative depth of their layers.
    """
    rows = report.rows("comparison", kind=CANDIDATE, view=report.view)
    most = most_blocks(report)
    shared, scale = curves.Places.of(rows["layers"], most), most / blocks(report, model)
    return shared._replace(singles={name: at * scale for name, at in shared.singles.items()})


def most_blocks(report: Report) -> int:
    """Return the number of blocks of the deepest model."""
    return max(blocks(report, model) for model in report.choices)


def plots_of_models(
    report: Report, metric: str, classifiers: Iterable[str], *, combined: bool, **levels: float
) -> tuple[dict[tuple[str, str], list[Curve]], dict[str, Any]]:
    """Return the lines of each model and classifier in one plot, and the axes of the plot.

    A line has the name and look of its model, or of its classifier if there is one model.

    Parameters
    ----------
    report : Report
    metric : str
    classifiers : iterable of str
    combined : bool
        Whether the plot has combinations of layers.
    **levels
        Further scores without layers.
    """
    lines, axis = {}, {}
    rows = report.rows("comparison", kind=CANDIDATE, view=report.view)
    for (i, model), name in product(enumerate(report.choices), classifiers):
        places = places_among_models(report, model)
        places = places if combined else places._replace(combined={})
        if blocks(report, model) == most_blocks(report):
            axis = places.axis
        look: dict[str, Any] = {"name": name, "style": report.styles[name]}
        if len(report.choices) > 1:
            look = {"name": model, "style": i, "suffix": f" of {blocks(report, model)}"}
        own = having(rows, model=model, classifier=name).drop_duplicates("layers")
        dash = weights_dash(report, model)
        lines[model, name] = places.lines(own, metric, dash=dash, **look)
    if model_notes.by_depth(report):
        depths = {most_blocks(report) * place: text for place, text in DEPTHS.items()}
        axis |= {"x": DEPTH, "ticks": depths}
    return lines, axis | vertical_axis(report, metric, lines.values(), **levels)


def opening_curve(report: Report) -> tuple[dict[str, Any], bool]:
    """Return the first page's plot, and whether it has a ring.

    The plot has a line per model, or per classifier if there is one model. Dashed lines are
    baselines and the best published row; a ring marks the configuration selected for all words.
    """
    metric, several = objective(report), len(report.choices) > 1
    classifiers = [model_notes.initial_classifier(report)] if several else [*report.classifiers]
    systems = records(report.other_systems.sort_values(metric).tail(1))
    best = {f"best {row['kind']}": 100 * float(row[metric]) for row in systems}
    lines, axes = plots_of_models(report, metric, classifiers, combined=True, **best)
    ring = None
    # Without cross-validation nothing was selected.
    chosen = model_notes.selected(report).head(1).dropna(subset="objective_cv")
    for row in records(having(chosen, view=report.view)):
        place = places_among_models(report, row["model"]).at(row["layers"])
        ring = curves.point_at(lines.get((row["model"], row["classifier"]), []), place)
    plot = plot_of([*chain.from_iterable(lines.values())], **axes, ring=ring, named=True)
    return plot, ring is not None


def side_by_side(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Return, per classifier, a plot per metric of all models' single layers, if several."""
    plots: dict[str, list[dict[str, Any]]] = {}
    for metric in METRICS if len(report.choices) > 1 else ():
        lines, axes = plots_of_models(report, metric, report.classifiers, combined=False)
        for name in report.classifiers:
            own = chain.from_iterable(lines[model, name] for model in report.choices)
            drawn = {"metric": metric, "id": f"models.{name}.{metric}"}
            plots.setdefault(name, []).append({**drawn, "figure": plot_of([*own], **axes)})
    return plots


def peaks(report: Report, **equal: str) -> list[dict[str, Any]]:
    """Return the peaks of the curves over single layers that have these values."""
    return records(report.rows("peaks", view=report.view, **equal))


def opening_peaks(report: Report) -> list[dict[str, Any]]:
    """Return the peaks of the first page's lines."""
    own = {"classifier": model_notes.initial_classifier(report)} if len(report.choices) > 1 else {}
    return peaks(report, metric=objective(report), **own)


def baselines(report: Report, metric: str) -> dict[str, float]:
    """Return the scores of baselines without an encoder in percent, by the names on the pages."""
    rows = model_notes.baselines(report)
    return {model_notes.BASELINES[row["classifier"]]: 100 * float(row[metric]) for row in rows}


def classifier_lines(report: Report, model: str, metric: str) -> list[Curve]:
    """Return a model's lines: joined over single layers, then points at the combinations."""
    places, lines = places_of(report, model), []
    for name, (rows, style, dash) in overall_lines(report).items():
        shown = places._replace(combined={}) if dash in ("dashed", "dashdot") else places
        lines += shown.lines(having(rows, model=model), metric, name=name, style=style, dash=dash)
    return lines


def weights_dash(report: Report, model: str) -> str:
    """Return the dash of a model's line: dotted for a random-initialisation control."""
    random = "random_weights" in report.provenance["models"][model]["model"]
    return "dotted" if random else "solid"


def learning(report: Report) -> list[dict[str, Any]]:
    """Return, per model and classifier, macro-F1 against the training set, a line per layer."""
    table = report.rows("learning", view=report.view)
    if table.empty or table["train"].nunique() < 2:
        return []
    y_range = curves.percent_range(curves.rounded(table["mean_macro_f1_in_common"]))
    plots = []
    for model, classifier, _, rows in rows_per_classifier(report, table):
        rows = rows[rows["train"].isin(RATIOS)]
        if rows["train"].nunique() < 2:
            continue
        lines = []
        for i, name in enumerate(places_of(report, model).singles):
            own = having(rows, layers=name).sort_values("n_train")
            look: dict[str, Any] = {"name": f"layer {name}", "style": i, "bounds": False}
            x, y = own["n_train"], "mean_macro_f1_in_common"
            lines.append(curves.of_table(own, x, y, labels=own["train"], **look))
        ticks = {place: f"{round(place):,}" for line in lines for place in line.x}
        label = "training instances of all words"
        axes: dict[str, Any] = {"x": label, "y": "Macro-F1, percent"}
        axes |= {"y_range": y_range, "ticks": ticks}
        plot = plot_of(lines, **axes, logarithmic=True, ramp=True)
        shade = (RAMP - 1) / max(1, len(lines) - 1)
        layers = [(line.name, round(i * shade)) for i, line in enumerate(lines)]
        drawn = {"id": f"learning.{model}.{classifier}", "figure": plot, "layers": layers}
        plots.append({"model": model, "classifier": classifier, **drawn})
    return plots


def calibration(report: Report) -> list[dict[str, Any]]:
    """Return, per model, the calibration of the selected configuration on the test set."""
    sections = []
    for model in report.choices:
        rows = report.rows("calibration", model=model, word=TOGETHER)
        if len(rows):
            flagged = records(report.rows("ood", model=model, word=TOGETHER))
            drawn = {"id": f"reliability.{model}", "figure": _reliability_diagram(report, model)}
            words = report.rows("calibration", model=model, test=TEST, scores="calibrated")
            words = words[words["word"] != TOGETHER]
            above = int((words["ece"] > words["ece_floor_95"]).sum())
            tables = {"rows": records(rows), "words": records(words), "above": above}
            sections.append({"model": model, **tables, "ood": flagged, **drawn})
    return sections


def brief(count: int) -> str:
    """Return a count in at most four characters.

    >>> brief(169), brief(9726), brief(12345)
    ('169', '9.7k', '12k')
    """
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 9950 else f"{count / 1000:.0f}k"


def _reliability_diagram(report: Report, model: str) -> dict[str, Any]:
    lines, notes = [], []
    for i, (kind, dash) in enumerate(RELIABILITY_LINES.items()):
        bins = report.rows("reliability", model=model, test=TEST, scores=kind)
        if len(bins):
            labels = [f"{int(n)} sentences" for n in bins["n"]]
            x = curves.rounded(bins["confidence"])
            look: dict[str, Any] = {"name": kind, "style": i, "dash": dash}
            lines.append(curves.of_table(bins, x, "accuracy", labels=labels, **look))
            # A row of counts per line, each below its bin.
            for place, n in zip(x, bins["n"], strict=True):
                middle = min(place, 99) // 10 * 10 + 5
                notes.append(Note(middle, 9 - 6 * i, brief(int(n)), colour=f"--sense-{i}"))
    ends = [0.0, 100.0]
    style = list(RELIABILITY_LINES).index(PERFECT)
    diagonal = Curve(PERFECT, ends, ends, style, dash=RELIABILITY_LINES[PERFECT])
    axes: dict[str, Any] = {"x": "mean confidence, percent", "y": "Micro accuracy, percent"}
    ticks = {float(place): f"{place}" for place in range(0, 101, 20)}
    axes |= {"x_range": (0, 100), "y_range": (0, 100), "ticks": ticks}
    return plot_of([*lines, diagonal], **axes, notes=notes)
