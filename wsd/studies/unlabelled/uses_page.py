"""The pages of the uses of words: one per word and model, and one that lists them.

``uses.csv`` lies in the same folder. It has, per model, layer choice, word and method, the number
of clusters that the silhouette chooses and how much the form of the focal word says about them.
With senses it also has how well the clusters agree with the senses, and the clusters of a known
number. A model's substitutes have the same columns. The page that lists the words has the means.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_corpora, add_files, add_listings, add_optional_files, add_out_folder
from wsd.artifacts.corpus_table import Corpora, read_corpora
from wsd.artifacts.layer_choice import LayerChoice, parse_layers
from wsd.artifacts.manifest import find_dataset
from wsd.artifacts.run_map import list_folders
from wsd.errors import wrong_file
from wsd.report.pages.model_notes import label
from wsd.report.pages.render import render_alone
from wsd.report.pages.report_data import having, records
from wsd.storage.atomic import write_text
from wsd.storage.csv import write_csv
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.partitions import MEASURES
from wsd.studies.unlabelled.use_table import (
    FORM_EXPLAINS,
    SUBSTITUTES,
    TABLE,
    WordUses,
    read_uses,
    shown,
)
from wsd.studies.unlabelled.word_page import opening, word_page

# How the number of clusters came about.
BY_SILHOUETTE, AS_SENSES, ONE = "silhouette", "as many as senses", "one cluster"
SHOWN = ("ari", "v_measure", "bcubed_f", "paired_f")

# By model and layer choice: every word's uses.
Uses = Mapping[str, Mapping[LayerChoice, Mapping[str, WordUses]]]


def read_all(
    paths: list[Path], corpora: Corpora
) -> tuple[
    dict[str, dict[LayerChoice, dict[str, WordUses]]], dict[str, dict[str, Any]], int, str | None
]:
    """The uses in some files by model and layer choice, the models' records, seed and centring.

    Raises
    ------
    ResultError
        If a file is missing, damaged, of other words, or of another seed or centring than the
        first.
    """
    found: dict[str, dict[LayerChoice, dict[str, WordUses]]] = {}
    models, settings = {}, set()
    for path in paths:
        words, provenance = read_uses(path, corpora)
        model = provenance["encoder"]["model"]
        models[model["name"]] = model
        settings.add((provenance["seed"], provenance["centre"]))
        if len(settings) > 1:
            raise wrong_file("the uses are of another seed or --centre than those before", path)
        choice = parse_layers(provenance["layers"], model["blocks"])
        found.setdefault(model["name"], {})[choice] = words
    ordered = {
        model: dict(sorted(of.items(), key=lambda pair: pair[0].order))
        for model, of in found.items()
    }
    return ordered, models, *settings.pop()


def score_table(
    uses: Uses, corpora: Corpora, by_substitutes: Mapping[str, Mapping[str, WordUses]]
) -> pd.DataFrame:
    """A row per model, layer choice, word, method and way to a number of clusters.

    Behind a model's layer choices stand the clusters of its substitutes, where it was asked.
    """
    of_models = {
        model: {
            **{choice.name: words for choice, words in choices.items()},
            **({SUBSTITUTES: by_substitutes[model]} if model in by_substitutes else {}),
        }
        for model, choices in uses.items()
    }
    table = pd.DataFrame(
        [
            {"model": model, "layers": name, "word": word, **row}
            for model, choices in of_models.items()
            for name, words in choices.items()
            for word, of in words.items()
            for row in _rows(of, len(corpora[word].senses) if corpora[word].is_labelled else 0)
        ]
    )
    # Where no word has a number, pandas keeps a column of None.
    return table.astype({"silhouette": float, "form_nmi": float})


def _rows(uses: WordUses, senses: int) -> Iterator[dict[str, Any]]:
    for of in uses.partitions:
        hows = [BY_SILHOUETTE] * of.chosen + [AS_SENSES] * (of.k == senses)
        hows += [ONE] * (of.k == 1 and senses > 0)
        for how in hows:
            figures = {name: of.agreement.get(name) for name in MEASURES}
            about = {"method": of.method, "number": how, "instances": len(uses.labels)}
            about |= {"clusters": of.k, "silhouette": of.silhouette, "form_nmi": of.form_nmi}
            yield {**about, **figures}


def means(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Per model, layer choice and method the means over words, for both ways to a number."""
    rows = []
    for (model, layers, method), of in table.groupby(["model", "layers", "method"], sort=False):
        row: dict[str, Any] = {"model": model, "layers": layers, "method": method}
        for how in (BY_SILHOUETTE, AS_SENSES):
            row[how] = having(of, number=how)[["clusters", *SHOWN]].mean().to_dict()
        rows.append(row)
    return rows


