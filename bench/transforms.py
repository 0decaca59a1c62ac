"""What do whitening and taking out common directions give, layer by layer? Macro-F1 on the test
instances of nearest centroid and of five nearest neighbours, with the transformation fitted on a
word's own training rows (as the config's `transform` is) or on those of all words, each word
weighing the same; less the vectors as they are, with interval and paired test.

    snakemake --cores 2 --configfile config/minilm.yaml --until embed folds
    .venv/bin/python bench/transforms.py results/coarsewsd20 all-MiniLM-L6-v2 --layers 0 6
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
from wsd.metrics.intervals import difference_intervals, mean_intervals
from wsd.metrics.permutation import holm, paired_permutations
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
        weights = np.concatenate([np.full(len(of), 1 / len(of) / len(trained)) for of in trained])
        rows = np.concatenate(trained)
        for estimator in (NearestCentroid, KNN):

            def row(name, on, X, layers=layers, estimator=estimator):
                made = [
                    predict_word(c, X[w], estimator(transform=name if on == "word" else "none"))[0]
                    for w, c in corpora.items()
                ]
                return ComparisonRow(on, name, "focal", layers, estimator.__name__, made)

            plain = row("none", "-", vectors)
            tell(plain)
            for name in NAMES:
                whole = fitted(name, rows, weights)
                of_all = {w: whole.apply(X) for w, X in vectors.items()}
                for one in (row(name, "word", vectors), row(name, "corpus", of_all)):
                    joints = one.joints(plain)
                    difference, p = paired_permutations(joints, rng=1)[METRIC]
                    low, high = difference_intervals(joints, rng=1)[METRIC]
                    bounds = f"[{100 * low:+.1f}, {100 * high:+.1f}]"
                    tell(one, f"{100 * difference:+6.1f} {bounds} p {p:.4f}")
                    tested.append((one, p))
    for estimator in ("NearestCentroid", "KNN"):
        family = [(one, p) for one, p in tested if one.classifier == estimator]
        for (one, _), p in zip(family, holm([p for _, p in family]), strict=True):
            print(f"Holm {estimator:16}{one.layers:>4} {one.model:10}{one.kind:8}{p:.4f}")


def tell(row: ComparisonRow, text: str = "") -> None:
    low, high = mean_intervals(row.confusions, rng=1)[METRIC]
    value = row.mean(METRIC)
    said = f"{row.classifier:16}{row.layers:>4} {row.model:10}{row.kind:8}"
    print(f"{said}{100 * value:6.1f} [{100 * low:.1f}, {100 * high:.1f}] {text}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
