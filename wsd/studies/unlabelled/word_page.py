"""The page of a word's uses: clusters in every layer choice, to be named, corrected, downloaded."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.projection import align_signs
from wsd.report.pages.model_notes import label
from wsd.report.pages.packed_columns import most_colours, packed_columns
from wsd.report.pages.render import encode, pack, render_alone
from wsd.report.plot_colours import mark_of
from wsd.studies.unlabelled.use_table import FORM_EXPLAINS, WordUses

PARTS = ("data", "words", "state", "plot", "clusters", "earlier-names", "result")
SCRIPTS = (
    "page.js",
    "extra-columns.js",
    *(f"unlabelled/uses-{part}.js" for part in PARTS),
    "unlabelled/uses.js",
)
LEVELS = 32767
NOWHERE = 65535
# Number of styles; users add clusters on the page.
STYLES = 100


def opening(choices: Sequence[LayerChoice]) -> int:
    """Return the number of the layer choice that is shown first: the last single layer.

    On ten words of CoarseWSD-20 its clusters agree best with the senses
    (docs/studies/unlabelled.md). Without labels the best layer of a word is unknown; the
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
    extra = packed_columns(corpus.extra, range(n), np.ones(n, dtype=bool))
    return {
        "word": corpus.word,
        # The browser stores names of clusters under this key and the digest of the labels, so that
        # they apply to the same sentences in the same clusters only.
        "key": f"{dataset.name}/{model}/{corpus.word}/{corpus.digest[:12]}",
        "sentences": [" ".join(tokens) for tokens in corpus.tokens],
        # The focal word's first token in the sentence, and the one after its last.
        "start": encode(corpus.position, "<i4"),
        "end": encode(corpus.position + _widths(corpus), "<i4"),
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
                "method": partition.method,
                "k": partition.k,
                "silhouette": partition.silhouette,
                "chosen": partition.chosen,
                "labels": encode(labels, "<u2"),
                "digest": hashlib.sha256(labels.astype("<i2").tobytes()).hexdigest()[:12],
                "form_nmi": partition.form_nmi,
                "typical": partition.typical,
                "agreement": partition.agreement or None,
            }
            for partition, labels in zip(uses.partitions, uses.labels.T, strict=True)
        ],
    }


def _widths(corpus: Corpus) -> np.ndarray:
    """Return the number of tokens of each focal word: int array of shape (n,)."""
    places = zip(corpus.tokens, corpus.position.tolist(), strict=True)
    return np.array([1 + tokens[position].count(" ") for tokens, position in places])
