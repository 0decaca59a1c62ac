"""Write the pages of change: the words that changed most, the layers, and a page per word."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.analysis.project import pca
from wsd.arguments import add_embeddings, add_listings, add_out_folder, add_path
from wsd.artifacts.corpus_table import Corpus, read_corpora
from wsd.artifacts.dataset import find_dataset
from wsd.artifacts.feature_set import parse_layers, vectors_file
from wsd.artifacts.instance_tables import align_signs
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.vectors import Embeddings
from wsd.errors import wrong_file
from wsd.metrics.nearest import unit_vectors
from wsd.report.overview import Listed, find_pages
from wsd.report.pages.curves import mark_of
from wsd.report.pages.model_notes import label
from wsd.report.pages.plots import plot_of_tables
from wsd.report.pages.render import CURVES, pack, render_alone
from wsd.report.pages.report_data import having, records, sentence
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.change import gold
from wsd.studies.change.change import AGREEMENT, FORM, TABLE, TEXT_COLUMNS, WORDS, vectors_of
from wsd.studies.change.groups import BAG_OF_WORDS, BASELINES, Grouped, divide
from wsd.studies.change.measures import APD, JSD, PROTOTYPE

SHOWN = {
    PROTOTYPE: "Prototype distance",
    APD: "Average pairwise distance",
    JSD: "Jensen-Shannon distance of clusters",
}
GOLD_NAMES = {
    gold.GRADED: "graded change",
    gold.BINARY: "binary change",
    gold.COMPARE: "COMPARE, reversed",
    gold.PAIRS: "judged pairs of uses",
}
METRICS = {gold.SPEARMAN: "Spearman's correlation", gold.AVERAGE_PRECISION: "average precision"}
SHORT = ("Prototype distance", "APD", "JSD")
LEVEL = 0.05
BAR, MARGIN = 240, 6
SCRIPTS = ("page.js", "change/change-word.js")
# The most uses of a group that the page shows: a random sample of more.
MOST = 500
# The largest coordinate of a plot.
LARGEST = 100
TYPICAL = 5


def layer_names(changes: pd.DataFrame) -> list[str]:
    """Return the names of the layer choices in the table, without baselines."""
    return [name for name in dict.fromkeys(changes["layers"]) if name not in BASELINES]


def opening(choices: list[str], scores: pd.DataFrame) -> tuple[str, str]:
    """Return the layer choice that the pages open with, and the reason.

    It agrees best with graded gold, else with judgments; without gold it is the last single layer.
    """
    for name, measure in ((gold.GRADED, PROTOTYPE), (gold.PAIRS, gold.COSINE)):
        rows = having(scores, gold=name, measure=measure)
        rows = rows[rows["layers"].isin(choices) & rows["value"].notna()]
        if not rows.empty:
            best = rows["layers"].iloc[int(rows["value"].to_numpy().argmax())]
            return str(best), f"it agrees best with {GOLD_NAMES[name]}"
    single = [name for name in choices if name.isdecimal()]
    return (single or choices)[-1], "the last layer"


def word_list(changes: pd.DataFrame, about: pd.DataFrame, layers: str) -> list[dict[str, Any]]:
    """Return a row per word in one layer choice, the largest prototype distance first."""
    rows = {name: having(changes, layers=layers, measure=name).set_index("word") for name in SHOWN}
    baseline = having(changes, layers=BAG_OF_WORDS, measure=PROTOTYPE).set_index("word")
    order = rows[PROTOTYPE]["value"].sort_values(ascending=False, na_position="last").index
    cells = {name: records(table.loc[order]) for name, table in rows.items()}
    facts = records(about.set_index("word").loc[order])
    return [
        {
            "word": word,
            "bar": bar,
            "cells": [cells[name][i] for name in SHOWN],
            "baseline_p": baseline.loc[word, "p_holm"],
            **facts[i],
        }
        for i, (word, bar) in enumerate(zip(order, bars(cells[PROTOTYPE]), strict=True))
    ]


def bars(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a dot, an interval and the mark of shuffled groups for each row, on the same axis."""
    ends = [row[name] for row in rows for name in ("low", "high", "null_high")]
    most = float(np.nanmax(ends)) or 1.0

    def across(value: float) -> float | None:
        place = round(MARGIN + value / most * (BAR - 2 * MARGIN), 1)
        return place if place == place else None

    names = {"x": "value", "low": "low", "high": "high", "null": "null_high"}
    return [{end: across(row[name]) for end, name in names.items()} for row in rows]


