"""Statistics: scores of the evaluation, exact tests on small cases, coverage by simulation."""

import itertools
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from checkout import REPOSITORY
from sklearn.metrics import accuracy_score, f1_score, recall_score
from statsmodels.stats.contingency_tables import mcnemar

from wsd.artifacts.column_names import KEY_COLUMNS
from wsd.evaluation.evaluate import summarise
from wsd.metrics import permutation
from wsd.metrics.confidence_intervals import mean_intervals, word_intervals
from wsd.metrics.confidence_set import confidence_set
from wsd.metrics.permutation import compare_systems, holm, paired_permutations
from wsd.metrics.scores import (
    MEAN_SCORES,
    WORD_SCORES,
    Counts,
    confusion,
    count_kinds,
    mean_scores,
    word_scores,
)

Word = tuple[np.ndarray, np.ndarray, np.ndarray, int]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """Return bench/coverage.py, whose simulations these tests run on a small scale."""
    spec = spec_from_file_location("coverage_bench", REPOSITORY / "bench/coverage.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scored(gold: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Compute the scores with scikit-learn."""
    occurring = sorted(set(gold.tolist()) | set(predicted.tolist()))
    return {
        "n_test": len(gold),
        "accuracy": accuracy_score(gold, predicted),
        "macro_f1": f1_score(gold, predicted, labels=occurring, average="macro", zero_division=0.0),
        "balanced_accuracy": recall_score(
            gold, predicted, labels=sorted(set(gold.tolist())), average="macro"
        ),
    }


def random_words(seed: int, *, n_words: int = 5, most: int = 12) -> list[Word]:
    """Draw small words in which some senses are missing or only predicted."""
    rng = np.random.default_rng(seed)
    words = []
    for _ in range(n_words):
        n_senses, n = int(rng.integers(2, 6)), int(rng.integers(1, most))
        gold, noise, other = rng.integers(0, n_senses, size=(3, n))
        a = np.where(rng.random(n) < 0.7, gold, noise)
        words.append((gold, a, np.where(rng.random(n) < 0.5, a, other), n_senses))
    return words


def joints(words: Sequence[Word]) -> list[Counts]:
    return [count_kinds(word[:3], word[3]) for word in words]


def counted(joint: np.ndarray) -> Counts:
    """Count all triples of gold and two predictions."""
    return Counts(np.argwhere(joint), joint[joint > 0], len(joint))


def every_triple(joint: Counts) -> np.ndarray:
    counts = np.zeros((joint.n_senses,) * 3, dtype=int)
    counts[tuple(joint.kinds.T)] = joint.numbers
    return counts


def systems(pairs: Sequence[Counts]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    results = list(map(every_triple, pairs))
    return [joint.sum(axis=2) for joint in results], [joint.sum(axis=1) for joint in results]


# Counts and scores


def test_counts() -> None:
    gold, a, b = np.array([0, 0, 2, 2]), np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])
    assert confusion(gold, a, 3).tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 2]]
    joint = count_kinds([gold, a, b], 3)
    assert dict(zip(map(tuple, joint.kinds.tolist()), joint.numbers, strict=True)) == {
        (0, 0, 0): 1,
        (0, 1, 1): 1,
        (2, 2, 1): 1,
        (2, 2, 2): 1,
    }
    with pytest.raises(ValueError, match="lengths differ"):
        confusion(gold, a[:3], 3)
    with pytest.raises(ValueError, match="invalid entry"):
        confusion(gold, a, 2)


@pytest.mark.parametrize("seed", range(30))
def test_scores_equal_scikit_learn(seed: int) -> None:
    words = random_words(seed)
    rows = []
    for i, (gold, a, _, n_senses) in enumerate(words):
        expected = scored(gold, a)
        actual = word_scores(confusion(gold, a, n_senses))
        assert {name: float(actual[name]) for name in WORD_SCORES} == pytest.approx(
            {name: expected[name] for name in WORD_SCORES}
        )
        rows.append({**dict.fromkeys(KEY_COLUMNS, "x"), "word": f"w{i}", **expected})
    summary = summarise(pd.DataFrame(rows)).iloc[0]
    over = mean_scores([confusion(gold, a, n) for gold, a, _, n in words])
    assert {name: float(over[name]) for name in MEAN_SCORES} == pytest.approx(
        {name: summary[name] for name in MEAN_SCORES}
    )


