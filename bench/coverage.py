"""Measure the coverage of the intervals in wsd/metrics and the error rate of its tests.

    python bench/coverage.py words --scenario plain
    python bench/coverage.py means --scenario ceiling
    python bench/coverage.py differences
    python bench/coverage.py tests

Each simulation draws confusion matrices from known rates, for the words of CoarseWSD-20 and their
numbers of test instances. An interval covers the truth if it contains the metric of the expected
confusion matrix. The output is Markdown tables; docs/explanation/statistics.md quotes their ranges.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals, word_intervals
from wsd.metrics.permutation import compare_systems, paired_permutations
from wsd.metrics.scores import MEAN_SCORES, WORD_SCORES, Counts, mean_scores, subtract, word_scores

# Test instances per sense.
COUNTS = {
    "apple": [634, 398],
    "arm": [121, 43],
    "bank": [433, 22],
    "bass": [1005, 298, 88],
    "bow": [117, 72, 26],
    "chair": [88, 42],
    "club": [108, 73, 21],
    "crane": [81, 76],
    "deck": [92, 7],
    "digit": [33, 9],
    "hood": [47, 13, 22],
    "java": [1180, 749],
    "mole": [77, 44, 42, 23, 20],
    "pitcher": [2806, 13],
    "pound": [87, 10],
    "seal": [131, 106, 114, 12],
    "spring": [236, 148, 73],
    "square": [103, 62, 29, 13],
    "trunk": [47, 16, 14],
    "yard": [61, 11],
}
# Recall of senses with fewer than 30, with 30 to 99, and with 100 or more test instances.
SCENARIOS = {
    "plain": (0.90, 0.95, 0.985),
    "ceiling": (0.99, 0.99, 0.997),
    "perfect rare": (1.0, 0.99, 0.997),
    "drawn": (0.90, 0.95, 0.985),
}
# Error rate of the second system, as a multiple of the first system's.
WORSE = 1.4
# Share of the better system's errors that both systems make.
SHARED = 0.6
SHARES = (0.6, 0.85, 0.9, 0.97)
SMALL = ("digit", "hood", "square", "trunk", "yard")

# Pairs of systems: the scenario of the first, the error rate of the second as a multiple of the
# first system's, the share of common errors, and the words.
PAIRS = {
    **{f"equal, {s:.0%} of errors shared": ("plain", 1.0, s, tuple(COUNTS)) for s in SHARES},
    **{f"1.4 times the errors, {s:.0%} shared": ("plain", 1.4, s, tuple(COUNTS)) for s in SHARES},
    "ceiling, equal, 60% shared": ("ceiling", 1.0, 0.6, tuple(COUNTS)),
    "ceiling, equal, 90% shared": ("ceiling", 1.0, 0.9, tuple(COUNTS)),
    "ceiling, 1.4 times, 60% shared": ("ceiling", 1.4, 0.6, tuple(COUNTS)),
    "ceiling, 5 times, 60% shared": ("ceiling", 5.0, 0.6, tuple(COUNTS)),
    "5 small words, equal, 60% shared": ("plain", 1.0, 0.6, SMALL),
    "5 small words, 3 times, 60% shared": ("plain", 3.0, 0.6, SMALL),
    "3 times the errors, 60% shared": ("plain", 3.0, 0.6, tuple(COUNTS)),
    "8 times the errors, 60% shared": ("plain", 8.0, 0.6, tuple(COUNTS)),
    "most frequent sense": ("plain", None, 0.6, tuple(COUNTS)),
    "ceiling, most frequent sense": ("ceiling", None, 0.6, tuple(COUNTS)),
}

Spans = Mapping[str, tuple[float, float]]


def recalls(scenario: str, counts: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Return the true recall of each sense; the scenario `drawn` draws it for each simulation."""
    rare, middling, common = SCENARIOS[scenario]
    n = np.array(counts)
    mean = np.where(n < 30, rare, np.where(n < 100, middling, common))
    if scenario != "drawn":
        return mean
    # `rates` cannot distribute the errors of a pair of systems if a recall is below one half.
    return np.maximum(rng.beta(6 * mean, 6 * (1 - mean)), 0.5)


