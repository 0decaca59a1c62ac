"""Compare the speed of tuning logistic regression with scikit-learn.

    snakemake --cores 2 --configfile config/minilm.yaml --until embed folds
    .venv/bin/python bench/fitting.py results/coarsewsd20 all-MiniLM-L6-v2 --words crane deck

For each layer choice and word the methods take turns on the same vectors, folds and penalties, each
on one thread. Seconds are processor time.
"""

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"

import time
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wsd.artifacts import training_set
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.cv_table import grid_points
from wsd.artifacts.feature_set import StoredFeatures
from wsd.classification.estimators.logistic import Logistic

CS = [0.003, 0.01, 0.03, 0.1, 0.3]
GRID = grid_points({"C": CS, "prior_shift": [0, 0.25, 0.5, 0.75, 1]})
LAYERS = [*map(str, range(7)), *(f"mean-last-{n}" for n in (2, 3, 4)), "concat-last-4", "mean-all"]
THEIRS = {"tol": 1e-6, "max_iter": 100_000}


def ours(X: np.ndarray, y: np.ndarray, repeats: list) -> None:
    Logistic().search_folds(X, y, [split for splits in repeats for split in splits], GRID)


def logistic_cv(X: np.ndarray, y: np.ndarray, repeats: list) -> None:
    """Scale all rows once, which is less work than scaling within each fold."""
    scaled = StandardScaler().fit_transform(X.astype(np.float64))
    settings = {"l1_ratios": (0,), "scoring": "accuracy", "use_legacy_attributes": False}
    for splits in repeats:
        LogisticRegressionCV(Cs=CS, cv=splits, **settings, **THEIRS).fit(scaled, y)


def grid_cv(X: np.ndarray, y: np.ndarray, repeats: list) -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression(**THEIRS))
    for splits in repeats:
        space = {"logisticregression__C": CS}
        GridSearchCV(model, space, cv=splits, refit=False).fit(X.astype(np.float64), y)


METHODS = {"wsd": ours, "LogisticRegressionCV": logistic_cv, "GridSearchCV": grid_cv}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results/<dataset>")
    parser.add_argument("model")
    parser.add_argument("--layers", nargs="+", default=LAYERS)
    parser.add_argument("--words", nargs="+")
    args = parser.parse_args()
    words = args.words or sorted(p.stem for p in (args.results / "corpus").glob("*.parquet"))
    corpora = read_corpora(args.results / "corpus", words)
    folds = training_set.read_folds(args.results / "folds" / "full.parquet")
    embeddings = args.results / args.model / "embeddings"
    total: Counter = Counter()
    for layers in args.layers:
        seconds: Counter = Counter()
        for word, corpus in corpora.items():
            if folds.words[word].held is None:
                continue
            rows = folds.rows(corpus)
            X = StoredFeatures(embeddings, "focal", layers).read(corpus)[rows]
            repeats = [list(folds.words[word].splits(r)) for r in range(folds.repeats)]
            for name, method in METHODS.items():
                with threadpool_limits(1):
                    start = time.process_time()
                    method(X, corpus.gold[rows], repeats)
                    seconds[name] += time.process_time() - start
        print(f"{layers}:", *(f"{name} {seconds[name]:.1f} s" for name in METHODS), flush=True)
        total.update(seconds)
    for name in METHODS:
        print(f"{name}: {total[name]:.1f} s, {total[name] / total['wsd']:.1f} times ours")


if __name__ == "__main__":
    main()
