"""Compare the selected configuration with its strongest rivals by several methods.

The rivals are the best baseline and the best published row or other system, by the objective on the
test set. A claim that only one method supports depends on what that method lets vary. The p-values
are not adjusted: each rival has one test per method.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from wsd.artifacts.column_names import BASELINE, NAMES, PUBLISHED, SYSTEM
from wsd.evaluation.comparison_rows import ComparisonRow, identical
from wsd.evaluation.comparison_tables import paired_differences
from wsd.evaluation.model_comparison import ModelComparison
from wsd.evaluation.word_columns import Line
from wsd.metrics.confidence_intervals import LEVEL
from wsd.metrics.mixed_logistic import mixed_logistic
from wsd.metrics.over_words import FEWEST, scores_by_word
from wsd.metrics.permutation import count_discordant
from wsd.metrics.signed_rank import signed_rank_posterior

RIVALS = ((BASELINE,), (PUBLISHED, SYSTEM))
BETTER, WORSE = "selected better", "selected worse"
EQUIVALENT, UNDECIDED = "practically equivalent", "no difference shown"
# An estimate is a difference, or the probability of being the one that is right.
DIFFERENCE, PROBABILITY = "difference", "probability"
COLUMNS = (
    *("reference_model", *NAMES, "metric", "method", "varies", "scale"),
    *("estimate", "low", "high", "error", "p", "worse", "equivalent", "better", "verdict"),
)


def sensitivity(
    systems: ModelComparison, clusters: Mapping[str, np.ndarray], objective: str, seed: int
) -> list[Line]:
    """Return a line per rival and method, with a verdict in words.

    With fewer than ``FEWEST`` words, the methods over words are left out; with as many, the
    sign-flip test, which cannot find a difference then. If the difference is the same on each word,
    there is no t-interval. A rival with the same predictions has no line.

    Parameters
    ----------
    systems : ModelComparison
    clusters : mapping of word to int array of shape (n_test,)
        The group of near-duplicates of each test instance; all words count the groups alike. They
        are exchanged together if the corpus has no documents.
    objective : str
        The metric of the comparison.
    seed : int
    """
    reference = systems.reference
    table: list[Line] = []
    for kinds in RIVALS:
        rows = [row for row in systems.others if row.kind in kinds]
        if not rows:
            continue
        rival = max(rows, key=lambda row: row.mean(objective))
        if identical(reference.joints(rival)):
            continue
        names = {"reference_model": reference.model, **rival.names, "metric": objective}
        for line in _by_method(reference, rival, clusters, objective, len(systems.others), seed):
            table.append(dict.fromkeys(COLUMNS) | names | line | {"verdict": _verdict(line)})
    return table


def _by_method(
    row: ComparisonRow,
    rival: ComparisonRow,
    clusters: Mapping[str, np.ndarray],
    metric: str,
    family: int,
    seed: int,
) -> Iterator[Line]:
    """Yield the result of each method, first for these words, then over words."""
    grouped = ("documents", row.documents) if row.documents else ("near-duplicates", clusters)
    for varies, documents in (("sentences", {}), grouped):
        joints = replace(row, documents=documents).joints(rival)
        # With the same family, the sample and so the p-value equal those of differences.csv.
        line = paired_differences(joints, family, seed)[metric]
        line["estimate"] = line.pop("difference")
        yield {"method": "paired permutation", "varies": varies, "scale": DIFFERENCE} | line
    if len(row.words) < FEWEST:
        return
    ours, theirs = (scores_by_word(system.confusions)[metric] for system in (row, rival))
    by_word = ours - theirs
    common = {"varies": "words", "scale": DIFFERENCE, "estimate": by_word.mean}
    if by_word.is_informative:
        low, high = by_word.interval()
        yield common | {"method": "t-interval", "low": low, "high": high}
    if len(row.words) > FEWEST:  # with five words, no p is below 0.0625
        p = by_word.sign_flip_p(family=family, rng=seed)
        yield common | {"method": "sign-flip test", "p": p}
    posterior = signed_rank_posterior(by_word.weights * by_word.values, rng=seed)
    yield common | {"method": "Bayesian signed-rank test"} | posterior._asdict()
    won, lost = np.array([count_discordant(joint) for joint in joints]).T
    if (won + lost).any():
        winning = mixed_logistic(won, won + lost)._asdict()
        names = {"method": "mixed logistic model", "varies": "words and sentences"}
        yield names | {"scale": PROBABILITY} | winning


def _verdict(line: Line) -> str:
    if "equivalent" in line:
        verdicts = {"worse": WORSE, "equivalent": EQUIVALENT, "better": BETTER}
        likely = max(verdicts, key=lambda region: line[region])
        return verdicts[likely] if line[likely] > LEVEL else UNDECIDED
    null = 0.5 if line["scale"] == PROBABILITY else 0.0
    decided = line["p"] <= 1 - LEVEL if "p" in line else not line["low"] <= null <= line["high"]
    if not decided:
        return UNDECIDED
    return BETTER if line["estimate"] > null else WORSE
