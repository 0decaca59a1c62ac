"""The pages of uses as links in the list of all reports."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from wsd.report.overview import Listed, find_pages

PAGE = "uses/index.html"
HEADING = "Uses of words, clustered without senses"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of uses below a folder of all results."""
    for _, listed in find_pages(results, PAGE, HEADING):
        yield listed
