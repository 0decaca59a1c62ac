"""Choosing a configuration on training folds: feature set, classifier and parameters at once.

One choice for all words, and one per word. It is written down, with the search space and the
objective, before any test prediction is scored. Only files of :mod:`wsd.artifacts.cv_table` are
read.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_files, add_objective, add_out, add_path, writes
from wsd.artifacts import cv_table
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.cv_table import Search, read_search
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError, wrong_file
from wsd.storage.csv import write_csv
from wsd.storage.json import write_json

CONFIGURATION = ("view", "layers", "classifier", "estimator")
# What the folds say of a candidate; empty where no word has folds.
OF_FOLDS = ("objective", "spread", "frequency")
SELECTION_COLUMNS = [
    *("model", "train", "scope", "view", "layers", "classifier", "parameters"),
    *(*OF_FOLDS, "selected"),
]


class Candidate(NamedTuple):
    """One feature set and classifier, with what the folds say about it.

    Attributes
    ----------
    view, layers, classifier, estimator : str
    search : Search
    """

    view: str
    layers: str
    classifier: str
    estimator: str
    search: Search


def choose(
    candidates: Sequence[Candidate], objective: str, words: Sequence[str] | None = None
) -> tuple[list[dict[str, Any]], int] | None:
    """Rank candidates on the held-out training instances of some words.

    Each candidate stands with the best point of its search space. ``frequency`` is the share of
    the repeats in which it, with its best point of that repeat, comes out first: how much the
    choice depends on how the folds fell.

    Parameters
    ----------
    candidates : sequence of Candidate
        Of equally good ones the first is chosen.
    objective : str
        Among ``wsd.artifacts.cv_table.OBJECTIVES``.
    words : sequence of str, optional
        By default all.

    Returns
    -------
    list of dict, one per candidate, and the index of the chosen one; None if no word has folds
    """
    rows, of_repeats = [], []
    for candidate in candidates:
        of = candidate.search.objective(objective, words)
        parameters = candidate.search.best(objective, words)
        if of is None or parameters is None:
            return None
        of_repeats.append(of.max(axis=1))
        of_point = of[:, candidate.search.grid.index(parameters)]
        scores = {"objective": float(of_point.mean()), "spread": float(of_point.std())}
        named = {name: getattr(candidate, name) for name in CONFIGURATION}
        rows.append({**named, "parameters": parameters, **scores})
    first = _first_best(np.stack(of_repeats))
    for i, row in enumerate(rows):
        row["frequency"] = float((first == i).mean())
    chosen = int(_first_best(np.array([[row["objective"]] for row in rows]))[0])
    return rows, chosen


def _first_best(values: np.ndarray) -> np.ndarray:
    """Per column, the first row that has the column's maximum but for rounding."""
    return (values >= values.max(axis=0) - 1e-12).argmax(axis=0)


def choose_each(group: Sequence[Candidate], objective: str) -> dict[str, Any] | None:
    """Choose for all words and for each word.

    Parameters
    ----------
    group : sequence of Candidate
        Of equally good ones the first is chosen.
    objective : str

    Returns
    -------
    dict of ``rows``, those of :func:`choose` with their scope, the chosen one first, and
    ``chosen``: of ``all``, and per word; None if no word has folds and there is a choice
    """
    for_all = choose(group, objective)
    if for_all is None:
        return _only(group)
    rows, best = for_all
    order = sorted(range(len(rows)), key=lambda i: (i != best, -rows[i]["objective"]))
    table = [{**rows[i], "scope": ALL_WORDS, "selected": i == best} for i in order]
    # On a single word many configurations make the same few errors: of these, the one that is
    # better on all words.
    ranked = [group[i] for i in order]
    words: dict[str, Mapping[str, Any]] = {}
    first = group[0].search
    for word in sorted({*first.scores, *first.untuned}):
        of_word = choose(ranked, objective, [word]) if word in first.scores else None
        if of_word is None:
            words[word] = {**rows[best], "parameters": _fixed(rows[best], group[best])}
        else:
            word_rows, chosen = of_word
            words[word] = word_rows[chosen]
            table.append({**words[word], "scope": word, "selected": True})
    return {"rows": table, "chosen": {"all": rows[best], "words": words}}


