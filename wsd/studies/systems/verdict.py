"""Our centroids and predictions beside the published ones: rows of each comparison, the verdict,
the text.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.storage.text_table import aligned

COSINE = 0.9999
AGREEMENT = 0.999
Rows = Sequence[Mapping[str, Any]]
WHOSE = ("our", "published")
SHOWN = 10  # rows of each of the text's lists; the JSON has all
DIFFERING = (
    "Test instances that differ, near ties last; a margin is the lead over the other's prediction"
)
# Of each list of the text: the columns, and what a cell shows of a row of the JSON's list.
SENSE_COLUMNS = {
    "cosine": "{cosine:.7f}",
    "length": "{length:.4f}",
    "training": "{n_train}",
    "sense": "{sense}",
}
WORD_COLUMNS = {
    "agreement": "{agreement:.4%}",
    "n": "{n}",
    "word accuracy": "{our:.2%}",
    "theirs": "{published:.2%}",
    "scores apart": "{score_difference:.1e}",
    "word": "{word}",
}
DIFFERING_COLUMNS = {
    "index": "{index}",
    "our margin": "{our_margin:.2e}",
    "their margin": "{published_margin:.2e}",
    "word": "{word}",
    "gold": "{gold}",
    "ours": "{ours}",
    "theirs": "{published}",
}


# Comparing: each gives rows as the JSON file has them.


def compare_centroids(
    corpus: Corpus, ours: Mapping[str, np.ndarray], published: Mapping[str, np.ndarray]
) -> list[dict[str, Any]]:
    """Our centroid of each sense of a word beside the published one.

    Parameters
    ----------
    corpus : Corpus
    ours, published : mappings of sense to array of shape (width,)
        ``published`` may have the senses of other words too.

    Returns
    -------
    list of dict
        ``word``; ``sense``; ``n_train``, the instances that ours is the mean of; ``cosine``, 0
        where one of them is zero, or too long for its length to be a number; ``length``, ours over
        theirs, to which a cosine is blind: 0.25 if layers were averaged, not summed.
    """
    rows = []
    for sense, n_train in zip(corpus.senses, training_counts(corpus).tolist(), strict=True):
        one, other = ours[sense], published[sense]
        with np.errstate(over="ignore"):
            length, their_length = float(np.linalg.norm(one)), float(np.linalg.norm(other))
        product = length * their_length
        cosine = min(1.0, float(one @ other) / product) if 0 < product < np.inf else 0.0
        ratio = length / their_length if their_length else 0.0
        row = {"word": corpus.word, "sense": sense, "n_train": n_train}
        rows.append(row | {"cosine": cosine, "length": ratio})
    return rows


def training_counts(corpus: Corpus) -> np.ndarray:
    """How many training instances each sense has."""
    return np.bincount(corpus.gold[corpus.split == "train"], minlength=len(corpus.senses))


def compare_predictions(
    ours: WordPredictions, published: WordPredictions
) -> tuple[dict[str, Any], list[dict[Any, Any]]]:
    """Which test instances of a word get the same sense, and how far their scores are apart.

    Parameters
    ----------
    ours, published : WordPredictions
        Of the same instances, in the same order.

    Returns
    -------
    dict
        ``word``; ``n``, ``agreeing`` and ``agreement``, the instances, those for which the same
        sense is predicted, and their share; ``our_right``, ``published_right`` and
        ``accuracy_difference``, by the gold senses; ``score_difference`` and
        ``mean_score_difference``, absolute, over instances and senses.
    list of dict
        For each instance with another prediction ``word``; ``index``, the 0-based line of the test
        file; the senses ``gold``, ``ours`` and ``published``; ``our_margin`` and
        ``published_margin``, by how much the score of one's own prediction exceeds that of the
        other's.
    """
    n, apart = len(ours.index), np.abs(ours.scores - published.scores)
    right, their_right = (int((of.predicted == of.gold).sum()) for of in (ours, published))
    at = np.flatnonzero(ours.predicted != published.predicted)
    mine, theirs, names = ours.predicted[at], published.predicted[at], np.array(ours.senses)
    differing = pd.DataFrame(
        {
            "word": ours.word,
            "index": ours.index[at],
            "gold": names[ours.gold[at]],
            "ours": names[mine],
            "published": names[theirs],
            "our_margin": ours.scores[at, mine] - ours.scores[at, theirs],
            "published_margin": published.scores[at, theirs] - published.scores[at, mine],
        }
    )
    word: dict[str, Any] = {
        "word": ours.word,
        "n": n,
        "agreeing": n - len(at),
        "agreement": (n - len(at)) / n,
        "our_right": right,
        "published_right": their_right,
        "accuracy_difference": (right - their_right) / n,
        "score_difference": float(apart.max()),
        "mean_score_difference": float(apart.mean()),
    }
    return word, differing.to_dict("records")


def summarize(
    senses: Rows, words: Rows, differing: Rows, provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """What the JSON file holds: the verdict, the scores, and all rows, the worst first.

    Parameters
    ----------
    senses : rows of :func:`compare_centroids`
    words, differing : rows of :func:`compare_predictions`
    provenance : mapping
    """
    senses = sorted(senses, key=lambda sense: sense["cosine"])
    n = sum(word["n"] for word in words)
    agreement = sum(word["agreeing"] for word in words) / n
    ours, published = (sum(word[f"{of}_right"] for word in words) / n for of in WHOSE)
    # Near ties last.
    differing = sorted(differing, key=lambda d: -min(d["our_margin"], d["published_margin"]))
    lowest = senses[0]["cosine"]
    passed = {"centroids": lowest >= COSINE, "predictions": agreement >= AGREEMENT}
    words = sorted(words, key=lambda word: word["agreement"])
    return {
        "passed": all(passed.values()),
        "thresholds": {"cosine": COSINE, "agreement": AGREEMENT},
        "centroids": {"passed": passed["centroids"], "lowest_cosine": lowest, "senses": senses},
        "predictions": {
            "passed": passed["predictions"],
            "n": n,
            "agreement": agreement,
            "accuracy": {"ours": ours, "published": published, "difference": ours - published},
            "score_difference": {
                "largest": max(word["score_difference"] for word in words),
                "mean": sum(word["mean_score_difference"] for word in words) / len(words),
            },
            "words": words,
            "differing": differing,
        },
        "provenance": dict(provenance),
    }


def as_text(found: Mapping[str, Any]) -> str:
    """What :func:`summarize` gave, to read: the verdict, the scores, the worst cases."""
    centroids, predicted, source = found["centroids"], found["predictions"], found["provenance"]
    senses, words = centroids["senses"], predicted["words"]
    accuracy, apart = predicted["accuracy"], predicted["score_difference"]
    lengths = [sense["length"] for sense in senses]
    accuracies = [
        word | {whose: word[f"{whose}_right"] / word["n"] for whose in WHOSE} for word in words
    ]
    lines = [
        f"{_verdict(found).upper()}: {source['encoder']['model']['name']}, {source['layers']}, "
        f"beside the published {source['published']['model']['name']}",
        "",
        f"centroids    {_verdict(centroids)}: the lowest cosine of {len(senses)} senses is "
        f"{centroids['lowest_cosine']:.7f}, to be {COSINE:.4f} at least; "
        f"lengths {min(lengths):.4f} to {max(lengths):.4f} times theirs",
        f"predictions  {_verdict(predicted)}: {sum(word['agreeing'] for word in words)} of "
        f"{predicted['n']} test instances agree, {predicted['agreement']:.4%}, to be "
        f"{AGREEMENT:.1%} at least",
        f"accuracy     micro accuracy: ours {accuracy['ours']:.2%}, "
        f"theirs {accuracy['published']:.2%}, {100 * accuracy['difference']:+.2f} points",
        f"scores       at most {apart['largest']:.1e} apart, {apart['mean']:.1e} in the mean of "
        "words",
        "",
        *_listed("Senses, lowest cosine first", SENSE_COLUMNS, senses),
        "",
        *_listed("Words, lowest agreement first", WORD_COLUMNS, accuracies),
        "",
        *_listed(DIFFERING, DIFFERING_COLUMNS, predicted["differing"]),
    ]
    return "\n".join(lines) + "\n"


def _verdict(part: Mapping[str, Any]) -> str:
    return "pass" if part["passed"] else "fail"


def _listed(title: str, columns: Mapping[str, str], rows: Rows) -> list[str]:
    """Lines: the first rows below a title that says how many there are."""
    if not rows:
        return [f"{title}: none"]
    cells = [[cell.format_map(row) for cell in columns.values()] for row in rows[:SHOWN]]
    count = f"{SHOWN} of {len(rows)}" if len(rows) > SHOWN else str(len(rows))
    return [f"{title} ({count})", *(f"  {line}" for line in aligned([list(columns), *cells]))]
