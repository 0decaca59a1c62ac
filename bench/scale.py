"""Measure wall time, processor time and peak memory of each step as the corpus grows.

The script makes a random corpus of 10^4, 10^5 or 10^6 instances in 200 words, and random vectors
(one view, three layers of width 128). It then runs the `wsd` command of each step after the
encoder, each in its own process. Word sizes fall with the square root of their rank: the largest
word of a million instances has 37,000. Senses are separable in the upper layers, not in layer 0.

With --senses the corpora are small and have many senses: 1x200 is one word with 200 senses, 200x10
are 200 words with 10. Each sense has 20 training and 10 test instances.

With --workflow the whole workflow runs from scratch on W words of 40 sentences, imported as your
own corpus, with the packaged model and the quickstart's layers. It shows the cost of Snakemake and
of its jobs' imports. With --dry-run it only plans.

    .venv/bin/python bench/scale.py [--sizes 10000 100000 1000000] [--folder FOLDER] [--json FILE]
                                    [--senses 1x200 200x10] [--steps NAME ...]
    .venv/bin/python bench/scale.py --workflow 650 [--dry-run] [--folder FOLDER]

The script keeps the folder of --folder and does not repeat the steps whose files it contains;
--steps measures single steps again. A million instances take 3 GB of disk.
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
from wsd.encoder.aligned import Aligned
from wsd.encoder.alignment import ALIGNMENT_FILE as ALIGNMENT
from wsd.encoder.alignment import alignment_report as alignment_of
from wsd.storage.atomic import replacing
from wsd.storage.json import write_json

WORDS = 200
BLOCKS, WIDTH = 2, 128
LAYERS = [str(layer) for layer in range(BLOCKS + 1)]
SENTENCE = 16
CLASSIFIERS = {"nearest_centroid": "{}", "logistic": '{"C": [0.1], "prior_shift": [0.5]}'}
# The script measures `wsd corpus` on the largest word only; it reads the other words itself.
LARGEST = "corpus, largest word"
# Instances and senses of each word with --workflow.
FEW, SENSES = 40, 2


def words_of(size: str) -> list[tuple[int, int]]:
    """Return the number of instances and senses of each word.

    ``size`` is the number of all instances, `<words>x<senses>`, or `<words>w` (`FEW` instances
    each). By the number of all instances, a word has at least 30 instances and two senses; every
    fifth word has three.
    """
    if size.endswith("w"):
        return [(FEW, SENSES)] * int(size[:-1])
    word_count, _, sense_count = size.partition("x")
    if sense_count:
        return [(30 * int(sense_count), int(sense_count))] * int(word_count)
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
    """Write one word's vectors: a cloud per sense, with a distance that grows by layer."""
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
            vectors = noise + distance * centres[corpus.gold[start : start + step]]
            writer.add(vectors, range(start, start + rows))
        writer.close()


def call_in_process(function: Callable[..., None], *arguments: Any) -> None:
    """Call in another process, because a command's peak memory includes that of its parent."""
    process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def measure(command: list[str], folder: Path) -> dict[str, float]:
    """Run one `wsd` command and return its seconds and its peak memory in MB."""
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
    """Yield each step's name, its command, and the files that show that it is done."""
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
    predictions, searches = ([f"{kind}-{file}" for file in every] for kind in "ps")
    selection_outputs = ["--table", "selection.csv", "--out", "selection.json"]
    yield "select", ["select", "--searches", *searches, *selection_outputs], ["selection.json"]
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
    """Run (or plan) the whole workflow over many words, in a copy of the repository."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests/helpers"))
    from checkout import REPOSITORY, Checkout  # a test helper; tests/helpers is no package

    checkout = Checkout.create(folder / "checkout")
    shutil.copytree(REPOSITORY / "bench", checkout.root / "bench")
    if not (folder / "own").exists():
        call_in_process(make_text, folder / "source", f"{words}w")
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
    parser.add_argument(
        "--senses", nargs="+", metavar="WxS", help="measure W words with S senses instead"
    )
    parser.add_argument("--folder", type=Path, help="keep all files here (default: delete them)")
    parser.add_argument("--json", type=Path, help="write the measurements here")
    parser.add_argument("--steps", nargs="+", help="measure only these steps, again if need be")
    parser.add_argument(
        "--workflow", type=int, metavar="W", help="run the whole workflow over W words instead"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --workflow: only plan")
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
        measurements: dict[str, dict[str, dict[str, float]]] = {}
        if args.json and args.json.exists():
            measurements = json.loads(args.json.read_text())
        for size in args.senses or map(str, args.sizes):
            folder = root / size
            if not (folder / "source").exists():
                call_in_process(make_text, folder / "source", size)
            words = sorted(path.name for path in (folder / "source").iterdir())
            step_costs = measurements.setdefault(size, {})
            for name, command, outputs in steps(words):
                selected = args.steps is None or any(name.startswith(step) for step in args.steps)
                done = all((folder / file).exists() for file in outputs)
                if done and not (args.steps and selected):
                    continue
                step_costs[name] = measure(command, folder)
                figures = "".join(f"{value:>10.1f}" for value in step_costs[name].values())
                print(f"{size:>8}  {name:<28}{figures}", flush=True)
                if args.json:
                    args.json.write_text(json.dumps(measurements, indent=1))
                if name == LARGEST:
                    call_in_process(make_tables, folder, words)
            pages = [p.stat().st_size / 1e6 for p in (folder / "report/words").glob("*.html")]
            if pages:
                step_costs["largest page"] = {"mb": max(pages)}
                print(f"{size:>8}  {'largest page, MB':<28}{max(pages):>10.1f}")
        if args.json:
            args.json.write_text(json.dumps(measurements, indent=1))


if __name__ == "__main__":
    main()
