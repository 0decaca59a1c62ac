"""The pages of change as links in the list of all reports."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from wsd.artifacts.find_runs import NAMELESS, RUNS
from wsd.report.overview import Listed, title

PAGE = "change/index.html"
HEADING = "Change between two groups of uses"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of change below a folder of all results."""
    for dataset in sorted(results.glob("*")):
        of_runs = dataset.glob(f"{RUNS}/*/*/{PAGE}")
        for path in [*sorted(dataset.glob(f"*/{PAGE}")), *sorted(of_runs)]:
            parts = path.relative_to(results).parts
            run = parts[2] if parts[1] == RUNS else NAMELESS
            yield Listed(
                title=title(dataset), run=run, page=parts, models=[parts[-3]], group=HEADING
            )
