"""Write the pages of the uses of words: one per word and model, and one that lists them.

``uses.csv`` is in the same folder. For each model, layer choice, word and method, it has the number
of clusters selected by silhouette, and how much the form of the focal word explains the clusters.
With senses, it also has the agreement of clusters and senses, and rows for as many clusters as
senses. The clusters of a model's substitutes have rows too. The page that lists the words shows
means.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from wsd.arguments import add_corpora, add_files, add_listings, add_optional_files, add_out_folder
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.layer_choice import LayerChoice, parse_layers
from wsd.artifacts.manifest import find_dataset
from wsd.artifacts.run_json import list_folders
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

# How the number of clusters is decided.
BY_SILHOUETTE, AS_SENSES, SINGLE = "silhouette", "as many as senses", "one cluster"
SHOWN = ("ari", "v_measure", "bcubed_f", "paired_f")

# By model and layer choice: every word's uses.
Uses = dict[str, dict[LayerChoice, dict[str, WordUses]]]


def read_all(
    paths: list[Path], corpora: Corpora
) -> tuple[Uses, dict[str, dict[str, Any]], int, str | None]:
    """Return the uses by model and layer choice, the models' records, the seed and the centring.

    Raises
    ------
    ResultError
        If a file is missing or damaged, or has other words, another seed or another centring than
        the first.
    """
    uses: Uses = {}
    models, settings = {}, set()
    for path in paths:
        words, provenance = read_uses(path, corpora)
        model = provenance["encoder"]["model"]
        models[model["name"]] = model
        settings.add((provenance["seed"], provenance["centre"]))
        if len(settings) > 1:
            raise wrong_file("the seed or --centre of the uses differs from the files before", path)
        choice = parse_layers(provenance["layers"], model["blocks"])
        uses.setdefault(model["name"], {})[choice] = words
    ordered = {
        model: dict(sorted(choices.items(), key=lambda pair: pair[0].order))
        for model, choices in uses.items()
    }
    return ordered, models, *settings.pop()


def score_table(
    uses: Uses, corpora: Corpora, by_substitutes: Mapping[str, Mapping[str, WordUses]]
) -> pd.DataFrame:
    """Return a row per model, layer choice, word, method and rule for the number of clusters.

    The clusters of a model's substitutes, if there are any, follow its layer choices.
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
            for word, clustered in words.items()
            for row in _rows(clustered, corpora[word])
        ]
    )
    # pandas keeps a column without any number as a column of None.
    return table.astype({"silhouette": float, "form_nmi": float})


def _rows(uses: WordUses, corpus: Corpus) -> Iterator[dict[str, Any]]:
    senses = len(corpus.senses) if corpus.is_labelled else 0
    for partition in uses.partitions:
        ways = [BY_SILHOUETTE] * partition.chosen + [AS_SENSES] * (partition.k == senses)
        ways += [SINGLE] * (partition.k == 1 and senses > 0)
        for way in ways:
            yield {
                "method": partition.method,
                "number": way,
                "instances": len(uses.labels),
                "clusters": partition.k,
                "silhouette": partition.silhouette,
                "form_nmi": partition.form_nmi,
                **{name: partition.agreement.get(name) for name in MEASURES},
            }


def means(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return means over words per model, layer choice, method and rule for the number."""
    keys = ["model", "layers", "method"]
    return [
        {
            **dict(zip(keys, names, strict=True)),
            **{
                way: having(rows, number=way)[["clusters", *SHOWN]].mean().to_dict()
                for way in (BY_SILHOUETTE, AS_SENSES)
            },
        }
        for names, rows in table.groupby(keys, sort=False)
    ]


def index_page(
    dataset: Any,
    models: Mapping[str, Any],
    uses: Uses,
    corpora: Corpora,
    table: pd.DataFrame,
    centre: str | None,
    text: bool,
) -> str:
    """Return the page that lists the words, as HTML."""
    words: list[dict[str, Any]] = []
    opened = {model: list(choices)[opening(list(choices))] for model, choices in uses.items()}
    for model, choice in opened.items():
        selected = having(table, model=model, layers=choice.name, number=BY_SILHOUETTE)
        for word in uses[model][choice]:
            numbers = records(having(selected, word=word))
            total = len(corpora[word])
            words.append({"model": model, "word": word, "total": total, "numbers": numbers})
    numbers = [number for word in words for number in word["numbers"]]
    labelled = table["number"].eq(AS_SENSES).any()
    baseline = having(table, number=SINGLE)[list(SHOWN)].mean().to_dict() if labelled else {}
    return render_alone(
        "unlabelled/uses-index.html",
        report={"dataset": dataset},
        words=words,
        methods=list(dict.fromkeys(table["method"])),
        several=len(uses) > 1,
        opening={model: label(choice, models[model]["blocks"]) for model, choice in opened.items()},
        text=text,
        centre=centre,
        form_explains=FORM_EXPLAINS,
        by_form=any(number["form_nmi"] >= FORM_EXPLAINS for number in numbers),
        drawn=any(word["numbers"][0]["instances"] < word["total"] for word in words),
        table=TABLE,
        means=means(table) if labelled else [],
        baseline=baseline,
        ways=(BY_SILHOUETTE, AS_SENSES),
        shown=SHOWN,
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    text = "name of the dataset, or path of its manifest"
    parser.add_argument("--dataset", required=True, help=text)
    add_files(parser, "--uses", "tables of `wsd uses`, for any models and layer choices")
    add_optional_files(
        parser, "--substitute-uses", "tables of `wsd substitute-uses`, for uses.csv alone"
    )
    text = "leave out the sentences of the corpus, and thus the pages of the words"
    parser.add_argument("--no-text", action="store_true", help=text)
    add_listings(parser)
    add_out_folder(parser, f"folder for index.html, {TABLE} and a folder per model")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    dataset, corpora = find_dataset(args.dataset), read_corpora(args.corpus, args.words)
    uses, models, seed, centre = read_all(args.uses, corpora)
    substitutes = [read_uses(path, corpora) for path in args.substitute_uses]
    by_model = {source["encoder"]["model"]["name"]: words for words, source in substitutes}
    table = score_table(uses, corpora, by_model)
    sampled = {word: corpus.take(shown(corpus, seed)) for word, corpus in corpora.items()}
    for model, choices in uses.items():
        (args.out / model).mkdir(parents=True, exist_ok=True)
        for word, corpus in sampled.items() if not args.no_text else ():
            of_word = {choice: words[word] for choice, words in choices.items()}
            page = word_page(dataset, models[model], corpus, len(corpora[word]), of_word, centre)
            write_text(args.out / model / f"{file_name(word)}.html", page)
    write_csv(args.out / TABLE, table)
    index = index_page(dataset, models, uses, corpora, table, centre, text=not args.no_text)
    write_text(args.out / "index.html", index)
    list_folders(args.listings)