def rates(
    recall: np.ndarray, counts: Sequence[int], worse: float | None = WORSE, shared: float = SHARED
) -> np.ndarray:
    """Return true rates of (gold, first, second), shape (K, K, K).

    Errors fall on the other senses in proportion to their frequency. If ``worse`` is None, the
    second system always predicts the most frequent sense.
    """
    if worse is None:
        always = np.eye(len(counts))[np.argmax(counts)]
        return rates(recall, counts).sum(axis=2)[..., None] * always
    n = np.array(counts, dtype=float)
    rates_of_pairs = np.zeros((len(n),) * 3)
    for gold, right in enumerate(recall):
        first = 1 - right
        second = min(first * worse, 0.9)
        both = shared * min(first, second)
        others = np.where(np.arange(len(n)) == gold, 0, n)
        for sense, share in enumerate(others / others.sum()):
            rates_of_pairs[gold, sense, sense] += both * share
            rates_of_pairs[gold, sense, gold] += (first - both) * share
            rates_of_pairs[gold, gold, sense] += (second - both) * share
        rates_of_pairs[gold, gold, gold] = 1 - first - second + both
    return rates_of_pairs


def sample(
    true: np.ndarray, counts: Sequence[int], rng: np.random.Generator, size: int | None = None
) -> np.ndarray:
    """Draw counts for each gold sense from rates of shape (K, ...)."""
    rows = [
        rng.multinomial(n, row.ravel() / row.sum(), size=size)
        for n, row in zip(counts, true, strict=True)
    ]
    lead = () if size is None else (size,)
    return np.stack(rows, axis=-2).reshape(*lead, *true.shape)


def counted(joint: np.ndarray) -> Counts:
    """Convert an array of pair counts, shape (K, K, K), to `Counts`."""
    return Counts(np.argwhere(joint), joint[joint > 0], len(joint))


