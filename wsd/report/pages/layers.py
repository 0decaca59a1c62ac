"""The layers page: every layer choice over all words, and word by word."""

from pathlib import Path

from wsd.report.pages import plots
from wsd.report.pages.content import Report
from wsd.report.pages.index import METRICS
from wsd.report.pages.layer_plots import overall_curves, overall_lines, side_by_side, weights_dash
from wsd.report.pages.layer_tables import best_set, differences, heat
from wsd.report.pages.measure_plots import CENTRINGS, KINDS, calibration, geometry, learning
from wsd.report.pages.models import by_depth, notes
from wsd.report.pages.render import render
from wsd.report.pages.word import opening_reader
from wsd.storage.atomic import write_text


def write_layers(report: Report, folder: Path) -> None:
    """Write ``layers.html``.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    models = {name: notes(report.provenance["models"][name]) for name in report.choices}
    page = render(
        "layers.html",
        report=report,
        dataset=report.dataset,
        metrics=METRICS,
        reader=opening_reader(report),
        lines=[(line.name, *_style(line.style, line.dash)) for line in overall_lines(report)],
        curves=[of for metric in METRICS for of in overall_curves(report, metric)],
        side=side_by_side(report),
        models=[(name, *_style(i, weights_dash(report, name))) for i, name in enumerate(models)],
        notes=models,
        by_depth=by_depth(report),
        heat=heat(report),
        differences=differences(report, "layers", "reference"),
        between=differences(report, "model-layers", "reference_model"),
        best=[best_set(report, model) for model in report.choices],
        learning=learning(report),
        geometry=geometry(report),
        calibration=calibration(report),
        kinds=[(name, *_style(i, dash)) for i, (name, dash) in enumerate(KINDS.items())],
        centrings=[(name, *_style(i, "solid")) for i, name in enumerate(CENTRINGS.values())],
        provenance=report.provenance,
        root="",
    )
    write_text(folder / "layers.html", page)


def _style(style: int, dash: str) -> tuple[int, str, str]:
    """What the legend of a line shows: colour, the marker's outline, dash."""
    colour, marker = plots.sense_style(style)
    return colour, plots.MARKERS[marker], dash
