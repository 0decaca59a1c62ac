"""Compare centroids and predictions with published ones, and decide whether they agree."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wsd.artifacts.corpus_table import Corpus
from wsd.artifacts.predictions import WordPredictions
from wsd.storage.text_table import aligned

# The lowest cosine and the lowest share of equal predictions that pass; see `reproduce`.
COSINE, AGREEMENT = 0.9999, 0.999
Rows = Sequence[Mapping[str, Any]]
WHOSE = ("our", "published")
SHOWN = 10  # rows of each list of the text; the JSON file has all rows
DIFFERING = (
    "Test instances that differ, near ties last; a margin is the lead over the other's prediction"
)
# The columns of each list of the text, with the format of their cells.
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


def compare_centroids(
    corpus: Corpus, ours: Mapping[str, np.ndarray], published: Mapping[str, np.ndarray]
) -> list[dict[str, Any]]:
    """Compare the centroid of each sense of a word with the published one.

    Parameters
    ----------
    corpus : Corpus
    ours, published : mappings of sense to array of shape (width,)
        ``published`` may also have senses of other words.

    Returns
    -------
    list of dict
        ``word``; ``sense``; ``n_train``, the number of training instances; ``cosine``, 0 if a
        vector is zero or its length is not finite; ``length``, our length divided by the published
        one, which the cosine does not show: 0.25 if layers were averaged, not summed.
    """
    rows = []
    for sense, n_train in zip(corpus.senses, training_counts(corpus).tolist(), strict=True):
        vector, their_vector = ours[sense], published[sense]
        with np.errstate(over="ignore"):
            length, their_length = (float(np.linalg.norm(v)) for v in (vector, their_vector))
        product = length * their_length
        cosine = min(1.0, float(vector @ their_vector) / product) if 0 < product < np.inf else 0.0
        ratio = length / their_length if their_length else 0.0
        row = {"word": corpus.word, "sense": sense, "n_train": n_train}
        rows.append(row | {"cosine": cosine, "length": ratio})
    return rows


def training_counts(corpus: Corpus) -> np.ndarray:
    """Return the number of training instances of each sense: array of shape (senses,)."""
    return np.bincount(corpus.gold[corpus.split == "train"], minlength=len(corpus.senses))


def compare_predictions(
    ours: WordPredictions, published: WordPredictions
) -> tuple[dict[str, Any], list[dict[Any, Any]]]:
    """Compare the predicted senses and the scores of a word's test instances.

    Parameters
    ----------
    ours, published : WordPredictions
        Predictions of the same instances, in the same order.

    Returns
    -------
    dict
        ``word``; ``n``, the number of instances; ``agreeing``, the number with the same prediction,
        and ``agreement``, their share; ``our_right`` and ``published_right``, the numbers of
        correct predictions, and ``accuracy_difference``; ``score_difference`` and
        ``mean_score_difference``, the largest and the mean absolute difference of the scores.
    list of dict
        A row for each instance with two different predictions: ``word``; ``index``, the 0-based
        line of the test file; the senses ``gold``, ``ours`` and ``published``; ``our_margin`` and
        ``published_margin``, the score of the system's prediction minus its score of the other
        system's prediction.
    """
    n, apart = len(ours.index), np.abs(ours.scores - published.scores)
    right, their_right = (int((p.predicted == p.gold).sum()) for p in (ours, published))
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
    """Return the content of the JSON file: the verdict, the scores, and all rows, the worst first.

    Parameters
    ----------
    senses : rows of :func:`compare_centroids`
    words, differing : rows of :func:`compare_predictions`
    provenance : mapping
    """
    senses = sorted(senses, key=lambda sense: sense["cosine"])
    n = sum(word["n"] for word in words)
    agreement = sum(word["agreeing"] for word in words) / n
    ours, published = (sum(word[f"{whose}_right"] for word in words) / n for whose in WHOSE)
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


def as_text(summary: Mapping[str, Any]) -> str:
    """Return the verdict, the scores and the worst cases of :func:`summarize` as text."""
    centroids, predicted = summary["centroids"], summary["predictions"]
    source = summary["provenance"]
    senses, words = centroids["senses"], predicted["words"]
    accuracy, apart = predicted["accuracy"], predicted["score_difference"]
    lengths = [sense["length"] for sense in senses]
    accuracies = [
        word | {whose: word[f"{whose}_right"] / word["n"] for whose in WHOSE} for word in words
    ]
    lines = [
        f"{_verdict(summary).upper()}: {source['encoder']['model']['name']}, {source['layers']}, "
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
    """Return lines: a title with the number of rows, and the first rows."""
    if not rows:
        return [f"{title}: none"]
    cells = [[cell.format_map(row) for cell in columns.values()] for row in rows[:SHOWN]]
    count = f"{SHOWN} of {len(rows)}" if len(rows) > SHOWN else str(len(rows))
    return [f"{title} ({count})", *(f"  {line}" for line in aligned([list(columns), *cells]))]