def mean_differences(joints: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return first minus second over all words, from pair counts or rates (..., K, K, K)."""
    first, second = (mean_scores([joint.sum(axis=axis) for joint in joints]) for axis in (-1, -2))
    return subtract(first, second)


def percentile(
    counts: Sequence[np.ndarray],
    scores: Callable[[Sequence[np.ndarray]], Mapping[str, np.ndarray]],
    draws: int,
    rng: np.random.Generator,
) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals, stratified by sense."""
    gold_counts = [matrix.reshape(len(matrix), -1).sum(axis=1) for matrix in counts]
    drawn = [
        sample(matrix, n_gold, rng, draws)
        for matrix, n_gold in zip(counts, gold_counts, strict=True)
    ]
    scored = scores(drawn)
    return {
        name: (float(np.quantile(x, 0.025)), float(np.quantile(x, 0.975)))
        for name, x in scored.items()
    }


class Tally:
    """Collect coverage, misses on either side and widths, by row, metric and method."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str, str], list[tuple[float, float, float]]] = defaultdict(list)
        self.disagree: dict[tuple[str, str], list[bool]] = defaultdict(list)

    def add(self, row: str, method: str, spans: Spans, truth: Mapping[str, np.ndarray]) -> None:
        for name, (low, high) in spans.items():
            value = float(truth[name])
            # A bound that equals the truth may differ from it in the last bit.
            below, above = value < low - 1e-12, value > high + 1e-12
            self.seen[row, name, method].append((below, above, high - low))

    def coverage(self, row: str, name: str, method: str) -> float:
        below, above, _ = np.mean(self.seen[row, name, method], axis=0)
        return 1 - below - above

    def rows(self) -> list[str]:
        return list(dict.fromkeys(row for row, *_ in self.seen))


def words(scenario: str, simulations: int, draws: int, rng: np.random.Generator) -> Tally:
    """Simulate the intervals of every word."""
    tally = Tally()
    for word, counts in COUNTS.items():
        n = np.array(counts)
        for _ in range(simulations):
            true = rates(recalls(scenario, counts, rng), counts)
            joint = sample(true, counts, rng)
            truth = word_scores((true * n[:, None, None]).sum(axis=-1))
            matrix = joint.sum(axis=-1)
            ours = word_intervals(matrix, draws=draws, rng=rng)
            naive = percentile([matrix], lambda drawn: word_scores(drawn[0]), draws, rng)
            rarest = int(n.argmin())
            if n[rarest] < 30 and matrix[rarest, rarest] == n[rarest]:
                tally.add(f"{word} {n[rarest]} of {n[rarest]}", "ours", ours, truth)
            tally.add(word, "ours", ours, truth)
            tally.add(word, "percentile", naive, truth)
    return tally


def means(scenario: str, simulations: int, draws: int, rng: np.random.Generator) -> Tally:
    """Simulate the intervals over all words."""
    tally = Tally()
    for _ in range(simulations):
        true = [rates(recalls(scenario, counts, rng), counts) for counts in COUNTS.values()]
        joints = [sample(*item, rng) for item in zip(true, COUNTS.values(), strict=True)]
        truth = mean_scores(
            [expected(*item).sum(axis=-1) for item in zip(true, COUNTS.values(), strict=True)]
        )
        matrices = [joint.sum(axis=-1) for joint in joints]
        tally.add("all", "ours", mean_intervals(matrices, draws=draws, rng=rng), truth)
        tally.add("all", "percentile", percentile(matrices, mean_scores, draws, rng), truth)
    return tally


def expected(true: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """Return expected counts from rates of shape (K, ...)."""
    return np.moveaxis(np.moveaxis(true, 0, -1) * np.array(counts), -1, 0)


def differences(pair: str, simulations: int, draws: int, rng: np.random.Generator) -> Tally:
    """Simulate intervals of the difference of two systems.

    An interval disagrees with the test if it excludes 0 and p > 0.05, or includes 0 and p <= 0.05.
    """
    scenario, worse, shared, names = PAIRS[pair]
    sizes = [COUNTS[name] for name in names]
    tally = Tally()
    for _ in range(simulations):
        true = [rates(recalls(scenario, n, rng), n, worse, shared) for n in sizes]
        truth = mean_differences([expected(*item) for item in zip(true, sizes, strict=True)])
        joints = [counted(sample(*item, rng)) for item in zip(true, sizes, strict=True)]
        tests = compare_systems(joints, rng=rng)
        ours = {name: (test.low, test.high) for name, test in tests.items()}
        posterior = mean_intervals(joints, draws=draws, rng=rng)
        for method, spans in (("posterior", posterior), ("ours", ours)):
            tally.add(pair, method, spans, truth)
            for name, (low, high) in spans.items():
                significant = low > 0 or high < 0
                tally.disagree[name, method].append(significant != (tests[name].p <= 0.05))
    return tally


def rejections(opposed: bool, simulations: int, rng: np.random.Generator) -> dict[str, float]:
    """Return how often the paired test of two equal systems has p <= 0.05, by metric.

    With ``opposed`` every word occurs twice: one system is better the first time, the other by the
    same amount the second time. All mean scores are equal, but predictions are not exchangeable.
    """
    wrong = defaultdict(list)
    for _ in range(simulations):
        joints = []
        for counts in COUNTS.values():
            true = rates(recalls("plain", counts, rng), counts, worse=2.0 if opposed else 1.0)
            joints.append(sample(true, counts, rng))
            if opposed:
                joints.append(sample(true.swapaxes(1, 2), counts, rng))
        pairs = list(map(counted, joints))
        for name, test in paired_permutations(pairs, rng=rng).items():
            wrong[name].append(test.p <= 0.05)
    return {name: float(np.mean(values)) for name, values in wrong.items()}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _range(values: Sequence[np.floating]) -> str:
    return f"{_percent(min(values))} to {_percent(max(values))}"


def print_words(tally: Tally) -> None:
    plain = [row for row in tally.rows() if row in COUNTS]
    head = ["word", *(f"{n}, {m}" for n in WORD_SCORES for m in ("ours", "percentile"))]
    cells = {
        row: [tally.coverage(row, n, m) for n in WORD_SCORES for m in ("ours", "percentile")]
        for row in plain
    }
    rows = [[row, *map(_percent, cells[row])] for row in plain]
    for label, summary in (("mean", np.mean), ("least", np.min)):
        rows.append([f"**{label}**", *(_percent(x) for x in summary(list(cells.values()), axis=0))])
    print(table(head, rows))
    if special := [row for row in tally.rows() if row not in COUNTS]:
        print("\nSimulations without an error on the rarest sense:\n")
        rows = [
            [row, _percent(len(tally.seen[row, WORD_SCORES[0], "ours"]) / total)]
            + [_percent(tally.coverage(row, n, "ours")) for n in WORD_SCORES]
            for row in special
            for total in [len(tally.seen[row.split()[0], WORD_SCORES[0], "ours"])]
        ]
        print(table(["word", "share of simulations", *WORD_SCORES], rows))


def print_means(tally: Tally) -> None:
    rows = []
    for name in MEAN_SCORES:
        for method in ("ours", "percentile"):
            truth_below, truth_above, width = np.mean(tally.seen["all", name, method], axis=0)
            numbers = map(_percent, (1 - truth_below - truth_above, truth_below, truth_above))
            rows.append([name, method, *numbers, f"{100 * width:.2f}"])
    print(table(["mean", "method", "covers", "truth below", "truth above", "width, points"], rows))


def print_differences(simulations: int, draws: int, rng: np.random.Generator) -> None:
    """Print coverage and disagreement over the four metrics, from least to most."""
    print(f"{simulations} simulations\n")
    methods = ("posterior", "ours")
    columns = ("covers", "width, macro-F1", "interval and test disagree")
    print(table(["second system", *(f"{m}: {c}" for c in columns for m in methods)], []))
    for pair in PAIRS:
        tally = differences(pair, simulations, draws, rng)
        covered = [[tally.coverage(pair, n, m) for n in MEAN_SCORES] for m in methods]
        widths = [np.mean(tally.seen[pair, "mean_macro_f1", m], axis=0)[2] for m in methods]
        disagree = [[np.mean(tally.disagree[n, m]) for n in MEAN_SCORES] for m in methods]
        cells = [
            *map(_range, covered),
            *(f"{100 * width:.2f}" for width in widths),
            *map(_range, disagree),
        ]
        print("| " + " | ".join([pair, *cells]) + " |", flush=True)


def print_tests(simulations: int, rng: np.random.Generator) -> None:
    rows = []
    for label, opposed in (("exchangeable", False), ("equal, not exchangeable", True)):
        wrong = rejections(opposed, simulations, rng)
        rows.append([label, *(_percent(wrong[name]) for name in MEAN_SCORES)])
    print(table(["two equal systems: p <= 0.05", *MEAN_SCORES], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("simulation", choices=["words", "means", "differences", "tests"])
    parser.add_argument("--scenario", choices=list(SCENARIOS), default="plain")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000, help="draws per interval or test")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    # Over many simulations, chance in single tests averages out.
    permutation.PERMUTATIONS = args.draws - 1
    if args.simulation == "tests":
        print_tests(args.simulations, rng)
    elif args.simulation == "differences":
        print_differences(args.simulations, args.draws, rng)
    elif args.simulation == "words":
        print_words(words(args.scenario, args.simulations, args.draws, rng))
    else:
        print_means(means(args.scenario, args.simulations, args.draws, rng))


if __name__ == "__main__":
    main()
