"""Measure tests and intervals if the instances of a document depend on each other.

    python bench/tied_documents.py --simulations 300

Two systems are compared on the words of CoarseWSD-20, in documents of four instances of a sense.
Each instance repeats both predictions of its document with some probability, and has its own
otherwise. The same predictions are compared twice: as independent instances, and in documents. The
output is a Markdown table; docs/explanation/statistics.md quotes it.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from coverage import COUNTS, expected, mean_differences, rates, recalls

from wsd.metrics import permutation
from wsd.metrics.scores import MEAN_SCORES, Counts, joint_confusion

SIZE = 4
TIES = {"independent": 0.0, "half tied": 0.5, "fully tied": 1.0}
# Error rate of the second system, as a multiple of the first system's.
SECOND = {"equal systems": 1.0, "1.4 times the errors": 1.4, "3 times the errors": 3.0}


def draw_word(
    true: np.ndarray, documents: Sequence[int], tie: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw gold and both predictions for every instance of a word.

    Parameters
    ----------
    true : float array of shape (K, K, K)
        Rates of (gold, first, second).
    documents : sequence of K int
        The number of documents of each sense.
    tie : float
        The probability that an instance repeats the predictions of its document.
    rng : Generator

    Returns
    -------
    int array of shape (3, instances), with the instances of a document next to each other
    """
    columns = []
    for gold, (row, number) in enumerate(zip(true, documents, strict=True)):
        chance = row.ravel() / row.sum()
        of_document = rng.choice(chance.size, size=(number, 1), p=chance)
        own = rng.choice(chance.size, size=(number, SIZE), p=chance)
        pair = np.where(rng.random(own.shape) < tie, of_document, own).ravel()
        columns.append([np.full(pair.size, gold), *np.unravel_index(pair, row.shape)])
    return np.hstack(columns)


def draw_joints(
    true: list[np.ndarray], documents: Sequence[Sequence[int]], tie: float, rng: np.random.Generator
) -> tuple[list[Counts], list[Counts]]:
    """Return the joint confusions of all words: as independent instances, and in documents."""
    alone, together, start = [], [], 0
    for rates_of_word, numbers in zip(true, documents, strict=True):
        gold, first, second = draw_word(rates_of_word, numbers, tie, rng)
        document = start + np.arange(len(gold)) // SIZE
        start += sum(numbers)
        alone.append(joint_confusion(gold, first, second, len(numbers)))
        together.append(joint_confusion(gold, first, second, len(numbers), document))
    return alone, together


def simulate(worse: float, tie: float, simulations: int, seed: int) -> list[str]:
    """Return, without and with documents, the share of p <= 0.05 and the coverage, as ranges."""
    rng = np.random.default_rng(seed)
    documents = [[-(-n // SIZE) for n in counts] for counts in COUNTS.values()]
    true = [rates(recalls("plain", n, rng), n, worse) for n in documents]
    truth = mean_differences([expected(*word) for word in zip(true, documents, strict=True)])
    significant, covered = defaultdict(list), defaultdict(list)
    for _ in range(simulations):
        for way, joints in enumerate(draw_joints(true, documents, tie, rng)):
            compared = permutation.compare_systems(joints, rng=rng)
            for name, (_, low, high, p, _) in compared.items():
                significant[way, name].append(p <= 0.05)
                covered[way, name].append(low - 1e-12 <= truth[name] <= high + 1e-12)
    cells = []
    for shares in (significant, covered):
        for way in (0, 1):
            values = [100 * np.mean(shares[way, name]) for name in MEAN_SCORES]
            cells.append(f"{min(values):.1f} to {max(values):.1f}")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--draws", type=int, default=1000, help="permutations per test")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    # Over many simulations, chance in single tests averages out.
    permutation.MOST = permutation.TABULATED = args.draws
    columns = [f"{c}, {way}" for c in ("p <= 0.05", "covers") for way in ("instances", "documents")]
    print(f"{args.simulations} simulations; percent, from least to most over four metrics\n")
    print("| " + " | ".join(["second system", "documents", *columns]) + " |")
    print("| " + " | ".join(["---"] * 6) + " |")
    for label, worse in SECOND.items():
        for ties, tie in TIES.items():
            cells = simulate(worse, tie, args.simulations, args.seed)
            print("| " + " | ".join([label, ties, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