def _only(group: Sequence[Candidate]) -> dict[str, Any] | None:
    """As :func:`choose_each`, of words without folds: what needs none, for it is all there is."""
    candidate = group[0]
    if len(group) > 1 or len(candidate.search.grid) > 1:
        return None
    named = {name: getattr(candidate, name) for name in CONFIGURATION}
    row = {**named, "parameters": candidate.search.grid[0], **dict.fromkeys(OF_FOLDS)}
    words = dict.fromkeys(sorted(candidate.search.untuned), row)
    rows = [{**row, "scope": ALL_WORDS, "selected": True}]
    return {"rows": rows, "chosen": {"all": row, "words": words}}


def _fixed(row: Mapping[str, Any], candidate: Candidate) -> dict[str, Any]:
    """The parameters that every point of the search space has: the rest are left to defaults."""
    grid = candidate.search.grid
    return {k: v for k, v in row["parameters"].items() if all(p[k] == v for p in grid)}


def read_candidates(
    searches: Sequence[Path], objective: str
) -> dict[tuple[str, str], list[tuple[Candidate, Path, Mapping[str, Any]]]]:
    """The candidates of every model and training set, each with its file and what that is of.

    Those that come first are chosen among equally good ones.

    Raises
    ------
    ResultError
        If one was tuned for another objective, or on other folds or words than the others.
    """
    groups: dict[tuple[str, str], list[Any]] = {}
    common: dict[str, Any] = {}
    for path in searches:
        found, source = read_search(path)
        if source["objective"] != objective:
            raise wrong_file(f"tuned for {source['objective']}, not {objective}", path)
        tuned_on = {key: source[key] for key in ("folds", "corpus")}
        if common.setdefault(source["train"], tuned_on) != tuned_on:
            what = "the search of another run: its folds, words or sentences differ from"
            raise wrong_file(f"{what} {searches[0]}", path)
        model = source["encoder"]["model"]
        candidate = Candidate(**{name: source[name] for name in CONFIGURATION}, search=found)
        order = parse_features(candidate.view, candidate.layers, model["blocks"]).order
        place = (order, candidate.view, candidate.classifier)
        group = groups.setdefault((model["name"], source["train"]), [])
        group.append((place, (candidate, path, source)))
    return {
        key: [rest for _, rest in sorted(group, key=itemgetter(0))]
        for key, group in sorted(groups.items())
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_files(parser, "--searches")
    add_objective(parser, cv_table.OBJECTIVES)
    add_path(parser, "--table", "every candidate, .csv")
    writes(parser, "table")
    add_out(parser, "what is chosen", ".json")


def run(args: argparse.Namespace) -> None:
    """Choose per model and training set, for all words and for each, and write both down."""
    groups = read_candidates(args.searches, args.objective)
    sources = [source for group in groups.values() for _, _, source in group]
    spaces = {source["classifier"]: source["space"] for source in sources}
    folds = {source["train"]: source["folds"] for source in sources}
    rows: list[dict[str, Any]] = []
    chosen: dict[str, dict[str, Any]] = {}
    for (name, train), found in groups.items():
        group = [candidate for candidate, _, _ in found]
        of_group = choose_each(group, args.objective)
        if of_group is None and train == FULL:
            points = sum(len(candidate.search.grid) for candidate in group)
            raise ResultError(
                f"nothing can be selected for {name!r} among {points} candidates: no word has "
                f"enough training sentences for {folds[train]['k']} folds",
                where=str(args.searches[0]),
                fix="draw fewer folds (config key tuning.folds), or leave one layer choice and one "
                "classifier without lists of values, so that nothing has to be selected",
            )
        if of_group is None:
            continue
        chosen.setdefault(name, {})[train] = of_group["chosen"]
        for row in of_group["rows"]:
            parameters = json.dumps(row["parameters"], sort_keys=True)
            rows.append({"model": name, "train": train, **row, "parameters": parameters})
    write_csv(args.table, pd.DataFrame(rows, columns=SELECTION_COLUMNS))
    said = {
        "objective": args.objective,
        "labels": "macro-F1 and balanced accuracy over the senses of the word's training set",
        "folds": folds,
        "space": spaces,
        "candidates": {f"{name}, {train}": len(of) for (name, train), of in groups.items()},
        "chosen": chosen,
    }
    write_json(args.out, said)
