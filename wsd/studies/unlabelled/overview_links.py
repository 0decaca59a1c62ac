"""The pages of uses as links in the list of all reports."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from wsd.artifacts.find_runs import runs_with, tables_of
from wsd.report.overview import Listed, title

PAGE = "uses/index.html"
HEADING = "Uses of words, clustered without senses"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of uses below a folder of all results."""
    for dataset in sorted(results.glob("*")):
        for run in runs_with(dataset, PAGE):
            page = tables_of(dataset, run) / PAGE
            parts = page.relative_to(results).parts
            yield Listed(title=title(dataset), run=run, page=parts, group=HEADING)
