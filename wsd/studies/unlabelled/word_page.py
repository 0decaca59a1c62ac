"""A word's page of its uses: clusters in every layer choice, to be named, mended and taken away."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import Dataset
from wsd.artifacts.layer_choice import LayerChoice
from wsd.artifacts.projection import align_signs
from wsd.report.pages.model_notes import label
from wsd.report.pages.plots import MARKERS, sense_style
from wsd.report.pages.render import encode, pack, render_alone
from wsd.studies.unlabelled.use_table import FORM_EXPLAINS, WordUses

SCRIPTS = (
    "page.js", "uses-data.js", "uses-words.js", "uses-state.js", "uses-plot.js", "uses-clusters.js",
    "uses-older.js", "uses-result.js", "uses.js",
)  # fmt: skip
LEVELS = 32767
NOWHERE = 65535
# People make new clusters on the page: styles for so many.
STYLES = 100


def opening(choices: Sequence[LayerChoice]) -> int:
    """The number of the layer choice that is shown first: the last single layer, for every word.

    On ten words of CoarseWSD-20 its clusters agree best with the senses
    (docs/studies/unlabelled.md). Without labels nobody knows which layer's clusters do for this
    word; the silhouettes of two layers do not say it.
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
    """The page, as one file that loads nothing.

    Parameters
    ----------
    dataset : Dataset
    model : mapping
        Of the encoder's record: name, blocks.
    corpus : Corpus
        The instances that are shown.
    total : int
        How many the word has.
    uses : mapping of LayerChoice to WordUses
        In their order.
    centre : str, optional
        What was taken out of the vectors before.
    """
    choices = list(uses)
    start = opening(choices)
    return render_alone(
        "uses.html",
        SCRIPTS,
        report={"dataset": dataset},
        word=corpus.word,
        model=model["name"],
        n=len(corpus),
        total=total,
        labelled=corpus.is_labelled,
        centre=centre,
        choices=[{"name": of.name, "label": label(of, model["blocks"])} for of in choices],
        start=start,
        methods=_methods(uses[choices[start]]),
        packed=pack(page_data(dataset, model["name"], corpus, uses)),
    )


def page_data(
    dataset: Dataset, model: str, corpus: Corpus, uses: Mapping[LayerChoice, WordUses]
) -> dict[str, Any]:
    """What the page's script switches through."""
    pictures = align_signs([of.points for of in uses.values()])
    called = dataset.sense_texts(corpus.word, corpus.senses) if corpus.is_labelled else ()
    styles = [sense_style(i) for i in range(STYLES)]
    return {
        "word": corpus.word,
        # What is named on the page is kept under this and the digest of a clustering's labels: it
        # belongs to these very sentences in these very clusters.
        "key": f"{dataset.name}/{model}/{corpus.word}/{corpus.digest[:12]}",
        "sentences": [" ".join(tokens) for tokens in corpus.tokens],
        # The focal word's first token in the sentence, and the one after its last.
        "start": encode(corpus.position, "<i4"),
        "end": encode(corpus.position + _widths(corpus), "<i4"),
        "gold": encode(corpus.gold, "<u2") if corpus.is_labelled else None,
        "senses": [text.name for text in called],
        "form_explains": FORM_EXPLAINS,
        "styles": [(colour, MARKERS[marker]) for colour, marker in styles],
        "layers": [
            _layer(choice, of, points)
            for (choice, of), points in zip(uses.items(), pictures, strict=True)
        ],
    }


def _layer(choice: LayerChoice, of: WordUses, points: np.ndarray) -> dict[str, Any]:
    scale = LEVELS / (float(np.abs(points).max(initial=0)) or 1.0)
    similar = np.nan_to_num(of.near.similarity, nan=0.0)
    return {
        "name": choice.name,
        # All x before all y, the largest of them at 1.
        "points": encode(np.round(points.T * scale), "<i2"),
        "near": encode(np.where(of.near.rows >= 0, of.near.rows, NOWHERE), "<u2"),
        "similar": encode(np.round((similar + 1) * 127).clip(0, 254), "u1"),
        "partitions": [
            {
                "method": one.method,
                "k": one.k,
                "silhouette": one.silhouette,
                "chosen": one.chosen,
                "labels": encode(of.labels[:, i], "<u2"),
                "digest": hashlib.sha256(of.labels[:, i].astype("<i2").tobytes()).hexdigest()[:12],
                "form_nmi": one.form_nmi,
                "typical": one.typical,
                "agreement": one.agreement or None,
            }
            for i, one in enumerate(of.partitions)
        ],
    }


def _widths(corpus: Corpus) -> np.ndarray:
    """How many tokens of the sentence the focal word is: int array of shape (n,)."""
    places = zip(corpus.tokens, corpus.position.tolist(), strict=True)
    return np.array([1 + tokens[position].count(" ") for tokens, position in places])


def _methods(uses: WordUses) -> list[str]:
    return list(dict.fromkeys(of.method for of in uses.partitions))
