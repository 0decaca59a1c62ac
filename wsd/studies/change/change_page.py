"""Write the pages of change: the words that changed most, the layers, and a page per word."""

import argparse
from collections.abc import Mapping
from typing import Any

import pandas as pd

from wsd.arguments import add_embeddings, add_listings, add_out_folder, add_path
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.feature_set import vectors_file
from wsd.artifacts.layer_choice import parse_layers
from wsd.artifacts.manifest import find_dataset
from wsd.artifacts.run_json import list_folders
from wsd.artifacts.vectors import Embeddings
from wsd.errors import wrong_file
from wsd.report.pages.curves import plot_of_tables
from wsd.report.pages.model_notes import label
from wsd.report.pages.render import CURVES, render_alone
from wsd.report.pages.report_data import having, records
from wsd.storage.atomic import write_text
from wsd.storage.csv import read_csv
from wsd.storage.file_names import file_name
from wsd.studies.change import agreement, gold, plots
from wsd.studies.change.change import (
    AGREEMENT,
    FORM,
    TABLE,
    TEXT_COLUMNS,
    WORDS,
    vectors_of,
)
from wsd.studies.change.confounds import BAG_OF_WORDS, BASELINES
from wsd.studies.change.groups import divide
from wsd.studies.change.measures import APD, JSD, PROTOTYPE
from wsd.studies.change.word_page import shown, word_page

SHOWN = {
    PROTOTYPE: "Prototype distance",
    APD: "Average pairwise distance",
    JSD: "Jensen-Shannon distance of clusters",
}
GOLD_NAMES = {
    gold.GRADED: "graded change",
    gold.BINARY: "binary change",
    gold.COMPARE: "COMPARE, reversed",
    agreement.JUDGMENTS: "judged pairs of uses",
}
METRICS = {
    agreement.SPEARMAN: "Spearman's correlation",
    agreement.AVERAGE_PRECISION: "average precision",
}
SHORT = ("Prototype distance", "APD", "JSD")
LEVEL = 0.05


def opening(choices: list[str], scores: pd.DataFrame) -> tuple[str, str]:
    """Return the layer choice that the pages open with, and the reason.

    It agrees best with graded gold, else with judgments; without gold it is the last single layer.
    """
    for name, measure in ((gold.GRADED, PROTOTYPE), (agreement.JUDGMENTS, agreement.COSINE)):
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
    bars = plots.bars(cells[PROTOTYPE])
    facts = about.set_index("word")
    return [
        {
            "word": word,
            "bar": bars[i],
            "cells": [cells[name][i] for name in SHOWN],
            "baseline_p": baseline.loc[word, "p_holm"],
            **facts.loc[word].to_dict(),
        }
        for i, word in enumerate(order)
    ]


def curves(changes: pd.DataFrame, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a plot per gold column; without gold, one of the mean change."""
    drawn = []
    for column, title in GOLD_NAMES.items():
        rows = having(scores, gold=column)
        # A correlation with equal values does not exist.
        rows = rows[rows["value"].notna()]
        if rows.empty:
            continue
        lines, best = {}, []
        levels: dict[str, float] = {}
        for measure, own in rows.groupby("measure", sort=False):
            name = SHOWN.get(str(measure), str(measure).capitalize())
            of_layers = own[~own["layers"].isin(BASELINES)]
            for value in having(own, layers=BAG_OF_WORDS)["value"]:
                levels[f"{name}, bag of words"] = value
            if of_layers.empty:
                continue
            lines[name] = of_layers
            (highest,) = records(of_layers.loc[[of_layers["value"].idxmax()]])
            within = of_layers.loc[of_layers["within"], "layers"].tolist()
            best.append({**highest, "name": name, "within": within})
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


def _plot(
    tables: Mapping[str, pd.DataFrame], y: str, levels: Mapping[str, float]
) -> dict[str, Any]:
    columns = {"low": "value_low", "high": "value_high"}
    tables = {name: table.rename(columns=columns) for name, table in tables.items()}
    return plot_of_tables(tables, y=y, levels=levels, level_digits=2)


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
    choices = [name for name in dict.fromkeys(changes["layers"]) if name not in BASELINES]
    start, reason = opening(choices, scores)
    names = [str(about[side].iloc[0]) for side in ("first", "second")]
    words = word_list(changes, about, start)
    text = not args.no_text
    index = render_alone(
        "change/change-index.html",
        CURVES,
        report={"dataset": dataset},
        model=changes["model"].iloc[0],
        group=args.group,
        names=names,
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
    )
    write_text(args.out / "index.html", index)
    if text:
        _write_words(args, dataset, changes, about, names, (choices, start))
    list_folders(args.listings)


def _write_words(
    args: argparse.Namespace,
    dataset: Dataset,
    changes: pd.DataFrame,
    about: pd.DataFrame,
    names: list[str],
    layers: tuple[list[str], str],
) -> None:
    """Write the page of each word that has measures."""
    corpora = read_corpora(args.corpus, args.words)
    choices, start = layers
    model, view = changes["model"].iloc[0], changes["view"].iloc[0]
    (args.out / "words").mkdir(parents=True, exist_ok=True)
    for word, grouped in divide(corpora, args.group, names, "--group").items():
        if grouped.left_out:
            continue
        corpus = corpora[word]
        embeddings = Embeddings(vectors_file(args.embeddings, corpus, view), corpus)
        rows = shown(grouped.is_second)
        vectors, facts = {}, []
        for name in choices:
            choice = parse_layers(name, embeddings.blocks)
            own = vectors_of(corpus, embeddings, choice, args.centre)
            vectors[name] = own[grouped.rows][rows]
            measured = having(changes, word=word, layers=name)
            of_layer = {row["measure"]: row for row in records(measured)}
            text = label(choice, embeddings.blocks)
            facts.append({"name": name, "label": text, "measures": of_layer})
        page = word_page(
            dataset,
            model,
            grouped.corpus.take(rows),
            grouped.is_second[rows],
            names,
            vectors,
            layers=facts,
            start=choices.index(start),
            about=records(having(about, word=word))[0],
            shown=SHOWN,
        )
        write_text(args.out / "words" / f"{file_name(word)}.html", page)
