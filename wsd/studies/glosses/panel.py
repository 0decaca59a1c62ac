"""The plot and the table of the layers page that say how many sentences a gloss is worth."""

from typing import Any

from wsd.report.pages import curves
from wsd.report.pages.model_notes import METRIC
from wsd.report.pages.report_data import Report, having, records

# As `wsd gloss-worth` calls where it starts from, and as the page does; with the line's dash.
STARTS = {
    "sentences": ("sentences alone", "solid"),
    "gloss": ("and the gloss, by the word in it", "dotted"),
    "gloss-mean": ("and the gloss, by its mean", "dashdot"),
}


def gloss_worth(report: Report) -> list[dict[str, Any]]:
    """Per model, macro-F1 against the number of sentences with and without a gloss.

    At the last layer: to choose another would take labels.
    """
    found = []
    for model, choices in report.choices.items():
        table = report.rows("gloss-worth", model=model)
        if table.empty:
            continue
        blocks = report.provenance["models"][model]["model"]["blocks"]
        layers = str(blocks) if (table["layers"] == str(blocks)).any() else choices[-1].name
        rows = having(table, layers=layers)
        numbers = {int(n): float(place) for place, n in enumerate(sorted(set(rows["n"])))}
        lines = []
        for i, (start, (name, dash)) in enumerate(STARTS.items()):
            of = having(rows, start=start).sort_values("n")
            said = [f"{n} of each sense" for n in of["n"]]
            x = [numbers[int(n)] for n in of["n"]]
            look: dict[str, Any] = {"name": name, "style": i, "number": i, "dash": dash}
            lines.append(curves.of_table(of, x, METRIC, labels=said, bounds=True, **look))
        figure = curves.plot_of(
            lines,
            x="labelled sentences of each sense",
            y_range=curves.common_range(lines),
            ticks={place: str(n) for n, place in numbers.items()},
        )
        cells = {(of["start"], int(of["n"])): of for of in records(rows)}
        lined = [{"n": n, "of": [cells.get((start, n)) for start in STARTS]} for n in numbers]
        drawn = {"id": f"glosses.{model}", "figure": figure, "rows": lined}
        worth = [
            (name, cells[start, 0]) for start, (name, _) in STARTS.items() if (start, 0) in cells
        ]
        found.append({"model": model, "layers": layers, "worth": worth, **drawn})
    return found
