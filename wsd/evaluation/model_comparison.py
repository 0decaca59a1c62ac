"""What is compared for each model: its reference, its candidates and all the others."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from wsd.artifacts import column_names
from wsd.errors import ResultError
from wsd.evaluation.comparison_rows import ComparisonRow

# Rows of single layers, of which a comparison has one each.
CONTROLS = (
    column_names.CONTROL_VIEW,
    column_names.RANDOM_CONTROL,
    column_names.FINE_TUNED_LAYER,
    column_names.ZERO_SHOT,
)


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Everything to compare, for one model: its rows, and those that belong to no model.

    Attributes
    ----------
    reference : ComparisonRow
        What the folds selected for all words.
    candidates : list of ComparisonRow
    others : list of ComparisonRow
        Selected per word, best on test, other models' references, baselines, controls, published,
        systems.
    objective : mapping of (model, view, layers, classifier) to float
        What the folds say of each candidate, the other models' included.
    """

    reference: ComparisonRow
    candidates: list[ComparisonRow]
    others: list[ComparisonRow]
    objective: Mapping[tuple[str, ...], float]


def assemble(
    *,
    candidates: Sequence[ComparisonRow],
    per_word: Sequence[ComparisonRow],
    others: Sequence[ComparisonRow],
    chosen: Mapping[str, Any],
    objective: str,
    table: pd.DataFrame,
) -> list[ModelComparison]:
    """Sort rows by model, find the models' references, and reduce the controls.

    A control view, a random-initialisation control and a fine-tuned encoder are shown, per
    classifier, with the layer that is best *on the test set*: the comparison favours the control.
    Zero-shot rows are shown with the last single layer, since choosing one would take labels.

    Parameters
    ----------
    candidates, per_word, others : sequences of ComparisonRow
    chosen : mapping
        The ``chosen`` of selection.json.
    objective : str
    table : DataFrame
        selection.csv.

    Raises
    ------
    ResultError
        If nothing was selected for a model, or what was is no candidate.
    """
    of_models: dict[str, list[ComparisonRow]] = {}
    for row in candidates:
        of_models.setdefault(row.model, []).append(row)
    references = {model: _reference(model, own, chosen) for model, own in of_models.items()}
    listed = table[(table["train"] == "full") & (table["scope"] == column_names.ALL_WORDS)]
    on_folds: dict[Any, float] = listed.set_index(list(column_names.NAMES[1:]))[
        "objective"
    ].to_dict()
    strongest = _strongest(others, objective)
    return [
        ModelComparison(
            reference=references[model],
            candidates=own,
            others=[
                *(row for row in per_word if row.model == model),
                replace(max(own, key=lambda row: row.mean(objective)), kind=column_names.BEST),
                *(row for other, row in references.items() if other != model),
                *(r for r in strongest if not _is_own(r) or model in models_of(r, of_models)),
            ],
            objective=on_folds,
        )
        for model, own in of_models.items()
    ]


def _reference(
    model: str, candidates: Sequence[ComparisonRow], chosen: Mapping[str, Any]
) -> ComparisonRow:
    """The candidate of a model that its folds selected for all words."""
    if "full" not in chosen.get(model, {}):
        raise ResultError(
            f"nothing was selected for {model!r}",
            fix="no word has enough training sentences for the folds: draw fewer (config key "
            "tuning.folds)",
        )
    pick = chosen[model]["full"]["all"]
    selected = (model, *(pick[name] for name in column_names.NAMES[2:]))
    for row in candidates:
        if row.configuration == selected:
            return replace(row, kind=column_names.SELECTED)
    raise ResultError(
        f"what was selected is not among the candidates: {', '.join(selected)}",
        where="--selection, --candidates",
        fix="give the selection and the candidates of one run",
    )


def _is_control(row: ComparisonRow) -> bool:
    return row.kind in CONTROLS


def _is_own(row: ComparisonRow) -> bool:
    """Whether a row stands beside its own model alone."""
    return _is_control(row) or row.kind == column_names.FINE_TUNED


def _strongest(rows: Sequence[ComparisonRow], objective: str) -> list[ComparisonRow]:
    """The best layer of each control, the last of zero-shot rows; of the rest every row."""
    groups: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        layers = "" if _is_control(row) else row.layers
        key = (row.kind, row.model, row.view, row.classifier, layers)
        groups.setdefault(key, []).append(row)

    def rank(row: ComparisonRow) -> float:
        if row.kind != column_names.ZERO_SHOT:
            return row.mean(objective)
        return int(row.layers) if row.layers.isdigit() else -1

    return [max(group, key=rank) for group in groups.values()]


def models_of(control: ComparisonRow, models: Iterable[str]) -> list[str]:
    """Which models a control belongs to; a random control is named after its model."""
    if control.kind == column_names.FINE_TUNED_LAYER:
        return [control.source["encoder"]["model"].get("finetuned_from", control.model)]
    if control.kind != column_names.RANDOM_CONTROL:
        return [control.model]
    return [m for m in models if re.fullmatch(rf"{re.escape(m)}-random-[0-9]+", control.model)]
