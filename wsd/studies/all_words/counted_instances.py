"""The test instances of all-words sets: their right answers, and what is said without a classifier.

A corpus has those instances alone that a classifier can be trained for. The figures that are
published are over all of them, and where an instance has several keys any of them is right. So
``wsd import`` keeps them all beside the corpus, in the order of the files.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from wsd.storage.result_files import parsing, require
from wsd.storage.text_files import read_lines

FILE = "all-words.csv"
# What is known of an instance: in the test split; of a word that is trained, but of none of its
# senses; of a word that the training files have with too little to tell apart; of one they lack.
TESTED, NO_SENSE, NOT_TRAINED, NO_WORD = STATUSES = (
    "tested", "no such sense in training", "word not trained", "no such word in training",
)  # fmt: skip


@dataclass(frozen=True)
class CountedInstance:
    """An instance.

    Attributes
    ----------
    where : str
        File and line that it comes from.
    word : str
    part : str
        Of speech; empty if the word's name has none.
    keys : str
        The senses that are right, with tabs between them: a sense may have a space.
    status : str
        Among ``STATUSES``.
    index : int
        Its line in the word's test file, from 0; -1 if it is not tested.
    most_frequent : str
        The word's most frequent sense in training, the first of equals; empty if there is none.
    """

    where: str
    word: str
    part: str
    keys: str
    status: str
    index: int
    most_frequent: str

    def is_right(self, sense: str) -> bool:
        """Whether a sense is among those that are right."""
        return sense in self.keys.split("\t")


NAMES = [field.name for field in fields(CountedInstance)]


def lines(instances: Sequence[CountedInstance]) -> Iterator[str]:
    """The lines of the file."""
    yield ",".join(NAMES)
    for one in instances:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(astuple(one))
        yield text.getvalue()


def read(path: Path) -> list[CountedInstance]:
    """Read what :func:`lines` gave.

    Raises
    ------
    WsdError
        If it is missing, or something else.
    """
    rows = csv.reader(read_lines(path), strict=True)
    with parsing(path):
        require(next(rows, None) == NAMES, "other columns")
        found = [
            CountedInstance(where, word, part, keys, status, int(index), most_frequent)
            for where, word, part, keys, status, index, most_frequent in rows
        ]
        require(bool(found), "no instances")
        require(all(one.status in STATUSES for one in found), "a status that is none")
        return found
