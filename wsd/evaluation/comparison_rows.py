"""Read predictions for the test split as rows of the comparison, and sort them by model.

A model has a reference, candidates, and the rows to compare with.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts import column_names
from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import TEST, WordPredictions, read_test_split
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.metrics.scores import Counts, confusion, count_kinds, mean_scores

CONTROL_TASK = "control"
# Kinds of rows with single layers; a comparison shows one layer of each control.
CONTROLS = (
    column_names.CONTROL_VIEW,
    column_names.RANDOM_CONTROL,
    column_names.FINE_TUNED_LAYER,
    column_names.ZERO_SHOT,
)
# Kinds of rows that are compared with their own model only.
OF_ONE_MODEL = (*CONTROLS, column_names.FINE_TUNED)
# Kinds of rows that are not compared, or only after a selection.
NOT_COMPARED = (column_names.CANDIDATE, column_names.SELECTED_PER_WORD, CONTROL_TASK)


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """One system's predictions for the test split.

    Attributes
    ----------
    kind : str
    model, view, layers, classifier : str
    words : list of WordPredictions
    about : str
        The source and the protocol of a published system; else empty.
    source : mapping
        The provenance of the predictions.
    documents : mapping of word to int array
        The document of each instance, from :func:`number_documents`; empty if they are unknown.
    """

    kind: str
    model: str
    view: str
    layers: str
    classifier: str
    words: Sequence[WordPredictions]
    about: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Return the columns that name the row."""
        return {name: getattr(self, name) for name in column_names.NAMES}

    @property
    def configuration(self) -> tuple[str, ...]:
        """Return model, view, layers and classifier."""
        return (self.model, self.view, self.layers, self.classifier)

    @property
    def confusions(self) -> list[np.ndarray]:
        """Return a confusion matrix per word."""
        return [confusion(w.gold, w.predicted, len(w.senses)) for w in self.words]

    def mean(self, name: str) -> float:
        """Return a mean score over words."""
        return float(mean_scores(self.confusions)[name])


def count_rows(*rows: ComparisonRow) -> list[Counts]:
    """Return, per word, the number of instances of each kind, with a system per row.

    This is the joint confusion of two rows. The documents are the first row's.
    """
    documents = rows[0].documents
    return [
        count_kinds(
            [words[0].gold, *(own.predicted for own in words)],
            len(words[0].senses),
            documents.get(words[0].word),
        )
        for words in zip(*(row.words for row in rows), strict=True)
    ]


def nothing_selected(model: str) -> ResultError:
    """Return the error for a model without a selected configuration."""
    fix = (
        "no word has enough training sentences for the folds: draw fewer (config key tuning.folds)"
    )
    return ResultError(f"nothing was selected for {model!r}", fix=fix)


def identical(joints: Sequence[Counts]) -> bool:
    """Return whether both systems of each pair predict the same sense for every instance.

    Their difference is then exactly 0, and there is nothing to test.

    Parameters
    ----------
    joints : sequence over words of Counts
        From :func:`count_rows` of two rows, or with further pairs of systems.
    """
    return all((joint.kinds[:, 1::2] == joint.kinds[:, 2::2]).all() for joint in joints)


def number_documents(corpora: Mapping[str, Corpus]) -> dict[str, np.ndarray]:
    """Return the number of each test instance's document, by word; empty if no word has documents.

    A document has the same number in all words. An instance without a document gets a number that
    no other instance has.
    """
    if all(corpus.document is None for corpus in corpora.values()):
        return {}
    names = {}
    for word, corpus in corpora.items():
        tested = corpus.split == TEST
        names[word] = (
            np.full(tested.sum(), "") if corpus.document is None else corpus.document[tested]
        )
    flat = np.concatenate(list(names.values()))
    _, numbers = np.unique(flat, return_inverse=True)
    alone = flat == ""
    numbers[alone] = len(flat) + np.arange(alone.sum())
    ends = np.cumsum([len(own) for own in names.values()])[:-1]
    return dict(zip(names, np.split(numbers, ends), strict=True))


