"""The plots of the layers page: scores over layers, learning curves and calibration."""

from collections.abc import Iterable
from itertools import chain, product
from typing import Any, NamedTuple

import pandas as pd

from wsd.artifacts.column_names import CANDIDATE, CONTROL_VIEW, TOGETHER, ZERO_SHOT
from wsd.artifacts.predictions import TEST
from wsd.report.pages import curves, model_notes
from wsd.report.pages.curves import Curve, Note
from wsd.report.pages.model_notes import blocks, objective, rows_per_classifier
from wsd.report.pages.plots import RAMP, plot_of
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import METRICS, after_fine_tuning

CONTEXT = "context"
DEPTH = "relative depth: layer / number of blocks"
DEPTHS = {0.0: "0", 0.2: "0.2", 0.4: "0.4", 0.6: "0.6", 0.8: "0.8", 1.0: "1"}
# Lines of a reliability diagram: raw scores, scores after the temperature, and the diagonal.
PERFECT = "confidence = micro accuracy"
RELIABILITY_LINES = {"raw": "dashed", "calibrated": "solid", PERFECT: "dotted"}
# Nested draws: each is part of the next, so that a line may join them.
RATIOS = ("1pct", "5pct", "10pct", "25pct", "50pct", "full")


class OverallLine(NamedTuple):
    """A line of every plot over all words; there is a plot per model, and rows for all models."""

    name: str
    rows: pd.DataFrame
    style: int
    dash: str


def overall_lines(report: Report) -> list[OverallLine]:
    """Return the lines of the plots over all words.

    Each classifier has a line for the report's view, and if present one for the context view and
    one for the view after fine-tuning. Zero-shot predictions follow.
    """
    lines = []
    tuned = after_fine_tuning(report.tables["controls"], report.tables["comparison"])
    for classifier in report.classifiers:
        style = report.styles[classifier]
        candidates = report.rows("comparison", kind=CANDIDATE, classifier=classifier)
        view = having(candidates, view=report.view)
        lines.append(OverallLine(classifier, view, style, "solid"))
        # The context is a control, or a candidate if it is classified too.
        context = report.rows("controls", kind=CONTROL_VIEW, view=CONTEXT, classifier=classifier)
        context = having(candidates, view=CONTEXT) if context.empty else context
        if len(context):
            lines.append(OverallLine(f"{classifier}, context only", context, style, "dashed"))
        after = having(tuned, classifier=classifier)
        if len(after):
            lines.append(OverallLine(f"{classifier}, fine-tuned", after, style, "dashdot"))
    glosses = report.rows("controls", kind=ZERO_SHOT, view=report.view)
    first = max(report.styles.values()) + 1
    for style, kind in enumerate(dict.fromkeys(glosses["classifier"]), first):
        rows = having(glosses, classifier=kind)
        lines.append(OverallLine(f"{ZERO_SHOT}, {kind}", rows, style, "dotted"))
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
    for line in overall_lines(report):
        look: dict[str, Any] = {"name": line.name, "style": line.style, "dash": line.dash}
        shown = places._replace(combined={}) if line.dash in ("dashed", "dashdot") else places
        lines += shown.lines(having(line.rows, model=model), metric, **look)
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
