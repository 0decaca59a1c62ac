"""Print the results as text. The module uses only the standard library, to start fast."""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.arguments import count
from wsd.errors import ResultError, visible
from wsd.storage.checksums import verify
from wsd.storage.text_table import aligned

MEANS = ("mean_macro_f1", "mean_balanced_accuracy", "mean_word_accuracy", "micro_accuracy")
KEYS = ("model", "view", "layers", "classifier")
HEADER = [*KEYS, "CV", "macro-F1", "balanced accuracy", "word accuracy", "micro accuracy"]
PER_WORD = "per-word"
SELECTED = "Selected by cross-validation on the training set, for all words and per word:"
ONLY = "Nothing was selected: no word has enough training sentences. The only candidate:"
BEST = "Best on the test set, for reference only (the test set determines this order):"
NOTE = "Percent, over all words; `CV` is the objective of the selection, on training data."


def leaderboard(summary: Path, *, top: int | None = None) -> str:
    """Return the selected configurations, then all candidates by test score, in percent.

    ``selection.csv`` is read from the folder of the summary.

    Parameters
    ----------
    summary : Path
    top : int, optional
        The number of candidates; all by default.
    """
    tested = _read("summary", summary, KEYS, MEANS, train="full", test="test")
    tested.sort(key=lambda row: -(row[MEANS[0]] or 0))
    path, columns = summary.with_name("selection.csv"), (*KEYS, "selected")
    listed = _read("selection", path, columns, ("objective",), train="full", scope="all words")
    cv_scores = {_names(row): row["objective"] for row in listed}
    chosen = {_names(row) for row in listed if row["selected"] == "True"}

    def cells(row: dict[str, Any]) -> list[str]:
        scores = [cv_scores.get(_names(row)), *(row[mean] for mean in MEANS)]
        return [*map(visible, _names(row)), *map(_percent, scores)]

    selected = [cells(row) for row in tested if _names(row) in chosen or row["view"] == PER_WORD]
    # Without cross-validation nothing is selected, and every row is shown.
    candidates = [cells(row) for row in tested if _names(row) in cv_scores or not cv_scores]
    right = range(len(KEYS), len(HEADER))
    header, *lines = aligned([HEADER, *selected, *candidates[:top]], right)
    split = len(selected)
    title = ONLY if set(cv_scores.values()) == {None} else SELECTED
    above = [title, header, *lines[:split], ""] if selected else []
    return "\n".join([*above, BEST, header, *lines[split:], NOTE])


def _names(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row[key] for key in KEYS)


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{100 * fraction:.2f}"


def _read(
    kind: str, path: Path, text: Sequence[str], fractions: Sequence[str], **only: str
) -> list[dict[str, Any]]:
    """Return some columns of the rows that have the values ``only``; an empty fraction is None."""
    verify(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            if absent := {*text, *fractions, *only} - {*(table.fieldnames or ())}:
                raise ValueError(f"no column {min(absent)!r}")
            rows = [r for r in table if all(r[k] == v for k, v in only.items())]
        if any(None in row.values() for row in rows):
            raise ValueError("a row is too short")
        return [
            {**{k: row[k] for k in text}, **{k: _fraction(row[k]) for k in fractions}}
            for row in rows
        ]
    except FileNotFoundError:
        raise ResultError(f"there is no {kind} yet", where=str(path), fix="run snakemake") from None
    except (KeyError, UnicodeDecodeError, ValueError, csv.Error) as error:
        fix = "give the summary.csv of a corpus's results, next to its selection.csv"
        raise ResultError(f"not a {kind} table: {error}", where=str(path), fix=fix) from None


def _fraction(cell: str) -> float | None:
    if cell and not 0 <= float(cell) <= 1:
        raise ValueError(f"{cell!r} is not a fraction")
    return float(cell) if cell else None


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("summary", type=Path, help="a summary.csv")
    parser.add_argument("--top", type=count, help="only the best N (default: all)")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(leaderboard(args.summary, top=args.top))
