"""Write the pages of the uses of words: one per word and model, and one that lists them.

``uses.csv`` is in the same folder. For each model, layer choice, word and method, it has the number
of clusters selected by silhouette, and how much the form of the focal word explains the clusters.
With senses, it also has the agreement of clusters and senses, and rows for as many clusters as
senses. The page that lists the words shows means.
"""

import argparse
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wsd.arguments import add_corpora, add_files, add_listings, add_out_folder
from wsd.artifacts.corpus_table import Corpora, Corpus, read_corpora
from wsd.artifacts.dataset import Dataset, find_dataset
from wsd.artifacts.feature_set import LayerChoice, parse_layers
from wsd.artifacts.instance_tables import align_signs
from wsd.artifacts.run_json import list_folders
from wsd.errors import wrong_file
from wsd.report.overview import Listed, find_pages
from wsd.report.pages.curves import mark_of
from wsd.report.pages.model_notes import label
from wsd.report.pages.render import encode, most_colours, pack, packed_columns, render_alone
from wsd.report.pages.report_data import having, records
from wsd.storage.atomic import write_text
from wsd.storage.csv import write_csv
from wsd.storage.file_names import file_name
from wsd.studies.unlabelled.use_table import FORM_EXPLAINS, TABLE, WordUses, read_uses, shown
from wsd.studies.unlabelled.uses import MEASURES

# How the number of clusters is decided.
BY_SILHOUETTE, AS_SENSES, SINGLE = "silhouette", "as many as senses", "one cluster"
SHOWN = ("ari", "v_measure", "bcubed_f", "paired_f")
PARTS = ("data", "words", "state", "plot", "clusters", "earlier-names", "result")
SCRIPTS = ("page.js", "extra-columns.js", *(f"unlabelled/uses-{part}.js" for part in PARTS),
           "unlabelled/uses.js")  # fmt: skip
LEVELS = 32767
NOWHERE = 65535
# Number of styles; users add clusters on the page.
STYLES = 100

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


