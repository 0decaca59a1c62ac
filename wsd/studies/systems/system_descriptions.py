"""Describe another system, and the four systems that the authors of CoarseWSD-20 published."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wsd.corpora.download import COMMIT

PAPER = "Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational Linguistics 47(2), 2021"
FOLDER = f"https://github.com/danlou/bert-disambiguation/tree/{COMMIT}/results/CoarseWSD-20"


class System(NamedTuple):
    """Another system, with the source of its predictions and the way they were made.

    The defaults are for a system of which only the predictions are known.

    Attributes
    ----------
    title : str
    source : str
        The paper to cite, and the address of the predictions.
    protocol : str
        Encoder, layers, classifier and training set, in words. For the published systems they are
        taken from the scripts in the authors' repository: ``create_1nn_vecs.py``, ``eval_1nn.py``
        and ``ftx_baseline.py``.
    blocks, width : int
    columns : mapping
        The values of our tables' columns. Layer 0 of a system without blocks is the word type.
    """

    title: str
    source: str
    protocol: str
    blocks: int = 0
    width: int = 0
    columns: Mapping[str, Any] = {
        **{"view": "system", "layers": "-", "classifier": "-", "estimator": "-"},
        "parameters": {},
    }


def _nearest_centroid(size: str, blocks: int, width: int) -> System:
    encoder = f"bert-{size}-uncased"
    return System(
        f"BERT-{size}, nearest centroid",
        f"{PAPER}; {FOLDER}/1nn/{encoder}",
        f"{encoder}, not fine-tuned; the sum of the last four hidden states, the mean over "
        "the focal word's pieces; a sense's vector is the mean over its instances in the full "
        "training set; the sense of the word whose vector has the greatest cosine",
        blocks,
        width,
        {
            **{"view": "focal", "layers": "sum-last-4", "classifier": "published-1nn"},
            **{"estimator": "nearest_centroid", "parameters": {"metric": "cosine"}},
        },
    )


def _fasttext(name: str, title: str, vectors: str, width: int) -> System:
    return System(
        f"fastText, {title}",
        f"{PAPER}; {FOLDER}/fasttext/{name}",
        f"fastText's supervised classifier, one per word, {width} dimensions, {vectors}; the "
        "mean of the vectors of all words of the sentence; full training set, 25 epochs, "
        "learning rate 0.5, one-versus-all loss, so that scores do not sum to 1",
        0,
        width,
        {
            **{"view": "sentence", "layers": "0", "classifier": "published-fasttext"},
            **{"estimator": "fasttext", "parameters": {"epoch": 25, "loss": "ova", "lr": 0.5}},
        },
    )


# The published systems by name: the model's name in tables, and the folder below ``published``.
_CRAWL = "starting from the vectors crawl-300d-2M"
SYSTEMS = {
    "fasttext-base-100d": _fasttext(
        "base-100d", "trained on the set", "no vectors to start from", 100
    ),
    "fasttext-crawl-300d-2M": _fasttext("crawl-300d-2M", "pretrained on Common Crawl", _CRAWL, 300),
    "1nn-bert-base-uncased": _nearest_centroid("base", 12, 768),
    "1nn-bert-large-uncased": _nearest_centroid("large", 24, 1024),
}
