"""Measure intervals and tests, with and without documents, if documents share errors.

    python bench/documents.py [simulations]

Prints Markdown: the coverage of 95% intervals of a score and of a difference, and the size of the
paired test. Gold and documents are fixed, and each simulation draws errors again. An error rate of
a document comes from a beta distribution whose intraclass correlation is given: 0 if instances are
independent, 1 if all instances of a document are wrong together. A share of the documents has the
same errors from both systems. The target is the score of the expected confusion matrix.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from wsd.metrics import exchanges
from wsd.metrics.cluster_inflation import inflations
from wsd.metrics.confidence_intervals import difference_intervals, mean_intervals
from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.permutation import compare_systems
from wsd.metrics.scores import mean_scores

METRICS = ("micro_accuracy", "mean_macro_f1")
COLUMNS = ("score", "difference", "posterior of the difference", "size of the test")
SENSES, WORDS, DRAWS = 3, 4, 600
# The error rate of each sense.
RATES = np.array([0.06, 0.12, 0.25])
# The error rates of the second system are larger by this factor, or equal for the size of a test.
WORSE = 1.6
# The share of documents in which both systems have the same errors.
SAME = 0.5


class Layout(NamedTuple):
    """The document, the word and the gold sense of each instance."""

    name: str
    document: np.ndarray
    word: np.ndarray
    gold: np.ndarray


def layouts() -> list[Layout]:
    """Return documents of several sizes, with 480 instances in all."""
    rng = np.random.default_rng(0)
    n = 480
    word, gold = rng.integers(WORDS, size=n), rng.choice(SENSES, p=[0.55, 0.3, 0.15], size=n)
    of_four = np.arange(n) // 4
    uneven = np.repeat(np.arange(60), 1 + rng.multinomial(n - 60, rng.dirichlet([0.5] * 60)))
    return [
        Layout("120 of 4, one word and sense each", of_four, word[of_four], gold[of_four]),
        Layout("120 of 4", of_four, word, gold),
        Layout("60 of 1 to 50", uneven, word, gold),
        Layout("24 of 20", np.arange(n) // 20, word, gold),
        Layout("12 of 40", np.arange(n) // 40, word, gold),
    ]


def draw_errors(
    layout: Layout, correlation: float, factors: Sequence[float], rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the predictions of each system; its error rates have one of the factors."""
    n_documents = layout.document.max() + 1
    level, luck = rng.random((2, n_documents)), rng.random((2, len(layout.gold)))
    same = rng.random(n_documents) < SAME
    predictions = []
    for i, factor in enumerate(factors):
        levels = np.where(same, level[0], level[i])[layout.document]
        lucks = np.where(same[layout.document], luck[0], luck[i])
        rates = factor * RATES[layout.gold]
        if 0 < correlation < 1:
            sizes = (1 - correlation) / correlation
            rates = beta.ppf(levels, rates * sizes, (1 - rates) * sizes)
        is_wrong = (levels if correlation == 1 else lucks) < rates
        predictions.append(np.where(is_wrong, (layout.gold + 1) % SENSES, layout.gold))
    return predictions


def count(layout: Layout, predictions: Sequence[np.ndarray]) -> list[Counts]:
    """Return the counts of each word, with documents."""
    return [
        count_kinds([column[own] for column in (layout.gold, *predictions)], SENSES, documents)
        for own in (layout.word == word for word in range(WORDS))
        for documents in [layout.document[own]]
    ]


def expected(layout: Layout, factor: float) -> dict[str, float]:
    """Return the scores of the expected confusion matrices."""
    rates = factor * RATES
    rows = np.diag(1 - rates) + np.roll(np.diag(rates), 1, axis=1)
    numbers = [np.bincount(layout.gold[layout.word == w], minlength=SENSES) for w in range(WORDS)]
    return {
        name: float(score)
        for name, score in mean_scores([n[:, None] * rows for n in numbers]).items()
    }


def simulate(layout: Layout, correlation: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return percentages: shape (COLUMNS, without or with documents, METRICS); mean inflations."""
    rng = np.random.default_rng(1)
    targets = [expected(layout, factor) for factor in (1, WORSE)]
    hits = np.zeros((n, len(COLUMNS), 2, len(METRICS)))
    factors = []
    for simulation in hits:
        apart = draw_errors(layout, correlation, (1, WORSE), rng)
        equal = draw_errors(layout, correlation, (1, 1), rng)
        counted = [count(layout, predictions) for predictions in (apart[:1], apart, equal)]
        factors.append([inflations(counted[0])[name] for name in METRICS])
        for documents in (0, 1):
            alone, pair, null = (
                words if documents else [counts._replace(documents=None) for counts in words]
                for words in counted
            )
            intervals = mean_intervals(alone, draws=DRAWS, rng=rng)
            posterior = difference_intervals(pair, draws=DRAWS, rng=rng)
            differences = compare_systems(pair, rng=rng)
            tests = compare_systems(null, rng=rng)
            for i, name in enumerate(METRICS):
                score, difference = targets[0][name], targets[0][name] - targets[1][name]
                bounds = differences[name]
                simulation[:, documents, i] = (
                    intervals[name][0] <= score <= intervals[name][1],
                    bounds.low <= difference <= bounds.high,
                    posterior[name][0] <= difference <= posterior[name][1],
                    tests[name].p <= 0.05,
                )
    return 100 * hits.mean(axis=0), np.mean(factors, axis=0)


def main() -> None:
    """Print the table."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    # A near-tie of one simulation matters little.
    exchanges.MOST = 4000
    print("| documents | correlation | metric | inflation |", " | ".join(COLUMNS), "|")
    print("| --- " * (4 + len(COLUMNS)) + "|")
    for layout in layouts():
        for correlation in (0.0, 0.2, 1.0):
            shares, factors = simulate(layout, correlation, n)
            for i, metric in enumerate(METRICS):
                cells = [f"{without:.1f} → {within:.1f}" for without, within in shares[..., i]]
                start = [layout.name, correlation, metric, f"{factors[i]:.2f}"]
                print("|", " | ".join(map(str, [*start, *cells])), "|", flush=True)


if __name__ == "__main__":
    main()