def score_table(uses: Uses, corpora: Corpora) -> pd.DataFrame:
    """Return a row per model, layer choice, word, method and rule for the number of clusters."""
    table = pd.DataFrame(
        [
            {"model": model, "layers": choice.name, "word": word, **row}
            for model, choices in uses.items()
            for choice, words in choices.items()
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
    uses: Uses, corpora: Corpora, table: pd.DataFrame, models: Mapping[str, Any], **shared: Any
) -> str:
    """Return the page that lists the words, as HTML; ``shared`` has further values for it."""
    opened = {model: list(choices)[opening(list(choices))] for model, choices in uses.items()}
    chosen = having(table, number=BY_SILHOUETTE)
    words: list[dict[str, Any]] = [
        {
            "model": model,
            "word": word,
            "total": len(corpora[word]),
            "numbers": records(having(chosen, model=model, layers=choice.name, word=word)),
        }
        for model, choice in opened.items()
        for word in uses[model][choice]
    ]
    numbers = [number for word in words for number in word["numbers"]]
    labelled = table["number"].eq(AS_SENSES).any()
    baseline = having(table, number=SINGLE)[list(SHOWN)].mean().to_dict() if labelled else {}
    return render_alone(
        "unlabelled/uses-index.html",
        words=words,
        methods=list(dict.fromkeys(table["method"])),
        several=len(uses) > 1,
        opening={model: label(choice, models[model]["blocks"]) for model, choice in opened.items()},
        form_explains=FORM_EXPLAINS,
        by_form=any(number["form_nmi"] >= FORM_EXPLAINS for number in numbers),
        drawn=any(word["numbers"][0]["instances"] < word["total"] for word in words),
        table=TABLE,
        means=means(table) if labelled else [],
        baseline=baseline,
        ways=(BY_SILHOUETTE, AS_SENSES),
        shown=SHOWN,
        **shared,
    )


def opening(choices: Sequence[LayerChoice]) -> int:
    """Return the number of the layer choice that is shown first: the last single layer.

    On ten words of CoarseWSD-20 its clusters agree best with the senses
    (docs/how-to/unlabelled.md). Without labels the best layer of a word is unknown; the
    silhouettes of different layers cannot be compared.
    """
    single = [i for i, choice in enumerate(choices) if choice.is_single]
    return max(single, default=len(choices) - 1)


def word_page(
    dataset: Dataset,
    model: Mapping[str, Any],
    corpus: Corpus,
    total: int,
    uses: Mapping[LayerChoice, WordUses],
    centre: str | None = None,
) -> str:
    """Return the page as one file that loads nothing.

    Parameters
    ----------
    dataset : Dataset
    model : mapping
        Name and blocks, from the encoder's record.
    corpus : Corpus
        The shown instances.
    total : int
        The number of all instances of the word.
    uses : mapping of LayerChoice to WordUses
    centre : str, optional
        The property whose mean vectors were subtracted before clustering.
    """
    choices, data = list(uses), page_data(dataset, model["name"], corpus, uses)
    start = opening(choices)
    return render_alone(
        "unlabelled/uses.html",
        SCRIPTS,
        report={"dataset": dataset},
        word=corpus.word,
        model=model["name"],
        n=len(corpus),
        total=total,
        labelled=corpus.is_labelled,
        centre=centre,
        choices=[{"name": c.name, "label": label(c, model["blocks"])} for c in choices],
        start=start,
        methods=list(dict.fromkeys(p.method for p in uses[choices[start]].partitions)),
        by_value=most_colours(data.get("extra", ())) > 0,
        packed=pack(data),
    )


def page_data(
    dataset: Dataset, model: str, corpus: Corpus, uses: Mapping[LayerChoice, WordUses]
) -> dict[str, Any]:
    """Return the data of the page's script."""
    points = align_signs([in_layer.points for in_layer in uses.values()])
    texts = dataset.sense_texts(corpus.word, corpus.senses) if corpus.is_labelled else ()
    n = len(corpus)
    widths = np.array([1 + token.count(" ") for token in corpus.focal_tokens])
    extra = packed_columns(corpus.extra, range(n), np.ones(n, dtype=bool))
    return {
        "word": corpus.word,
        # The browser stores names of clusters under this key and the digest of the labels, so that
        # they apply to the same sentences in the same clusters only.
        "key": f"{dataset.name}/{model}/{corpus.word}/{corpus.digest[:12]}",
        "sentences": [" ".join(tokens) for tokens in corpus.tokens],
        # The focal word's first token in the sentence, and the one after its last.
        "start": encode(corpus.position, "<i4"),
        "end": encode(corpus.position + widths, "<i4"),
        "touching": [
            [i + (width - 1) * (i > position) for i in touching]
            for touching, position, width in zip(
                corpus.touching or [()] * n, corpus.position.tolist(), widths.tolist(), strict=True
            )
        ],
        "gold": encode(corpus.gold, "<u2") if corpus.is_labelled else None,
        "senses": [text.name for text in texts],
        "form_explains": FORM_EXPLAINS,
        "styles": [mark_of(i) for i in range(STYLES)],
        "layers": [
            _layer(choice, in_layer, places)
            for (choice, in_layer), places in zip(uses.items(), points, strict=True)
        ],
        **({"extra": extra} if extra else {}),
    }


def _layer(choice: LayerChoice, uses: WordUses, points: np.ndarray) -> dict[str, Any]:
    scale = LEVELS / (float(np.abs(points).max(initial=0)) or 1.0)
    similarity = np.nan_to_num(uses.near.similarity, nan=0.0)
    return {
        "name": choice.name,
        # All x before all y, scaled to a maximum of 1.
        "points": encode(np.round(points.T * scale), "<i2"),
        "near": encode(np.where(uses.near.rows >= 0, uses.near.rows, NOWHERE), "<u2"),
        "similar": encode(np.round((similarity + 1) * 127).clip(0, 254), "u1"),
        "partitions": [
            {
                **vars(partition),
                "agreement": partition.agreement or None,
                "labels": encode(labels, "<u2"),
                "digest": hashlib.sha256(labels.astype("<i2").tobytes()).hexdigest()[:12],
            }
            for partition, labels in zip(uses.partitions, uses.labels.T, strict=True)
        ],
    }


def reports(results: Path) -> Iterator[Listed]:
    """Yield every page of uses below a folder of all results, for the list of all reports."""
    pages = find_pages(results, "uses/index.html", "Uses of words, clustered without senses")
    yield from (listed for _, listed in pages)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_corpora(parser)
    text = "name of the dataset, or path of its manifest"
    parser.add_argument("--dataset", required=True, help=text)
    add_files(parser, "--uses", "tables of `wsd uses`, for any models and layer choices")
    text = "leave out the sentences of the corpus, and thus the pages of the words"
    parser.add_argument("--no-text", action="store_true", help=text)
    add_listings(parser)
    add_out_folder(parser, f"folder for index.html, {TABLE} and a folder per model")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    dataset, corpora = find_dataset(args.dataset), read_corpora(args.corpus, args.words)
    uses, models, seed, centre = read_all(args.uses, corpora)
    table = score_table(uses, corpora)
    sampled = {word: corpus.take(shown(corpus, seed)) for word, corpus in corpora.items()}
    for model, choices in uses.items():
        (args.out / model).mkdir(parents=True, exist_ok=True)
        for word, corpus in sampled.items() if not args.no_text else ():
            of_word = {choice: words[word] for choice, words in choices.items()}
            page = word_page(dataset, models[model], corpus, len(corpora[word]), of_word, centre)
            write_text(args.out / model / f"{file_name(word)}.html", page)
    write_csv(args.out / TABLE, table)
    about = {"report": {"dataset": dataset}, "centre": centre, "text": not args.no_text}
    index = index_page(uses, corpora, table, models, **about)
    write_text(args.out / "index.html", index)
    list_folders(args.listings)