def read_rows(
    paths: Sequence[Path], kind: str, corpora: Mapping[str, Corpus]
) -> list[ComparisonRow]:
    """Read prediction files as rows of one kind, and check them against the corpora.

    Raises
    ------
    ResultError
        If a file has other words or other instances than the corpora.
    """
    rows = []
    documents = number_documents(corpora)
    for path in paths:
        words, source = read_test_split(path, corpora)
        published = source["encoder"].get("published")
        about = f"{published['source']}: {published['protocol']}" if published else ""
        model = source["encoder"]["model"]["name"]
        names = {key: source[key] for key in column_names.NAMES[2:]}
        rows.append(
            ComparisonRow(
                kind, model, **names, words=words, about=about, source=source, documents=documents
            )
        )
    return rows


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """The rows to compare for one model.

    Attributes
    ----------
    reference : ComparisonRow
        The configuration that cross-validation selected for all words.
    candidates : list of ComparisonRow
    others : list of ComparisonRow
        Selected per word, best on test, other models' references, baselines, controls, published
        rows and systems.
    objective : mapping of (model, view, layers, classifier) to float
        The cross-validated objective of the candidates of all models.
    """

    reference: ComparisonRow
    candidates: list[ComparisonRow]
    others: list[ComparisonRow]
    objective: Mapping[tuple[str, ...], float]


def assemble(
    rows: Sequence[ComparisonRow],
    chosen: Mapping[str, Any],
    objective: str,
    cv_scores: pd.DataFrame,
) -> list[ModelComparison]:
    """Sort rows by model, find the reference of each model, and select a layer of each control.

    A control view, a random-initialisation control and a fine-tuned encoder are shown, per
    classifier, with the layer that is best *on the test set*, which favours the control. Zero-shot
    rows are shown with the last single layer, because choosing one would need labels.

    Parameters
    ----------
    rows : sequence of ComparisonRow
    chosen : mapping
        The entry ``chosen`` of selection.json.
    objective : str
    cv_scores : DataFrame
        The rows of selection.csv.

    Raises
    ------
    ResultError
        If nothing was selected for a model, or the selected configuration is not a candidate.
    """
    candidates: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        if row.kind == column_names.CANDIDATE:
            candidates.setdefault(row.model, []).append(row)
    references = {model: _reference(model, own, chosen) for model, own in candidates.items()}
    of_all_words = cv_scores["scope"] == column_names.ALL_WORDS
    listed = cv_scores[(cv_scores["train"] == FULL) & of_all_words]
    names = list(column_names.NAMES[1:])
    objective_cv: dict[Any, float] = listed.set_index(names)["objective"].to_dict()
    strongest = _strongest([row for row in rows if row.kind not in NOT_COMPARED], objective)
    per_word = [row for row in rows if row.kind == column_names.SELECTED_PER_WORD]
    return [
        ModelComparison(
            reference=references[model],
            candidates=own,
            others=[
                *(row for row in per_word if row.model == model),
                replace(max(own, key=lambda row: row.mean(objective)), kind=column_names.BEST),
                *(row for other, row in references.items() if other != model),
                *(
                    row
                    for row in strongest
                    if row.kind not in OF_ONE_MODEL or model in models_of(row, candidates)
                ),
            ],
            objective=objective_cv,
        )
        for model, own in candidates.items()
    ]


def _reference(
    model: str, candidates: Sequence[ComparisonRow], chosen: Mapping[str, Any]
) -> ComparisonRow:
    """Return the candidate of a model that was selected for all words."""
    if FULL not in chosen.get(model, {}):
        raise nothing_selected(model)
    names = chosen[model][FULL]["all"]
    selected = (model, *(names[name] for name in column_names.NAMES[2:]))
    for row in candidates:
        if row.configuration == selected:
            return replace(row, kind=column_names.SELECTED)
    raise ResultError(
        f"the selected configuration is not among the candidates: {', '.join(selected)}",
        where="--selection, --candidates",
        fix="give the selection and the candidates of one run",
    )


def _strongest(rows: Sequence[ComparisonRow], objective: str) -> list[ComparisonRow]:
    """Return the rows; keep the best layer of each control, and the last one of zero-shot rows."""
    groups: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        layers = "" if row.kind in CONTROLS else row.layers
        key = (row.kind, row.model, row.view, row.classifier, layers)
        groups.setdefault(key, []).append(row)

    def rank(row: ComparisonRow) -> float:
        if row.kind != column_names.ZERO_SHOT:
            return row.mean(objective)
        return int(row.layers) if row.layers.isdigit() else -1

    return [max(group, key=rank) for group in groups.values()]


def models_of(control: ComparisonRow, models: Iterable[str]) -> list[str]:
    """Return the models that a control belongs to; a random one is named after its model."""
    if control.kind == column_names.FINE_TUNED_LAYER:
        return [control.source["encoder"]["model"].get("finetuned_from", control.model)]
    if control.kind != column_names.RANDOM_CONTROL:
        return [control.model]
    return [m for m in models if re.fullmatch(rf"{re.escape(m)}-random-[0-9]+", control.model)]
