"""Compare the speed of tuning logistic regression with an earlier version and scikit-learn.

    snakemake --cores 2 --configfile config/minilm.yaml --until embed folds
    .venv/bin/python bench/fitting.py results/coarsewsd20 all-MiniLM-L6-v2
    .venv/bin/python bench/fitting.py results/coarsewsd20 all-MiniLM-L6-v2 --random 768 3072

For each layer choice and word the methods take turns on the same vectors, folds and penalties, each
on one thread. Seconds are processor time. The methods' labels are compared on the held-out
instances of all folds, for every point of the search space. `before` is the search of October 2026
(`bench/fitting_before.py`).
"""

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"

import resource
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fitting_before import search_before
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from wsd.artifacts import fold_table as folding
from wsd.artifacts.corpus_table import read_corpora
from wsd.artifacts.cv_table import Search, grid_points
from wsd.artifacts.feature_set import StoredFeatures
from wsd.classification.estimators import design_matrices
from wsd.classification.estimators.logistic import Logistic
from wsd.metrics.scores import WORD_SCORES, confusion, word_scores

CS = [0.003, 0.01, 0.03, 0.1, 0.3]
GRID = grid_points({"C": CS, "prior_shift": [0, 0.25, 0.5, 0.75, 1]})
OBJECTIVE = "mean_macro_f1"
LAYERS = [*map(str, range(7)), *(f"mean-last-{n}" for n in (2, 3, 4)), "concat-last-4", "mean-all"]
THEIRS = {"tol": 1e-6, "max_iter": 100_000}


def now(X: np.ndarray, y: np.ndarray, repeats: list) -> list:
    return Logistic().search_folds(X, y, [split for splits in repeats for split in splits], GRID)


def before(X: np.ndarray, y: np.ndarray, repeats: list) -> list:
    return [
        search_before(X[fit], y[fit], X[held], GRID) for splits in repeats for fit, held in splits
    ]


def logistic_cv(X: np.ndarray, y: np.ndarray, repeats: list) -> None:
    """Scale all rows once, which is less work than scaling within each fold."""
    scaled = StandardScaler().fit_transform(X.astype(np.float64))
    for splits in repeats:
        model = LogisticRegressionCV(
            Cs=CS,
            cv=splits,
            l1_ratios=(0,),
            scoring="accuracy",
            use_legacy_attributes=False,
            **THEIRS,
        )
        model.fit(scaled, y)


def grid_cv(X: np.ndarray, y: np.ndarray, repeats: list) -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression(**THEIRS))
    for splits in repeats:
        space = {"logisticregression__C": CS}
        GridSearchCV(model, space, cv=splits, refit=False).fit(X.astype(np.float64), y)


class Products:
    """Measure the processor time inside matrix products, factorisations and solutions."""

    NAMES = ("_product", "_factor", "_inverse")

    def __init__(self) -> None:
        self.seconds = 0.0
        for name in self.NAMES:
            setattr(design_matrices, name, self._timed(getattr(design_matrices, name)))

    def _timed(self, function: Callable) -> Callable:
        def timed(*args: Any) -> Any:
            start = time.process_time()
            result = function(*args)
            self.seconds += time.process_time() - start
            return result

        return timed


def point_scores(scores: list, repeats: list, gold: np.ndarray) -> np.ndarray:
    """Score every point and repeat as `wsd.classification.cross_validation.score_word` does."""
    next_scores, results = iter(scores), np.empty((len(repeats), len(GRID), len(WORD_SCORES)))
    for repeat, splits in enumerate(repeats):
        predicted = np.empty((len(GRID), len(gold)), dtype=np.int64)
        for fit, held_out in splits:
            predicted[:, held_out] = np.unique(gold[fit])[next(next_scores).argmax(axis=2)]
        for i, labels in enumerate(predicted):
            scored = word_scores(confusion(gold, labels, int(gold.max()) + 1))
            results[repeat, i] = [scored[metric] for metric in WORD_SCORES]
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results/<dataset>")
    parser.add_argument("model")
    parser.add_argument("--layers", nargs="+", default=LAYERS)
    parser.add_argument("--words", nargs="+")
    parser.add_argument(
        "--random", nargs="+", type=int, metavar="WIDTH", help="use random vectors instead"
    )
    parser.add_argument(
        "--peers", nargs="*", default=[], metavar="WORD", help="time scikit-learn on these words"
    )
    args = parser.parse_args()
    words = args.words or sorted(p.stem for p in (args.results / "corpus").glob("*.parquet"))
    corpora = read_corpora(args.results / "corpus", words)
    folds = folding.read(args.results / "folds" / "full.parquet")
    methods = {
        "now": now,
        "before": before,
        "LogisticRegressionCV": logistic_cv,
        "GridSearchCV": grid_cv,
    }
    products, total = Products(), Counter()
    for layers in args.random or args.layers:
        seconds, labels, differ = Counter(), 0, 0
        chosen: dict[str, dict] = {"now": {}, "before": {}}
        for word, corpus in corpora.items():
            if folds.words[word].held is None:
                continue
            rows = folds.rows(corpus)
            X, y = vectors(args, corpus, layers)[rows], corpus.gold[rows]
            repeats = [list(folds.words[word].splits(r)) for r in range(folds.repeats)]
            results = {}
            for name, method in methods.items():
                if name in results or (name not in chosen and word not in args.peers):
                    continue
                with threadpool_limits(1):
                    start = time.process_time()
                    results[name] = method(X, y, repeats)
                    seconds[name] += (elapsed := time.process_time() - start)
                if word in args.peers:
                    seconds[f"{name} (peers' words)"] += elapsed
            for name, scores_by_word in chosen.items():
                scores_by_word[word] = point_scores(results[name], repeats, y)
            for ours, theirs in zip(results["now"], results["before"], strict=True):
                differ += int((ours.argmax(axis=2) != theirs.argmax(axis=2)).sum())
                labels += theirs.shape[0] * theirs.shape[1]
        best = {
            name: Search(GRID, searches, ()).best(OBJECTIVE) for name, searches in chosen.items()
        }
        print(f"{layers}: now {seconds['now']:.1f} s, before {seconds['before']:.1f} s, ", end="")
        print(
            f"{seconds['before'] / seconds['now']:.1f} x; {differ} of {labels} labels differ; ",
            end="",
        )
        print("chosen", *(f"{name} {point}" for name, point in best.items()), flush=True)
        total.update(seconds, differ=differ, labels=labels, same=best["now"] == best["before"])
    print(f"together: {total['before'] / total['now']:.1f} x, ", end="")
    print(f"{total['differ']} of {total['labels']} labels differ, ", end="")
    print(f"the same point for {total['same']} choices; ", end="")
    print(f"{products.seconds / total['now']:.0%} of the time in products; ", end="")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most, all ways")
    for name in methods:
        if peer_seconds := total[f"{name} (peers' words)"]:
            ratio = peer_seconds / total["now (peers' words)"]
            print(f"{', '.join(args.peers)}: {name} {peer_seconds:.1f} s, {ratio:.1f} times ours")


def vectors(args: argparse.Namespace, corpus: Any, layers: Any) -> np.ndarray:
    if args.random:
        shape = (len(corpus), layers)
        return np.random.default_rng(1).normal(size=shape).astype(np.float32)
    return StoredFeatures(args.results / args.model / "embeddings", "focal", layers).read(corpus)


if __name__ == "__main__":
    main()
