"""Notes on models: selection, caveats, tokenization, and how models compare."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.column_names import BASELINE, SELECTED
from wsd.artifacts.encoder_input import PLAIN, parse_input
from wsd.artifacts.feature_set import LayerChoice
from wsd.report.pages.report_data import Report, having, records

MAIN_METRIC = "mean_macro_f1"
# Baselines without an encoder, the most demanding first, with their names on the pages.
BAG = "bag_of_words"
BASELINES = {BAG: "bag of words", "most_frequent_sense": "most frequent sense"}
NORMED_AGAIN = (
    "The last hidden state is normalised once more, outside the last block: its scale "
    "differs from the scale of earlier layers."
)
DASH = "\N{EN DASH}"
NOTHING_FIRST = (
    "No token comes before a text: its first piece becomes an attention sink, and is left out of "
    "the context."
)
LEFT_ONLY = "Left context only: a piece sees only the pieces before it."


def selected(report: Report) -> pd.DataFrame:
    """Return the configuration selected for all words per model, by decreasing CV score."""
    rows = report.rows("comparison", kind=SELECTED)
    rows = rows[rows["model"].isin(list(report.choices))].drop_duplicates("model")
    return rows.sort_values("objective_cv", ascending=False, kind="stable")


def notes(encoder: Mapping[str, Any]) -> list[str]:
    """Return caveats for the curves of a model, in sentences.

    Parameters
    ----------
    encoder : mapping
        The model's entry of the provenance.
    """
    architecture = encoder.get("architecture") or {}
    seed = encoder["model"].get("random_weights")
    template = parse_input(encoder.get("input", PLAIN))
    causal, first = architecture.get("causal"), architecture.get("first_token")
    sentences = {
        f"Random weights: drawn with seed {seed}, never trained.": seed is not None,
        template.describe(): template.name != PLAIN,
        LEFT_ONLY: causal and not template.reads_after_sentence,
        f"Every text begins with {first!r}, which becomes the attention sink.": causal and first,
        NOTHING_FIRST: causal and not first,
        "Layer 0 depends on the neighbouring pieces too.": architecture.get("wide_embeddings"),
        NORMED_AGAIN: architecture.get("last_normed"),
    }
    return [sentence for sentence, applies in sentences.items() if applies]


def long_vectors(report: Report) -> list[str]:
    """Return a warning per model and view that has vectors far longer than their word's others."""
    sentences = []
    for model in report.choices:
        total = int(report.rows("alignment", model=model)["instances"].sum())
        for view, rows in report.rows("long-vectors", model=model).groupby("view", sort=False):
            counts = rows.groupby("layer")["long"].sum()
            layers = f"layer{'s' if len(counts) > 1 else ''} {', '.join(ranges(counts.index))}"
            sentences.append(
                f"In {layers} of {model}, {counts.max():,} of {total:,} {view} vectors are more "
                "than ten times as long as the median of their word: nearest centroid suffers."
            )
    return sentences


def facts(encoder: Mapping[str, Any]) -> dict[str, str]:
    """Return properties that a trial of the model and its tokenizer showed."""
    architecture = encoder.get("architecture") or {}
    if not architecture:
        return {}
    limit = architecture["max_length"]
    return {
        "Class": architecture["name"],
        "Tokenizer": architecture["tokenizer"],
        "Reads": "left context only" if architecture["causal"] else "both sides",
        "Last hidden state": "normalised once more, outside the last block"
        if architecture["last_normed"]
        else "the output of the last block",
        "First token": repr(architecture["first_token"] or "none").strip("'"),
        "Length limit": "none" if limit is None else f"{limit:,} pieces",
    }


def pieces(report: Report, model: str) -> str | None:
    """Describe how a model's tokenizer splits the focal words; None if no pieces are known."""
    rows = report.rows("alignment", model=model)
    count = int(rows["instances"].sum())
    if not rows["max_pieces"].any():  # a random control, or vectors of another program
        return None
    mean = float((rows["instances"] * rows["mean_pieces"]).sum()) / count
    moved, unknown = int(rows["windowed"].sum()), int(rows["unknown"].sum())
    text = f"{count:,} focal words, {len(rows):,} surface forms, {mean:.2f} pieces on average"
    end = f", {unknown:,} with an unknown piece" if unknown else ""
    return f"{text}, {moved:,} windows moved{end}"


def comparison(report: Report) -> list[dict[str, Any]]:
    """Return a row per model: its selected configuration, compared with the first model's."""
    chosen = {row["model"]: row for row in records(selected(report))}
    first = next(iter(report.choices))
    rows = report.rows("differences", kind=SELECTED, model=first, metric=MAIN_METRIC)
    against = {row["reference_model"]: row for row in records(rows)}
    return [
        {"name": name, "selected": chosen.get(name), "against": against.get(name)}
        for name in report.choices
    ]


def blocks(report: Report, model: str) -> int:
    """Return the number of an encoder's blocks, which is the number of its last layer."""
    return int(report.provenance["models"][model]["model"]["blocks"])


def objective(report: Report) -> str:
    """Return the metric of the selection; layer choices are tested on it alone."""
    return str(report.tables["layers"]["metric"].iloc[0])


def by_depth(report: Report) -> bool:
    """Return whether models differ in depth, so that plots use the relative depth of layers."""
    return len({blocks(report, model) for model in report.choices}) > 1


def baselines(report: Report) -> list[dict[str, Any]]:
    """Return the rows of ``BASELINES`` in the comparison, in this order."""
    rows = report.rows("comparison", kind=BASELINE).drop_duplicates("classifier")
    return [row for name in BASELINES for row in records(having(rows, classifier=name))]


def initial_model(report: Report) -> str:
    """Return the model that the first page describes: the selected one, else the first."""
    return str(next(iter([*selected(report)["model"], *report.choices])))


def initial_classifier(report: Report) -> str:
    """Return the classifier that pages open with: the selected one, else the first."""
    names = [*selected(report)["classifier"], *report.classifiers]
    return next(name for name in names if name in report.classifiers)


def label(choice: LayerChoice, last: int) -> str:
    """Return a layer choice's name with its place in the encoder.

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
        return f"{choice.name} ({low}{DASH}{high})"
    return choice.name


def labels(report: Report, model: str) -> dict[str, str]:
    """Return the label of each layer choice by its name."""
    last = blocks(report, model)
    return {choice.name: label(choice, last) for choice in report.choices[model]}


def rows_per_classifier(
    report: Report, table: pd.DataFrame
) -> Iterator[tuple[str, str, dict[str, str], pd.DataFrame]]:
    """Yield, per model and classifier, the labels of the shown layer choices, and their rows."""
    for model, classifier in product(report.choices, report.classifiers):
        names = labels(report, model)
        rows = having(table, model=model, classifier=classifier)
        yield model, classifier, names, rows[rows["layers"].isin(list(names))]


def ranges(numbers: Iterable[int]) -> list[str]:
    """Return the runs of ascending layers, such as "4\N{EN DASH}6".

    >>> ranges([1, 4, 6])
    ['1', '4', '6']
    """
    layers = np.array(list(numbers), dtype=int)
    runs = [run for run in np.split(layers, np.flatnonzero(np.diff(layers) > 1) + 1) if len(run)]
    return [f"{run[0]}{DASH}{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
