"""Merge exports of several machines to one page and tables.

One run with all encoders gives the same tables: they are computed by the functions of `wsd compare`
and `wsd layerwise`, from the same predictions. They do not depend on the order of the exports.
"""

import argparse
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_out_folder, add_seed
from wsd.artifacts.column_names import ALL_WORDS, BEST, CANDIDATE
from wsd.artifacts.encoder_record import check_record
from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.predictions import WordPredictions
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import ComparisonRow, assemble
from wsd.evaluation.comparison_tables import best_of, differences, with_intervals
from wsd.evaluation.layerwise import GROUP, LAYER_COLUMNS, Group, of_layers
from wsd.logs import log
from wsd.report.pages import curves
from wsd.report.pages.layers import DEPTH, DEPTHS
from wsd.report.pages.plots import plot_of
from wsd.report.pages.render import CURVES, render_alone
from wsd.report.pages.report_data import having, records
from wsd.report.tables import METRICS
from wsd.storage.atomic import write_text
from wsd.storage.csv import write_csv
from wsd.storage.result_files import UNEXPECTED, parsing, require, require_file
from wsd.studies.board import export
from wsd.studies.board.export import DOCUMENT, NAMES

# The most bytes of all members: a small file can unpack to a huge one.
MOST_BYTES = 2**28
FOREIGN = (EOFError, OSError, zipfile.BadZipFile, zlib.error, *UNEXPECTED)


class Export(NamedTuple):
    """An export that was read.

    Attributes
    ----------
    path : Path
    about : mapping
        The content of ``export.json``.
    groups : list of Group
        The configurations by model, view and classifier, without searches.
    instances : DataFrame
        The columns of ``predictions.parquet`` that all exports of a corpus share.
    checksum : str
        The SHA-256 of the member ``SHA256SUMS``, so of all content.
    """

    path: Path
    about: Mapping[str, Any]
    groups: Sequence[Group]
    instances: pd.DataFrame
    checksum: str


def read_export(path: Path) -> Export:
    """Read an export, and check its members against their checksums.

    Raises
    ------
    ResultError
        If the file is missing, incomplete, changed, not an export, or of another format.
    """
    require_file(path)
    with parsing(path, "not a whole export", FOREIGN), zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        require(size <= MOST_BYTES, f"it unpacks to {size:,} bytes")
        members = {name: archive.read(name) for name in export.MEMBERS}
        sums = members.pop(export.SUMS)
        require(sums == export.checksums(members), "a member does not match its checksum")
        about = json.loads(members[export.ABOUT])
        require({**about, **export.KIND} == about, f"it is not of the kind {export.KIND}")
        for model in about["models"].values():
            check_record(model["encoder"]["model"])
        scores = pd.read_parquet(io.BytesIO(members[export.SCORES]))
        table = pd.read_parquet(io.BytesIO(members[export.PREDICTIONS]))
        groups = _groups(about, scores, table)
        instances = table[[name for name in (*export.INSTANCE, DOCUMENT) if name in table]]
        return Export(path, about, groups, instances, hashlib.sha256(sums).hexdigest())


def by_word(table: pd.DataFrame, column: str) -> dict[str, np.ndarray]:
    """Return a column of a table of instances by word."""
    words = table.groupby("word", sort=False)[column]
    return {str(word): values.to_numpy() for word, values in words}


def _groups(about: Mapping[str, Any], scores: pd.DataFrame, table: pd.DataFrame) -> list[Group]:
    """Return the configurations by model, view and classifier."""
    words = about["corpus"]["words"]
    n_senses = table["word"].map({word: len(entry["senses"]) for word, entry in words.items()})
    codes = table[["gold", *scores["column"]]].to_numpy()
    has = (codes >= 0) & (codes < n_senses.to_numpy()[:, None])
    require(codes.dtype.kind == "i" and has.all(), "a sense that its word does not have")
    index, gold = by_word(table, "index"), by_word(table, "gold")
    documents = by_word(table, DOCUMENT) if DOCUMENT in table else {}
    known = {w: (w, tuple(e["senses"]), e["n_train"], index[w], gold[w]) for w, e in words.items()}
    none = {word: np.empty((len(rows), 0)) for word, rows in gold.items()}
    groups = []
    for (model, _, _), lines in scores.groupby(list(GROUP), sort=False):
        (selected,) = lines.loc[lines["selected"], "layers"]
        cv = [None if np.isnan(value) else value for value in lines["objective_cv"].astype(float)]
        source, rows = {"encoder": about["models"][model]["encoder"]}, []
        shared: dict[str, Any] = {"source": source, "documents": documents}
        for line in lines.to_dict("records"):
            predicted = by_word(table, line["column"])
            own = [WordPredictions(*known[w], predicted[w], none[w]) for w in words]
            names = {name: line[name] for name in NAMES}
            rows.append(ComparisonRow(CANDIDATE, **names, words=own, **shared))
        groups.append(Group(rows, [], about["objective"], cv, selected, {}))
    return groups


def check_together(exports: Sequence[Export]) -> None:
    """Refuse exports with different corpora or objectives, or with models of the same name.

    Raises
    ------
    ResultError
    """
    for first, other in combinations(exports, 2):
        corpora, problem = [each.about["corpus"]["words"] for each in (first, other)], ""
        if names := {*first.about["models"]} & {*other.about["models"]}:
            problem = f"two encoders have the name {min(names)!r}"
            fix = "export the other models of a run with `--model`"
        elif corpora[0] != corpora[1] or not first.instances.equals(other.instances):
            problem, fix = "the corpora differ", "merge exports of the same words and sentences"
        elif first.about["objective"] != other.about["objective"]:
            problem, fix = "the objectives differ", "run both with one `tuning.objective`"
        if problem:
            raise ResultError(problem, where=f"{first.path} and {other.path}", fix=fix)


