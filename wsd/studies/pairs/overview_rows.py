"""The pages of pairs as rows in the list of all reports."""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wsd.artifacts.column_names import feature_set
from wsd.artifacts.find_runs import NAMELESS, RUNS
from wsd.artifacts.transform_names import transform_label
from wsd.errors import WsdError
from wsd.report.overview import Listed, Result, day, title
from wsd.report.pages.report_data import having, records
from wsd.storage.csv import read_csv
from wsd.studies.pairs.cosines import TABLE
from wsd.studies.pairs.pairs_page import COLUMNS
from wsd.studies.pairs.study import Pairs

PAGE = Pairs.front_page


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of pairs below a folder of all results."""
    for dataset in sorted(results.glob("*")):
        for path in sorted([*dataset.glob(f"*/{PAGE}"), *dataset.glob(f"{RUNS}/*/*/{PAGE}")]):
            yield Listed(
                title=title(dataset),
                run=path.parts[-3] if path.parts[-4] == RUNS else NAMELESS,
                page=path.relative_to(results).parts,
                models=[path.parent.name],
                day=day(path),
                result=_result(path.with_name(TABLE)),
            )


def _result(table: Path) -> Result | None:
    """Return the result of the selected configuration on the last split that has labels."""
    with suppress(WsdError, IndexError):
        row = records(having(read_csv(table, COLUMNS), chosen=True))[-1]
        features = feature_set(row["view"], row["layers"])
        score, low, high = (row[f"accuracy{bound}"] for bound in ("", "_low", "_high"))
        classifier = f"cosine, {transform_label(row['transform'])}"
        return Result(features, classifier, score, low, high, row["words"])
    return None
