"""Measure how often the intervals and tests over words err.

    python bench/over_words.py null
    python bench/over_words.py coverage
    python bench/over_words.py equivalence
    python bench/over_words.py mixed [--statsmodels]

Every simulation draws words from a population, and then their sentences. Numbers of test sentences
are those of CoarseWSD-20. The output is a Markdown table; docs/explanation/statistics.md quotes it.
"""

import argparse
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from coverage import COUNTS
from scipy.special import expit
from scipy.stats import ttest_1samp

from wsd.metrics import exchanges, permutation
from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.mixed_logistic import mixed_logistic
from wsd.metrics.over_words import ByWord
from wsd.metrics.scores import scores_of_margins
from wsd.metrics.signed_rank import signed_rank_posterior

SIZES = np.array([sum(counts) for counts in COUNTS.values()])
# The standard deviation of the differences of words in macro-F1 that is typical for CoarseWSD-20,
# and the share of test sentences on which two good systems differ.
SPREAD, DIFFER = 0.035, 0.03
# Senses with fewer test instances are this many times as hard.
RARE, HARDER = 30, 2


def equal(values: np.ndarray) -> ByWord:
    return ByWord(values, np.ones(len(values)))


def null(simulations: int, rng: np.random.Generator) -> list[list[str]]:
    """Return how often each test rejects that the mean macro-F1 over the population is equal."""
    exchanges.MOST = 2000
    rows = []
    for spread in (0.0, 0.0125, 0.02, 0.03):
        rejected, spreads = np.zeros(3), []
        for _ in range(simulations):
            joints = [
                _two_systems(counts, rng.normal(0, spread), rng) for counts in COUNTS.values()
            ]
            margins = [joint.margins(joint.numbers) for joint in joints]
            scores = [[float(scores_of_margins(*m)["macro_f1"]) for m in word] for word in margins]
            by_word = equal(np.subtract(*np.transpose(scores)))
            spreads.append(by_word.spread)
            test = permutation.paired_permutations(joints, permutations=2000, rng=rng)
            p = (test["mean_macro_f1"].p, by_word.sign_flip_p(), _t_test(by_word))
            rejected += np.array(p) <= 0.05
        shares = [f"{100 * x:.1f}" for x in rejected / simulations]
        rows.append([f"{100 * spread:.2f}", f"{100 * np.mean(spreads):.1f}", *shares])
    header = ["SD of recalls", "SD of macro-F1", "sentences exchanged", "sign-flip", "t-test"]
    return [header, *rows]


def _t_test(by_word: ByWord) -> float:
    return float(ttest_1samp(by_word.values, 0).pvalue)


def _two_systems(counts: Sequence[int], apart: float, rng: np.random.Generator) -> Counts:
    """Draw two systems' predictions for a word; their recalls differ by ``apart``."""
    gold = np.repeat(np.arange(len(counts)), counts)
    harder = np.where(np.array(counts) < RARE, HARDER, 1)[gold]
    rate = np.maximum(DIFFER, abs(apart)) * harder
    kind = rng.random(len(gold))
    # Both are wrong, then the second alone, then the first alone.
    both = DIFFER / 2 * harder
    second = both + (rate + apart * harder) / 2
    wrong = (gold + rng.integers(1, len(counts), len(gold))) % len(counts)
    first_wrong = (kind < both) | ((kind >= second) & (kind < both + rate))
    second_wrong = kind < second
    a, b = (np.where(errors, wrong, gold) for errors in (first_wrong, second_wrong))
    return count_kinds([gold, a, b], len(counts))


