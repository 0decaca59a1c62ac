"""The strategies page: what each way to tell senses scores, on how many labels, in what time."""

from collections.abc import Iterable, Iterator, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.artifacts.training_set import FULL, NO_TRAIN
from wsd.report.pages import curves, plots
from wsd.report.pages.curves import Curve
from wsd.report.pages.model_notes import METRIC
from wsd.report.pages.render import number, render
from wsd.report.pages.report_data import Report, having, records
from wsd.report.tables import MINUTES
from wsd.storage.atomic import write_text

# What the ends of an axis leave free: a factor.
ROOM = 1.4
# How far two ticks are apart at least: a factor.
APART = 1.3
# Where what takes no label stands, as a share of the fewest labels.
NO_LABELS = 0.2


def write_strategies(report: Report, folder: Path) -> None:
    """Write ``strategies.html``, if there is a table of them.

    Parameters
    ----------
    report : Report
    folder : Path
        The report's folder.
    """
    table = report.tables["strategies"]
    if table.empty:
        return
    names = {name: i for i, name in enumerate(dict.fromkeys(table["strategy"]))}
    blocks = [
        block(model, having(table, model=model), names) for model in dict.fromkeys(table["model"])
    ]
    styles = {name: plots.sense_style(i) for name, i in names.items()}
    page = render(
        "strategies.html",
        report,
        blocks=blocks,
        legend=[
            (name, colour, plots.MARKERS[marker], "solid")
            for name, (colour, marker) in styles.items()
        ],
        finetuned=any(name.startswith("fine-tuned") for name in names),
        minutes=minutes,
    )
    write_text(folder / "strategies.html", page)


def minutes(value: float) -> str:
    """Minutes with two digits that count; a dash where no time is on record.

    >>> minutes(0.02417), minutes(6.77), minutes(1234.5)
    ('0.024', '6.8', '1,234')
    """
    digits = max(0, 1 - floor(log10(value))) if value > 0 else 0
    return number(value, f",.{digits}f")


def block(model: str, rows: pd.DataFrame, names: dict[str, int]) -> dict[str, Any]:
    """What the page shows of one model."""
    y_range = curves.percent_range(
        [value * 100 for end in ("low", "high") for value in rows[f"{METRIC}_{end}"]]
    )
    by_labels, ticks = _by_labels(rows, names)
    by_time = list(_curves(rows[rows[MINUTES[0]] > 0], MINUTES[0], names))
    drawn = {"labels": _plot(by_labels, "labelled sentences", y_range, ticks)}
    if by_time:
        tens = powers([x for of in by_time for x in of.x])
        drawn["minutes"] = _plot(by_time, "processor minutes", y_range, tens)
    return {
        "model": model,
        # What takes no label stands beside what takes all.
        "answers": [
            answer(train, of)
            for train, of in rows.groupby(rows["train"].replace(NO_TRAIN, FULL), sort=False)
        ],
        "figures": {name: (f"strategies.{model}.{name}", of) for name, of in drawn.items()},
        "untimed": records(rows[rows[MINUTES[0]].isna()]),
        "rows": [{**row, "each": row[f"{METRIC}_of_runs"].split()} for row in records(rows)],
    }


def _plot(
    lines: Sequence[Curve], x: str, y_range: tuple[float, float], ticks: dict[float, str]
) -> dict[str, Any]:
    """A picture whose horizontal axis is logarithmic and holds all ticks."""
    places = [*ticks, *(place for of in lines for place in of.x)]
    ends = min(places) / ROOM, max(places) * ROOM
    return curves.plot_of(lines, x=x, y_range=y_range, ticks=ticks, logarithmic=ends)


def answer(train: Any, rows: pd.DataFrame) -> dict[str, Any]:
    """What scores highest on one training set, and what it can be told from."""
    best, *others = records(rows.sort_values(METRIC, ascending=False, kind="stable"))
    alike = [row for row in others if row["in_confidence_set"]]
    return {
        "train": train,
        "is_full": train == FULL,
        "best": best,
        "alike": alike,
        "next": next((row for row in others if not row["in_confidence_set"]), None),
    }


def _by_labels(rows: pd.DataFrame, names: dict[str, int]) -> tuple[list[Curve], dict[float, str]]:
    """Scores against labels; those that take none at the left edge."""
    labelled = rows["labels"][rows["labels"] > 0]
    none = float(labelled.min()) * NO_LABELS if len(labelled) else 1.0
    places = rows["labels"].where(rows["labels"] > 0, none)
    ticks = {place: f"{place:,.0f}" for place in apart(labelled)}
    ticks |= {none: "none"} if (rows["labels"] == 0).any() else {}
    return list(_curves(rows.assign(place=places), "place", names)), ticks


def apart(places: Iterable[float]) -> list[float]:
    """Of some places on an axis those, from the left, whose numbers do not run into one another."""
    found: list[float] = []
    for place in sorted(map(float, places)):
        if not found or place >= APART * found[-1]:
            found.append(place)
    return found


def _curves(rows: pd.DataFrame, column: str, names: dict[str, int]) -> Iterator[Curve]:
    """A curve per strategy, through its training sets if it has several."""
    for name, number_of in names.items():
        of = having(rows, strategy=name).sort_values(column)
        if len(of):
            yield curves.of_table(
                of,
                of[column],
                METRIC,
                labels=[_said(row, column) for row in records(of)],
                bounds=True,
                name=name,
                style=number_of,
                number=number_of,
                joined=len(of) > 1,
                hollow=True,
            )


def _said(row: dict[str, Any], column: str) -> str:
    learned = f"{row['labels']:,.0f} labels"
    return f"{learned}, {minutes(row[column])} minutes" if column in MINUTES else learned


def powers(values: Sequence[float]) -> dict[float, str]:
    """Ticks of a logarithmic axis: powers of ten around some values.

    >>> powers([0.02, 7])
    {0.01: '0.01', 0.1: '0.1', 1.0: '1', 10.0: '10'}
    """
    low, high = floor(log10(min(values))), floor(log10(max(values))) + 1
    return {float(f"1e{n}"): f"{float(f'1e{n}'):,g}" for n in range(low, high + 1)}
