"""Gather the strategies for word sense disambiguation and their predictions.

No test label is used to select anything: layer and feature set are selected by cross-validation on
the same training set. If that is too small for folds, the last single layer is taken, with the
classifier that has the fewest points to tune. Zero-shot rows have the last layer too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from wsd.artifacts import column_names, predictions
from wsd.artifacts.corpus_table import Corpora
from wsd.artifacts.training_set import FULL, NO_TRAIN, setting
from wsd.classification.select import Candidate, choose
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import ComparisonRow, read_rows
from wsd.storage.result_files import parsing
from wsd.studies.strategies.costs import Costs, Spent

BEST_LAYER, FEATURES, PER_WORD = "best frozen layer", "frozen features", "frozen per word"
FINE_TUNED = "fine-tuned"
BASELINES = {
    "most_frequent_sense": "most frequent sense",
    "bag_of_words": "bag of words",
    "bag_of_substitutes": "bag of substitutes",
}
KINDS = ("baselines", "zero_shot", "per_word", "finetuned")
# How an encoder was fine-tuned.
SETTING = "rate {rate:g}, {epochs} epochs, blocks {blocks}"
BY_CV, LAST, GIVEN = "cross-validation", "last layer", "as given"


class Run(NamedTuple):
    """The predictions of a strategy after one training set, its processor time, and its setting."""

    train: str
    row: ComparisonRow
    spent: Spent
    setting: str = ""


@dataclass(eq=False)
class Strategy:
    """A strategy with its runs: one training set, the draws of one setting, or several seeds.

    Attributes
    ----------
    name : str
    selected_by : str
        How its configuration was selected; empty if there was nothing to select.
    runs : list of Run
    """

    name: str
    selected_by: str
    runs: list[Run] = field(default_factory=list)

    def mean(self, metric: str) -> float:
        """Return a score, as the mean over words and over runs."""
        return fsum(run.row.mean(metric) for run in self.runs) / len(self.runs)

    def pairs(self, other: "Strategy") -> list[tuple[ComparisonRow, ComparisonRow]]:
        """Pair its runs with those of another strategy that have the same training sentences.

        Runs without training are paired with those on the full training set.
        """
        return [
            (first.row, second.row)
            for first, second in product(self.runs, other.runs)
            if {first.train, second.train} in ({first.train}, {NO_TRAIN, FULL})
        ]


# The candidates of a model and training set, with path and provenance of their searches.
Group = Sequence[tuple[Candidate, Path, Mapping[str, Any]]]
Named = tuple[str, str, Run]
# By model and setting, in order.
Strategies = dict[tuple[str, str], list[Strategy]]


def gather(
    groups: Mapping[tuple[str, str], Group],
    files: Mapping[str, Any],
    chosen: Mapping[str, Any],
    objective: str,
    corpora: Corpora,
    costs: Costs,
) -> Strategies:
    """Return the strategies of every model and setting that have files.

    Parameters
    ----------
    groups : mapping of (model, training set) to candidates
        As from :func:`wsd.classification.select.read_candidates`.
    files : mapping of kind to paths
        The kinds of ``KINDS``; and ``candidates``, the predictions by the path of their search.
    chosen : mapping
        The ``chosen`` of selection.json.
    objective : str
    corpora : mapping of word to Corpus
    costs : Costs
    """
    strategies: Strategies = {}
    for model in dict.fromkeys(model for model, _ in groups):
        of_model: dict[tuple[str, str], Strategy] = {}
        runs = [*_without_vectors(model, files, corpora, costs)]
        trains = [train for name, train in groups if name == model]
        for train in sorted(trains, key=lambda train: train != FULL):
            selected = chosen.get(model, {}).get(train, {}).get("all")
            frozen = Frozen(groups[model, train], objective, selected, files["candidates"])
            runs += frozen.runs(model, train, corpora, costs)
        runs += _others(model, groups, files, corpora, costs)
        for name, selected_by, run in runs:
            size = FULL if run.train == NO_TRAIN else setting(run.train)[0]
            of_model.setdefault((size, name), Strategy(name, selected_by)).runs.append(run)
        for (size, _), strategy in of_model.items():
            strategies.setdefault((model, size), []).append(strategy)
    return strategies


def _without_vectors(
    model: str, files: Mapping[str, Sequence[Path]], corpora: Corpora, costs: Costs
) -> Iterator[Named]:
    """Yield the baselines, shared and of the model itself, and the zero-shot strategies."""
    for row in read_rows(files["baselines"], column_names.BASELINE, corpora):
        if (name := BASELINES.get(row.classifier)) and row.model in ("no encoder", model):
            own = row.model == model
            spent = costs.substitutes(model) if own else costs.baseline(row.classifier)
            yield name, "", Run(FULL, row, Spent(spent, spent))
    last: dict[str, ComparisonRow] = {}
    for row in read_rows(files["zero_shot"], column_names.ZERO_SHOT, corpora):
        if row.model == model and row.layers.isdigit():
            before = last.setdefault(row.classifier, row)
            last[row.classifier] = max(before, row, key=lambda row: int(row.layers))
    for kind, row in last.items():
        spent = costs.zero_shot(model, row.layers)
        yield f"{column_names.ZERO_SHOT} ({kind})", LAST, Run(NO_TRAIN, row, Spent(spent, spent))


def _others(
    model: str,
    groups: Mapping[tuple[str, str], Group],
    files: Mapping[str, Sequence[Path]],
    corpora: Corpora,
    costs: Costs,
) -> Iterator[Named]:
    """Yield the selection per word, and fine-tuning."""
    for row in read_rows(files["per_word"], column_names.SELECTED_PER_WORD, corpora):
        if row.model == model:
            everything = [candidate for candidate, _, _ in groups[model, FULL]]
            searched = costs.embedding(model) + _classifying(model, FULL, everything, costs)
            spent = searched + costs.classifying_selected(model)
            yield PER_WORD, BY_CV, Run(FULL, row, Spent(spent, spent))
    for path in files["finetuned"]:
        row = _row(path, column_names.FINE_TUNED, corpora)
        if row.model == model:
            with parsing(path):
                train, tried = row.source["train"], row.source["tried"]
                parameters = row.source["parameters"]
                trained = SETTING.format(**{**parameters, "rate": float(parameters["rate"])})
            selected_by = BY_CV if tried else GIVEN
            run = Run(train, row, costs.finetuning(model, train), trained)
            yield FINE_TUNED, selected_by, run


def _row(path: Path, kind: str, corpora: Corpora) -> ComparisonRow:
    """Read the predictions after a training set, which may lack words."""
    words = {word.word for word in predictions.read_predictions(path)[0]}
    (row,) = read_rows([path], kind, {word: corpora[word] for word in corpora if word in words})
    return row


def _classifying(model: str, train: str, among: Sequence[Candidate], costs: Costs) -> float:
    return fsum(costs.classifying(model, train, c.view, c.layers, c.classifier) for c in among)


@dataclass(frozen=True, eq=False)
class Frozen:
    """The candidates of a frozen encoder on one training set.

    Attributes
    ----------
    group : sequence of (Candidate, path of its search, provenance)
    objective : str
    selected : mapping or None
        The selection for all words on this training set, if `wsd select` made one.
    predicted : mapping of path to path
        The predictions of each search.
    """

    group: Group
    objective: str
    selected: Mapping[str, Any] | None
    predicted: Mapping[Path, Path]

    def runs(self, model: str, train: str, corpora: Corpora, costs: Costs) -> Iterator[Named]:
        """Yield the best single layer, and the best feature set."""
        every = [candidate for candidate, _, _ in self.group]
        singles = [candidate for candidate in every if candidate.layers.isdigit()]
        for name, among in ((BEST_LAYER, singles), (FEATURES, every)):
            choice, selected_by = self._choice(name, among)
            if choice is None:
                continue
            (path,) = (path for candidate, path, _ in self.group if candidate is choice)
            row = _row(self.predicted[path], column_names.CANDIDATE, corpora)
            embedding = costs.embedding(model)
            spent = Spent(
                embedding + _classifying(model, train, [choice], costs),
                embedding + _classifying(model, train, among, costs),
            )
            yield name, selected_by, Run(train, row, spent)

    def _choice(self, name: str, among: Sequence[Candidate]) -> tuple[Candidate | None, str]:
        if name == FEATURES and self.selected is not None:
            return self._selected(among), BY_CV
        ranking = choose(among, self.objective) if among else None
        if ranking is not None:
            return among[ranking[1]], BY_CV
        if name == BEST_LAYER and among:
            return min(among, key=lambda c: (-int(c.layers), len(c.search.grid))), LAST
        return None, ""

    def _selected(self, among: Sequence[Candidate]) -> Candidate:
        names = {key: (self.selected or {})[key] for key in ("view", "layers", "classifier")}
        for candidate in among:
            if all(getattr(candidate, key) == value for key, value in names.items()):
                return candidate
        raise ResultError(
            f"the selected configuration is not among the candidates: {', '.join(names.values())}",
            where="--selection, --searches",
            fix="give the selection and the candidates of one run",
        )