def index_page(
    dataset: Any,
    models: Mapping[str, Any],
    uses: Uses,
    corpora: Corpora,
    table: pd.DataFrame,
    centre: str | None,
    text: bool,
) -> str:
    """The page that lists the words, as HTML."""
    words: list[dict[str, Any]] = []
    for model, choices in uses.items():
        choice = list(choices)[opening(list(choices))]
        chosen = having(table, model=model, layers=choice.name, number=BY_SILHOUETTE)
        for word in choices[choice]:
            numbers = records(having(chosen, word=word))
            total = len(corpora[word])
            words.append({"model": model, "word": word, "total": total, "numbers": numbers})
    labelled = table["number"].eq(AS_SENSES).any()
    one = having(table, number=ONE)[list(SHOWN)].mean().to_dict() if labelled else {}
    return render_alone(
        "uses-index.html",
        report={"dataset": dataset},
        words=words,
        methods=list(dict.fromkeys(table["method"])),
        several=len(uses) > 1,
        opening={
            model: label(list(of)[opening(list(of))], models[model]["blocks"])
            for model, of in uses.items()
        },
        text=text,
        centre=centre,
        form_explains=FORM_EXPLAINS,
        by_form=any(row["form_nmi"] >= FORM_EXPLAINS for of in words for row in of["numbers"]),
        drawn=any(of["numbers"][0]["instances"] < of["total"] for of in words),
        table=TABLE,
        means=means(table) if labelled else [],
        one=one,
        ways=(BY_SILHOUETTE, AS_SENSES),
        shown=SHOWN,
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_corpora(parser)
    parser.add_argument("--dataset", required=True, help="its name, or the path of its manifest")
    add_files(parser, "--uses", "of `wsd uses`, of any models and layer choices")
    add_optional_files(parser, "--substitute-uses", "of `wsd substitute-uses`: for the table alone")
    text = "leave the corpus's sentences out, and with them the words' pages"
    parser.add_argument("--no-text", action="store_true", help=text)
    add_listings(parser)
    add_out_folder(parser, f"folder for index.html, {TABLE} and a folder per model")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    dataset, corpora = find_dataset(args.dataset), read_corpora(args.corpus, args.words)
    uses, models, seed, centre = read_all(args.uses, corpora)
    read = [read_uses(path, corpora) for path in args.substitute_uses]
    by_substitutes = {source["encoder"]["model"]["name"]: words for words, source in read}
    table = score_table(uses, corpora, by_substitutes)
    taken = {word: corpus.take(shown(corpus, seed)) for word, corpus in corpora.items()}
    for model, choices in uses.items():
        (args.out / model).mkdir(parents=True, exist_ok=True)
        for word, corpus in taken.items() if not args.no_text else ():
            of_word = {choice: words[word] for choice, words in choices.items()}
            page = word_page(dataset, models[model], corpus, len(corpora[word]), of_word, centre)
            write_text(args.out / model / f"{file_name(word)}.html", page)
    write_csv(args.out / TABLE, table)
    index = index_page(dataset, models, uses, corpora, table, centre, text=not args.no_text)
    write_text(args.out / "index.html", index)
    list_folders(args.listings)