def curves(changes: pd.DataFrame, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a plot per gold column; without gold, one of the mean change."""
    drawn = []
    for column, title in GOLD_NAMES.items():
        # A correlation with equal values does not exist.
        rows = having(scores, gold=column).dropna(subset=["value"])
        rows["name"] = [SHOWN.get(name, name.capitalize()) for name in rows["measure"]]
        bags = having(rows, layers=BAG_OF_WORDS)
        of_bags = zip(bags["name"], bags["value"], strict=True)
        levels = {f"{name}, bag of words": value for name, value in of_bags}
        lines = dict([*rows[~rows["layers"].isin(BASELINES)].groupby("name", sort=False)])
        best = [
            records(own.loc[[own["value"].idxmax()]])[0]
            | {"within": own.loc[own["within"], "layers"].tolist()}
            for own in lines.values()
        ]
        if lines:
            metric = METRICS[best[0]["metric"]]
            named = {"title": f"Agreement with {title}, {metric}", "best": best, "levels": levels}
            drawn.append({**named, "plot": _plot(lines, metric, levels)})
    if not drawn:
        rows = changes[~changes["layers"].isin(BASELINES) & changes["measure"].isin([*SHOWN])]
        means = rows.groupby(["measure", "layers"], sort=False)[["value", "low", "high"]].mean()
        lines = {SHOWN[str(m)]: own.reset_index() for m, own in means.groupby(level=0, sort=False)}
        drawn.append({"title": "Mean change", "plot": _plot(lines, "mean", {}), "best": []})
    return drawn


def _plot(tables: Mapping[str, pd.DataFrame], y: str, levels: Mapping[str, float]) -> Any:
    columns = {"low": "value_low", "high": "value_high"}
    tables = {name: table.rename(columns=columns) for name, table in tables.items()}
    return plot_of_tables(tables, y=y, levels=levels, level_digits=2)


def shown(is_second: np.ndarray, seed: int = 1) -> np.ndarray:
    """Return which uses the page shows: a bool array of the same shape."""
    random = np.random.default_rng(seed)
    taken = np.ones(len(is_second), dtype=bool)
    for group in (False, True):
        rows = np.flatnonzero(is_second == group)
        taken[random.permutation(rows)[MOST:]] = False
    return taken


def typical(units: np.ndarray, is_second: np.ndarray) -> list[list[dict[str, Any]]]:
    """Return the uses most typical of each group, each with its nearest use of the other group.

    A use is typical of its group if its mean cosine with the group, minus its mean cosine with the
    other group, is high.

    Parameters
    ----------
    units : float array of shape (n, features)
    is_second : bool array of shape (n,)

    Returns
    -------
    list of two lists of dict
        With the row, the row of the nearest use of the other group, and their cosine.
    """
    lists = []
    means = [units[is_second == group].mean(axis=0) for group in (False, True)]
    for group in (False, True):
        rows, others = np.flatnonzero(is_second == group), np.flatnonzero(is_second != group)
        gain = units[rows] @ (means[group] - means[not group])
        first = rows[np.argsort(-gain, kind="stable")[:TYPICAL]]
        cosines = units[first] @ units[others].T
        near = others[cosines.argmax(axis=1)]
        columns = zip(first.tolist(), near.tolist(), cosines.max(axis=1).tolist(), strict=True)
        lists.append([{"row": row, "near": use, "cosine": value} for row, use, value in columns])
    return lists


def places(vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the uses on the first two principal components of each layer choice.

    Returns
    -------
    list of int arrays of shape (n, 2)
        Each axis fills the plot, from ``-LARGEST`` to ``LARGEST``; the second axis points down.
    """
    projected = [pca(own, np.ones(len(own), dtype=bool))[0] for own in vectors]
    scaled = []
    for points in align_signs(projected):
        low, high = points.min(axis=0), points.max(axis=0)
        spread = np.where(high > low, high - low, 1)
        scaled.append(np.rint(((points - low) / spread * 2 - 1) * [LARGEST, -LARGEST]).astype(int))
    return scaled


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of change below a folder of all results, for the list of all reports."""
    heading = "Change between two groups of uses"
    for path, listed in find_pages(results, "*/change/index.html", heading):
        yield replace(listed, models=[path.parent.parent.name])


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_embeddings(parser)
    text = "name of the dataset, or path of its manifest"
    parser.add_argument("--dataset", required=True, help=text)
    add_path(parser, "--tables", f"folder of `wsd change`, with {TABLE}, {WORDS} and {AGREEMENT}")
    parser.add_argument("--group", required=True, help="column that divides the uses")
    parser.add_argument("--centre", choices=[FORM], help="as in `wsd change`")
    text = "leave out the sentences of the corpus, and thus the pages of the words"
    parser.add_argument("--no-text", action="store_true", help=text)
    add_listings(parser)
    add_out_folder(parser, "folder for index.html and a page per word")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    dataset, corpora = find_dataset(args.dataset), read_corpora(args.corpus, args.words)
    changes = read_csv(args.tables / TABLE)
    about = read_csv(args.tables / WORDS, TEXT_COLUMNS)
    scores = read_csv(args.tables / AGREEMENT)
    if set(about["word"]) != set(corpora):
        raise wrong_file("the table has other words than the corpus", args.tables / WORDS)
    names = [str(about[side].iloc[0]) for side in ("first", "second")]
    start, reason = opening(layer_names(changes), scores)
    words = word_list(changes, about, start)
    text = not args.no_text
    shared = {"report": {"dataset": dataset}, "model": changes["model"].iloc[0], "names": names}
    index = render_alone(
        "change/change-index.html",
        CURVES,
        group=args.group,
        start=start,
        reason=reason,
        words=words,
        measures=SHORT,
        changed=sum(row["cells"][0]["p_holm"] <= LEVEL for row in words),
        by_words=sum(row["baseline_p"] <= LEVEL for row in words),
        longer=sum(row["length_p"] <= LEVEL for row in words),
        left_out=records(about[about["left_out"] != "-"]),
        has_gold=about[gold.GRADED].notna().any(),
        curves=curves(changes, scores),
        centre=args.centre,
        text=text,
        **shared,
    )
    write_text(args.out / "index.html", index)
    shared["start"] = layer_names(changes).index(start)
    for word, grouped in divide(corpora, args.group, names, "--group").items() if text else ():
        if not grouped.left_out:
            shared["about"] = records(having(about, word=word))[0]
            page = word_page(args, corpora[word], grouped, having(changes, word=word), shared)
            write_text(args.out / "words" / f"{file_name(word)}.html", page)
    list_folders(args.listings)


def word_page(
    args: argparse.Namespace,
    corpus: Corpus,
    grouped: Grouped,
    changes: pd.DataFrame,
    shared: Mapping[str, Any],
) -> str:
    """Return the page of a word that has measures, as one file that loads nothing.

    Parameters
    ----------
    args
        The arguments of the command.
    corpus : Corpus
    grouped : Grouped
    changes : DataFrame
        The rows of the word in ``change.csv``.
    shared : mapping
        Further values for the template.
    """
    files = vectors_file(args.embeddings, corpus, changes["view"].iloc[0])
    embeddings, rows = Embeddings(files, corpus), shown(grouped.is_second)
    is_second, uses = grouped.is_second[rows], grouped.corpus.take(rows)
    choices = [parse_layers(name, embeddings.blocks) for name in layer_names(changes)]
    vectors = [
        vectors_of(corpus, embeddings, choice, args.centre)[grouped.rows][rows]
        for choice in choices
    ]
    layers = []
    for choice, own, points in zip(choices, vectors, places(vectors), strict=True):
        measured = records(having(changes, layers=choice.name))
        texts = np.array([f"{x},{y}" for x, y in points], dtype=object)
        layers.append(
            {
                "name": choice.name,
                "label": label(choice, embeddings.blocks),
                "measures": {row["measure"]: row for row in measured},
                "points": [" ".join(texts[is_second == group]) for group in (False, True)],
                "typical": typical(unit_vectors(own.astype(np.float64)), is_second),
            }
        )
    sentences = [sentence(uses, row) for row in range(len(uses))]
    styles = [mark_of(0), mark_of(1)]
    data = {
        "sentences": [[*parts.values()] for parts in sentences],
        "rows": [np.flatnonzero(is_second == group).tolist() for group in (False, True)],
        "names": shared["names"],
        "styles": styles,
    }
    return render_alone(
        "change/change-word.html",
        SCRIPTS,
        word=corpus.word,
        layers=layers,
        shown=SHOWN,
        sentences=sentences,
        packed=pack(data),
        styles=styles,
        **shared,
    )
