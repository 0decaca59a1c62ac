"""Check that the files of a report belong together."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pandas as pd

from wsd.errors import ResultError
from wsd.report.pages.read_tables import FIX, Files, ReportInputs, Results
from wsd.report.pages.report_data import having

FIXES = {
    "alignment": "give `wsd report` the table that `wsd alignment` writes for every model",
    "scores": FIX.format("evaluate"),
}


def check_files(results: Results) -> None:
    """Check that every layer choice has projections, predictions and neighbours, and no more."""
    needed: list[tuple[str, Files[Any], Iterable[str]]] = [
        ("projection by", results.projections, results.methods),
        ("predictions of", results.predictions, results.classifiers),
        ("table of neighbours", results.neighbours, [""]),
    ]
    for (content, files, kinds), (model, layers) in product(needed, results.grid):
        for kind in kinds:
            if (model, layers, kind) not in files:
                lack = f"no {content} {kind}".rstrip()
                raise ResultError(f"layer choice {layers!r} of {model} has {lack}")
    for model, layers in sorted({key[:2] for key in results.predictions} - set(results.grid)):
        raise ResultError(
            f"layer choice {layers!r} of {model} has predictions but no projection",
            fix="give one with --projections",
        )


def check_rows(results: Results, inputs: ReportInputs, tables: Mapping[str, pd.DataFrame]) -> None:
    """Check that the tables have a row per layer choice, classifier and word."""
    configurations = [
        {"model": model, "layers": layers, "classifier": classifier}
        for (model, layers), classifier in product(results.grid, results.classifiers)
    ]
    per_word = [{**row, "word": word} for row, word in product(configurations, inputs.corpora)]
    selected = [{key: row[key] for key in ("model", "classifier", "word")} for row in per_word]
    models = [{"model": model} for model in results.models]
    choice = "and layer choice {layers!r} of {model}"
    word_row = "{classifier} for {word!r} " + choice
    selection = "a layer choice selected by cross-validation for {word!r} of {model}, {classifier}"
    view = {"view": inputs.view}
    for name, equal, needed, text in (
        ("alignment", {}, models, "{model}"),
        ("layers", view, configurations, "{classifier} " + choice),
        ("scores", view, per_word, word_row),
        ("word-layers", view, per_word, word_row),
        ("word-layers", {**view, "selected_by_cv": True}, selected, selection),
    ):
        columns = having(tables[name], **equal)[list(needed[0])]
        existing = set(columns.itertuples(index=False, name=None))
        for row in needed:
            if tuple(row.values()) not in existing:
                problem = f"the table of {name} has no row of {text.format(**row)}"
                raise ResultError(problem, fix=FIXES.get(name, FIX.format("layerwise")))
