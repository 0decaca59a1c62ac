"""Describe the systems that the authors of CoarseWSD-20 published, and convert their predictions.

The command `wsd published` writes JSON lines for `wsd score`.
A system has a file per word, with a line for each test instance. A line is a JSON object with
``idx``, ``gold``, ``tokens`` and ``matches``, the pairs of sense and score, best first.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wsd.arguments import add_out, add_path
from wsd.corpora.download import COMMIT
from wsd.storage.atomic import write_text
from wsd.storage.result_files import parsing
from wsd.storage.text_files import json_lines

PAPER = "Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational Linguistics 47(2), 2021"
FOLDER = f"https://github.com/danlou/bert-disambiguation/tree/{COMMIT}/results/CoarseWSD-20"

# The columns of our tables that a system's settings fill.
COLUMNS = ("view", "layers", "classifier", "estimator", "parameters")


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
    settings : tuple
        The values of ``COLUMNS``. Layer 0 of a system without blocks is the word type.
    """

    title: str
    source: str
    protocol: str
    blocks: int = 0
    width: int = 0
    settings: tuple[str, str, str, str, Mapping[str, Any]] = ("system", "-", "-", "-", {})


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
        ("focal", "sum-last-4", "published-1nn", "nearest_centroid", {"metric": "cosine"}),
    )


def _fasttext(name: str, title: str, vectors: str, width: int) -> System:
    parameters = {"epoch": 25, "loss": "ova", "lr": 0.5}
    return System(
        f"fastText, {title}",
        f"{PAPER}; {FOLDER}/fasttext/{name}",
        f"fastText's supervised classifier, one per word, {width} dimensions, {vectors}; the "
        "mean of the vectors of all words of the sentence; full training set, 25 epochs, "
        "learning rate 0.5, one-versus-all loss, so that scores do not sum to 1",
        0,
        width,
        ("sentence", "0", "published-fasttext", "fasttext", parameters),
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


def convert(folder: Path) -> Iterator[str]:
    """Yield the lines of a published system; the first match is its prediction, as the authors'."""
    for file in sorted(folder.glob("*.jsonl")):
        for where, output in json_lines(file, "give the published file as it was downloaded"):
            with parsing(Path(where)):
                sense, scores = output["matches"][0][0], dict(output["matches"])
                line = {"word": file.stem, "id": output["idx"], "sense": sense, "scores": scores}
            yield json.dumps(line) + "\n"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_path(parser, "--source", "folder of the download")
    parser.add_argument("--system", required=True, choices=SYSTEMS)
    add_out(parser, "its predictions, as `wsd score` takes them", ".jsonl")


def run(args: argparse.Namespace) -> None:
    """Convert the predictions of a published system."""
    write_text(args.out, "".join(convert(args.source / "published" / args.system)))
