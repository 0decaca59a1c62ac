"""The summary table as text for a terminal. Only the standard library: it prints at once."""

import csv
from pathlib import Path

from wsd.errors import ResultError

COLUMNS = ("mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy", "micro_accuracy")
KEYS = ("model", "view", "layers", "classifier")


def leaderboard(summary: Path, *, top: int | None = None) -> str:
    """The rows of ``summary.csv``, the highest mean macro-F1 first, in percent.

    Parameters
    ----------
    summary : Path
    top : int, optional
        How many rows; all, if not given.
    """
    try:
        with summary.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise ResultError(
            "there is no summary yet", where=str(summary), fix="run snakemake"
        ) from None
    except UnicodeDecodeError as error:
        raise ResultError(f"not a summary table: {error}", where=str(summary)) from None
    try:
        rows.sort(key=lambda row: -float(row[COLUMNS[0]]))
        lines = [[*KEYS, "macro-F1", "balanced", "accuracy", "micro"]]
        for row in rows[:top]:
            lines.append([row[k] for k in KEYS] + [f"{100 * float(row[c]):.2f}" for c in COLUMNS])
    except (KeyError, TypeError, ValueError) as error:
        raise ResultError(f"not a summary table: {error}", where=str(summary)) from None
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(
            cell.ljust(width) if i < len(KEYS) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    note = "Percent, over the words; ordered by mean macro-F1 on the test set."
    return "\n".join([*text, note])
