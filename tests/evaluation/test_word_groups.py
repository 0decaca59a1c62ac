"""Layer choices by part of speech and number of training instances."""

import numpy as np
import pytest
from scipy.stats import norm, t
from wsd.evaluation.word_groups import (
    ALL,
    GROUP_COLUMNS,
    PEAK_COLUMNS,
    find_peaks,
    score_groups,
    word_groups,
)
from wsd.metrics.curve_shapes import same_shape

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.evaluation.comparison_rows import ComparisonRow
from wsd.evaluation.layer_groups import Group
from wsd.metrics.confidence_intervals import bounded
from wsd.metrics.permutation import holm
from wsd.metrics.scores import word_scores

SEED = 3
LAYERS = ("0", "1", "2", "mean-last-2")
# Words of each part of speech, and at which layer they are told best.
PARTS = {"n": (14, "2"), "r": (3, "0"), "v": (12, "1")}
TRAINED = (10, 20, 60, 500)
WORDS = {
    f"w{i}.{part}": (TRAINED[i % 4], best) for part, (n, best) in PARTS.items() for i in range(n)
}


def corpus(word: str, n_train: int) -> Corpus:
    n = n_train + 8
    return Corpus(
        word=word,
        senses=("a", "b"),
        split=np.array(["train"] * n_train + ["test"] * 8),
        index=np.arange(n),
        tokens=((word,),) * n,
        position=np.zeros(n, dtype=np.int32),
        gold=np.arange(n, dtype=np.int32) % 2,
    )


CORPORA = {word: corpus(word, n) for word, (n, _) in WORDS.items()}


def predictions(i: int, word: str, layers: str) -> WordPredictions:
    """At its best layer one instance is wrong, elsewhere more; of every third word one less."""
    gold = np.arange(8) % 2
    wrong = 2 if layers == WORDS[word][1] else 3 + LAYERS.index(layers) % 3
    predicted = gold.copy()
    predicted[: wrong - (i % 3 == 0)] ^= 1
    scores = np.eye(2)[predicted]
    return WordPredictions(word, ("a", "b"), 10, np.arange(8), gold, predicted, scores, "test")


def group(words: list[str] | None = None) -> Group:
    source = {"encoder": {"model": {"blocks": 2}}}
    rows = [
        ComparisonRow(
            "candidate", "m", "focal", layers, "lda",
            [predictions(i, w, layers) for i, w in enumerate(WORDS) if w in (words or WORDS)],
            source=source,
        )
        for layers in LAYERS
    ]  # fmt: skip
    return Group(rows, [], "mean_macro_f1", [None] * len(rows), "1", {})


def row_of(table: list[dict], **equal: object) -> dict:
    (result,) = (row for row in table if all(row[key] == value for key, value in equal.items()))
    return result


@pytest.mark.parametrize(("part", "name"), [("n", "noun"), ("v", "verb"), ("r", "adverb")])
def test_the_figures_are_those_of_the_words_alone(part: str, name: str) -> None:
    layers = score_groups(group(), word_groups(CORPORA, SEED))
    own = [word for word in WORDS if word.endswith(part)]
    for row in group(own).rows:
        actual = row_of(layers, part_of_speech=name, training_instances=ALL, layers=row.layers)
        assert list(actual) == GROUP_COLUMNS
        for metric in ("mean_macro_f1", "micro_accuracy"):
            assert actual[metric] == pytest.approx(row.mean(metric))
        assert (actual["n_words"], actual["n_test"]) == (len(own), 8 * len(own))
        assert actual["n_train"] == sum(WORDS[word][0] for word in own)
        depth = int(row.layers) / 2 if row.layers.isdecimal() else None
        assert actual["relative_depth"] == depth


def test_an_interval_is_of_words_drawn_with_replacement() -> None:
    kinds = word_groups(CORPORA, SEED)
    layers = score_groups(group(), kinds)
    (verbs,) = (entry for entry in kinds if entry[:2] == ("verb", ALL))
    assert (verbs.weights.sum(axis=1) == 12).all() and verbs.weights.std() > 0.5
    row = group().rows[1]
    matrices = [row.confusions[i] for i in verbs.words]
    right = np.array([np.trace(entry) for entry in matrices])
    drawn = [(w * right).sum() / (8 * w.sum()) for w in verbs.weights]
    actual = row_of(layers, part_of_speech="verb", training_instances=ALL, layers="1")
    score, n = actual["micro_accuracy"], len(matrices)
    wider = t.ppf(0.975, n - 1) / norm.ppf(0.975) * np.sqrt(n / (n - 1))
    expected = bounded(
        *(score + wider * (np.quantile(drawn, [0.025, 0.975]) - score)), score, floor=0
    )
    low, high = actual["micro_accuracy_low"], actual["micro_accuracy_high"]
    assert (low, high) == pytest.approx(expected)
    assert low < actual["micro_accuracy"] < high


