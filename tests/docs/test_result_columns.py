"""docs/reference/tables.md has every column of the tables of a run."""

import re

from checkout import REPOSITORY

from wsd.artifacts.column_names import SCORES_COLUMNS, SUMMARY_COLUMNS
from wsd.classification.select import SELECTION_COLUMNS
from wsd.encoder.alignment import ALIGNMENT_COLUMNS, LONG_COLUMNS
from wsd.evaluation import comparison_tables, layerwise
from wsd.fitted.calibration import TABLES

PAGE = REPOSITORY / "docs/reference/tables.md"
WRITTEN = {
    *(*SCORES_COLUMNS, *SUMMARY_COLUMNS, *SELECTION_COLUMNS, *ALIGNMENT_COLUMNS, *LONG_COLUMNS),
    *(*comparison_tables.SCORE_COLUMNS, *comparison_tables.RARE_SENSE_COLUMNS),
    *(*comparison_tables.LEARNING_COLUMNS, *comparison_tables.DIFFERENCE),
    *(*comparison_tables.BOUNDS, *comparison_tables.EFFECTS, *comparison_tables.ADJUSTED),
    *(*layerwise.LAYER_COLUMNS, *layerwise.WORD_COLUMNS, *layerwise.MODEL_COLUMNS),
    *(*layerwise.PEAK_COLUMNS, *(name for columns in TABLES.values() for name in columns)),
    # Without a list of their own: differences.csv and best-set.csv.
    *("inflation_by_clusters", "estimate", "p_largest_advantage", "in_confidence_set"),
}


def test_every_column_is_explained_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## Tables of a run\n")[2]
    cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`([\w…]+)`", cell)]
    starts = "|".join(name.rstrip("…") for name in names if name.endswith("…"))
    ends = "|".join(name.lstrip("…") for name in names if name.startswith("…"))
    explained = {name for name in names if "…" not in name}
    longest_first = "|".join(sorted(explained, key=len, reverse=True))
    parts = re.compile(f"(?:{starts})*?({longest_first})(?:{ends})*")
    found = {match[1] if (match := parts.fullmatch(column)) else column for column in WRITTEN}
    assert found == explained