def compute_tables(exports: Sequence[Export], seed: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the board by name; scores are fractions.

    ``encoders`` has the selected configuration of each encoder, ``layers`` every layer choice of a
    single view, and ``differences`` each selected configuration minus every other one.
    """
    groups = [group for each in exports for group in each.groups]
    groups.sort(key=lambda group: tuple(group.names.values()))
    metric, instances = groups[0].objective, exports[0].instances
    rows = [row for group in groups for row in group.rows]
    listed = pd.DataFrame([row.configuration for row in rows], columns=NAMES)
    listed["objective"] = [value for group in groups for value in group.objective_cv]
    listed = listed.assign(train=FULL, scope=ALL_WORDS)
    models = models_of(exports)
    chosen = {name: {FULL: {"all": facts["selected"]}} for name, facts in models.items()}
    comparisons = assemble(rows, chosen, metric, listed)
    references = [comparison.reference for comparison in comparisons]
    unlike, clusters = (by_word(instances, name) for name in ("unlike_training", "near_duplicates"))
    scores = with_intervals(references, unlike, comparisons[0].objective, seed)
    encoders = pd.DataFrame(scores).drop(columns=["kind", "about"])
    depths = {row.configuration: group.columns(row) for group in groups for row in group.rows}
    encoders["relative_depth"] = [depths[r.configuration]["relative_depth"] for r in references]
    for key in ("blocks", "width"):
        encoders[key] = [models[row.model]["encoder"]["model"][key] for row in references]
    best = best_of(references, range(len(references[0].words)), metric, seed)
    verdict = {"p_largest_advantage": best.p, "in_confidence_set": best.within}
    apart = pd.DataFrame([line for own in comparisons for line in differences(own, clusters, seed)])
    single = [group for group in groups if JOIN not in group.names["view"]]
    layers = [line for group in single for line in of_layers(group, seed)]
    return {
        "encoders": encoders.assign(metric=metric, **verdict),
        "layers": pd.DataFrame(layers, columns=LAYER_COLUMNS),
        "differences": apart[apart["kind"] != BEST].drop(columns=["reference_kind", "kind"]),
    }


def models_of(exports: Sequence[Export]) -> dict[str, Any]:
    """Return the facts of all encoders by name."""
    return {name: facts for each in exports for name, facts in each.about["models"].items()}


def page(exports: Sequence[Export], tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the page as HTML."""
    about, instances = exports[0].about, exports[0].instances
    # A column without any value holds None, which templates cannot format.
    tables = {
        name: table.astype(dict.fromkeys(table.columns[table.isna().all()], float))
        for name, table in tables.items()
    }
    encoders = tables["encoders"].sort_values(about["objective"], ascending=False, kind="stable")
    rank = {model: number for number, model in enumerate(encoders["model"])}
    pairs = having(tables["differences"], metric=about["objective"])
    pairs = pairs.assign(a=pairs["reference_model"].map(rank), b=pairs["model"].map(rank))
    pairs = pairs[pairs["a"] < pairs["b"]].sort_values(["a", "b"])
    models, configs = models_of(exports), [each.about["config"] for each in exports]
    keys = ("tuning", "classifiers", "seed")
    differing = [key for key in keys if any(c.get(key) != configs[0].get(key) for c in configs)]
    sampled = "documents" if DOCUMENT in instances else "sentences"
    return render_alone(
        "board/board.html",
        CURVES,
        report={"dataset": about["dataset"], "sampled": sampled},
        metric=about["objective"],
        encoders=records(encoders),
        instances=instances,
        differences=records(pairs),
        plots=depth_plots(tables["layers"], rank),
        legend=[(model, *curves.mark_of(number)) for model, number in rank.items()],
        layers=sorted(records(tables["layers"]), key=lambda row: rank[row["model"]]),
        models=models,
        differing=differing,
        exports=exports,
        tables=tables,
    )


def depth_plots(layers: pd.DataFrame, rank: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a plot of all encoders by relative depth for each view and classifier.

    Parameters
    ----------
    layers : DataFrame
        The table of layer choices; combinations of layers have no depth.
    rank : mapping of model to int
        The number of its colour and marker.
    """
    single = layers[layers["relative_depth"].notna()].sort_values("relative_depth")
    single = single.rename(columns={"low": "value_low", "high": "value_high"})
    plots: dict[str, list[curves.Curve]] = {}
    for names, rows in single.groupby(["view", "classifier", "model"]):
        view, classifier, model = map(str, names)
        labels = [f"layer {name}" for name in rows["layers"]]
        look: dict[str, Any] = {"name": model, "style": rank[model], "labels": labels}
        line = curves.of_table(rows, rows["relative_depth"], "value", **look)
        plots.setdefault(f"{view}, {classifier}", []).append(line)
    y_range = curves.common_range([*chain.from_iterable(plots.values())])
    y = f"{METRICS[layers['metric'].iloc[0]]}, percent"
    axes: dict[str, Any] = {"x": DEPTH, "ticks": DEPTHS, "y": y, "y_range": y_range}
    return [
        {"label": name, "id": f"depth.{name}", "figure": plot_of(lines, **axes)}
        for name, lines in plots.items()
    ]


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
