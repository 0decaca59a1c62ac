"""Select the words and senses of the NOAD corpora, and count their instances.

SemCor and MASC are annotated with the senses of the New Oxford American Dictionary. The corpus
``noad`` takes both, divided by document; two other corpora train on one and test on the other. The
selection needs no download: ``data/noad.csv`` has the numbers of instances of each sense in both.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import wsd

TABLE = Path(wsd.__file__).parent / "data" / "noad.csv"
# The parts for training and for testing of each corpus; None for a corpus of both parts.
NOAD = {
    "noad": None,
    "noad-semcor-masc": ("semcor", "masc"),
    "noad-masc-semcor": ("masc", "semcor"),
}
# With fewer instances, a sense cannot have two splits and five folds. The table has no rarer sense.
AT_LEAST = 10


class InParts(NamedTuple):
    """The number of instances of a sense in each of the two parts."""

    semcor: int
    masc: int


# The numbers of instances, by word and sense.
Counts = Mapping[str, Mapping[str, InParts]]


def kept(counts: Counts, name: str, at_least: int) -> dict[str, dict[str, InParts]]:
    """Return the words that have at least two senses with enough instances.

    Parameters
    ----------
    counts : Counts
        The counts of the senses that occur in at least two documents.
    name : str
        A key of ``NOAD``.
    at_least : int
        The minimum number of instances of a sense. If one part is for training, this is the minimum
        for that part, and the other part needs one instance.
    """

    def enough(sense: InParts) -> bool:
        if not (parts := NOAD[name]):
            return sum(sense) >= at_least
        train, test = (getattr(sense, part) for part in parts)
        return train >= at_least and test >= 1

    frequent = {w: {s: n for s, n in ns.items() if enough(n)} for w, ns in counts.items()}
    return {word: senses for word, senses in sorted(frequent.items()) if len(senses) > 1}


def noad_sizes(name: str, at_least: int | None) -> dict[str, int]:
    """Return the number of instances of each word, in all splits together."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        counts = {row["word"]: _senses(row["senses"]) for row in csv.DictReader(file)}
    words = kept(counts, name, at_least or AT_LEAST)
    return {word: sum(map(sum, senses.values())) for word, senses in words.items()}


def _senses(text: str) -> dict[str, InParts]:
    """Parse the numbers of instances in SemCor and MASC of each sense, such as ``"12+3 40+0"``."""
    pairs = enumerate(text.split(" "))
    return {str(sense): InParts(*map(int, pair.split("+"))) for sense, pair in pairs}
