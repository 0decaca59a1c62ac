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

    def pairs(self, other: "Strategy") -> list[tuple[Run, Run]]:
        """Pair its runs with another strategy's runs that have the same training sentences.

        Runs without training are paired with runs on the full training set.
        """
        return [
            (first, second)
            for first, second in product(self.runs, other.runs)
            if {first.train, second.train} in ({first.train}, {NO_TRAIN, FULL})
        ]


# The candidates of a model and training set, with path and provenance of their searches.
Group = Sequence[tuple[Candidate, Path, Mapping[str, Any]]]
Named = tuple[str, str, Run]
# By model and setting, in order.
Strategies = dict[tuple[str, str], list[Strategy]]


@dataclass(frozen=True, eq=False)
class Gatherer:
    """The files and costs of a run.

    Attributes
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

    groups: Mapping[tuple[str, str], Group]
    files: Mapping[str, Any]
    chosen: Mapping[str, Any]
    objective: str
    corpora: Corpora
    costs: Costs

    def gather(self) -> Strategies:
        """Return the strategies of every model and setting that have files."""
        strategies: Strategies = {}
        for model in dict.fromkeys(model for model, _ in self.groups):
            by_setting: dict[tuple[str, str], Strategy] = {}
            for name, selected_by, run in self._runs(model):
                size = FULL if run.train == NO_TRAIN else setting(run.train)[0]
                by_setting.setdefault((size, name), Strategy(name, selected_by)).runs.append(run)
            for (size, _), strategy in by_setting.items():
                strategies.setdefault((model, size), []).append(strategy)
        return strategies

    def _runs(self, model: str) -> Iterator[Named]:
        yield from self._baselines(model)
        yield from self._zero_shot(model)
        trains = [train for name, train in self.groups if name == model]
        for train in sorted(trains, key=lambda train: train != FULL):
            yield from self._frozen(model, train)
        yield from self._per_word(model)
        yield from self._fine_tuned(model)

    def _rows(self, kind: str, name: str, model: str) -> list[ComparisonRow]:
        return [r for r in read_rows(self.files[kind], name, self.corpora) if r.model == model]

    def _row(self, path: Path, kind: str) -> ComparisonRow:
        """Read the predictions after a training set, which may lack words."""
        words = {word.word for word in predictions.read_predictions(path)[0]}
        corpora = {word: corpus for word, corpus in self.corpora.items() if word in words}
        (row,) = read_rows([path], kind, corpora)
        return row

    def _baselines(self, model: str) -> Iterator[Named]:
        """Yield the baselines, shared and of the model itself."""
        for row in read_rows(self.files["baselines"], column_names.BASELINE, self.corpora):
            if (name := BASELINES.get(row.classifier)) and row.model in ("no encoder", model):
                own = row.model == model
                costs = self.costs
                spent = costs.substitutes(model) if own else costs.baseline(row.classifier)
                yield name, "", Run(FULL, row, Spent(spent, spent))

    def _zero_shot(self, model: str) -> Iterator[Named]:
        last: dict[str, ComparisonRow] = {}
        for row in self._rows("zero_shot", column_names.ZERO_SHOT, model):
            if row.layers.isdigit():
                before = last.setdefault(row.classifier, row)
                last[row.classifier] = max(before, row, key=lambda row: int(row.layers))
        for kind, row in last.items():
            spent = self.costs.zero_shot(model, row.layers)
            run = Run(NO_TRAIN, row, Spent(spent, spent))
            yield f"{column_names.ZERO_SHOT} ({kind})", LAST, run

    def _frozen(self, model: str, train: str) -> Iterator[Named]:
        """Yield the best single layer of the frozen encoder, and its best feature set."""
        every = self.groups[model, train]
        singles = [entry for entry in every if entry[0].layers.isdigit()]
        selected = self.chosen.get(model, {}).get(train, {}).get("all")
        embedding = self.costs.embedding(model)
        for name, group in ((BEST_LAYER, singles), (FEATURES, every)):
            among = [candidate for candidate, _, _ in group]
            if name == FEATURES and selected is not None:
                place, selected_by = _find(selected, among), BY_CV
            elif among and (ranking := choose(among, self.objective)):
                place, selected_by = ranking[1], BY_CV
            elif name == BEST_LAYER and among:
                ranks = [(-int(c.layers), len(c.search.grid)) for c in among]
                place, selected_by = ranks.index(min(ranks)), LAST
            else:
                continue
            row = self._row(self.files["candidates"][group[place][1]], column_names.CANDIDATE)
            spent = Spent(
                embedding + self._classifying(model, train, [among[place]]),
                embedding + self._classifying(model, train, among),
            )
            yield name, selected_by, Run(train, row, spent)

    def _per_word(self, model: str) -> Iterator[Named]:
        for row in self._rows("per_word", column_names.SELECTED_PER_WORD, model):
            every = [candidate for candidate, _, _ in self.groups[model, FULL]]
            searched = self.costs.embedding(model) + self._classifying(model, FULL, every)
            spent = searched + self.costs.classifying_selected(model)
            yield PER_WORD, BY_CV, Run(FULL, row, Spent(spent, spent))

    def _fine_tuned(self, model: str) -> Iterator[Named]:
        for path in self.files["finetuned"]:
            row = self._row(path, column_names.FINE_TUNED)
            if row.model == model:
                with parsing(path):
                    train, tried = row.source["train"], row.source["tried"]
                    parameters = row.source["parameters"]
                    trained = SETTING.format(**{**parameters, "rate": float(parameters["rate"])})
                run = Run(train, row, self.costs.finetuning(model, train), trained)
                yield FINE_TUNED, BY_CV if tried else GIVEN, run

    def _classifying(self, model: str, train: str, among: Sequence[Candidate]) -> float:
        names = ((c.view, c.layers, c.classifier) for c in among)
        return fsum(self.costs.classifying(model, train, *name) for name in names)


def _find(selected: Mapping[str, Any], among: Sequence[Candidate]) -> int:
    """Return the place of the selected configuration among the candidates."""
    names = [selected[key] for key in ("view", "layers", "classifier")]
    for place, candidate in enumerate(among):
        if [candidate.view, candidate.layers, candidate.classifier] == names:
            return place
    raise ResultError(
        f"the selected configuration is not among the candidates: {', '.join(names)}",
        where="--selection, --searches",
        fix="give the selection and the candidates of one run",
    )
