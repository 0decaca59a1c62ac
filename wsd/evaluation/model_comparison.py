"""Sort rows by model: its reference, its candidates, and the rows to compare with."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from wsd.artifacts import column_names
from wsd.artifacts.training_set import FULL
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import CONTROL_TASK, ComparisonRow, nothing_selected

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
