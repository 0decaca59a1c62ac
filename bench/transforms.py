"""Measure the effect of whitening and of removing common directions, layer by layer.

    snakemake --cores 2 --configfile config/minilm.yaml --until embed folds
    .venv/bin/python bench/transforms.py results/coarsewsd20 all-MiniLM-L6-v2 --layers 0 6

The classifiers are nearest centroid and five nearest neighbours; the metric is macro-F1 on the
test instances. A transformation is fitted on each word's training rows, as the config's
`transform`, or on the training rows of all words, with equal weight for each word. Each result is
compared with the untransformed vectors: difference, interval and paired test.
"""

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.feature_set import read_features
from wsd.classification.estimators.knn import KNN
from wsd.classification.estimators.nearest_centroid import NearestCentroid
from wsd.classification.fit_and_predict import predict_word
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.metrics.confidence_intervals import mean_intervals
from wsd.metrics.permutation import compare_systems, holm
from wsd.metrics.transforms import fitted

METRIC = "mean_macro_f1"
NAMES = ("centre", "remove-1", "remove-2", "remove-4", "whiten")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results/<dataset>")
    parser.add_argument("model")
    parser.add_argument("--layers", nargs="+", default=["6"])
    args = parser.parse_args()
    words = sorted(path.stem for path in (args.results / "corpus").glob("*.parquet"))
    corpora = read_corpora(args.results / "corpus", words)
    folder = args.results / args.model / "embeddings"
    tested = []
    for layers in args.layers:
        vectors = {w: read_features(folder, c, "focal", layers)[1] for w, c in corpora.items()}
        trained = [vectors[w][c.split == "train"] for w, c in corpora.items()]
        weights = np.concatenate(
            [
                np.full(len(vectors_of_word), 1 / len(vectors_of_word) / len(trained))
                for vectors_of_word in trained
            ]
        )
        rows = np.concatenate(trained)
        for estimator in (NearestCentroid, KNN):

            def row(name, on, X, layers=layers, estimator=estimator):
                made = [
                    predict_word(c, X[w], estimator(transform=name if on == "word" else "none"))[0]
                    for w, c in corpora.items()
                ]
                return ComparisonRow(on, name, "focal", layers, estimator.__name__, made)

            plain = row("none", "-", vectors)
            print_row(plain)
            for name in NAMES:
                whole = fitted(name, rows, weights)
                transformed = {w: whole.apply(X) for w, X in vectors.items()}
                for compared in (row(name, "word", vectors), row(name, "corpus", transformed)):
                    joints = compared.joints(plain)
                    difference, low, high, p, _ = compare_systems(joints, rng=1)[METRIC]
                    bounds = f"[{100 * low:+.1f}, {100 * high:+.1f}]"
                    print_row(compared, f"{100 * difference:+6.1f} {bounds} p {p:.4f}")
                    tested.append((compared, p))
    for estimator in ("NearestCentroid", "KNN"):
        family = [(result, p) for result, p in tested if result.classifier == estimator]
        for (result, _), p in zip(family, holm([p for _, p in family]), strict=True):
            print(f"Holm {estimator:16}{result.layers:>4} {result.model:10}{result.kind:8}{p:.4f}")


def print_row(row: ComparisonRow, text: str = "") -> None:
    low, high = mean_intervals(row.confusions, rng=1)[METRIC]
    value = row.mean(METRIC)
    label = f"{row.classifier:16}{row.layers:>4} {row.model:10}{row.kind:8}"
    print(f"{label}{100 * value:6.1f} [{100 * low:.1f}, {100 * high:.1f}] {text}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
