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
from wsd.studies.pairs.cosines import TABLE, metrics_of
from wsd.studies.pairs.score_pairs import OUT_OF_FOLD
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
    """Return the selected configuration's result: out of fold, or on the last labelled split."""
    for is_graded in (False, True):
        with suppress(WsdError, IndexError):
            chosen = records(having(read_csv(table), chosen=True))
            row = next((row for row in chosen if row["split"] == OUT_OF_FOLD), chosen[-1])
            metric = metrics_of(is_graded=is_graded)[0]
            score, low, high = (row[f"{metric}{bound}"] for bound in ("", "_low", "_high"))
            kind = "; Spearman" if is_graded else ""
            classifier = f"cosine, {transform_label(row['transform'])}{kind}"
            features = feature_set(row["view"], row["layers"])
            return Result(features, classifier, score, low, high, row["words"])
    return None
