"""Merge exports of several machines to one page and tables.

The tables are those of `wsd compare` and `wsd layerwise`, computed from the same predictions: one
run with all encoders gives the same tables. They do not depend on the order of the exports.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_out_folder, add_seed
from wsd.artifacts.column_names import ALL_WORDS, BEST
from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.evaluation.comparison_tables import best_of, differences, with_intervals
from wsd.evaluation.layer_groups import Group
from wsd.evaluation.layerwise import LAYER_COLUMNS, of_layers
from wsd.evaluation.model_comparison import ModelComparison, assemble
from wsd.logs import log
from wsd.storage.atomic import write_text
from wsd.storage.csv import write_csv
from wsd.studies.board.board_page import page
from wsd.studies.board.export_file import NAMES, Export, read_export


def check_together(exports: Sequence[Export]) -> None:
    """Refuse exports that cannot be compared.

    Raises
    ------
    ResultError
        If two exports have different corpora or objectives, or models with the same name.
    """
    first, *others = exports
    names: dict[str, Export] = {}
    for other in exports:
        for model in other.about["models"]:
            if model in names:
                fix = "leave one out, or export the other models of its run with `--model`"
                raise _apart(f"two models have the name {model!r}", names[model], other, fix)
            names[model] = other
    for other in others:
        checksums = [export.about["corpus"]["checksum"] for export in (first, other)]
        if checksums[0] != checksums[1] or not first.instances.equals(other.instances):
            fix = "merge exports of one corpus, with the same words and sentences"
            raise _apart("the corpora differ", first, other, fix)
        if first.about["objective"] != other.about["objective"]:
            fix = "run both with one `tuning.objective`"
            raise _apart("the selections have different objectives", first, other, fix)


def _apart(problem: str, first: Export, other: Export, fix: str) -> ResultError:
    return ResultError(problem, where=f"{first.path} and {other.path}", fix=fix)


def compute_tables(exports: Sequence[Export], seed: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the board by name; scores are fractions.

    ``encoders`` has the selected configuration of each encoder, ``layers`` every layer choice of a
    single view, and ``differences`` each selected configuration minus every other one.
    """
    groups = sorted(
        (group for export in exports for group in export.groups),
        key=lambda group: tuple(group.names.values()),
    )
    models = {name: facts for export in exports for name, facts in export.about["models"].items()}
    comparisons = _comparisons(groups, models)
    clusters = exports[0].by_word("near_duplicates")
    apart = pd.DataFrame([line for own in comparisons for line in differences(own, clusters, seed)])
    layers = [
        line
        for group in groups
        if JOIN not in group.names["view"]
        for line in of_layers(group, seed)
    ]
    unlike = exports[0].by_word("unlike_training")
    return {
        "encoders": _encoders(groups, comparisons, unlike, seed),
        "layers": pd.DataFrame(layers, columns=LAYER_COLUMNS),
        "differences": apart[apart["kind"] != BEST].drop(columns=["reference_kind", "kind"]),
    }


def _comparisons(groups: Sequence[Group], models: Mapping[str, Any]) -> list[ModelComparison]:
    """Return the selected configuration of each model, with the rows to compare it with."""
    listed = [
        (FULL, ALL_WORDS, *row.configuration, objective)
        for group in groups
        for row, objective in zip(group.rows, group.objective_cv, strict=True)
    ]
    table = pd.DataFrame(listed, columns=["train", "scope", *NAMES, "objective"])
    chosen = {name: {FULL: {"all": facts["selected"]}} for name, facts in models.items()}
    rows = [row for group in groups for row in group.rows]
    return assemble(rows, chosen, groups[0].objective, table)


def _encoders(
    groups: Sequence[Group],
    comparisons: Sequence[ModelComparison],
    unlike: Mapping[str, Any],
    seed: int,
) -> pd.DataFrame:
    references = [comparison.reference for comparison in comparisons]
    lines = with_intervals(references, unlike, comparisons[0].objective, seed)
    metric = groups[0].objective
    best = best_of(references, range(len(references[0].words)), metric, seed)
    of_row = {row.configuration: group.columns(row) for group in groups for row in group.rows}
    table = []
    for row, line, p, within in zip(references, lines, best.p, best.within, strict=True):
        model = row.source["encoder"]["model"]
        facts = {
            **{name: line.pop(name) for name in NAMES},
            "relative_depth": of_row[row.configuration]["relative_depth"],
            **{key: model[key] for key in ("blocks", "width")},
            "metric": metric,
            "p_largest_advantage": float(p),
            "in_confidence_set": bool(within),
        }
        table.append(facts | line)
    return pd.DataFrame(table).drop(columns=["kind", "about"])


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "files of `wsd export`"
    parser.add_argument("exports", type=Path, nargs="+", metavar="EXPORT", help=text)
    add_seed(parser, "of intervals and tests")
    add_out_folder(parser, "folder for index.html and the tables")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    exports = [read_export(path) for path in args.exports]
    check_together(exports)
    tables = compute_tables(exports, args.seed)
    text = page(exports, tables)
    for name, table in tables.items():
        write_csv(args.out / f"{name}.csv", table)
    write_text(args.out / "index.html", text)
    log.info("board: %d encoders, %s", len(tables["encoders"]), args.out / "index.html")
