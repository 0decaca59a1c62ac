"""The page that lists the reports of every dataset and run: ``results/index.html``.

It depends only on the current content of the folder, so that the last writer leaves it up to date.
A study that extends the command ``overview`` names a module with the function
``reports(results)``, which yields a :class:`Listed` per page.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.artifacts.column_names import SELECTED, feature_set
from wsd.artifacts.dataset import dataset_of_results
from wsd.artifacts.find_runs import NAMELESS, PROVENANCE, RUNS, runs_with, tables_of
from wsd.errors import WsdError
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json

PAGE = "report/index.html"


@dataclass(frozen=True)
class Result:
    """The main result of a report: the selected configuration, and its score with a 95% CI."""

    features: str
    classifier: str
    score: float
    low: float
    high: float
    words: int


@dataclass(frozen=True)
class Listed:
    """A report on the page.

    Attributes
    ----------
    title : str
        The title of its dataset.
    run : str
    page : tuple of str
        Its path below the folder of all results, in parts.
    models : list of str
    day : str
        When it was written.
    result : Result or None
        None if its tables cannot be read.
    version : str
        The version of wsd that wrote it, if it differs from this one.
    group : str
        The heading of the list that it belongs to; empty for a row of the table.
    """

    title: str
    run: str
    page: tuple[str, ...]
    models: Sequence[str] = ()
    day: str = ""
    result: Result | None = None
    version: str = ""
    group: str = ""


def reports(results: Path) -> Iterator[Listed]:
    """Yield every report below a folder of all results, by dataset and run."""
    for dataset in sorted(results.glob("*")):
        for run in runs_with(dataset, PAGE):
            tables = tables_of(dataset, run)
            selected, page = _selected(tables), (tables / PAGE).relative_to(results).parts
            models, provenance = sorted(row["model"] for row in selected), tables / PROVENANCE
            result = _result(selected[0], several=len(models) > 1) if selected else None
            about = (models, day(provenance), result, _other_version(provenance))
            yield Listed(title(dataset), run, page, *about)


def find_pages(results: Path, page: str, group: str = "") -> Iterator[tuple[Path, Listed]]:
    """Yield a study's pages below a folder of all results, without models, day and result.

    Parameters
    ----------
    results : Path
    page : str
        The pattern of their paths below the folder of a run, such as ``*/pairs.html``.
    group : str
        The heading of the list that they belong to.
    """
    for dataset in sorted(results.glob("*")):
        for path in [*sorted(dataset.glob(page)), *sorted(dataset.glob(f"{RUNS}/*/{page}"))]:
            parts = path.relative_to(results).parts
            run = parts[2] if parts[1] == RUNS else NAMELESS
            yield path, Listed(title=title(dataset), run=run, page=parts, group=group)


def _selected(tables: Path) -> list[dict[str, Any]]:
    """Return the configuration selected for all words per model, by decreasing CV score."""
    with suppress(WsdError, KeyError):  # damaged or missing: the others are still listed
        table = read_csv(tables / "comparison.csv")
        rows = having(table, kind=SELECTED).dropna(subset="n_words").drop_duplicates("model")
        return records(rows.sort_values("objective_cv", ascending=False, kind="stable"))
    return []


def _result(row: dict[str, Any], *, several: bool) -> Result:
    features = feature_set(row["view"], row["layers"])
    features += f" of {row['model']}" if several else ""
    score, low, high = (row[f"mean_macro_f1{bound}"] for bound in ("", "_low", "_high"))
    return Result(features, row["classifier"], score, low, high, row["n_words"])


def title(dataset: Path) -> str:
    """Return the title of a dataset, by its folder of results."""
    with suppress(WsdError):
        return dataset_of_results(dataset).title
    return dataset.name


def _other_version(provenance: Path) -> str:
    with suppress(WsdError, KeyError, TypeError):
        written_by = str(read_json(provenance)["versions"]["wsd"])
        return written_by if written_by != version("wsd") else ""
    return ""


def day(path: Path) -> str:
    """Return the day on which a file was written."""
    with suppress(OSError):
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().date().isoformat()
    return ""


def write_overview(results: Path, studies: Sequence[Any] = ()) -> Path:
    """Write ``index.html``, unless it is up to date, and return its path."""
    listed = [*reports(results), *(row for study in studies for row in study.reports(results))]
    groups: dict[str, list[Listed]] = {}
    for report in sorted(listed, key=lambda report: report.page[0]):
        groups.setdefault(report.group, []).append(report)
    page = results / "index.html"
    text = render_alone("overview.html", reports=groups.pop("", []), groups=groups)
    if not page.is_file() or page.read_bytes() != text.encode():
        write_text(page, text)
    return page


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(str(write_overview(args.results, args.studies)))
