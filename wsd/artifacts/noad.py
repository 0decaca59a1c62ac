"""Which words and senses of NOAD make a corpus, and how many instances they have.

SemCor and MASC hold the words of the New Oxford American Dictionary's senses. One dataset takes
both, divided by document; two others train on the one and test on the other. What is kept can be
told without the texts: ``data/noad.csv`` has, per word, the instances of each sense in the two.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import wsd

TABLE = Path(wsd.__file__).parent / "data" / "noad.csv"
# The dataset of both, and of each of the others the parts to train and to test on.
NOAD = {
    "noad": None,
    "noad-semcor-masc": ("semcor", "masc"),
    "noad-masc-semcor": ("masc", "semcor"),
}
# Fewer instances of a sense are too few for two sides and five folds; the table holds no rarer one.
AT_LEAST = 10


class InParts(NamedTuple):
    """How many instances a sense has in each of the two."""

    semcor: int
    masc: int


# By word and sense.
Counts = Mapping[str, Mapping[str, InParts]]


def kept(counts: Counts, name: str, at_least: int) -> dict[str, dict[str, InParts]]:
    """The words with two senses that have enough instances.

    Parameters
    ----------
    counts : Counts
        Of the senses that stand in two documents or more.
    name : str
        Among ``NOAD``.
    at_least : int
        Instances of a sense; where one part is trained on, as many in that, and one in the other.
    """

    def enough(sense: InParts) -> bool:
        if not (parts := NOAD[name]):
            return sum(sense) >= at_least
        train, test = (getattr(sense, part) for part in parts)
        return train >= at_least and test >= 1

    found = {w: {s: n for s, n in of.items() if enough(n)} for w, of in counts.items()}
    return {word: senses for word, senses in sorted(found.items()) if len(senses) > 1}


def sizes(name: str, at_least: int | None) -> dict[str, int]:
    """Instances per word of a dataset, all splits together; nothing is downloaded to know them."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        counts = {row["word"]: _senses(row["senses"]) for row in csv.DictReader(file)}
    words = kept(counts, name, at_least or AT_LEAST)
    return {word: sum(map(sum, of.values())) for word, of in words.items()}


def _senses(text: str) -> dict[str, InParts]:
    """Numbered: ``"12+3 40+0"``, of each sense the instances in SemCor and in MASC."""
    return {str(i): InParts(*map(int, of.split("+"))) for i, of in enumerate(text.split(" "))}
