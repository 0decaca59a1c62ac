"""The table of all test instances of all-words sets, with their right senses.

A corpus has only the instances of trained words and senses. Published scores are over all test
instances, and any of several senses is right. Therefore ``wsd import`` also writes this table, in
the order of the files.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from wsd.storage.result_files import parsing, require
from wsd.storage.text_files import read_lines

FILE = "all-words.csv"
# The status of an instance: it is in the test split; its word is trained, but none of its senses;
# the training files have too few senses of its word; or they do not have its word.
TESTED, NO_SENSE, NOT_TRAINED, NO_WORD = STATUSES = (
    "tested", "no such sense in training", "word not trained", "no such word in training",
)  # fmt: skip


@dataclass(frozen=True)
class CountedInstance:
    """A test instance.

    Attributes
    ----------
    where : str
        File and line.
    word : str
    part : str
        The part of speech; empty if the word is called without it.
    keys : str
        The right senses, separated by tabs, since a sense may have a space.
    status : str
        One of ``STATUSES``.
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
        """Return whether a sense is one of the right ones."""
        return sense in self.keys.split("\t")


NAMES = [field.name for field in fields(CountedInstance)]


def lines(instances: Sequence[CountedInstance]) -> Iterator[str]:
    """Yield the lines of the file."""
    yield ",".join(NAMES)
    for instance in instances:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(astuple(instance))
        yield text.getvalue()


def read(path: Path) -> list[CountedInstance]:
    """Read a file with the lines of :func:`lines`.

    Raises
    ------
    WsdError
        If it is missing or malformed.
    """
    rows = csv.reader(read_lines(path), strict=True)
    with parsing(path):
        require(next(rows, None) == NAMES, "other columns")
        instances = [
            CountedInstance(where, word, part, keys, status, int(index), most_frequent)
            for where, word, part, keys, status, index, most_frequent in rows
        ]
        require(bool(instances), "no instances")
        require({instance.status for instance in instances} <= {*STATUSES}, "an unknown status")
        return instances
