"""Compare ways to fit the temperatures, and measure the noise of the calibration error.

    python bench/calibration.py temperatures
    python bench/calibration.py temperatures results/coarsewsd20 all-MiniLM-L6-v2
    python bench/calibration.py noise
    python bench/calibration.py noise results/coarsewsd20 all-MiniLM-L6-v2

Without results, words and their true temperatures are simulated. With results, `temperatures` uses
out-of-fold scores of the selected configuration: temperatures are fitted without the sentences of
one fold, and compared by the likelihood of that fold, then on the test set. `noise` uses the
confidences on the test set, and simulates correctness from them, so that every word is perfectly
calibrated. The output is Markdown tables; docs/findings/calibration.md quotes them.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from coverage import COUNTS
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from wsd.artifacts.corpus_table import OUT_OF_DOMAIN
from wsd.artifacts.predictions import CV, TEST, read_predictions
from wsd.fitted.selected_results import Results
from wsd.fitted.stored_probabilities import stored_logits
from wsd.fitted.train_selected import Fitting
from wsd.metrics import reliability
from wsd.storage.text_table import markdown

PRECISIONS = (1, 2, 4, 8, 16, 32)
HeldOut = Mapping[str, tuple[np.ndarray, np.ndarray]]
Tested = Mapping[str, tuple[np.ndarray, np.ndarray]]


def with_platts_targets(held_out: HeldOut) -> dict[str, float]:
    """Fit each word alone, with Platt's targets: the replaced method."""
    return {word: platt(logits, gold) for word, (logits, gold) in held_out.items()}


def platt(logits: np.ndarray, gold: np.ndarray) -> float:
    """Return a temperature; each target is 1 - 1 / (n + 2), and the wrong senses share the rest."""
    known = ~np.isnan(logits[np.arange(len(gold)), gold])
    logits, gold = logits[known], gold[known]
    trained = ~np.isnan(logits)
    share = 1 / (len(gold) + 2)
    targets = np.where(trained, share / np.maximum(trained.sum(axis=1, keepdims=True) - 1, 1), 0)
    targets[np.arange(len(gold)), gold] = 1 - share

    def loss(value: float) -> float:
        scores = log_softmax(np.where(trained, logits, -np.inf) / np.exp(value), axis=1)
        return -float(np.sum(targets * np.where(trained, scores, 0)))

    bounds = tuple(np.log(reliability.BOUNDS))
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


@contextmanager
def precision(value: float) -> Iterator[None]:
    """Use another precision of the prior."""
    before, reliability.PRECISION = reliability.PRECISION, value
    try:
        yield
    finally:
        reliability.PRECISION = before


def shrunk(value: float, held_out: HeldOut) -> dict[str, float]:
    """Fit temperatures with a precision of the prior."""
    with precision(value):
        return reliability.fit_temperatures(held_out)


Method = Callable[[HeldOut], dict[str, float]]
METHODS: dict[str, Method] = {
    "raw": lambda held_out: dict.fromkeys(held_out, 1.0),
    "Platt's targets": with_platts_targets,
    "likelihood of each word alone": partial(shrunk, 0),
    **{f"shrunk, precision {value}": partial(shrunk, value) for value in PRECISIONS},
    "one temperature for all words": partial(shrunk, 1e9),
}


def losses(logits: np.ndarray, gold: np.ndarray, temperature: float) -> np.ndarray:
    """Return the negative log-likelihood of instances; NaN logits are untrained senses."""
    return reliability.log_loss(reliability.to_probabilities(logits, temperature), gold)


# Simulated words


def simulate(n: int, spread: float, rng: np.random.Generator) -> tuple[HeldOut, Tested]:
    """Return 20 words of n instances, and 4,000 test instances; log-temperatures are normal."""
    held_out, tested = {}, {}
    for i in range(20):
        temperature = np.exp(rng.normal(0.5, spread))
        for words, size in ((held_out, n), (tested, 4000)):
            # Most instances are easy, as with real words.
            logits = np.zeros((size, 2))
            logits[:, 0] = rng.normal(scale=12, size=size)
            shares = reliability.to_probabilities(logits, temperature)
            gold = (rng.random(size) > shares[:, 0]).astype(int)
            words[f"word {i}"] = (logits, gold)
    return held_out, tested