def test_scores_of_a_batch_equal_single_scores() -> None:
    batch = np.random.default_rng(1).integers(0, 3, size=(4, 5, 3, 3))
    batch[0, 0] = [[2, 0, 0], [0, 0, 0], [0, 0, 0]]
    together = word_scores(batch)
    for place in np.ndindex(4, 5):
        alone = word_scores(batch[place])
        for name in WORD_SCORES:
            assert together[name][place] == alone[name]


# Intervals


def test_a_perfect_score_has_an_interval() -> None:
    intervals = word_intervals(np.diag([92, 7]))
    for low, high in intervals.values():
        assert high == 1
        assert low < 0.99
    low, high = word_intervals(np.array([[7, 0], [0, 0]]))["accuracy"]
    # Clopper & Pearson's one-sided limit at 95%, for 7 of 7, is 0.652; at 97.5% 0.590.
    assert high == 1
    assert 0.59 < low < 0.8


def test_a_sense_without_instances_changes_nothing_that_it_should_not() -> None:
    # Errors may fall on the inventory's other senses; macro-F1 averages the senses that occur.
    intervals = word_intervals(np.array([[7, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert intervals["accuracy"] == intervals["balanced_accuracy"]
    assert intervals["macro_f1"][1] == 1
    assert intervals["macro_f1"][0] > intervals["accuracy"][0]
    assert word_intervals(np.array([[7]])) == dict.fromkeys(WORD_SCORES, (1.0, 1.0))


@pytest.mark.parametrize("seed", range(5))
def test_intervals_hold_the_estimate_and_keep_to_the_range(seed: int) -> None:
    pairs = joints(random_words(seed))
    first, second = systems(pairs)
    spans: list[tuple[tuple[float, float], float, int]] = []
    for a in first:
        of_a = word_scores(a)
        own = word_intervals(a, draws=300)
        spans += [(own[name], of_a[name], 0) for name in WORD_SCORES]
    over_a, over_b = mean_scores(first), mean_scores(second)
    own, between = mean_intervals(first, draws=300), mean_intervals(pairs, draws=300)
    spans += [(own[name], over_a[name], 0) for name in MEAN_SCORES]
    spans += [(between[name], over_a[name] - over_b[name], -1) for name in MEAN_SCORES]
    for (low, high), estimate, floor in spans:
        assert floor <= low <= estimate <= high <= 1
        assert low < high


def test_intervals_narrow_with_more_instances() -> None:
    matrix = np.array([[90, 6], [2, 12]])
    for intervals, name in (
        (word_intervals, "accuracy"),
        (lambda m: mean_intervals([m]), MEAN_SCORES[0]),
    ):
        few, many = (np.diff(intervals(matrix * times)[name])[0] for times in (1, 16))
        assert many == pytest.approx(few / 4, rel=0.2)


def test_the_prior_of_many_rows_does_not_add_up() -> None:
    # 20 nearly perfect words: without the shift, the posterior would lie below the estimate.
    words = [np.array([[91, 1], [0, 7]]), np.array([[60, 0], [1, 9]])] * 10
    estimate = mean_scores(words)
    for name, (low, high) in mean_intervals(words).items():
        assert 0.2 < (high - estimate[name]) / (high - low) < 0.6


def test_equal_systems_have_no_difference() -> None:
    gold = np.repeat([0, 1], [20, 7])
    guessed = gold.copy()
    guessed[[3, 22]] = 1 - guessed[[3, 22]]
    pair = [count_kinds([gold, guessed, guessed], 2)]
    for name in MEAN_SCORES:
        assert paired_permutations(pair)[name] == (0, 1, 0, 0)
        low, high = mean_intervals(pair)[name]
        assert low < 0 < high
        assert -low == pytest.approx(high, rel=0.2)
    for name in MEAN_SCORES:
        best = confidence_set([gold], [np.stack([guessed] * 3)], name)
        assert best.p.tolist() == [1, 1, 1]
        assert best.within.all()


def test_a_difference_changes_its_sign_with_the_order() -> None:
    pairs = joints(random_words(3, most=40))
    turned = [counted(every_triple(joint).swapaxes(1, 2)) for joint in pairs]
    forth, back = (mean_intervals(side, draws=20_000) for side in (pairs, turned))
    for name in MEAN_SCORES:
        assert forth[name] == pytest.approx([-x for x in back[name][::-1]], abs=0.02)


def test_pairing_counts() -> None:
    # Equal margins: the same errors, and errors on different instances.
    same, apart = np.zeros((2, 2, 2, 2), dtype=int)
    for sense in (0, 1):
        same[sense, sense, sense] = 80
        same[sense, 1 - sense, 1 - sense] = 20
        apart[sense, sense, sense] = 60
        apart[sense, sense, 1 - sense] = apart[sense, 1 - sense, sense] = 20
    for name in MEAN_SCORES:
        narrow, wide = (np.diff(mean_intervals([counted(x)])[name])[0] for x in (same, apart))
        assert narrow < wide / 3


def test_the_seed_decides() -> None:
    pairs = joints(random_words(4, most=60))
    first = systems(pairs)[0]
    for run in (
        lambda rng: mean_intervals(first, draws=100, rng=rng),
        lambda rng: mean_intervals(pairs, draws=100, rng=rng),
        lambda rng: word_intervals(first[0], draws=100, rng=rng),
    ):
        assert run(5) == run(np.random.default_rng(5)) != run(6)


def test_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no word"):
        mean_scores([])


# Paired tests


def enumerated(
    words: Sequence[Word], documents: Sequence[np.ndarray] | None = None
) -> dict[str, float]:
    """p over all exchanges of instances or documents, one after another."""

    def means(sides: Sequence[np.ndarray]) -> np.ndarray:
        matrices = [confusion(w[0], side, w[3]) for w, side in zip(words, sides, strict=True)]
        return np.array(list(mean_scores(matrices).values()))

    ends = np.cumsum([len(word[0]) for word in words])
    units = np.arange(ends[-1]) if documents is None else np.concatenate(documents)
    results = []
    for coins in itertools.product([False, True], repeat=1 + int(units.max())):
        parts = np.split(np.array(coins)[units], ends[:-1])
        pairs = [
            (np.where(coin, b, a), np.where(coin, a, b))
            for coin, (_, a, b, _) in zip(parts, words, strict=True)
        ]
        results.append(np.subtract(*(means(side) for side in zip(*pairs, strict=True))))
    extreme = np.abs(results) >= np.abs(results[0]) - 1e-9
    return dict(zip(MEAN_SCORES, extreme.mean(axis=0), strict=True))


@pytest.mark.parametrize("seed", [0, 1])
def test_permutations_against_all_of_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    words = []
    for n_senses in (2, 3):
        gold, a = rng.integers(0, n_senses, size=(2, 3))
        words.append((gold, a, np.array([*(a[:2] + 1) % n_senses, a[2]]), n_senses))
    pairs = joints(words)
    exact = paired_permutations(pairs)
    assert {name: exact[name].p for name in MEAN_SCORES} == pytest.approx(enumerated(words))
    # Too few permutations to enumerate: the observed outcome counts, (1 + 3 p) / 4 on average.
    monkeypatch.setattr(permutation, "PERMUTATIONS", 3)
    few = [paired_permutations(pairs, rng=i) for i in range(600)]
    for name in MEAN_SCORES:
        mean = np.mean([actual[name].p for actual in few])
        assert mean == pytest.approx((1 + 3 * exact[name].p) / 4, abs=0.04)


def test_sampled_permutations_come_near_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of six kinds, (4+1)(2+1)(5+1)(1+1)(2+1)(3+1) = 2160 outcomes.
    pair = np.zeros((3, 3, 3), dtype=int)
    pair[[0, 0, 1, 1, 2, 2], [0, 1, 1, 0, 2, 1], [1, 0, 0, 1, 1, 2]] = [4, 2, 5, 1, 2, 3]
    exact = paired_permutations([counted(pair)])
    monkeypatch.setattr(permutation, "PERMUTATIONS", 2158)
    sampled = paired_permutations([counted(pair)], rng=3)
    for name in MEAN_SCORES:
        assert exact[name].difference == sampled[name].difference
        assert 0.01 < exact[name].p < 0.99
        assert sampled[name].p != exact[name].p
        assert sampled[name].p == pytest.approx(exact[name].p, abs=0.035)


def test_the_test_of_micro_accuracy_is_mcnemar_s() -> None:
    pair = np.zeros((2, 2, 2), dtype=int)
    pair[0, 0, 0], pair[0, 0, 1], pair[0, 1, 0], pair[1, 1, 0], pair[1, 1, 1] = 30, 9, 2, 3, 12
    p = mcnemar([[0, 9 + 3], [2, 0]], exact=True).pvalue
    assert paired_permutations([counted(pair)])["micro_accuracy"].p == pytest.approx(p)


@pytest.mark.parametrize(
    ("both", "first", "second", "neither", "p"),
    [
        # Rosner, Fundamentals of Biostatistics, "Hypertension": a computer device and a trained
        # observer on 20 people, 8 discordant pairs, 7 of one kind; exact two-sided p = 0.070.
        pytest.param(3, 7, 1, 9, 0.070, id="Rosner, blood pressure"),
        # The same book's matched pairs of breast cancer patients, 5 against 16 of 621 pairs
        # (chi-square 4.76, p = 0.029 by the normal approximation): 2 * 27896 / 2**21 exactly.
        pytest.param(510, 5, 16, 90, 0.0266, id="Rosner, breast cancer"),
    ],
)
def test_the_test_of_micro_accuracy_against_worked_examples(
    both: int, first: int, second: int, neither: int, p: float
) -> None:
    pair = np.zeros((2, 2, 2), dtype=int)
    pair[0] = [[both, first], [second, neither]]
    assert paired_permutations([counted(pair)])["micro_accuracy"].p == pytest.approx(p, abs=5e-4)
    # The same table spread over two senses of two words.
    rest = np.zeros((2, 2, 2), dtype=int)
    rest[1] = (pair[0] - pair[0] // 2)[::-1, ::-1]
    two_words = paired_permutations([counted(pair // 2), counted(rest)])
    assert two_words["micro_accuracy"].p == pytest.approx(p, abs=5e-4)


def test_documents_are_exchanged_whole() -> None:
    # Six documents, each with instances of both words; most words lack some document.
    rng = np.random.default_rng(5)
    for _ in range(4):
        words = random_words(int(rng.integers(1000)), n_words=2, most=9)
        documents = [rng.integers(0, 6, size=len(word[0])) for word in words]
        pairs = [count_kinds(w[:3], w[3], d) for w, d in zip(words, documents, strict=True)]
        tests = paired_permutations(pairs)
        assert {name: tests[name].p for name in MEAN_SCORES} == pytest.approx(
            enumerated(words, documents)
        )


def test_four_copies_in_one_document_are_one_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 200_000)
    words = random_words(7, n_words=4, most=5)
    ends = np.cumsum([0, *(len(word[0]) for word in words)])
    places = [np.arange(*pair) for pair in itertools.pairwise(ends)]
    fours = [(*np.tile(word[:3], 4), word[3]) for word in words]
    tied = [count_kinds(w[:3], w[3], np.tile(d, 4)) for w, d in zip(fours, places, strict=True)]
    alone, together, ignored = (
        paired_permutations(pairs) for pairs in (joints(words), tied, joints(fours))
    )
    for name in MEAN_SCORES:
        assert together[name] == pytest.approx(alone[name])
        assert ignored[name].p < alone[name].p


# Differences with intervals and tests


@pytest.mark.parametrize("seed", range(20))
def test_interval_and_test_agree(seed: int) -> None:
    pairs = joints(random_words(seed, n_words=3))
    tests = paired_permutations(pairs)
    for name, (difference, low, high, p, _) in compare_systems(pairs).items():
        assert (difference, p) == tests[name][:2]
        assert -1 <= low <= difference <= high <= 1
        assert (low > 0 or high < 0) == (p <= 0.05)


def test_a_difference_reaches_as_far_as_exchanges_do() -> None:
    # 7 against 1 of 40 instances: under exchange, the difference is (8 - 2 k) / 40, k binomial, and
    # |8 - 2 k| is at least 6 in 18 of 256 cases, and 8 in 2.
    pair = np.zeros((2, 2, 2), dtype=int)
    pair[0] = [[32, 7], [1, 0]]
    difference, low, high, p, _ = compare_systems([counted(pair)])["micro_accuracy"]
    assert p == pytest.approx(18 / 256)
    assert (difference, low, high) == pytest.approx((6 / 40, 0, 12 / 40))
    # 8 against none: p is 2 of 256, and the interval still reaches 6 / 40 to each side.
    pair[0] = [[32, 8], [0, 0]]
    difference, low, high, p, _ = compare_systems([counted(pair)])["micro_accuracy"]
    assert p == pytest.approx(2 / 256)
    assert (difference, low, high) == pytest.approx((8 / 40, 2 / 40, 14 / 40))


def is_large(difference: float, reach: float, posterior: tuple[float, float]) -> bool:
    reaches, halves = permutation.LARGE
    return difference > reaches * reach and difference > halves * np.ptp(posterior) / 2


def test_a_large_difference_has_the_narrower_interval() -> None:
    # The most frequent sense against a good classifier.
    pair = np.zeros((2, 2, 2), dtype=int)
    pair[0, 0, 0], pair[1, 1, 0], pair[1, 0, 0] = 60, 38, 2
    pairs = [counted(pair)] * 12
    difference, reach = paired_permutations(pairs)["micro_accuracy"][::2]
    posterior = mean_intervals(pairs)["micro_accuracy"]
    assert is_large(difference, reach, posterior)
    assert np.diff(posterior) < 2 * reach
    large = compare_systems(pairs)["micro_accuracy"]
    assert large[1:3] == posterior
    assert large.error == pytest.approx(np.diff(posterior).item() / 2 / 1.96, rel=1e-3)
    # Many instances of which few differ: the prior makes the posterior wide.
    pair[0, 0, 0], pair[1, 1, 1], pair[1, 1, 0], pair[1, 0, 0] = 90, 60, 4, 0
    pairs = [counted(pair)] * 120
    difference, reach = paired_permutations(pairs)["micro_accuracy"][::2]
    posterior = mean_intervals(pairs)["micro_accuracy"]
    assert is_large(difference, reach, posterior)
    assert np.diff(posterior) > 2 * reach
    _, low, high, *_ = compare_systems(pairs)["micro_accuracy"]
    assert (low, high) == pytest.approx((difference - reach, difference + reach))


def test_documents_widen_the_interval_of_a_large_difference() -> None:
    # 15 documents of four instances per sense; the first system is right in all but two.
    gold = np.repeat([0, 1], 60)
    first, second = gold.copy(), np.zeros_like(gold)
    first[[*range(60, 64), *range(8)]] = 1 - first[[*range(60, 64), *range(8)]]
    pairs = [count_kinds([gold, first, second], 2)] * 24
    documents = [np.arange(start, start + 120) // 4 for start in range(0, 24 * 120, 120)]
    tied = [count_kinds([gold, first, second], 2, d) for d in documents]
    without, together = map(compare_systems, (pairs, tied))
    assert together["micro_accuracy"][1:3] == mean_intervals(tied)["micro_accuracy"]
    for name in MEAN_SCORES:
        narrow, wide = (np.diff(compared[name][1:3]).item() for compared in (without, together))
        assert without[name].difference == together[name].difference
        assert wide > 1.5 * narrow


def test_few_documents_of_a_large_difference_do_not_widen_its_interval() -> None:
    # 60 documents of four instances: the second system misses nearly all of the second sense.
    # Exchanged differences reach more than an eighth of the difference, because documents are few.
    gold = np.repeat([0, 1], 120)
    second = np.where(np.arange(240) % 40 < 38, 0, gold)
    pairs = [count_kinds([gold, gold, second], 2, np.arange(240) // 4)]
    difference, reach = paired_permutations(pairs)["mean_macro_f1"][::2]
    posterior = mean_intervals(pairs)["mean_macro_f1"]
    assert difference < permutation.LARGE[1] * reach and is_large(difference, reach, posterior)
    assert np.diff(posterior) < 2 * reach
    assert compare_systems(pairs)["mean_macro_f1"][1:3] == posterior


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []


# The best


@pytest.mark.parametrize("seed", [1, 8, 9, 11])
def test_two_choices_are_a_one_sided_paired_test(seed: int) -> None:
    words = random_words(seed, n_words=3, most=8)
    golds = [gold for gold, *_ in words]
    two_sided = paired_permutations(joints(words))
    for name in MEAN_SCORES:
        actual = confidence_set(golds, [np.stack([a, b]) for _, a, b, _ in words], name)
        turned = confidence_set(golds, [np.stack([b, a]) for _, a, b, _ in words], name)
        worse, better = np.argsort(actual.estimate)
        assert abs(np.diff(actual.estimate)[0]) == pytest.approx(abs(two_sided[name].difference))
        assert two_sided[name].difference != 0
        # The distribution under exchange is symmetric.
        assert actual.p[worse] == pytest.approx(two_sided[name].p / 2)
        assert actual.p[better] > 0.5
        assert actual.p.tolist() == pytest.approx(turned.p[::-1].tolist())


def test_the_family_is_corrected() -> None:
    # 7 of 8 differing instances favour the second choice, p = 9/256. Five more choices differ from
    # the first in as many instances each, without being better.
    gold = np.zeros(48, dtype=int)
    first = (np.arange(48) < 7).astype(int)
    first[8:] = np.tile([1] * 4 + [0] * 4, 5)
    second = first.copy()
    second[:8] = 1 - first[:8]
    rows = [first, second]
    for start in range(8, 48, 8):
        rows.append(first.copy())
        rows[-1][start : start + 8] = 1 - first[start : start + 8]
    name = "micro_accuracy"
    alone = confidence_set([gold], [np.stack(rows[:2])], name)
    family = [confidence_set([gold], [np.stack(rows)], name, rng=seed).p[0] for seed in range(8)]
    assert alone.p[0] == pytest.approx(9 / 256)
    assert not alone.within[0]
    # The instances differ, so the tests are independent, and their standard errors are equal.
    assert np.mean(family) == pytest.approx(1 - (1 - 9 / 256) ** 6, abs=0.01)


def test_a_noisy_choice_does_not_protect_another() -> None:
    # The second choice is right on 8 more; the third differs on 40, half better, half worse.
    gold = np.zeros(48, dtype=int)
    first = np.repeat([1, 0, 1], [8, 20, 20])
    second, third = first.copy(), first.copy()
    second[:8] = 0
    third[8:] = 1 - first[8:]
    best = confidence_set([gold], [np.stack([first, second, third])], "micro_accuracy")
    assert best.p[0] < 0.05
    # The relation is not transitive: the third differs significantly from neither of the others.
    assert best.within.tolist() == [False, True, True]


def test_the_set_excludes_clearly_worse_choices() -> None:
    rng = np.random.default_rng(0)
    golds = [np.repeat([0, 1], [80, 40]) for _ in range(5)]
    chances = np.array([0.05, 0.05, 0.06, 0.3, 0.4])[:, None]
    tables = [np.where(rng.random((5, 120)) < chances, 1 - gold, gold) for gold in golds]
    for name in MEAN_SCORES:
        best = confidence_set(golds, tables, name)
        over = mean_scores(
            [
                np.stack([confusion(gold, row, 2) for row in table])
                for gold, table in zip(golds, tables, strict=True)
            ]
        )
        assert best.estimate == pytest.approx(over[name])
        assert best.within[best.estimate.argmax()]
        assert best.within.tolist()[3:] == [False, False]
        assert best.p[3] == pytest.approx(1 / 20_000)
        assert best.within[:3].sum() >= 2


def test_one_choice_is_the_best() -> None:
    gold = np.array([0, 1, 1])
    best = confidence_set([gold], [gold[None]], "micro_accuracy")
    assert best.within.tolist() == [True]
    assert best.p.tolist() == [1]


# Simulations; bench/coverage.py has the complete ones


def test_words_with_a_sense_of_seven_are_covered() -> None:
    rng = np.random.default_rng(0)
    for recall in (0.85, 0.9, 0.95, 0.99):
        held = []
        for _ in range(300):
            right = rng.binomial([92, 7], [0.985, recall])
            matrix = np.array([[right[0], 92 - right[0]], [7 - right[1], right[1]]])
            low, high = word_intervals(matrix, draws=400, rng=rng)["balanced_accuracy"]
            held.append(low <= (0.985 + recall) / 2 <= high)
        assert np.mean(held) > 0.91


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["plain", "ceiling"])
def test_coverage(bench: ModuleType, scenario: str) -> None:
    rng = np.random.default_rng(0)
    words = bench.words(scenario, 60, 400, rng)
    for name in WORD_SCORES:
        ours, naive = (
            [words.coverage(word, name, method) for word in bench.COUNTS]
            for method in ("ours", "percentile")
        )
        # 1200 intervals: a standard error of 0.6 points.
        assert 0.93 < np.mean(ours) <= 1
        assert np.mean(naive) < 0.935
    means = bench.means(scenario, 150, 400, rng)
    for name in MEAN_SCORES:
        # Three standard errors below 95%.
        assert means.coverage("all", name, "ours") > 0.897


@pytest.mark.slow
@pytest.mark.parametrize(
    "pair",
    ["equal, 97% of errors shared", "1.4 times the errors, 60% shared", "most frequent sense"],
)
def test_coverage_of_differences(
    bench: ModuleType, pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 999)
    tally = bench.differences(pair, 150, 400, np.random.default_rng(0))
    for name in MEAN_SCORES:
        assert tally.coverage(pair, name, "ours") > 0.897
        assert not any(tally.disagree[name, "ours"])
        ours, posterior = (
            np.mean(tally.seen[pair, name, method], axis=0)[2] for method in ("ours", "posterior")
        )
        assert ours < 1.05 * posterior


def memberships(
    bench: ModuleType, own_errors: list[float], metric: str, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Return which choices are in the set, in simulations with half of the errors in common."""
    within = []
    factors = np.array(own_errors)[:, None]
    for _ in range(n):
        golds, predicted = [], []
        for counts in bench.COUNTS.values():
            gold = np.repeat(np.arange(len(counts)), counts)
            error = (1 - bench.recalls("plain", counts, rng))[gold] / 2
            common = rng.random(len(gold)) < error
            alone = rng.random((len(factors), len(gold))) < error * factors
            wrong = (gold + rng.integers(1, len(counts), size=len(gold))) % len(counts)
            golds.append(gold)
            predicted.append(np.where(common | alone, wrong, gold))
        within.append(confidence_set(golds, predicted, metric, rng=rng).within)
    return np.array(within)


@pytest.mark.slow
def test_the_confidence_set_contains_the_best(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 199)
    rng = np.random.default_rng(0)
    for name in MEAN_SCORES:
        # 180 tests: a standard error of 1.6 points.
        assert memberships(bench, [1.0] * 6, name, 30, rng).mean() > 0.9
        sharp = memberships(bench, [0.3, 1.0, 1.0, 1.0], name, 4, rng)
        assert sharp[:, 0].all() and sharp.sum(axis=1).mean() < 2


@pytest.mark.slow
def test_the_paired_test_is_not_liberal(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTATIONS", 299)
    rng = np.random.default_rng(0)
    for opposed in (False, True):
        for wrong in bench.rejections(opposed, 200, rng).values():
            # Three standard errors above 5%.
            assert wrong < 0.096
