"""The page that lists the reports of every dataset and run: ``results/index.html``.

It says only what lies in the folder when it is written, so that whoever writes it last leaves it
right, and it is put in its place whole.
"""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wsd import logs
from wsd.artifacts.column_names import SELECTED
from wsd.artifacts.manifest import dataset_of_results
from wsd.artifacts.named_runs import NAMELESS, PROVENANCE, RUNS, runs_with, tables_of
from wsd.artifacts.pair_table import PAGE as PAIRS_PAGE
from wsd.errors import WsdError
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.tables import TABLES
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.storage.json import read_json
from wsd.studies.pairs.cosines import TABLE
from wsd.studies.pairs.pairs_page import COLUMNS

PAGE, USES = "report/index.html", "uses/index.html"
OF_RUNS = f"{RUNS}/*/*/{PAIRS_PAGE}"


@dataclass(frozen=True)
class Listed:
    """A report, as the page lists it.

    Attributes
    ----------
    title : str
        Of its dataset.
    run : str
    page : tuple of str
        The way to it from the folder of all results.
    chosen : dict or None
        Its row of the comparison: what the folds chose, of several models the best by the folds;
        None where the table cannot be read.
    models : list of str
        Those that are compared.
    made : str
        The day of its provenance.
    pairs : dict or None
        Of a page of pairs, the row of what was chosen.
    version : str
        Of wsd, by which it was made, where that is another than this one.
    """

    title: str
    run: str
    page: tuple[str, ...]
    chosen: dict[str, Any] | None
    models: list[str]
    made: str
    pairs: dict[str, Any] | None = None
    version: str = ""


def reports(results: Path) -> Iterator[Listed]:
    """Every report below a folder of all results, by dataset and run."""
    for dataset in sorted(results.glob("*")):
        for run in runs_with(dataset, PAGE):
            tables = tables_of(dataset, run)
            chosen = _chosen(tables)
            yield Listed(
                title=_title(dataset),
                run=run,
                page=(tables / PAGE).relative_to(results).parts,
                chosen=chosen[0] if chosen else None,
                models=sorted(row["model"] for row in chosen),
                made=_day(tables / PROVENANCE),
                version=_other_version(tables / PROVENANCE),
            )
        for path in sorted([*dataset.glob(f"*/{PAIRS_PAGE}"), *dataset.glob(OF_RUNS)]):
            yield Listed(
                title=_title(dataset),
                run=path.parts[-3] if path.parts[-4] == RUNS else NAMELESS,
                page=path.relative_to(results).parts,
                chosen=None,
                models=[path.parent.name],
                made=_day(path),
                pairs=_chosen_pairs(path.with_name(TABLE)),
            )


def _chosen_pairs(path: Path) -> dict[str, Any] | None:
    """Of what development pairs chose, the row of the last split that has labels."""
    with suppress(WsdError, IndexError):
        return records(having(read_csv(path, COLUMNS), chosen=True))[-1]
    return None


def uses(results: Path) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Title, run and way of every page that lists the uses of words."""
    for dataset in sorted(results.glob("*")):
        for run in runs_with(dataset, USES):
            page = tables_of(dataset, run) / USES
            yield _title(dataset), run, page.relative_to(results).parts


def _chosen(tables: Path) -> list[dict[str, Any]]:
    """What the folds chose of each model for all words, the best by the folds first."""
    with suppress(WsdError):  # damaged, or gone: the other reports are listed all the same
        table = read_csv(tables / "comparison.csv", TABLES["comparison"])
        rows = having(table, kind=SELECTED).dropna(subset="n_words").drop_duplicates("model")
        return records(rows.sort_values("objective_cv", ascending=False, kind="stable"))
    return []


def _title(dataset: Path) -> str:
    with suppress(WsdError):
        return dataset_of_results(dataset).title
    return dataset.name


def _other_version(provenance: Path) -> str:
    with suppress(WsdError, KeyError, TypeError):
        made = str(read_json(provenance)["versions"]["wsd"])
        return made if made != version("wsd") else ""
    return ""


def _day(provenance: Path) -> str:
    with suppress(OSError):
        return datetime.fromtimestamp(provenance.stat().st_mtime).astimezone().date().isoformat()
    return ""


def write_overview(results: Path) -> Path:
    """Write ``index.html``, unless it is there as it should be, and say where it is."""
    page = results / "index.html"
    text = render_alone("overview.html", reports=list(reports(results)), uses=list(uses(results)))
    if not page.is_file() or page.read_bytes() != text.encode():
        write_text(page, text)
    return page


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    logs.show(str(write_overview(args.results)))
