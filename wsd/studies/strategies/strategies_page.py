"""The report's page of strategies: scores, labels and processor time of each."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_optional_files
from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.training_set import FULL, NO_TRAIN
from wsd.report.pages import curves
from wsd.report.pages.curves import Curve, Note
from wsd.report.pages.layers import legend
from wsd.report.pages.model_notes import MAIN_METRIC, detectable
from wsd.report.pages.read_tables import read_tables
from wsd.report.pages.render import number, render
from wsd.report.pages.report_data import Report, having, records
from wsd.report.pages.study_sections import Extension, Link
from wsd.report.tables import METRICS
from wsd.storage.atomic import write_text
from wsd.storage.csv import Columns
from wsd.studies.strategies import strategies
from wsd.studies.strategies.gather import BEST_LAYER

# Processor time of the selected configuration, without and with the search for it.
MINUTES = ("processor_minutes", "processor_minutes_with_search")
_TEXT = (
    *("model", "strategy", "train", "view", "layers", "classifier", "setting", "selected_by"),
    *(name for name in strategies.COLUMNS if name.endswith("_of_runs")),
)
COLUMNS = Columns(
    _TEXT, tuple(name for name in strategies.COLUMNS if name not in _TEXT), may_be_empty=True
)
ALPHA = 0.05
# Free space at the ends of an axis: a factor.
ROOM = 1.4
# The least distance between two ticks: a factor.
TICK_DISTANCE = 1.3
# The size of a name at a point, as a share of the plot.
LABEL_WIDTH, LABEL_HEIGHT = 0.35, 0.045
SCORE = f"{METRICS[MAIN_METRIC]}, percent"
# The place of strategies without labels, as a share of the fewest labels.
NO_LABELS = 0.2


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the study's option."""
    add_optional_files(parser, "--strategies", "the table of `wsd strategies`")


def load(args: argparse.Namespace, corpora: Corpora) -> Extension:
    """Read the table of the study."""
    return StrategiesPage(read_tables(args.strategies, "strategies", COLUMNS))


class StrategiesPage(Extension):
    """The page ``strategies.html``, if there is a table."""

    name = "strategies"

    def __init__(self, table: pd.DataFrame) -> None:
        self.tables = {"strategies": table}
        self.link = Link("strategies.html", "Strategies") if len(table) else None

    def write_page(self, report: Report, folder: Path) -> None:
        """Write ``strategies.html``, if there is a table."""
        table = report.tables["strategies"]
        if table.empty:
            return
        names = {name: i for i, name in enumerate(dict.fromkeys(table["strategy"]))}
        models = dict.fromkeys(table["model"])
        page = render(
            "strategies/strategies.html",
            report,
            blocks=[block(model, having(table, model=model), names) for model in models],
            legend=legend(dict.fromkeys(names, "solid")),
            finetuned=any(name.startswith("fine-tuned") for name in names),
            minutes=minutes,
        )
        write_text(folder / "strategies.html", page)


def minutes(value: float) -> str:
    """Format minutes with two significant digits; a dash if the time is unknown.

    >>> minutes(0.02417), minutes(6.77), minutes(1234.5)
    ('0.024', '6.8', '1,234')
    """
    digits = max(0, 1 - floor(log10(value))) if value > 0 else 0
    return number(value, f",.{digits}f")


def block(model: str, rows: pd.DataFrame, names: dict[str, int]) -> dict[str, Any]:
    """Return the page's values for one model."""
    y_range = curves.percent_range(
        [value * 100 for end in ("low", "high") for value in rows[f"{MAIN_METRIC}_{end}"]]
    )
    by_time = list(_curves(rows[rows[MINUTES[0]] > 0], MINUTES[0], names))
    if rows["labels"][rows["labels"] > 0].nunique() > 1 or rows["strategy"].duplicated().any():
        by_labels, ticks = _by_labels(rows, names)
        plots = {"labels": _plot(by_labels, "labelled sentences", y_range, ticks)}
    else:
        best_first = sorted(_curves(rows, "labels", names), key=lambda line: -line.y[0])
        plots = {"list": curves.interval_list(best_first, x=SCORE)}
    if by_time:
        powers = powers_of_ten([x for line in by_time for x in line.x])
        plots["minutes"] = _plot(by_time, "processor minutes", y_range, powers)
    # Strategies without labels are compared with strategies that use all labels.
    trains = rows.groupby(rows["train"].replace(NO_TRAIN, FULL), sort=False)
    return {
        "model": model,
        "answers": [answer(train, train_rows) for train, train_rows in trains],
        "plots": {name: (f"strategies.{model}.{name}", plot) for name, plot in plots.items()},
        "untimed": records(rows[rows[MINUTES[0]].isna()]),
        "rows": records(rows),
    }