def simulated_temperatures(repeats: int = 10) -> None:
    """Print how much likelihood each method loses to the true temperatures."""
    sizes, spreads = (20, 60, 200, 1000), (0.2, 0.5)
    excess: dict[str, list[float]] = {name: [] for name in METHODS}
    errors = []
    for spread in spreads:
        for n in sizes:
            values: dict[str, list[float]] = {name: [] for name in METHODS}
            wrong = []
            for seed in range(repeats):
                rng = np.random.default_rng([seed, n])
                held_out, tested = simulate(n, spread, rng)
                wrong += [np.mean(x.argmax(axis=1) != y) * n for x, y in held_out.values()]
                # Fitted on the test instances, a temperature is as good as the true one.
                best = {word: platt(logits, gold) for word, (logits, gold) in tested.items()}
                floor = np.mean([losses(*tested[w], best[w]).mean() for w in tested])
                for name, method in METHODS.items():
                    fitted = method(held_out)
                    mean = np.mean([losses(*tested[w], fitted[w]).mean() for w in tested])
                    values[name].append(float(mean - floor))
            errors.append(np.mean(wrong))
            for name in METHODS:
                excess[name].append(float(np.mean(values[name])))
    columns = [f"SD {spread}, n = {n}" for spread in spreads for n in sizes]
    rows = [[name, *(f"{1000 * value:.2f}" for value in excess[name])] for name in METHODS]
    rows.append(["errors per word", *(f"{value:.1f}" for value in errors)])
    print(f"Excess NLL in thousandths of a nat, {repeats} simulations of 20 words.\n")
    print(markdown(["method", *columns], rows))


# Results


def read(folder: Path, model: str) -> tuple[HeldOut, dict[str, np.ndarray], dict[str, Tested]]:
    """Return out-of-fold logits, the folds of the first repeat, and logits of the test splits."""
    results = Results(folder)
    fitting = Fitting(results, results.choose(model))
    print(f"{fitting.configuration}\n")
    path = results.predictions(fitting.configuration)
    by_split: dict[str, Any] = {
        split: {
            words.word: (stored_logits(words, fitting.source), words.gold)
            for words in read_predictions(path, split)[0]
        }
        for split in (CV, TEST, OUT_OF_DOMAIN)
    }
    held_out = by_split.pop(CV)
    folds: dict[str, Any] = {word: fitting.folds.words[word].held for word in held_out}
    return held_out, {word: held[0] for word, held in folds.items()}, by_split


def cross_validated(method: Method, held_out: HeldOut, folds: Mapping[str, np.ndarray]) -> Any:
    """Return the losses of each word's instances, fitted without the instance's fold."""
    values = {word: np.zeros(len(gold)) for word, (_, gold) in held_out.items()}
    for fold in np.unique(np.concatenate(list(folds.values()))):
        rest = {
            word: (logits[folds[word] != fold], gold[folds[word] != fold])
            for word, (logits, gold) in held_out.items()
        }
        temperatures = method(rest)
        for word, (logits, gold) in held_out.items():
            rows = folds[word] == fold
            values[word][rows] = losses(logits[rows], gold[rows], temperatures[word])
    return values


def measured(tested: Tested, temperatures: Mapping[str, float]) -> list[str]:
    """Return scores of a split: NLL, gap and ECE over all words, then means over words."""
    confidences, rights, by_word, nll = [], [], [], []
    for word, (logits, gold) in tested.items():
        shares = reliability.to_probabilities(logits, temperatures[word])
        confidence, right = shares.max(axis=1).clip(0, 1), (shares.argmax(axis=1) == gold) * 1.0
        error = reliability.calibration_error(confidence, right)
        floor, high = reliability.noise_floor(confidence, seed=1)
        gap = (confidence - right).mean()
        by_word.append((losses(logits, gold, temperatures[word]).mean(), gap, error, floor))
        by_word[-1] += (error > high,)
        confidences.append(confidence)
        rights.append(right)
        nll.append(losses(logits, gold, temperatures[word]))
    confidence, right = np.concatenate(confidences), np.concatenate(rights)
    error = reliability.calibration_error(confidence, right)
    floor, high = reliability.noise_floor(confidence, seed=1)
    means = np.mean(by_word, axis=0)
    return [
        f"{np.concatenate(nll).mean():.4f}",
        f"{100 * (confidence - right).mean():+.2f}",
        f"{100 * error:.2f}",
        f"{100 * floor:.2f}, {100 * high:.2f}",
        f"{means[0]:.4f}",
        f"{100 * means[1]:+.2f}",
        f"{100 * means[2]:.2f}",
        f"{100 * means[3]:.2f}",
        f"{sum(row[4] for row in by_word)} of {len(by_word)}",
    ]


