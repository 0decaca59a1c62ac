"""Measure a word page with 10,000 instances and 13 layers: its size and the time of a layer step.

The corpus, points, neighbours and predictions are random. Sentences have the mean length of
CoarseWSD-20; their words follow Zipf's law. Needs Chromium and its driver.

    .venv/bin/python bench/pages.py [--instances 10000] [--layers 13] [--methods pca] [--steps 30]
    .venv/bin/python bench/pages.py --word results/coarsewsd20/report/words/pitcher.html

With --word, measure a page of a real report.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.dataset import DATASETS
from wsd.artifacts.feature_set import parse_layers
from wsd.artifacts.instance_tables import Neighbours, Projection
from wsd.report.pages import render, word
from wsd.report.pages.report_data import LEAD, PROBABILITY, Report, WordResults

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from browser import opened  # a test helper; tests/helpers is no package

SENTENCE = 25  # words
STEP = """
const done = arguments[0], start = performance.now();
document.getElementById("next").disabled
  ? document.querySelector("#choices a").click() : document.getElementById("next").click();
const ran = performance.now() - start;
// The plot is drawn in the next frame. That frame is on screen when the frame after it starts.
requestAnimationFrame(() => requestAnimationFrame(() => done([ran, performance.now() - start])));
"""


def made_corpus(n: int, rng: np.random.Generator) -> Corpus:
    letters = np.array(list("etaoinshrdlucmfw"))
    vocabulary = ["".join(rng.choice(letters, size=rng.integers(2, 10))) for _ in range(20_000)]
    tokens = []
    for _ in range(n):
        sentence = [vocabulary[i] for i in (rng.zipf(1.3, size=SENTENCE) - 1) % len(vocabulary)]
        sentence[12] = "bench"
        tokens.append(tuple(sentence))
    train = n * 2 // 3
    return Corpus(
        word="bench",
        senses=("bench_seat", "bench_judges", "bench_work"),
        split=np.array(["train"] * train + ["test"] * (n - train)),
        index=np.concatenate([np.arange(train), np.arange(n - train)]).astype(np.int32),
        tokens=tuple(tokens),
        position=np.full(n, 12, dtype=np.int32),
        gold=rng.choice(3, size=n, p=[0.6, 0.3, 0.1]).astype(np.int32),
    )


def made_report(n: int, layers: int, methods: Sequence[str], rng: np.random.Generator) -> Report:
    corpus = made_corpus(n, rng)
    choices = [parse_layers(layer, layers - 1) for layer in range(layers)]
    classifiers = {"logistic": PROBABILITY, "nearest_centroid": LEAD}
    gold = corpus.gold[corpus.split == "test"]
    shape = len(choices), len(gold)

    def projection(explained: tuple[float, float] | None) -> Projection:
        points = rng.normal(size=(n, 2)) + corpus.gold[:, None] * rng.normal(size=2)
        return Projection(points.astype(np.float32), explained, 0.7)

    results = WordResults(
        corpus=corpus,
        projections={method: [projection((0.2, 0.1)) for _ in choices] for method in methods},
        missing={},
        neighbours=[
            Neighbours(
                rng.integers(0, n, size=(n, 5)).astype(np.int32),
                np.sort(rng.random((n, 5)).astype(np.float32))[:, ::-1],
                0.9,
            )
            for _ in choices
        ],
        predicted={r: np.where(rng.random(shape) < 0.1, 0, gold) for r in classifiers},
        confidence={r: rng.random(shape) for r in classifiers},
        scores={
            r: [dict.fromkeys(("macro_f1", "accuracy", "balanced_accuracy"), 0.9) for _ in choices]
            for r in classifiers
        },
    )
    chosen = pd.DataFrame(
        {
            "model": "made", "view": "focal", "word": "bench", "classifier": classifier,
            "layers": choice.name, "selected_by_cv": choice.name == "5", "macro_f1_cv": 0.9,
            "macro_f1_low": 0.85, "macro_f1_high": 0.95,
        }
        for classifier in classifiers
        for choice in choices
    )  # fmt: skip
    encoder = {"model": {"blocks": layers - 1, "width": 768}, "pooling": "mean"}
    return Report(
        dataset=DATASETS["quickstart"],
        view="focal",
        choices={"made": choices},
        classifiers=classifiers,
        words={"made": {"bench": results}},
        provenance={"models": {"made": encoder}},
        tables={
            "word-layers": chosen,
            "comparison": pd.DataFrame(columns=["kind", "classifier"]),
        },
        text=True,
    )


READY = """
const done = arguments[0];
const look = () => (document.documentElement.dataset.ready
  ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 5));
look();
"""


def measure_word(page: Path, steps: int) -> None:
    """Print the times of a word page: ready, and a layer step."""
    print(f"page: {page.stat().st_size / 1e6:.2f} MB, without the shared scripts")
    ready = []
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as chromium:
        for _ in range(5):
            chromium.driver.get("about:blank")
            chromium.driver.get(page.absolute().as_uri())
            ready.append(chromium.driver.execute_async_script(READY))
            times = [chromium.driver.execute_async_script(STEP) for _ in range(steps)]
    script, drawn = zip(*times, strict=True)
    for name, values in {
        "ready": ready,
        "a layer step, script": script,
        "a layer step, until drawn": drawn,
    }.items():
        slowest = f"slowest {max(values):.0f} ms of {len(values)}"
        print(f"{name}: median {statistics.median(values):.0f} ms, {slowest}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--layers", type=int, default=13)
    text = "projections (default: pca discriminant)"
    parser.add_argument("--methods", nargs="+", default=["pca", "discriminant"], help=text)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--word", type=Path, help="measure this word page of a report instead")
    args = parser.parse_args()
    if args.word:
        measure_word(args.word, args.steps)
        return
    report = made_report(args.instances, args.layers, args.methods, np.random.default_rng(1))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        render.write_assets(report, out / "assets")
        word.write_word(report, "made", "bench", folder=out)
        page = out / "words" / "bench.html"
        print(f"{args.instances:,} instances, {args.layers} layers, {' and '.join(args.methods)}")
        measure_word(page, args.steps)


if __name__ == "__main__":
    main()
