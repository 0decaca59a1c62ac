"""Measure how much of the senses each two-dimensional projection keeps.

    snakemake --cores 2 --configfile config/minilm.yaml --until embed folds
    python bench/projections.py results/coarsewsd20 all-MiniLM-L6-v2 --layers 6 mean-last-4

The five nearest training instances vote on each test instance, in the full space and in each
projection. Printed are the macro-F1 of the votes, by word, and the processor seconds.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from wsd.analysis.neighbours import find_neighbours
from wsd.analysis.project import place
from wsd.artifacts import fold_table as folding
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.feature_set import read_features

METHODS = ("pca", "discriminant")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results/<dataset>")
    parser.add_argument("model")
    parser.add_argument("--layers", nargs="+", default=["6"])
    args = parser.parse_args()
    words = sorted(path.stem for path in (args.results / "corpus").glob("*.parquet"))
    corpora = read_corpora(args.results / "corpus", words)
    folds = folding.read(args.results / "folds" / "full.parquet")
    for layers in args.layers:
        print(
            f"{layers:12}{'senses':>8}{'train':>7}{'full':>7}"
            + " ".join(f"{m:>13}" for m in METHODS)
        )
        rows, seconds = [], np.zeros(len(METHODS))
        for word, corpus in corpora.items():
            vectors = read_features(
                args.results / args.model / "embeddings", corpus, "focal", layers
            )[1]
            row = [find_neighbours(corpus, vectors).score]
            for i, method in enumerate(METHODS):
                start = time.process_time()
                row.append(place(corpus, vectors, method, 1, folds.words[word]).score)
                seconds[i] += time.process_time() - start
            rows.append(row)
            train = int((corpus.split == "train").sum())
            print(f"{word:12}{len(corpus.senses):8}{train:7}" + score_columns(row))
        means = np.nanmean(rows, axis=0)
        print(f"{'mean':27}" + score_columns(means))
        print(f"{'minus the full space':27}" + score_columns(means - means[0]))
        print(f"{'processor s':34}" + " ".join(f"{s:13.1f}" for s in seconds), flush=True)


def score_columns(row: list[float]) -> str:
    full, *planes = row
    return f"{100 * full:7.1f}" + " ".join(f"{100 * score:13.1f}" for score in planes)


if __name__ == "__main__":
    main()
