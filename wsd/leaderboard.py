"""The results as text for a terminal. Only the standard library: it prints at once."""

import csv
from collections.abc import Sequence
from pathlib import Path

from wsd.errors import ResultError, visible

COLUMNS = ("mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy", "micro_accuracy")
KEYS = ("model", "view", "layers", "classifier")
HEADINGS = ("on folds", "macro-F1", "balanced", "accuracy", "micro")
PER_WORD = "per-word"


def leaderboard(summary: Path, *, top: int | None = None) -> str:
    """What was selected on training folds, then all candidates by their test figures, in percent.

    ``selection.csv`` is looked for beside the summary.

    Parameters
    ----------
    summary : Path
    top : int, optional
        How many candidates; all, if not given.
    """
    rows, selection = _read(summary), _read(summary.with_name("selection.csv"))
    try:
        tested = [row for row in rows if (row["train"], row["test"]) == ("full", "test")]
        scope = ("full", "all words")
        listed = [row for row in selection if (row["train"], row["scope"]) == scope]
        folds = {tuple(row[k] for k in KEYS): row["objective"] for row in listed}
        chosen = {tuple(row[k] for k in KEYS) for row in listed if row["selected"] == "True"}
        tested.sort(key=lambda row: -float(row[COLUMNS[0]]))
        lines: dict[str, list[list[str]]] = {"selected": [], "candidates": []}
        for row in tested:
            key = tuple(row[k] for k in KEYS)
            figures = [folds.get(key, ""), *(row[column] for column in COLUMNS)]
            percent = (f"{100 * float(value):.2f}" if value else "" for value in figures)
            line = [*map(visible, key), *percent]
            if key in chosen or row["view"] == PER_WORD:
                lines["selected"].append(line)
            # Without folds nothing is selected, and every row is one to show.
            if key in folds or not folds:
                lines["candidates"].append(line)
    except (KeyError, TypeError, ValueError) as error:
        raise ResultError(f"not a summary table: {error}", where=str(summary)) from None
    shown = lines["candidates"][:top]
    header = [*KEYS, *HEADINGS]
    widths = [
        max(map(len, column)) for column in zip(header, *lines["selected"], *shown, strict=True)
    ]

    def text(rows: Sequence[Sequence[str]]) -> list[str]:
        return [
            "  ".join(
                cell.ljust(width) if i < len(KEYS) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]

    blocks = [
        "Best on the test set, for reference only (the order itself was read off the test set):",
        *text([header, *shown]),
    ]
    if lines["selected"]:
        blocks = [
            "Selected on folds of the training set, for all words and for each word by itself:",
            *text([header, *lines["selected"]]),
            "",
            *blocks,
        ]
    note = "Percent, over the words; `on folds` is the objective that selected, on training data."
    return "\n".join([*blocks, note])


def _read(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        raise ResultError("there is no summary yet", where=str(path), fix="run snakemake") from None
    except UnicodeDecodeError as error:
        raise ResultError(f"not a summary table: {error}", where=str(path)) from None