def test_verbs_peak_where_nouns_do_or_not() -> None:
    peaks = find_peaks(group(), word_groups(CORPORA, SEED), SEED)
    assert all(set(row) <= set(PEAK_COLUMNS) for row in peaks)
    noun, verb = (
        row_of(peaks, part_of_speech=part, training_instances=ALL, metric="mean_macro_f1")
        for part in ("noun", "verb")
    )
    assert [noun[key] for key in ("peak", "low", "high", "share_of_draws")] == [2, 2, 2, 1.0]
    assert "reference" not in noun
    assert [verb[key] for key in ("peak", "low", "high")] == [1, 1, 1]
    ends = [verb[key] for key in ("reference", "difference", "difference_low", "difference_high")]
    assert ends == ["noun", -1, -1, -1]


def test_too_few_words_have_no_interval_and_no_peak() -> None:
    kinds = word_groups(CORPORA, SEED)
    layers, peaks = score_groups(group(), kinds), find_peaks(group(), kinds, SEED)
    actual = row_of(layers, part_of_speech="adverb", training_instances=ALL, layers="0")
    assert actual["n_words"] == 3 and actual["mean_macro_f1_low"] is actual["micro_accuracy_high"]
    assert "adverb" not in {row["part_of_speech"] for row in peaks}


def test_words_are_told_apart_by_training_instances_too() -> None:
    kinds = {entry[:2]: entry.words.tolist() for entry in word_groups(CORPORA, SEED)}
    assert next(iter(kinds)) == (ALL, ALL) and kinds[ALL, ALL] == list(range(len(WORDS)))
    names = list(WORDS)
    for n, name in zip(TRAINED, ("<20", "20-49", "50-99", "300+"), strict=True):
        assert kinds[ALL, name] == [i for i, entry in enumerate(names) if WORDS[entry][0] == n]
        assert kinds["verb", name] == [i for i in kinds[ALL, name] if names[i].endswith("v")]
    assert (ALL, "100-299") not in kinds


def score(i: int, word: str, layers: str) -> float:
    (confusion,) = ComparisonRow(
        "candidate", "m", "focal", layers, "lda", [predictions(i, word, layers)]
    ).confusions
    return float(word_scores(confusion)["macro_f1"])


# Macro-F1 by word and single layer.
MACRO_F1 = np.array([[score(i, word, layers) for layers in "012"] for i, word in enumerate(WORDS)])


def test_verbs_are_the_only_family_if_adverbs_are_few() -> None:
    peaks = find_peaks(group(), word_groups(CORPORA, SEED), SEED)
    tested = [row for row in peaks if "interaction_p" in row]
    kinds = [(row["part_of_speech"], row["training_instances"], row["metric"]) for row in tested]
    assert kinds == [("verb", ALL, "mean_macro_f1"), ("verb", ALL, "micro_accuracy")]
    assert all(row["interaction_p_holm"] == row["interaction_p"] < 0.001 for row in tested)


def test_parts_of_speech_of_one_bin_and_metric_are_a_family() -> None:
    """Words of several kinds are called adverbs; nouns are compared with verbs and adverbs."""
    kinds = word_groups(CORPORA, SEED)
    words, weights = np.arange(8, 18), np.ones((1000, 10))
    (verbs,) = (kind for kind in kinds if kind[:2] == ("verb", ALL))
    adverbs = verbs._replace(part_of_speech="adverb", words=words, weights=weights)
    rows = find_peaks(group(), [*kinds, adverbs], SEED)
    for metric in ("mean_macro_f1", "micro_accuracy"):
        verb, adverb = (
            row_of(rows, part_of_speech=part, training_instances=ALL, metric=metric)
            for part in ("verb", "adverb")
        )
        p = [verb["interaction_p"], adverb["interaction_p"]]
        assert [verb["interaction_p_holm"], adverb["interaction_p_holm"]] == holm(p).tolist()
        assert verb["interaction_p_holm"] == 2 * verb["interaction_p"]
        if metric == "mean_macro_f1":
            both = MACRO_F1[np.concatenate([np.arange(14), words])]
            expected = same_shape(both, np.ones(24), np.arange(24) >= 14, family=2, rng=SEED)
            assert adverb["interaction_p"] == expected > 0.01


@pytest.mark.parametrize("n", [4, 5])
def test_without_parts_of_speech_all_words_have_a_peak(n: int) -> None:
    plain = {word.replace(".", "_"): value for word, value in list(CORPORA.items())[:n]}
    kinds = word_groups(plain, SEED)
    assert [kind[:2] for kind in kinds] == [(ALL, ALL)]
    assert score_groups(group(), kinds) == []
    rows = find_peaks(group(), kinds, SEED)
    keys = ("metric", "n_words", "peak", "low", "high")
    expected = [(metric, 5, 2, 2, 2) for metric in ("mean_macro_f1", "micro_accuracy")]
    assert [tuple(row[key] for key in keys) for row in rows] == (expected if n == 5 else [])


def test_the_interval_of_a_peak_has_the_middle_95_percent_of_the_draws() -> None:
    """Two groups of words peak at layers 1 and 2, so that the draws differ."""
    kinds = word_groups({word.replace(".", "_"): entry for word, entry in CORPORA.items()}, SEED)
    drawn = np.sort((kinds[0].weights @ MACRO_F1).argmax(axis=1))
    (row,) = (row for row in find_peaks(group(), kinds, SEED) if row["metric"] == "mean_macro_f1")
    assert (row["low"], row["high"]) == (drawn[24], drawn[974])
    assert row["low"] < row["high"]
    assert row["share_of_draws"] == np.mean(drawn == row["peak"])