def real_temperatures(folder: Path, model: str) -> None:
    """Print the cross-validated likelihood of each method, and its scores on the test splits."""
    held_out, folds, tested = read(folder, model)
    rows = []
    for name, method in METHODS.items():
        values = cross_validated(method, held_out, folds)
        pooled = np.concatenate(list(values.values())).mean()
        by_word = np.mean([word.mean() for word in values.values()])
        rows.append([name, f"{pooled:.5f}", f"{by_word:.5f}"])
    print("Cross-validated NLL on the training set.\n")
    print(markdown(["method", "all instances", "mean over words"], rows))
    columns = ["NLL", "gap", "ECE", "noise floor, 95%"]
    columns += ["NLL", "gap", "ECE", "noise floor", "above the 95%"]
    for split, words in tested.items():
        if words:
            rows = [[name, *measured(words, method(held_out))] for name, method in METHODS.items()]
            print(f"\nOn {split}: all sentences, then means over words.\n")
            print(markdown(["method", *columns], rows))


# Noise of the calibration error


def bootstrap_intervals(gap: np.ndarray, bins: np.ndarray, rng: np.random.Generator) -> float:
    """Return the lower end of the replaced interval, the basic bootstrap over instances."""
    rows = rng.integers(len(gap), size=(200, len(gap)))
    cells = bins[rows] + 10 * np.arange(200)[:, np.newaxis]
    sums = np.bincount(cells.ravel(), weights=gap[rows].ravel(), minlength=2000).reshape(200, 10)
    drawn = np.abs(sums).sum(axis=1) / len(gap)
    observed = np.abs(np.bincount(bins, weights=gap, minlength=10)).sum() / len(gap)
    return float(2 * observed - np.quantile(drawn, 0.975))


def noise(confidences: Mapping[str, np.ndarray], repeats: int = 400) -> None:
    """Print how often both methods call a perfectly calibrated word miscalibrated."""
    rows, rng = [], np.random.default_rng(1)
    for word, confidence in confidences.items():
        mean, high = reliability.noise_floor(confidence, seed=1)
        bins = np.clip(np.ceil(confidence * 10).astype(int) - 1, 0, 9)
        excluded, above, errors = [], [], []
        for _ in range(repeats):
            right = (rng.random(len(confidence)) < confidence).astype(float)
            error = reliability.calibration_error(confidence, right)
            errors.append(error)
            above.append(error > high)
            excluded.append(bootstrap_intervals(confidence - right, bins, rng) > 0)
        numbers = [100 * np.mean(errors), 100 * mean, 100 * high]
        shares = [100 * np.mean(excluded), 100 * np.mean(above)]
        cells = [*(f"{x:.2f}" for x in numbers), *(f"{x:.1f}" for x in shares)]
        rows.append([word, str(len(confidence)), f"{100 * confidence.mean():.1f}", *cells])
    columns = ["word", "n", "mean confidence", "mean ECE", "floor", "95% quantile"]
    columns += ["bootstrap excludes 0, %", "above the quantile, %"]
    print(f"Perfectly calibrated words, in percent, {repeats} simulations each.\n")
    print(markdown(columns, rows))


def simulated_confidences() -> dict[str, np.ndarray]:
    """Return confidences for the words of CoarseWSD-20 and their numbers of test instances."""
    rng = np.random.default_rng(1)
    confidences = {}
    for word, counts in COUNTS.items():
        shares = reliability.to_probabilities(rng.normal(scale=6, size=(sum(counts), 2)))
        confidences[word] = shares.max(axis=1)
    return confidences


def real_confidences(folder: Path, model: str) -> dict[str, np.ndarray]:
    """Return the confidences of each word on the test set."""
    held_out, _, tested = read(folder, model)
    temperatures = reliability.fit_temperatures(held_out)
    return {
        word: reliability.to_probabilities(logits, temperatures[word]).max(axis=1).clip(0, 1)
        for word, (logits, _) in tested[TEST].items()
    }


def main() -> None:
    """Print the tables of one question."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("question", choices=["temperatures", "noise"])
    parser.add_argument("results", type=Path, nargs="?", help="such as results/coarsewsd20")
    parser.add_argument("model", nargs="?", help="its name in the results")
    args = parser.parse_args()
    if args.question == "noise":
        noise(real_confidences(args.results, args.model) if args.model else simulated_confidences())
    elif args.model:
        real_temperatures(args.results, args.model)
    else:
        simulated_temperatures()


if __name__ == "__main__":
    main()
