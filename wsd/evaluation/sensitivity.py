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
from wsd.evaluation.word_columns import Line, interval_over_words
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
RESULT = ("varies", "scale", "estimate", "low", "high", "p", "worse", "equivalent", "better")
COLUMNS = ("reference_model", *NAMES, "metric", "method", *RESULT, "verdict")


def sensitivity(
    systems: ModelComparison, clusters: Mapping[str, np.ndarray], objective: str, seed: int
) -> list[Line]:
    """Return a line per rival and method, with a verdict in words.

    With fewer than ``FEWEST`` words, the methods over words are left out. A rival with the same
    predictions has no line.

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
        lines = [*_over_sentences(reference, rival, clusters, objective, seed)]
        if len(reference.words) >= FEWEST:
            lines += _over_words(reference, rival, objective, seed)
        table += [dict.fromkeys(COLUMNS) | names | line for line in lines]
    return table


def _over_sentences(
    row: ComparisonRow,
    rival: ComparisonRow,
    clusters: Mapping[str, np.ndarray],
    objective: str,
    seed: int,
) -> Iterator[Line]:
    """Yield the lines of the permutation tests, for these words."""
    grouped = ("documents", row.documents) if row.documents else ("near-duplicates", clusters)
    for varies, documents in (("sentences", {}), grouped):
        joints = replace(row, documents=documents).joints(rival)
        line = paired_differences(joints, 1, seed)[objective]
        del line["error"]
        line["estimate"] = line.pop("difference")
        method = {"method": "paired permutation", "varies": varies, "scale": DIFFERENCE}
        yield method | line | {"verdict": _verdict(line)}


def _over_words(
    row: ComparisonRow, rival: ComparisonRow, objective: str, seed: int
) -> Iterator[Line]:
    """Yield the lines of the methods for which words vary."""
    by_word = (
        scores_by_word(row.confusions)[objective] - scores_by_word(rival.confusions)[objective]
    )
    low, high = interval_over_words(by_word, -1).values()
    common = {"varies": "words", "scale": DIFFERENCE, "estimate": by_word.mean}
    t_test = common | {"low": low, "high": high, "p": by_word.t_test_p()}
    yield {"method": "t-test"} | t_test | {"verdict": _verdict(t_test)}
    flips = common | {"p": by_word.sign_flip_p(rng=seed)}
    yield {"method": "sign-flip test"} | flips | {"verdict": _verdict(flips)}
    posterior = signed_rank_posterior(by_word.weights * by_word.values, rng=seed)
    regions = posterior._asdict()
    verdicts = {"worse": WORSE, "equivalent": EQUIVALENT, "better": BETTER}
    likely = max(regions, key=lambda region: regions[region])
    verdict = verdicts[likely] if regions[likely] > LEVEL else UNDECIDED
    yield {"method": "Bayesian signed-rank test"} | common | regions | {"verdict": verdict}
    won, lost = np.array([count_discordant(joint) for joint in row.joints(rival)]).T
    if (won + lost).sum():
        probability, low, high, better = mixed_logistic(won, won + lost)
        yield {
            "method": "mixed logistic model",
            "varies": "words and sentences",
            "scale": PROBABILITY,
            **{"estimate": probability, "low": low, "high": high},
            **{"worse": 1 - better, "better": better},
            "verdict": BETTER if low > 0.5 else WORSE if high < 0.5 else UNDECIDED,
        }


def _verdict(line: Line) -> str:
    if line["p"] > 1 - LEVEL:
        return UNDECIDED
    return BETTER if line["estimate"] > 0 else WORSE
