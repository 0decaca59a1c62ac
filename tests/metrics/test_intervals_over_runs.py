"""Scores and differences over runs, against all exchanges by hand and on simulated runs."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from wsd.metrics.confidence_intervals import drawn_means, mean_intervals
from wsd.metrics.counts import Counts, count_kinds
from wsd.metrics.intervals_over_runs import differences_over_runs, scores_over_runs
from wsd.metrics.permutation import compare_systems, paired_permutations
from wsd.metrics.scores import MEAN_SCORES

F1 = "mean_macro_f1"
# Gold and the predictions of six systems, for two words; instances on which all agree are certain.
GOLD = ([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])
RUNS = (
    [[0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 0, 1, 1], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1], [0] * 5],
    [[0, 0, 1, 1, 2], [0, 2, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 2], [0, 0, 0, 1, 2], [1] * 5],
)
DOCUMENTS = ([0, 0, 1, 2, 3], [0, 4, 4, 1, 1])


def counts(documents: bool = False) -> list[Counts]:
    return [
        count_kinds(
            [np.array(gold), *map(np.array, runs)], 3, np.array(names) if documents else None
        )
        for gold, runs, names in zip(GOLD, RUNS, DOCUMENTS, strict=True)
    ]


def score(predicted: Sequence[np.ndarray]) -> float:
    """Macro-F1 over words, counted instance by instance."""
    words = []
    for gold, labels in zip(GOLD, predicted, strict=True):
        pairs = list(zip(gold, labels.tolist(), strict=True))
        f1 = [
            2 * pairs.count((sense, sense)) / sum(pair.count(sense) for pair in pairs)
            for sense in {sense for pair in pairs for sense in pair}
        ]
        words.append(sum(f1) / len(f1))
    return sum(words) / len(words)


def all_exchanges(pairs: Sequence[tuple[int, int]], documents: bool) -> np.ndarray:
    """The difference of each pair after every exchange of instances: shape (outcomes, pairs)."""
    runs = [np.array(word) for word in RUNS]
    units = [np.arange(5), np.arange(5, 10)]
    if documents:
        units = [np.array(names) for names in DOCUMENTS]
    coins = itertools.product([False, True], repeat=1 + int(np.concatenate(units).max()))
    outcomes = []
    for coin in map(np.array, coins):
        swap = [coin[unit] for unit in units]
        first, second = (
            [
                [np.where(s, word[b], word[a]) for word, s in zip(runs, swap, strict=True)]
                for a, b in ordered
            ]
            for ordered in (pairs, [(b, a) for a, b in pairs])
        )
        outcomes.append([score(a) - score(b) for a, b in zip(first, second, strict=True)])
    return np.array(outcomes)


@pytest.mark.parametrize("documents", [False, True])
def test_a_mean_difference_has_the_variance_of_all_exchanges_and_of_the_runs(
    documents: bool,
) -> None:
    exchanged = all_exchanges([(0, 1), (2, 3), (4, 5)], documents)
    actual = differences_over_runs(counts(documents), ["full"] * 3, sampled=10**6)[F1]
    assert actual.values == pytest.approx(exchanged[0])
    of_mean = float((exchanged.mean(axis=1) ** 2).mean())
    single = float((exchanged**2).mean())
    own = 1.5 * (single - of_mean)
    between = float(np.var(exchanged[0], ddof=1))
    variance = of_mean + max(0, between - own) / 3
    freedom = 2 * max(1.0, (variance / (between / 3)) ** 2)
    assert (actual.error, actual.freedom) == pytest.approx((variance**0.5, freedom))
    mean = exchanged[0].mean()
    assert actual.mean == pytest.approx(mean)
    assert actual.spread == pytest.approx(between**0.5)
    assert actual.p == pytest.approx(2 * stats.t.sf(abs(mean) / variance**0.5, freedom))
    ends = stats.t.interval(0.95, freedom, mean, variance**0.5)
    assert (actual.low, actual.high) == pytest.approx(ends)


def test_the_seeds_of_a_draw_count_as_one_run() -> None:
    words = [
        count_kinds([np.array(g), *map(np.array, [*r, *r[:2]])], 3)
        for g, r in zip(GOLD, RUNS, strict=True)
    ]
    seeds = all_exchanges([(0, 1), (2, 3), (4, 5), (0, 1)], documents=False)
    exchanged = np.stack([(seeds[:, 0] + seeds[:, 2]) / 2, (seeds[:, 1] + seeds[:, 3]) / 2], axis=1)
    actual = differences_over_runs(words, ["a", "b", "a", "b"], sampled=10**6)[F1]
    assert actual.values == pytest.approx(exchanged[0])
    covariances = exchanged.T @ exchanged / len(exchanged)
    own = covariances.trace() / 2 - covariances[0, 1]
    between = float(np.var(exchanged[0], ddof=1))
    variance = covariances[0, 1] + own / 2 + max(0, between - own) / 2
    assert actual.error == pytest.approx(variance**0.5)


def test_a_score_has_an_interval_for_a_new_run() -> None:
    values = all_exchanges([(0, 5), (1, 0), (2, 1), (3, 2), (4, 3), (5, 4)], documents=False)
    own = float((values**2).mean()) / 2
    each = [score([np.array(word[run]) for word in RUNS]) for run in range(6)]
    actual = scores_over_runs(counts(), ["full"] * 6, sampled=20_000)[F1]
    assert actual.values == pytest.approx(each) and np.isnan(actual.p)
    between = float(np.var(each, ddof=1))
    # So few sentences leave nothing to the noise that runs share.
    variance = own / 6 + max(0, between - own) * 7 / 6
    assert actual.error**2 == pytest.approx(variance, rel=0.05)
    reach = stats.t.isf(0.025, actual.freedom) * actual.error
    assert actual.low == pytest.approx(max(0, actual.mean - reach))


def word_of(run: int) -> list[Counts]:
    return [
        count_kinds([np.array(g), np.array(r[run])], 3) for g, r in zip(GOLD, RUNS, strict=True)
    ]


def test_one_run_has_the_interval_and_the_test_of_a_single_run() -> None:
    actual = scores_over_runs(word_of(0), ["full"], rng=1)
    bounds = mean_intervals(word_of(0), rng=1)
    for name in MEAN_SCORES:
        assert (actual[name].low, actual[name].high) == bounds[name]
        assert np.isnan(actual[name].spread)
    pair = [word.of_systems([0, 1]) for word in counts()]
    test = compare_systems(pair, rng=1)[F1]
    difference = differences_over_runs(pair, ["full"], rng=1)[F1]
    assert (difference.mean, *difference[1:5]) == test


def test_the_same_run_again_adds_nothing() -> None:
    gold, first = np.repeat([0, 1], 50), np.arange(100) % 50 < 47
    second = np.arange(100) % 50 < 40
    systems = [np.where(right, gold, 1 - gold) for right in (first, second)]
    error = paired_permutations([count_kinds([gold, *systems], 2)], rng=1)[F1].error
    actual = differences_over_runs([count_kinds([gold, *systems * 3], 2)], ["full"] * 3, rng=1)[F1]
    assert actual.error == pytest.approx(error, rel=0.02)
    assert actual.spread == pytest.approx(0, abs=1e-12) and actual.freedom > 1e6
    run = count_kinds([gold, systems[0]], 2)
    noise = drawn_means([run], 20_000, np.random.default_rng(1))[0][F1].std()
    score = scores_over_runs([count_kinds([gold, *systems[:1] * 3], 2)], ["full"] * 3, rng=1)[F1]
    assert score.error == pytest.approx(noise, rel=0.03)


def simulated(runs: int, rng: np.random.Generator) -> list[Counts]:
    """Two words; 15% errors of a fixed system, 8% of a system with a small effect of the run."""
    words = []
    for _ in range(2):
        gold = np.arange(160) % 2
        hard = rng.normal(size=160)
        shifts = [1.035, *(stats.norm.isf(0.08) + rng.normal(0, 0.1, runs))]
        noise = rng.normal(size=(runs + 1, 160))
        wrong = (hard + noise) / 2**0.5 > np.array(shifts)[:, None]
        fixed, *first = np.where(wrong, 1 - gold, gold)
        pairs = [system for run in first for system in (run, fixed)]
        words.append(count_kinds([gold, *pairs], 2))
    return words


def test_further_runs_do_not_take_power_away() -> None:
    rng = np.random.default_rng(1)
    p = np.array(
        [
            [
                differences_over_runs(simulated(runs, rng), ["full"] * runs, sampled=300, rng=2)[
                    F1
                ].p
                for runs in (3, 9)
            ]
            for _ in range(60)
        ]
    )
    of_three, of_nine = (p <= 0.05).mean(axis=0)
    assert 0.8 < of_three <= of_nine


def test_chance_decides_no_verdict() -> None:
    words = simulated(3, np.random.default_rng(19))
    tests = [differences_over_runs(words, ["full"] * 3, sampled=300, rng=seed) for seed in range(4)]
    p = [test[F1].p for test in tests]
    assert p == pytest.approx([0.0516] * 4, abs=0.0005)
