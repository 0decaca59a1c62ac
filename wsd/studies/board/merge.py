"""Merge exports of the same corpus, and compute the tables of the board.

One run with all models gives the same tables: they are computed by the functions of
`wsd compare` and `wsd layerwise`, from the same predictions. They do not depend on the order of the
exports.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import ALL_WORDS, BEST, NAMES
from wsd.artifacts.feature_set import JOIN
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.evaluation.comparison_tables import best_of, differences, with_intervals
from wsd.evaluation.layer_groups import Group
from wsd.evaluation.layerwise import LAYER_COLUMNS, of_layers
from wsd.evaluation.model_comparison import ModelComparison, assemble
from wsd.studies.board.export_file import Export

ENCODERS, LAYERS, DIFFERENCES = TABLES = ("encoders", "layers", "differences")
FACTS = ("blocks", "width", "parameters", "embedding_processor_seconds")
CONFIDENCE_SET = ("metric", "p_largest_advantage", "in_confidence_set")


class Merged(NamedTuple):
    """The configurations of all exports, by model.

    Attributes
    ----------
    exports : list of Export
    groups : list of Group
        Sorted by model, view and classifier.
    origin : mapping of model to Export
    """

    exports: Sequence[Export]
    groups: Sequence[Group]
    origin: Mapping[str, Export]

    @property
    def objective(self) -> str:
        """Return the metric of the selection, and of all comparisons."""
        return self.groups[0].objective

    def facts(self, model: str) -> Mapping[str, Any]:
        """Return the facts of a model in its export."""
        facts: Mapping[str, Any] = self.origin[model].about["models"][model]
        return facts


def merge(exports: Sequence[Export]) -> Merged:
    """Merge exports.

    Raises
    ------
    ResultError
        If two exports have different corpora or objectives, or models with the same name.
    """
    first, *others = exports
    for other in others:
        _check_same_corpus(first, other)
        objectives = [export.about["objective"] for export in (first, other)]
        if len(set(objectives)) > 1:
            problem = f"the selections have different objectives, {' and '.join(objectives)}"
            raise _apart(problem, first, other, "run both with one `tuning.objective`")
    origin: dict[str, Export] = {}
    for export in exports:
        for model in export.about["models"]:
            if model in origin:
                problem = f"two exports have a model with the name {model!r}"
                fix = "leave one out, or export the other models of its run with `--model`"
                raise _apart(problem, origin[model], export, fix)
            origin[model] = export
    groups = [group for export in exports for group in export.content.groups]
    return Merged(exports, sorted(groups, key=lambda g: tuple(g.names.values())), origin)


def _check_same_corpus(first: Export, other: Export) -> None:
    corpora = [export.about["corpus"] for export in (first, other)]
    if corpora[0]["checksum"] != corpora[1]["checksum"]:
        names = [
            f"{export.about['dataset']['name']!r} of {len(corpus['words'])} words, "
            f"checksum {corpus['checksum'][:12]}"
            for export, corpus in zip((first, other), corpora, strict=True)
        ]
        fix = "merge exports of one corpus, with the same words and sentences"
        raise _apart(f"the corpora differ: {names[0]}; {names[1]}", first, other, fix)
    for word in first.about["corpus"]["words"]:
        ours, theirs = (_instances(export, word) for export in (first, other))
        if ours.keys() != theirs.keys() or not all(
            np.array_equal(ours[name], theirs[name]) for name in ours
        ):
            problem = f"the test instances of {word!r} differ, although the corpora are the same"
            fix = "export both runs again with the same version of wsd"
            raise _apart(problem, first, other, fix)


def _instances(export: Export, word: str) -> dict[str, Any]:
    """Return what all exports of a corpus share about the test instances of a word."""
    content = export.content
    (words,) = (words for words in content.first.words if words.word == word)
    documents = {name: own for name, own in content.first.documents.items() if name == word}
    return {
        **{name: getattr(words, name) for name in ("senses", "n_train", "index", "gold")},
        "near_duplicates": content.near_duplicates[word],
        "unlike_training": content.unlike_training[word],
        **documents,
    }


def _apart(problem: str, first: Export, other: Export, fix: str) -> ResultError:
    return ResultError(problem, where=f"{first.path} and {other.path}", fix=fix)


def compute_tables(merged: Merged, seed: int) -> dict[str, pd.DataFrame]:
    """Return the tables of the board by name; scores are fractions.

    ``encoders`` has the selected configuration of each encoder, ``layers`` every layer choice of a
    single view, and ``differences`` each selected configuration minus every other one.

    Parameters
    ----------
    merged : Merged
    seed : int
    """
    comparisons = _comparisons(merged)
    clusters = merged.exports[0].content.near_duplicates
    apart = [line for own in comparisons for line in differences(own, clusters, seed)]
    layers = []
    for group in merged.groups:
        if JOIN not in group.names["view"]:
            own = [g for g in merged.groups if g.names["model"] == group.names["model"]]
            rivals = sum(len(g.rows) for g in own if JOIN not in g.names["view"]) - 1
            layers += of_layers(group, rivals, seed)
    others = pd.DataFrame(apart)
    others = others[others["kind"] != BEST].drop(columns=["reference_kind", "kind"])
    return {
        ENCODERS: _encoders(merged, comparisons, seed),
        LAYERS: pd.DataFrame(layers, columns=LAYER_COLUMNS),
        DIFFERENCES: others,
    }


def _comparisons(merged: Merged) -> list[ModelComparison]:
    """Return the selected configuration of each model, with the rows to compare it with."""
    rows = [row for group in merged.groups for row in group.rows]
    listed = [
        (FULL, ALL_WORDS, *row.configuration, objective)
        for group in merged.groups
        for row, objective in zip(group.rows, group.objective_cv, strict=True)
    ]
    columns = ["train", "scope", *NAMES[1:], "objective"]
    chosen = {name: {FULL: {"all": merged.facts(name)["selected"]}} for name in merged.origin}
    return assemble(rows, chosen, merged.objective, pd.DataFrame(listed, columns=columns))


def _encoders(merged: Merged, comparisons: Sequence[ModelComparison], seed: int) -> pd.DataFrame:
    references = [comparison.reference for comparison in comparisons]
    lines = with_intervals(
        references, merged.exports[0].content.unlike_training, comparisons[0].objective, seed
    )
    best = best_of(references, range(len(references[0].words)), merged.objective, seed)
    table = []
    for row, line, p, within in zip(references, lines, best.p, best.within, strict=True):
        (group,) = (
            g
            for g in merged.groups
            if (*g.names.values(),) == (row.model, row.view, row.classifier)
        )
        facts = merged.facts(row.model)
        known = {**facts, **facts["encoder"]["model"]}
        names = {name: line.pop(name) for name in NAMES if name != "kind"}
        depth = {"relative_depth": group.columns(row)["relative_depth"]}
        del line["kind"], line["about"]
        found = zip(CONFIDENCE_SET, (merged.objective, float(p), bool(within)), strict=True)
        table.append(names | depth | {key: known[key] for key in FACTS} | dict(found) | line)
    return pd.DataFrame(table).astype({"parameters": "Int64"})
