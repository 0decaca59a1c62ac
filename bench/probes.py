"""Measure the coverage of the intervals of code length, selectivity and pairs over words.

    python bench/probes.py code-length
    python bench/probes.py selectivity
    python bench/probes.py pairs
    python bench/probes.py ratings

Each simulation draws words from a population, and labels or test instances of each word. An
interval over words covers the truth if it contains the value of the population; an interval over
sentences, if it contains the value of these words. The output is Markdown tables;
docs/explanation/statistics.md quotes them.
"""

import argparse

import numpy as np

from wsd.metrics import graded
from wsd.metrics.counts import count_kinds
from wsd.metrics.over_words import ByWord
from wsd.metrics.pair_scores import accuracy, percentiles, resampled
from wsd.metrics.permutation import compare_systems
from wsd.studies.code_length.code_length import compare_layers

# Test instances of the words of CoarseWSD-20 and of new words: a log-normal distribution.
SIZES = (5.0, 1.1)
LAYERS = 7


def numbers(rng: np.random.Generator, words: int) -> np.ndarray:
    """Draw the number of instances of each word: its median is 148."""
    return np.maximum(20, rng.lognormal(*SIZES, size=words)).astype(int)


def code_length(simulations: int, seed: int) -> None:
    """Print the coverage of the mean share, of the difference, and of the confidence set.

    The bits of a word's labels are a share of the uniform code. The share has a part of the word
    and a log-normal factor of word and layer.
    """
    print("| words | layers | mean share | difference | best layer in the set | layers in it |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for words in (8, 20, 60):
        for name, step in (("equal", 0.0), ("unequal", 0.02)):
            rng = np.random.default_rng(seed)
            truth = _drawn_shares(rng, 400_000, step).mean(axis=1)
            if not step:
                truth[:] = truth.mean()
            gaps = np.array([truth[i] - np.delete(truth, i).min() for i in range(LAYERS)])
            covered = np.zeros((simulations, 4))
            for i in range(simulations):
                table = compare_layers(_drawn_shares(rng, words, step))
                _, low, high, _, gap_low, gap_high, within = table.to_numpy(dtype=float).T
                covered[i, 0] = ((low <= truth) & (truth <= high)).mean()
                covered[i, 1] = ((gap_low <= gaps) & (gaps <= gap_high)).mean()
                covered[i, 2] = within[truth.argmin()]
                covered[i, 3] = within.sum()
            *shares, size = covered.mean(axis=0)
            cells = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {words} | {name} | {cells} | {size:.1f} |", flush=True)


def _drawn_shares(rng: np.random.Generator, words: int, step: float) -> np.ndarray:
    """Draw the shares of each layer and word, (layers, words); they resemble CoarseWSD-20's."""
    common, own = 1.4 * rng.beta(0.8, 0.95, size=words), rng.normal(0, 0.15, (LAYERS, words))
    return common * np.exp(step * np.arange(LAYERS)[:, None] + own)


def selectivity(simulations: int, seed: int) -> None:
    """Print the coverage of selectivity in micro and word accuracy, over sentences and words.

    The recall of a word is a beta variable in each task. An instance's being right in both tasks
    has a common cause: an instance is hard with probability 10%, and then both tasks guess.
    """
    print("| words | task, control | metric | over sentences | over words |")
    print("| ---: | --- | --- | ---: | ---: |")
    for words in (8, 20, 60):
        for task, control in ((0.97, 0.75), (0.9, 0.88)):
            rng = np.random.default_rng(seed)
            population = _drawn_words(rng, 400_000, task, control)
            expected = _expected(*population)
            covered: dict[str, list[tuple[bool, bool]]] = {name: [] for name in expected}
            for _ in range(simulations):
                sizes, *recalls = _drawn_words(rng, words, task, control)
                these = _expected(sizes, *recalls)
                joints, of_words = [], []
                for n, *shares in zip(sizes, *recalls, strict=True):
                    hard = rng.random(n) < 0.1
                    right = [
                        np.where(hard, rng.random(n) < 0.5, rng.random(n) < share) * 1
                        for share in shares
                    ]
                    joints.append(count_kinds([np.ones(n, dtype=int), *right], 2))
                    of_words.append(right[0].mean() - right[1].mean())
                over_sentences = compare_systems(joints, rng=rng)
                for name, values in covered.items():
                    micro = name == "micro_accuracy"
                    weights = sizes / sizes.mean() if micro else np.ones(words)
                    low, high = ByWord(np.array(of_words), weights).interval()
                    _, lower, upper, *_ = over_sentences[name]
                    over = lower <= these[name] <= upper, low <= expected[name] <= high
                    values.append(over)
            for name, values in covered.items():
                shares = " | ".join(f"{share:.1%}" for share in np.mean(values, axis=0))
                print(f"| {words} | {task}, {control} | {name} | {shares} |", flush=True)


def _drawn_words(
    rng: np.random.Generator, words: int, task: float, control: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        numbers(rng, words),
        rng.beta(task * 30, (1 - task) * 30, size=words),
        rng.beta(control * 10, (1 - control) * 10, size=words),
    )


def _expected(sizes: np.ndarray, task: np.ndarray, control: np.ndarray) -> dict[str, float]:
    gaps = 0.9 * (task - control)  # hard instances have no gap
    return {
        "micro_accuracy": float(np.average(gaps, weights=sizes)),
        "mean_word_accuracy": float(gaps.mean()),
    }


def pairs(simulations: int, seed: int) -> None:
    """Print the coverage of an accuracy of pairs over words, and the errors of the test."""
    print("| words | pairs a word | not widened | widened | test of equal rows |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for words in (6, 10, 20, 200):
        for mean in (1, 10):
            rng = np.random.default_rng(seed)
            found = np.zeros((simulations, 3))
            for i in range(simulations):
                sizes = rng.poisson(mean - 1, words) + 1
                word = np.repeat(np.arange(words), sizes)
                # Two rows of equal expected accuracy on all words, not on each word.
                recalls = rng.beta(12, 6, size=(2, words))
                first, second = rng.random((2, len(word))) < recalls[:, word]
                weights = resampled(word, rng)
                drawn, estimate = accuracy(first, weights), first.mean()
                for column, clusters in enumerate((None, words)):
                    low, high = percentiles(drawn, estimate, clusters)
                    found[i, column] = low <= 2 / 3 <= high
                joint = count_kinds([np.ones_like(word), first, second], 2, word)
                found[i, 2] = compare_systems([joint], rng=rng)["micro_accuracy"].p <= 0.05
            cells = " | ".join(f"{share:.1%}" for share in found.mean(axis=0))
            print(f"| {words} | {mean} | {cells} |", flush=True)


def ratings(simulations: int, seed: int) -> None:
    """Print the coverage of a Spearman correlation over words, and the errors of the test."""
    print("| words | pairs a word | not widened | widened | test of equal rows |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    rng = np.random.default_rng(seed)
    gold, (values, _) = _rated(np.arange(10**6), rng)
    true = graded.correlate(values, gold, "spearman").item()
    for words in (6, 10, 20, 100):
        for mean in (1, 6):
            found = np.zeros((simulations, 3))
            for i in range(simulations):
                word = np.repeat(np.arange(words), rng.poisson(mean - 1, words) + 1)
                gold, (first, second) = _rated(word, rng)
                drawn = graded.correlate(first, gold, "spearman", resampled(word, rng))
                estimate = graded.correlate(first, gold, "spearman").item()
                for column, clusters in enumerate((None, words)):
                    low, high = percentiles(drawn, estimate, clusters, floor=-1)
                    found[i, column] = low <= true <= high
                test = graded.compare(first, second, gold, word, "spearman", permutations=2000)
                found[i, 2] = test.p <= 0.05
            cells = " | ".join(f"{share:.1%}" for share in found.mean(axis=0))
            print(f"| {words} | {mean} | {cells} |", flush=True)


def _rated(word: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return ratings from 0 to 4, and two predictors that are equally good on average over words.

    A predictor follows the ratings more closely on some words, and has its own mean on each word.
    """
    n_words = word.max() + 1
    gold = np.clip(np.round(2 + 1.5 * rng.normal(size=len(word))), 0, 4)
    slopes, means = rng.gamma(2, 0.15, (2, n_words)), 0.3 * rng.normal(size=(2, n_words))
    noise = rng.normal(size=(2, len(word)))
    return gold, slopes[:, word] * gold + means[:, word] + noise


def main() -> None:
    """Run one of the simulations."""
    commands = {
        "code-length": code_length,
        "selectivity": selectivity,
        "pairs": pairs,
        "ratings": ratings,
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=commands)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    commands[args.command](args.simulations, args.seed)


if __name__ == "__main__":
    main()
