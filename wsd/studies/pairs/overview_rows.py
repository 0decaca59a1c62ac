"""The pages of pairs as rows in the list of all reports."""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wsd.artifacts.column_names import feature_set
from wsd.artifacts.transform_names import transform_label
from wsd.errors import WsdError
from wsd.report.overview import Listed, Result, day, find_pages
from wsd.report.pages.report_data import having, records
from wsd.storage.csv import read_csv
from wsd.studies.pairs.pair_tables import OUT_OF_FOLD, TABLE

PAGE = "pairs.html"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of pairs below a folder of all results."""
    for path, listed in find_pages(results, f"*/{PAGE}"):
        result = main_result(path.with_name(TABLE))
        yield replace(listed, models=[path.parent.name], day=day(path), result=result)


def main_result(table: Path) -> Result | None:
    """Return the selected configuration's result: out of fold, or on the last labelled split."""
    with suppress(WsdError, LookupError):
        chosen = records(having(read_csv(table), chosen=True))
        row = next((row for row in chosen if row["split"] == OUT_OF_FOLD), chosen[-1])
        metric = "spearman" if "spearman" in row else "accuracy"
        score, low, high = (row[f"{metric}{bound}"] for bound in ("", "_low", "_high"))
        kind = "; Spearman" if metric == "spearman" else ""
        classifier = f"cosine, {transform_label(row['transform'])}{kind}"
        features = feature_set(row["view"], row["layers"])
        return Result(features, classifier, score, low, high, row["words"])
    return None
