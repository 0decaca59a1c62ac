"""Read the predictions and searches of all layer choices, by model, view and classifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wsd.artifacts.column_names import ALL_WORDS, CANDIDATE
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.cv_table import Search, read_search
from wsd.artifacts.feature_set import parse_features
from wsd.classification.select import Candidate, choose_each
from wsd.errors import ConfigError, ResultError
from wsd.evaluation.comparison_rows import ComparisonRow, nothing_selected, read_rows

GROUP = ("model", "view", "classifier")
# Settings that all searches share: their names in an error, and in the provenance.
COMMON = {
    **{"training set": "train", "task": "task", "folds": "folds"},
    **{"objective": "objective", "words with folds": "tuned"},
}


@dataclass(frozen=True, eq=False)
class Group:
    """The layer choices of one model, view and classifier, in the order of the grammar.

    Attributes
    ----------
    rows : list of ComparisonRow
        Their predictions.
    searches : list of Search
        The CV scores of each.
    objective : str
        The metric of the selection, and of all comparisons.
    objective_cv : list of float or None
        The cross-validated objective of each; None if no word has folds.
    selected : str
        The layer choice selected for all words.
    selected_for : mapping of word to str
        The layer choice of each word; for a word without folds, the one for all words.
    """

    rows: list[ComparisonRow]
    searches: list[Search]
    objective: str
    objective_cv: list[float | None]
    selected: str
    selected_for: Mapping[str, str]

    @property
    def blocks(self) -> int:
        """Return the number of the encoder's blocks."""
        return int(self.rows[0].source["encoder"]["model"]["blocks"])

    @property
    def names(self) -> dict[str, str]:
        """Return the columns that all its rows share."""
        return {name: getattr(self.rows[0], name) for name in GROUP}

    def columns(self, row: ComparisonRow) -> dict[str, Any]:
        """Return the columns of a row in the tables over all words.

        The relative depth of a single layer runs from 0, the embeddings, to 1, the last block. A
        combination has none.
        """
        single = row.layers.isdecimal()
        return {
            **self.names,
            "layers": row.layers,
            "relative_depth": int(row.layers) / self.blocks if single else None,
            "metric": self.objective,
            "value": row.mean(self.objective),
        }


def read_groups(
    predictions: Sequence[Path], searches: Sequence[Path], corpora: Mapping[str, Corpus]
) -> list[Group]:
    """Read predictions and their searches, grouped by model, view and classifier.

    Parameters
    ----------
    predictions, searches : sequences of Path
        Written in pairs by `wsd classify`; in the same order.
    corpora : mapping of word to Corpus

    Raises
    ------
    ConfigError
        If there are not as many searches as predictions.
    ResultError
        If files do not belong together or to the corpora, or no word has folds.
    """
    if len(predictions) != len(searches):
        problem = f"{len(predictions)} files of predictions, {len(searches)} of searches"
        fix = "give the search of each file of predictions, in the same order"
        raise ConfigError(problem, where="--predictions, --searches", fix=fix)
    common: dict[str, Any] = {}
    groups: dict[tuple[str, ...], dict[tuple[Any, ...], tuple[ComparisonRow, Candidate]]] = {}
    rows = read_rows(predictions, CANDIDATE, corpora)
    for row, path, other in zip(rows, predictions, searches, strict=True):
        search, source = read_search(other)
        settings = {name: source[key] for name, key in COMMON.items()}
        estimator, blocks = source["estimator"], source["encoder"]["model"]["blocks"]
        common = common or settings
        # One job writes both, with the same provenance except for the description of the rows.
        if any(source.get(key) != row.source[key] for key in row.source if key != "words"):
            raise _not_together(f"the search is not that of {path}", other)
        if settings != common:
            differing = " and ".join(key for key in settings if settings[key] != common[key])
            raise _not_together(f"not of the same {differing} as {searches[0]}", other)
        if {*search.scores, *search.untuned} != set(corpora):
            raise _not_together("the folds are of other words", other)
        group = groups.setdefault((row.model, row.view, row.classifier), {})
        place = parse_features(row.view, row.layers, blocks).order
        if place in group:
            raise _not_together("a second file of this model, view, layers and classifier", other)
        group[place] = row, Candidate(row.view, row.layers, row.classifier, estimator, search)
    return [
        _group([group[place] for place in sorted(group)], common["objective"])
        for group in groups.values()
    ]


def _not_together(problem: str, where: Path) -> ResultError:
    fix = "give predictions and searches of one run, in the same order; or delete and run again"
    return ResultError(problem, where=str(where), fix=fix)


def _group(members: Sequence[tuple[ComparisonRow, Candidate]], objective: str) -> Group:
    rows, candidates = ([*column] for column in zip(*members, strict=True))
    selection = choose_each(candidates, objective)
    if selection is None:
        raise nothing_selected(rows[0].model)
    over_all = [row for row in selection["rows"] if row["scope"] == ALL_WORDS]
    objective_cv = {row["layers"]: row["objective"] for row in over_all}
    chosen = selection["chosen"]
    return Group(
        rows=rows,
        searches=[candidate.search for candidate in candidates],
        objective=objective,
        objective_cv=[objective_cv[row.layers] for row in rows],
        selected=chosen["all"]["layers"],
        selected_for={word: names["layers"] for word, names in chosen["words"].items()},
    )