def _plot(
    lines: Sequence[Curve], x: str, y_range: tuple[float, float], ticks: dict[float, str]
) -> dict[str, Any]:
    """Return a plot with a logarithmic horizontal axis that contains all ticks.

    The name of each line is to the right of its last point, or to the left if another point is
    there; names that would overlap are moved up.
    """
    places = [*ticks, *(place for line in lines for place in line.x)]
    start, end = min(places) / ROOM, max(places) * ROOM
    end *= (end / start) ** LABEL_WIDTH
    across, step = log10(end / start), LABEL_HEIGHT * (y_range[1] - y_range[0])
    notes: list[Note] = []
    by_height = sorted(lines, key=lambda line: line.y[-1])
    for line in by_height:
        x_, height = line.x[-1], line.y[-1]
        blocked = any(
            0.02 < log10(other.x[-1] / x_) / across < LABEL_WIDTH
            and abs(other.y[-1] - height) < step
            for other in lines
        )
        align, offset = ("right", -10) if blocked else ("left", 10)
        for note in notes:
            is_near = abs(log10(x_ / note.x)) < LABEL_WIDTH * across and note.align == align
            height = max(height, note.y + step) if is_near else height
        notes.append(Note(x_, height, line.name, align, offset=offset, name=f"line-{line.name}"))
    y_range = y_range[0], max([y_range[1], *(note.y + step for note in notes)])
    axes: dict[str, Any] = {"x": x, "y": SCORE, "x_range": (start, end), "y_range": y_range}
    return curves.plot_of(lines, **axes, ticks=ticks, notes=notes, logarithmic=True)


def answer(train: Any, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the best strategy on one training set, and the verdicts against the best layer."""
    difference, p = rows[f"{MAIN_METRIC}_difference"], rows[f"{MAIN_METRIC}_p_holm"]
    verdicts = {
        "significantly higher": (p <= ALPHA) & (difference > 0),
        "not significantly different": p > ALPHA,
        "significantly lower": (p <= ALPHA) & (difference < 0),
        "with the same predictions": p.isna() & difference.notna(),
    }
    return {
        "train": train,
        "is_full": train == FULL,
        "best": records(rows.nlargest(1, MAIN_METRIC))[0],
        "reference": records(having(rows, strategy=BEST_LAYER)),
        "verdicts": {name: records(rows[chosen]) for name, chosen in verdicts.items()},
        "detected": detectable(rows.rename(columns=lambda c: c.removeprefix(f"{MAIN_METRIC}_"))),
    }


def _by_labels(rows: pd.DataFrame, names: dict[str, int]) -> tuple[list[Curve], dict[float, str]]:
    """Return the curves over labels, and ticks; strategies without labels are at the left edge."""
    labelled = rows["labels"][rows["labels"] > 0]
    edge = float(labelled.min()) * NO_LABELS if len(labelled) else 1.0
    places = rows["labels"].where(rows["labels"] > 0, edge)
    ticks = {place: f"{place:,.0f}" for place in readable_ticks(labelled)}
    ticks |= {edge: "none"} if (rows["labels"] == 0).any() else {}
    return list(_curves(rows.assign(place=places), "place", names)), ticks


def readable_ticks(places: Iterable[float]) -> list[float]:
    """Return ticks on an axis that are far enough apart for their numbers."""
    ticks: list[float] = []
    for place in sorted(map(float, places)):
        if not ticks or place >= TICK_DISTANCE * ticks[-1]:
            ticks.append(place)
    return ticks


def _curves(rows: pd.DataFrame, column: str, names: dict[str, int]) -> Iterator[Curve]:
    """Yield a curve per strategy, through all its training sets."""
    for name, i in names.items():
        own = having(rows, strategy=name).sort_values(column)
        if len(own):
            labels = [_label(row, column) for row in records(own)]
            look: dict[str, Any] = {"joined": len(own) > 1, "hollow": True, "labels": labels}
            yield curves.of_table(own, own[column], MAIN_METRIC, name=name, style=i, **look)


def _label(row: dict[str, Any], column: str) -> str:
    labels = f"{row['labels']:,.0f} labels"
    return f"{labels}, {minutes(row[column])} minutes" if column in MINUTES else labels


def powers_of_ten(values: Sequence[float]) -> dict[float, str]:
    """Return ticks of a logarithmic axis: powers of ten around some values.

    >>> powers_of_ten([0.02, 7])
    {0.01: '0.01', 0.1: '0.1', 1.0: '1', 10.0: '10'}
    """
    low, high = floor(log10(min(values))), floor(log10(max(values))) + 1
    return {float(f"1e{n}"): f"{float(f'1e{n}'):,g}" for n in range(low, high + 1)}
