"""Select a configuration by cross-validation: feature set, classifier and parameters together.

There is a selection for all words and one per word. The command reads cross-validated scores only
(:mod:`wsd.artifacts.cv_table`). It writes the selection, with search space and objective, before
any test prediction is scored.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wsd.arguments import add_files, add_out, add_path, add_seed, writes
from wsd.artifacts.column_names import ALL_WORDS
from wsd.artifacts.cv_table import Search, read_search
from wsd.artifacts.feature_set import parse_features
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError, wrong_file
from wsd.metrics.confidence_intervals import resampled
from wsd.storage.csv import write_csv
from wsd.storage.json import write_json

CONFIGURATION = ("view", "layers", "classifier", "estimator")
# The cross-validated scores of a candidate; empty if no word has folds.
CV_COLUMNS = ("objective", "spread")
SELECTION_COLUMNS = [
    *("model", "train", "scope", "view", "layers", "classifier", "parameters"),
    *(*CV_COLUMNS, "share_first", "selected"),
]


class Candidate(NamedTuple):
    """A feature set and classifier, with its cross-validated scores.

    Attributes
    ----------
    view, layers, classifier, estimator : str
    search : Search
    source : mapping
        The provenance of the search.
    """

    view: str
    layers: str
    classifier: str
    estimator: str
    search: Search
    source: Mapping[str, Any]

    @property
    def names(self) -> dict[str, str]:
        """Return the candidate without its search."""
        return {name: getattr(self, name) for name in CONFIGURATION}

    @property
    def place(self) -> tuple[Any, ...]:
        """Return what candidates are sorted by: this order decides ties."""
        blocks = self.source["encoder"]["model"]["blocks"]
        order = parse_features(self.view, self.layers, blocks).order
        return order, self.view, self.classifier


def choose(
    candidates: Sequence[Candidate], objective: str, words: Sequence[str] | None = None
) -> tuple[list[dict[str, Any]], int] | None:
    """Rank candidates on the held-out training instances of some words.

    A candidate is ranked by the best point of its search space. ``spread`` is the standard
    deviation over repeats: it shows how much the objective depends on the draw of the folds.

    Parameters
    ----------
    candidates : sequence of Candidate
        The first one wins a tie.
    objective : str
        One of ``wsd.artifacts.cv_table.OBJECTIVES``.
    words : sequence of str, optional
        By default all.

    Returns
    -------
    list of dict, one per candidate, and the index of the selected one; None if no word has folds
    """
    rows = []
    for candidate in candidates:
        values = candidate.search.objective(objective, words)
        parameters = candidate.search.best(objective, words)
        if values is None or parameters is None:
            return None
        at_best = values[:, candidate.search.grid.index(parameters)]
        scores = {"objective": float(at_best.mean()), "spread": float(at_best.std())}
        rows.append({**candidate.names, "parameters": parameters, **scores})
    chosen = int(_first_best(np.array([[row["objective"]] for row in rows]))[0])
    return rows, chosen


def _first_best(values: np.ndarray) -> np.ndarray:
    """Return, per column, the first row that has the maximum, up to rounding."""
    return (values >= values.max(axis=0) - 1e-12).argmax(axis=0)


def shares_first(
    candidates: Sequence[Candidate], objective: str, seed: int
) -> dict[tuple[str, ...], float]:
    """Return how often each candidate ranks first if the words are drawn with replacement.

    The selection is repeated on 1,000 samples of the words. In each, a candidate has its best point
    on that sample. The share shows how much the selection depends on the words; it is not a test.

    Parameters
    ----------
    candidates : sequence of Candidate
        The first one wins a tie.
    objective : str
        One of ``wsd.artifacts.cv_table.OBJECTIVES``.
    seed : int

    Returns
    -------
    dict of the values of ``CONFIGURATION`` to a share; NaN with fewer than two words with folds
    """
    words = list(candidates[0].search.scores)
    if len(words) < 2:
        return {tuple(candidate.names.values()): np.nan for candidate in candidates}
    drawn = resampled(np.arange(len(words)), seed) / len(words)
    best = [(drawn @ each.search.by_word(objective, words)).max(axis=1) for each in candidates]
    first = np.bincount(_first_best(np.stack(best)), minlength=len(candidates)) / len(drawn)
    return {tuple(each.names.values()): n for each, n in zip(candidates, first, strict=True)}


def choose_each(group: Sequence[Candidate], objective: str) -> dict[str, Any] | None:
    """Select for all words and for each word.

    Parameters
    ----------
    group : sequence of Candidate
        The first one wins a tie.
    objective : str

    Returns
    -------
    dict, or None if no word has folds and there are several candidates
        ``rows`` are the rows of :func:`choose` with their scope, the selected one first. ``chosen``
        has the selected row for ``all`` words, and the selected row of each word in ``words``.
    """
    first = group[0]
    rows: list[dict[str, Any]]
    if not first.search.scores and len(group) == len(first.search.grid) == 1:
        parameters = first.search.grid[0]
        rows, best = [{**first.names, "parameters": parameters, **dict.fromkeys(CV_COLUMNS)}], 0
    elif for_all := choose(group, objective):
        rows, best = for_all
    else:
        return None
    order = sorted(range(len(rows)), key=lambda i: (i != best, -(rows[i]["objective"] or 0)))
    table = [{**rows[i], "scope": ALL_WORDS, "selected": i == best} for i in order]
    # On a single word many configurations tie; the one with the higher rank on all words wins.
    ranked, grid = [group[i] for i in order], group[best].search.grid
    # A word without folds has the parameters that all points of the search space share.
    shared = {k: v for k, v in grid[0].items() if all(point[k] == v for point in grid)}
    words: dict[str, Mapping[str, Any]] = {}
    for word in sorted({*first.search.scores, *first.search.untuned}):
        words[word] = {**rows[best], "parameters": shared}
        if word in first.search.scores and (ranking := choose(ranked, objective, [word])):
            word_rows, chosen = ranking
            words[word] = word_rows[chosen]
            table.append({**words[word], "scope": word, "selected": True})
    return {"rows": table, "chosen": {"all": rows[best], "words": words}}


def read_candidates(searches: Sequence[Path]) -> dict[tuple[str, str], list[Candidate]]:
    """Return the candidates of each model and training set, sorted by feature set and name.

    Raises
    ------
    ResultError
        If a search has another objective, or other folds or words than the others.
    """
    groups: dict[tuple[str, str], list[Candidate]] = {}
    common: dict[str, Any] = {}
    for path in searches:
        search, source = read_search(path)
        tuned = {key: source[key] for key in ("objective", "folds", "corpus")}
        if common.setdefault(source["train"], tuned) != tuned:
            other = "another objective, or other folds, words or sentences"
            raise wrong_file(f"the search of another run: {other} than {searches[0]}", path)
        names = {name: source[name] for name in CONFIGURATION}
        candidate = Candidate(**names, search=search, source=source)
        model = source["encoder"]["model"]["name"]
        groups.setdefault((model, source["train"]), []).append(candidate)
    return {
        key: sorted(group, key=lambda candidate: candidate.place)
        for key, group in sorted(groups.items())
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_files(parser, "--searches")
    add_seed(parser, "of the resampling of words")
    add_path(parser, "--table", "every candidate, .csv")
    writes(parser, "table")
    add_out(parser, "the selection", ".json")


def run(args: argparse.Namespace) -> None:
    """Select per model and training set, for all words and for each word, and write both files."""
    groups = read_candidates(args.searches)
    sources = [candidate.source for group in groups.values() for candidate in group]
    objective = sources[0]["objective"]
    spaces = {source["classifier"]: source["space"] for source in sources}
    folds = {source["train"]: source["folds"] for source in sources}
    rows: list[dict[str, Any]] = []
    chosen: dict[str, dict[str, Any]] = {}
    for (name, train), group in groups.items():
        selection = choose_each(group, objective)
        if selection is None and train == FULL:
            points = sum(len(candidate.search.grid) for candidate in group)
            raise ResultError(
                f"nothing can be selected for {name!r} among {points} candidates: no word has "
                f"enough training sentences for {folds[train]['k']} folds",
                where=str(args.searches[0]),
                fix="draw fewer folds (config key tuning.folds), or leave one layer choice and one "
                "classifier without lists of values, so that nothing has to be selected",
            )
        if selection is None:
            continue
        chosen.setdefault(name, {})[train] = selection["chosen"]
        shares = shares_first(group, objective, args.seed)
        for row in selection["rows"]:
            parameters = json.dumps(row["parameters"], sort_keys=True)
            rows.append({"model": name, "train": train, **row, "parameters": parameters})
            if row["scope"] == ALL_WORDS:
                rows[-1]["share_first"] = shares[tuple(row[key] for key in CONFIGURATION)]
    write_csv(args.table, pd.DataFrame(rows, columns=SELECTION_COLUMNS))
    record = {
        "objective": objective,
        "labels": "macro-F1 and balanced accuracy over the senses of the word's training set",
        "folds": folds,
        "space": spaces,
        "candidates": {f"{name}, {train}": len(group) for (name, train), group in groups.items()},
        "chosen": chosen,
    }
    write_json(args.out, record)
