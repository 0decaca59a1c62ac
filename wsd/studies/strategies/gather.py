"""The strategies to tell a word's sense by, and what each was run on.

Nothing here looks at a test label to choose: a layer and a feature set are what the folds of the
very training set choose. Where a training set is too small for folds, the last single layer stands,
since to choose one takes labels, with the classifier that has the least to tune. Of zero-shot rows
it is the last layer too.
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
    """What one strategy predicts after one training set, what that took, and how it was trained."""

    train: str
    row: ComparisonRow
    spent: Spent
    setting: str = ""


@dataclass(eq=False)
class Strategy:
    """A strategy on one training set, or on the draws of one setting; or the seeds of one.

    Attributes
    ----------
    name : str
    selected_by : str
        How its configuration was chosen; empty if there was none to choose.
    runs : list of Run
    """

    name: str
    selected_by: str
    runs: list[Run] = field(default_factory=list)

    def mean(self, metric: str) -> float:
        """A mean over words, and over runs."""
        return fsum(run.row.mean(metric) for run in self.runs) / len(self.runs)

    def beside(self, other: "Strategy") -> list[tuple[ComparisonRow, ComparisonRow]]:
        """Its runs beside those of another strategy that learned from the same sentences.

        What learned from none stands beside what learned from all.
        """
        return [
            (run.row, of.row)
            for run, of in product(self.runs, other.runs)
            if {run.train, of.train} in ({run.train}, {NO_TRAIN, FULL})
        ]


# Per candidate of a model and training set: it, its search's path, and that one's provenance.
Group = Sequence[tuple[Candidate, Path, Mapping[str, Any]]]
Named = tuple[str, str, Run]
# By model and setting, in their order.
Strategies = dict[tuple[str, str], list[Strategy]]


def gather(
    groups: Mapping[tuple[str, str], Group],
    files: Mapping[str, Any],
    chosen: Mapping[str, Any],
    objective: str,
    corpora: Corpora,
    costs: Costs,
) -> Strategies:
    """The strategies of every model and setting, of which there are files.

    Parameters
    ----------
    groups : mapping of (model, training set) to what `read_candidates` gives of it
    files : mapping of kind to paths
        Those of ``KINDS``; and ``candidates``, the predictions by the path of their search.
    chosen : mapping
        The ``chosen`` of selection.json.
    objective : str
    corpora : mapping of word to Corpus
    costs : Costs
    """
    found: Strategies = {}
    for model in dict.fromkeys(model for model, _ in groups):
        of_model: dict[tuple[str, str], Strategy] = {}
        runs = [*_without_vectors(model, files, corpora, costs)]
        trains = [train for of, train in groups if of == model]
        for train in sorted(trains, key=lambda train: train != FULL):
            selected = chosen.get(model, {}).get(train, {}).get("all")
            frozen = Frozen(groups[model, train], objective, selected, files["candidates"])
            runs += frozen.runs(model, train, corpora, costs)
        runs += _others(model, groups, files, corpora, costs)
        for name, selected_by, run in runs:
            of = FULL if run.train == NO_TRAIN else setting(run.train)[0]
            strategy = of_model.setdefault((of, name), Strategy(name, selected_by))
            strategy.runs.append(run)
        for (of, _), strategy in of_model.items():
            found.setdefault((model, of), []).append(strategy)
    return found


def _without_vectors(
    model: str, files: Mapping[str, Sequence[Path]], corpora: Corpora, costs: Costs
) -> Iterator[Named]:
    """The baselines, those that any model has and the model's own; and zero-shot."""
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
    """Each word as its own folds choose; and what was fine-tuned."""
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
    """The predictions of a training set, which may lack words."""
    there = {word.word for word in predictions.read_predictions(path)[0]}
    (row,) = read_rows([path], kind, {word: corpora[word] for word in corpora if word in there})
    return row


def _classifying(model: str, train: str, of: Sequence[Candidate], costs: Costs) -> float:
    return fsum(costs.classifying(model, train, c.view, c.layers, c.classifier) for c in of)


@dataclass(frozen=True, eq=False)
class Frozen:
    """What the vectors of a frozen encoder give on one training set.

    Attributes
    ----------
    group : sequence of (Candidate, path of its search, provenance)
    objective : str
    selected : mapping or None
        What `wsd select` wrote of this training set for all words, if it did.
    predicted : mapping of path to path
        The predictions that belong to a search.
    """

    group: Group
    objective: str
    selected: Mapping[str, Any] | None
    predicted: Mapping[Path, Path]

    def runs(self, model: str, train: str, corpora: Corpora, costs: Costs) -> Iterator[Named]:
        """The best single layer, and the best of everything."""
        every = [candidate for candidate, _, _ in self.group]
        singles = [candidate for candidate in every if candidate.layers.isdigit()]
        for name, among in ((BEST_LAYER, singles), (FEATURES, every)):
            choice, selected_by = self._choice(name, among)
            if choice is None:
                continue
            (path,) = (path for of, path, _ in self.group if of is choice)
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
        found = choose(among, self.objective) if among else None
        if found is not None:
            return among[found[1]], BY_CV
        if name == BEST_LAYER and among:
            return min(among, key=lambda of: (-int(of.layers), len(of.search.grid))), LAST
        return None, ""

    def _selected(self, among: Sequence[Candidate]) -> Candidate:
        names = {key: (self.selected or {})[key] for key in ("view", "layers", "classifier")}
        for candidate in among:
            if all(getattr(candidate, key) == value for key, value in names.items()):
                return candidate
        raise ResultError(
            f"what was selected is not among the candidates: {', '.join(names.values())}",
            where="--selection, --searches",
            fix="give the selection and the candidates of one run",
        )
