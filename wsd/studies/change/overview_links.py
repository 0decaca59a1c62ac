"""The pages of change as links in the list of all reports."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wsd.report.overview import Listed, find_pages

PAGE = "change/index.html"
HEADING = "Change between two groups of uses"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of change below a folder of all results."""
    for path, listed in find_pages(results, f"*/{PAGE}", HEADING):
        yield replace(listed, models=[path.parent.parent.name])
