"""Describe another system, and the four systems that the authors of CoarseWSD-20 published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wsd.corpora.coarsewsd20 import COMMIT

ARCHIVE = f"https://github.com/danlou/bert-disambiguation/tree/{COMMIT}"
PAPER = "Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational Linguistics 47(2), 2021"


@dataclass(frozen=True)
class System:
    """Another system, with the source of its predictions and the way they were made.

    Attributes
    ----------
    name : str
        The model's name in tables; for a published system also the folder below ``published``.
    title : str
    source : str
        The paper to cite, and the address of the predictions.
    protocol : str
        Encoder, layers, classifier and training set, in words. For the published systems they are
        taken from the scripts in the authors' repository: ``create_1nn_vecs.py``, ``eval_1nn.py``
        and ``ftx_baseline.py``.
    view, layers, classifier, estimator, blocks, width, parameters
        The columns of our tables. Layer 0 of a system without blocks is the word type. The
        defaults are for a system of which only the predictions are known.
    """

    name: str
    title: str
    source: str
    protocol: str
    view: str = "system"
    layers: str = "-"
    classifier: str = "-"
    estimator: str = "-"
    blocks: int = 0
    width: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)


def _nearest_centroid(size: str, blocks: int, width: int) -> System:
    encoder = f"bert-{size}-uncased"
    return System(
        name=f"1nn-{encoder}",
        title=f"BERT-{size}, nearest centroid",
        source=f"{PAPER}; {ARCHIVE}/results/CoarseWSD-20/1nn/{encoder}",
        protocol=(
            f"{encoder}, not fine-tuned; the sum of the last four hidden states, the mean over "
            "the focal word's pieces; a sense's vector is the mean over its instances in the full "
            "training set; the sense of the word whose vector has the greatest cosine"
        ),
        view="focal",
        layers="sum-last-4",
        classifier="published-1nn",
        estimator="nearest_centroid",
        blocks=blocks,
        width=width,
        parameters={"metric": "cosine"},
    )


def _fasttext(name: str, title: str, vectors: str, width: int) -> System:
    return System(
        name=f"fasttext-{name}",
        title=f"fastText, {title}",
        source=f"{PAPER}; {ARCHIVE}/results/CoarseWSD-20/fasttext/{name}",
        protocol=(
            f"fastText's supervised classifier, one per word, {width} dimensions, {vectors}; the "
            "mean of the vectors of all words of the sentence; full training set, 25 epochs, "
            "learning rate 0.5, one-versus-all loss, so that scores do not sum to 1"
        ),
        view="sentence",
        layers="0",
        classifier="published-fasttext",
        estimator="fasttext",
        width=width,
        parameters={"epoch": 25, "loss": "ova", "lr": 0.5},
    )


# The published systems, by name.
SYSTEMS = {
    system.name: system
    for system in (
        _fasttext("base-100d", "trained on the set", "no vectors to start from", 100),
        _fasttext(
            "crawl-300d-2M",
            "pretrained on Common Crawl",
            "starting from the vectors crawl-300d-2M",
            300,
        ),
        _nearest_centroid("base", 12, 768),
        _nearest_centroid("large", 24, 1024),
    )
}
