"""What every step costs as the corpus grows: wall time, processor time and peak memory, by size.

A corpus of 10^4, 10^5 or 10^6 instances in 200 words is made up, and vectors for it (one view,
three layers of width 128, written by the package's own writer); then every step after the encoder
runs through its `wsd` command, each in a process of its own. Word sizes fall with the square root
of their rank: the largest word of a million instances has 37,000. Senses lie apart in the upper
layers and not in layer 0. At the end the workflow's graph over 200 words is built by a dry run.

With --senses the corpora are small and of many senses: 1x200 is one word of 200, 200x10 are 200
words of 10, each sense with 20 training and 10 test instances.

With --workflow the whole workflow runs, from nothing, over so many words of 40 sentences as a
corpus of one's own, with the packaged model and the quickstart's layers: what Snakemake takes, and
what the imports of its jobs. With --dry-run as well, it only plans.

    .venv/bin/python bench/scale.py [--sizes 10000 100000 1000000] [--folder FOLDER] [--json FILE]
                                    [--senses 1x200 200x10] [--steps NAME ...]
    .venv/bin/python bench/scale.py --workflow 650 [--dry-run] [--folder FOLDER]

A folder that is given is kept; in it, what is there already is not made again, so that one step
can be measured anew with --steps. A million instances take 3 GB of disk.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sweep import sweep

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.corpus_table import write as write_corpus
from wsd.artifacts.vectors import VectorsWriter
from wsd.corpora.text_format import read_text
from wsd.encoder.alignment import ALIGNMENT_FILE as ALIGNMENT
from wsd.encoder.alignment import alignment_report as alignment_of
from wsd.encoder.focal_pieces import Aligned
from wsd.storage.atomic import replacing
from wsd.storage.json import write_json

WORDS = 200
BLOCKS, WIDTH = 2, 128
LAYERS = [str(layer) for layer in range(BLOCKS + 1)]
SENTENCE = 16
CLASSIFIERS = {"nearest_centroid": "{}", "logistic": '{"C": [0.1], "prior_shift": [0.5]}'}
# The largest word is measured, the others are read in this process.
LARGEST = "corpus, largest word"


# Of a word in the whole workflow, and its senses.
FEW, SENSES = 40, 2


def words_of(size: str) -> list[tuple[int, int]]:
    """Instances and senses of each word: of so many in all, or of `words x senses`.

    Of so many in all a word has at least 30, and two senses, every fifth three. Of `words w` each
    has 40.
    """
    if size.endswith("w"):
        return [(FEW, SENSES)] * int(size[:-1])
    words, _, senses = size.partition("x")
    if senses:
        return [(30 * int(senses), int(senses))] * int(words)
    share = 1 / np.sqrt(np.arange(1, WORDS + 1))
    sizes = np.maximum(30, (int(size) * share / share.sum()).astype(int))
    return [(n, 2 if number % 5 else 3) for number, n in enumerate(sizes.tolist())]


def make_text(folder: Path, size: str) -> None:
    """Write the words' files in CoarseWSD's format."""
    rng = np.random.default_rng(list(size.encode()))
    letters = np.array(list("etaoinshrdlucmfw"))
    vocabulary = np.array(
        ["".join(rng.choice(letters, size=rng.integers(3, 9))) for _ in range(30_000)]
    )
    for number, (n, senses) in enumerate(words_of(size)):
        word = f"w{number:03}"
        into = folder / word
        into.mkdir(parents=True)
        classes = {str(i): f"{word}_{i}" for i in range(senses)}
        (into / "classes_map.txt").write_text(json.dumps(classes))
        weights = np.array([0.6, 0.3, 0.1][:senses] if senses <= 3 else [1.0] * senses)
        gold = rng.choice(senses, size=n, p=weights / weights.sum())
        gold[: 6 * senses] = np.tile(np.arange(senses), 6)
        tokens = vocabulary[(rng.zipf(1.3, size=(n, SENTENCE)) - 1) % len(vocabulary)]
        places = rng.integers(SENTENCE, size=n)
        tokens[np.arange(n), places] = word
        train = np.arange(n) % 3 != 2
        for split, rows in (("train", train), ("test", ~train)):
            lines = [f"{p}\t{' '.join(t)}" for p, t in zip(places[rows], tokens[rows], strict=True)]
            (into / f"{split}.data.txt").write_text("\n".join(lines) + "\n")
            (into / f"{split}.gold.txt").write_text("\n".join(map(str, gold[rows])) + "\n")


def make_tables(folder: Path, words: list[str]) -> None:
    """Write the corpus tables and the vectors of all words."""
    for seed, word in enumerate(words):
        table = read_text(folder / "source" / word, word)
        write_corpus(folder / f"corpus/{word}.parquet", table)
        make_vectors(folder / "e", table, seed)
        whole = Aligned(ids=[0], focal=[0], others=[], cls=None, windowed=False, pieces=(word,))
        write_json(folder / "e" / word / ALIGNMENT, alignment_of(table, [whole] * len(table)))


def make_vectors(folder: Path, corpus: Corpus, seed: int) -> None:
    """Write one word's vectors: a cloud per sense, further apart from layer to layer."""
    rng = np.random.default_rng(seed)
    n = len(corpus)
    provenance = {
        "model": {
            "name": "made",
            "blocks": BLOCKS,
            "width": WIDTH,
            "model_type": "none",
            "source": {"drawn": "at random"},
            "files": {},
        },
        "architecture": {},
        "input": "plain",
        "pooling": "mean",
        "precision": "float32",
        "seed": 1,
        "device": "cpu",
        "word": corpus.word,
        "corpus": corpus.digest,
        "instances": n,
        "versions": {"numpy": np.__version__},
    }
    centres = rng.normal(size=(len(corpus.senses), WIDTH)).astype(np.float32)
    with replacing(folder / corpus.word / "focal.safetensors") as path:
        metadata = {"wsd": json.dumps({**provenance, "view": "focal"})}
        writer = VectorsWriter(path, (BLOCKS + 1, n, WIDTH), metadata)
        step = 4096
        for start in range(0, n, step):
            rows = min(step, n - start)
            noise = rng.standard_normal((BLOCKS + 1, rows, WIDTH), dtype=np.float32)
            distance = np.array([0, 0.12, 0.2], dtype=np.float32)[:, None, None]
            writer.add(noise + distance * centres[corpus.gold[start : start + step]])
        writer.close()


