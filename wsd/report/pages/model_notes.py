"""What is to be known of the models beside their curves, and how they stand to each other."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pandas as pd

from wsd.artifacts.column_names import SELECTED
from wsd.artifacts.layer_choice import LayerChoice
from wsd.report.pages.report_data import Report, having, records

METRIC = "mean_macro_f1"
LEFT_ONLY = "Left context only: a piece sees only what stands before it."


def selected(report: Report) -> pd.DataFrame:
    """What folds chose of each model for all words, the best by the folds first."""
    rows = report.rows("comparison", kind=SELECTED)
    if not len(rows):
        return rows
    rows = rows[rows["model"].isin(list(report.choices))].drop_duplicates("model")
    return rows.sort_values("objective_cv", ascending=False, kind="stable")


def notes(encoder: Mapping[str, Any]) -> list[str]:
    """What a reader of a model's curves has to know, in sentences.

    Parameters
    ----------
    encoder : mapping
        Of the provenance; what it does not hold is not said.
    """
    tried = encoder.get("architecture", {})
    found = []
    if (seed := encoder["model"].get("random_weights")) is not None:
        found.append(f"Random weights: drawn with seed {seed}, never trained.")
    if encoder.get("input") == "masked":
        found.append("A mask token stands in the focal word's place.")
    if tried.get("causal"):
        found.append(LEFT_ONLY)
    if tried.get("wide_embeddings"):
        found.append("Layer 0 holds something of the neighbouring pieces too.")
    if tried.get("last_normed") is True:
        found.append(
            "The last hidden state is normed once more, outside the last block: it is on another "
            "scale than those before it."
        )
    return found


def facts(encoder: Mapping[str, Any]) -> dict[str, str]:
    """What trying the model and its tokenizer showed, as terms and texts."""
    tried = encoder.get("architecture", {})
    if not tried:
        return {}
    limit = tried["max_length"]
    return {
        "Class": tried["name"],
        "Tokenizer": tried["tokenizer"],
        "Reads": "left context only" if tried["causal"] else "both sides",
        "Last hidden state": {
            True: "normed once more, outside the last block",
            False: "as the last block gives it",
        }.get(tried["last_normed"], "normed or not: not found out"),
        "Length limit": "none" if limit is None else f"{limit:,} pieces",
    }


def pieces(report: Report, model: str) -> str | None:
    """Say how a model's tokenizer splits the focal words; None for a random control."""
    rows = report.rows("alignment", model=model)
    count = int(rows["instances"].sum())
    if not count:
        return None
    mean = float((rows["instances"] * rows["mean_pieces"]).sum()) / count
    cut, unknown = int(rows["windowed"].sum()), int(rows["unknown"].sum())
    said = [
        f"{count:,} focal words",
        f"{len(rows):,} surface forms",
        f"{mean:.2f} pieces on average",
        f"{cut:,} windows moved",
    ]
    return ", ".join([*said, f"{unknown:,} with an unknown piece"] if unknown else said)


def beside(report: Report) -> list[dict[str, Any]]:
    """A row per model: what folds chose of it, and how that stands to the first model's."""
    chosen = {row["model"]: row for row in records(selected(report))}
    first = next(iter(report.choices))
    against = {
        row["reference_model"]: row
        for row in records(report.rows("differences", kind=SELECTED, model=first, metric=METRIC))
    }
    found = []
    for name in report.choices:
        selection = {"chosen": chosen.get(name), "against": against.get(name)}
        said = {"notes": notes(report.provenance["models"][name]), "pieces": pieces(report, name)}
        found.append({"name": name, **selection, **said})
    return found


def blocks(report: Report, model: str) -> int:
    """Number of an encoder's blocks, which is the number of its last layer."""
    return int(report.provenance["models"][model]["model"]["blocks"])


def objective(report: Report) -> str:
    """The metric of the selection; layer choices are tested on it alone."""
    return str(report.tables["layers"]["metric"].iloc[0])


def by_depth(report: Report) -> bool:
    """Whether layers have to be compared by relative depth: not all models have as many blocks."""
    return len({blocks(report, model) for model in report.choices}) > 1


def folder_of(report: Report, model: str) -> str:
    """The folder of a model's word pages, as the first part of their addresses.

    The first model's stand in ``words/`` itself.
    """
    return "words/" if model == next(iter(report.choices)) else f"words/{model}/"


def opening_reader(report: Report) -> str:
    """The classifier that pages open with: the one selected on folds, else the first."""
    chosen = selected(report)["classifier"].tolist()
    return next((name for name in chosen if name in report.readers), next(iter(report.readers)))


def label(choice: LayerChoice, last: int) -> str:
    """A layer choice's name with what a reader needs to place it.

    Parameters
    ----------
    choice : LayerChoice
    last : int
        Number of the encoder's last layer.
    """
    if choice.is_single:
        (layer,) = choice.layers
        return f"layer {layer}" + {0: " (embeddings)", last: " (last)"}.get(layer, "")
    low, high = choice.layers[0], choice.layers[-1]
    if choice.layers == tuple(range(low, high + 1)):
        return f"{choice.name} ({low}\N{EN DASH}{high})"
    return choice.name


def labels(report: Report, model: str) -> dict[str, str]:
    """What is to be read for the name of each layer choice."""
    last = blocks(report, model)
    return {choice.name: label(choice, last) for choice in report.choices[model]}


def rows_shown(
    report: Report, table: pd.DataFrame
) -> Iterator[tuple[str, str, dict[str, str], pd.DataFrame]]:
    """Per model and classifier, the names of the layer choices that are shown, and their rows."""
    for model, reader in product(report.choices, report.readers):
        names = labels(report, model)
        rows = having(table, model=model, classifier=reader)
        yield model, reader, names, rows[rows["layers"].isin(list(names))]