def coverage(simulations: int, rng: np.random.Generator) -> list[list[str]]:
    """Return how often the t-interval contains the mean over the population."""
    rows = []
    for words in (5, 10, 20, 50, 200):
        covered = np.zeros(4)
        for _ in range(simulations):
            n = rng.choice(SIZES, words)
            # The accuracy of a word: 95% on average, and skewed.
            right = rng.binomial(n, rng.beta(9.5, 0.5, words)) / n
            true = rng.normal(0, SPREAD, words)
            rate = np.maximum(DIFFER, np.abs(true))
            discordant = rng.binomial(n, rate)
            difference = (2 * rng.binomial(discordant, (1 + true / rate) / 2) - discordant) / n
            weights = n / n.mean()
            for i, (values, truth) in enumerate(((right, 0.95), (difference, 0.0))):
                for j, by_word in enumerate((equal(values), ByWord(values, weights))):
                    low, high = by_word.interval()
                    covered[2 * i + j] += low <= truth <= high
        rows.append([str(words), *(f"{100 * x:.1f}" for x in covered / simulations)])
    header = ["words", "word accuracy", "micro accuracy", "its difference", "difference, micro"]
    return [header, *rows]


def equivalence(simulations: int, rng: np.random.Generator) -> list[list[str]]:
    """Return how often the Bayesian signed-rank test decides for each region."""
    rows = []
    for spread in (0.005, 0.015, SPREAD):
        for mean in (0.0, 0.005, 0.01, 0.02, 0.03):
            decided = np.zeros(3)
            for _ in range(simulations):
                values = rng.normal(mean, spread, len(SIZES))
                decided += np.array(signed_rank_posterior(values, draws=2000, rng=rng)) > 0.95
            shares = [f"{100 * x:.0f}" for x in decided / simulations]
            rows.append([f"{100 * spread:.1f}", f"{100 * mean:.1f}", *shares])
    return [["SD over words", "mean", "worse", "equivalent", "better"], *rows]


def mixed(
    simulations: int, rng: np.random.Generator, *, statsmodels: bool = False
) -> list[list[str]]:
    """Return how often the intervals contain the true probability of a typical word."""
    methods: dict[str, Callable[..., bool]] = {"grid": _covers}
    if statsmodels:
        methods = {"variational Bayes": _library("fit_vb"), "MAP": _library("fit_map")}
    rows = []
    for spread in (0.0, 0.5, 1.0):
        for mean in (0.0, 1.0):
            covered = dict.fromkeys(methods, 0)
            for _ in range(simulations):
                discordant = rng.poisson(rng.gamma(1, 15, len(SIZES)))
                won = rng.binomial(discordant, expit(rng.normal(mean, spread, len(SIZES))))
                for name, method in methods.items():
                    covered[name] += method(won, discordant, mean)
            shares = [f"{100 * n / simulations:.1f}" for n in covered.values()]
            rows.append([f"{spread:.1f}", f"{100 * expit(mean):.0f}", *shares])
    return [["SD of log odds", "probability", *methods], *rows]


def _covers(won: np.ndarray, discordant: np.ndarray, mean: float) -> bool:
    winning = mixed_logistic(won, discordant)
    return bool(winning.low <= expit(mean) <= winning.high)


def _library(fit: str) -> Callable[..., bool]:
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    def covers(won: np.ndarray, discordant: np.ndarray, mean: float) -> bool:
        word = np.repeat(np.arange(len(won)), discordant)
        right = np.concatenate([np.arange(n) < k for k, n in zip(won, discordant, strict=True)])
        words = np.eye(len(won))[word]
        model = BinomialBayesMixedGLM(
            right * 1.0, np.ones((len(word), 1)), words, np.zeros(len(won), int), 1, 2.5
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = getattr(model, fit)()
        return bool(abs(result.fe_mean[0] - mean) < 1.96 * result.fe_sd[0])

    return covers


def main() -> None:
    """Print the table of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {"null": null, "coverage": coverage, "equivalence": equivalence, "mixed": mixed}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--statsmodels", action="store_true", help="its methods, for `mixed`")
    args = parser.parse_args()
    options = {"statsmodels": True} if args.statsmodels else {}
    table = parts[args.part](args.simulations, np.random.default_rng(1), **options)
    header, *rows = table
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