def apart(function: Callable[..., None], *arguments: Any) -> None:
    """Call in a process of its own: a command's peak counts that of what starts it."""
    process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def measure(command: list[str], folder: Path) -> dict[str, float]:
    """Run one `wsd` command as a process: its seconds, and its peak of memory in MB."""
    start = time.monotonic()
    with (folder / "messages.txt").open("a") as messages:
        process = subprocess.Popen(
            [sys.executable, "-m", "wsd.cli", *command],
            cwd=folder,
            stdout=messages,
            stderr=messages,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = (folder / "messages.txt").read_text()[-2000:]
        raise SystemExit(f"wsd {command[0]} failed in {folder}:\n{tail}")
    return {
        "wall_s": time.monotonic() - start,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def steps(words: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, command, and the files that say that the step was done."""
    data = ["--corpus", "corpus", "--words", *words]
    vectors = [*data, "--embeddings", "e"]
    out = ["--out", "corpus"]
    yield LARGEST, ["corpus", "--source", "source", "--word", words[0], *out], ["corpus/words.json"]
    yield "folds", ["folds", *data, "--repeats", "1", "--out", "f.parquet"], ["f.parquet"]
    for name, space in CLASSIFIERS.items():
        for layer in LAYERS:
            out = f"p-{layer}.{name}.parquet"
            command = ["classify", *vectors, "--layers", layer, "--estimator", name]
            command += ["--space", space, "--folds", "f.parquet"]
            command += ["--searches", f"s-{layer}.{name}.parquet", "--out", out]
            yield f"classify {name} {layer}", command, [out]
    every = [f"{layer}.{name}.parquet" for name in CLASSIFIERS for layer in LAYERS]
    predictions, searches = ([f"{kind}-{of}" for of in every] for kind in "ps")
    chosen = ["--table", "selection.csv", "--out", "selection.json"]
    yield "select", ["select", "--searches", *searches, *chosen], ["selection.json"]
    yield (
        "classify-selected",
        ["classify-selected", *vectors, "--model", "made", "--selection", "selection.json",
          "--folds", "f.parquet", "--out", "pw.parquet"],
        ["pw.parquet"],
    )  # fmt: skip
    for step in ("project", "neighbours"):
        for layer in LAYERS:
            out = f"{step}-{layer}.parquet"
            yield f"{step} {layer}", [step, *vectors, "--layers", layer, "--out", out], [out]
    tables = [
        "--scores",
        "scores.csv",
        "--summary",
        "summary.csv",
        "--provenance",
        "provenance.json",
    ]
    yield (
        "evaluate",
        ["evaluate", "--predictions", *predictions, "pw.parquet", "--dataset", "quickstart",
         *tables],
        ["provenance.json"],
    )  # fmt: skip
    yield (
        "compare",
        ["compare", *data, "--candidates", *predictions, "--per-word", "pw.parquet",
          "--selection", "selection.json", "--selection-table", "selection.csv",
          "--scores", "scores.csv", "--table", "comparison.csv", "--out", "comparison"],
        ["comparison/comparison.md"],
    )  # fmt: skip
    yield (
        "layerwise",
        ["layerwise", *data, "--predictions", *predictions, "--searches", *searches,
          "--layers", "comparison/layers.csv", "--word-layers", "comparison/word-layers.csv",
          "--model-layers", "comparison/model-layers.csv",
          "--group-layers", "comparison/group-layers.csv",
          "--group-peaks", "comparison/group-peaks.csv"],
        ["comparison/word-layers.csv"],
    )  # fmt: skip
    yield (
        "alignment",
        ["alignment", "--model", "made", "--embeddings", "e", "--words", *words,
         "--out", "alignment.csv"],
        ["alignment.csv"],
    )  # fmt: skip
    yield (
        "report",
        ["report", *data, "--dataset", "quickstart", "--predictions", *predictions,
          "--projections", *(f"project-{layer}.parquet" for layer in LAYERS),
          "--neighbours", *(f"neighbours-{layer}.parquet" for layer in LAYERS), *tables,
          "--comparison", "comparison.csv", "--tables", "comparison",
          "--alignment", "alignment.csv", "--out", "report", "--portable", "portable"],
        ["report/index.html"],
    )  # fmt: skip


def workflow(folder: Path, words: int, *, dry_run: bool) -> None:
    """The whole workflow over many words, in a copy of the repository; or a dry run of it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests/helpers"))
    from checkout import REPOSITORY, Checkout  # the tests' own, which lie in no package

    checkout = Checkout.create(folder / "checkout")
    shutil.copytree(REPOSITORY / "bench", checkout.root / "bench")
    if not (folder / "own").exists():
        apart(make_text, folder / "source", f"{words}w")
        print(measure(["import", "source", "--out", "own", "--name", "many"], folder))
    config = checkout.configure("many", dataset={"name": "many", "path": str(folder / "own")})
    files = ["--configfile", "config/quickstart.yaml", config]
    start, before = time.monotonic(), os.times()
    run = checkout.run("-n", "--cores", "2", *files)
    wall, after = time.monotonic() - start, os.times()
    cpu = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    print(f"{words} words, {sum(run.jobs.values())} jobs: a dry run takes ", end="")
    print(f"{wall:.1f} s, {cpu:.1f} s of processor time", flush=True)
    if not dry_run:
        sweep(checkout.root, ["--cores", "2", *files])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--senses", nargs="+", metavar="WxS", help="W words of S senses, instead")
    parser.add_argument("--folder", type=Path, help="kept; default: a temporary one")
    parser.add_argument("--json", type=Path, help="the figures, by size and step")
    parser.add_argument("--steps", nargs="+", help="measure only these, anew")
    parser.add_argument("--workflow", type=int, metavar="W", help="run it over W words, instead")
    parser.add_argument("--dry-run", action="store_true", help="of the workflow")
    args = parser.parse_args()
    if args.workflow:
        with tempfile.TemporaryDirectory() as temporary:
            folder = (args.folder or Path(temporary)).absolute() / f"{args.workflow}-words"
            folder.mkdir(parents=True, exist_ok=True)
            workflow(folder, args.workflow, dry_run=args.dry_run)
        return
    print(f"{'':>8}  {'step':<28}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        root = (args.folder or Path(temporary)).absolute()
        found: dict[str, dict[str, dict[str, float]]] = {}
        if args.json and args.json.exists():
            found = json.loads(args.json.read_text())
        for total in args.senses or map(str, args.sizes):
            folder = root / total
            if not (folder / "source").exists():
                apart(make_text, folder / "source", total)
            words = sorted(path.name for path in (folder / "source").iterdir())
            of_size = found.setdefault(total, {})
            for name, command, made in steps(words):
                asked = args.steps is None or any(name.startswith(step) for step in args.steps)
                there = all((folder / file).exists() for file in made)
                if there and not (args.steps and asked):
                    continue
                of_size[name] = measure(command, folder)
                figures = "".join(f"{value:>10.1f}" for value in of_size[name].values())
                print(f"{total:>8}  {name:<28}{figures}", flush=True)
                if args.json:
                    args.json.write_text(json.dumps(found, indent=1))
                if name == LARGEST:
                    apart(make_tables, folder, words)
            pages = [p.stat().st_size / 1e6 for p in (folder / "report/words").glob("*.html")]
            if pages:
                of_size["largest page"] = {"mb": max(pages)}
                print(f"{total:>8}  {'largest page, MB':<28}{max(pages):>10.1f}")
        if args.json:
            args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
