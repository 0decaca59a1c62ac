"""Published sense vectors: a text file with a sense and its numbers on each line."""

import re
from pathlib import Path

import numpy as np

from wsd.errors import CorpusError
from wsd.storage.text_files import read_lines

FIX = "give the authors' file of sense vectors, as it was published"
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def read_centroids(path: Path) -> dict[str, np.ndarray]:
    """Read published sense vectors: on each line a sense and its numbers, between single spaces.

    Returns
    -------
    dict of sense to float64 array
        In the order of the file.

    Raises
    ------
    CorpusError
        For a missing file, a line without numbers or with something that is no finite number, a
        length unlike the first line's, or a sense that stands there twice. It names file and line.
    """
    found: dict[str, np.ndarray] = {}
    width = None
    for n, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{n}"
        sense, *numbers = line.split(" ")
        if sense.split() != [sense] or not numbers:
            raise CorpusError(
                "not a sense and its numbers between single spaces",
                where=where,
                fix=FIX,
            )
        # float() takes more: nan, inf, 1_0, and digits of other scripts.
        if wrong := [number for number in numbers if not NUMBER.fullmatch(number)]:
            raise CorpusError(
                f"{wrong[0][:40]!r} is not a number",
                where=where,
                fix=FIX,
            )
        vector = np.array(numbers, dtype=np.float64)
        if not np.isfinite(vector).all():
            raise CorpusError(
                "a number is too large",
                where=where,
                fix=FIX,
            )
        width = width or len(vector)
        if len(vector) != width:
            raise CorpusError(
                f"{len(vector)} numbers, but {width} on the first line",
                where=where,
                fix=FIX,
            )
        if sense in found:
            raise CorpusError(
                f"the sense {sense!r} stands in the file twice",
                where=where,
                fix=FIX,
            )
        found[sense] = vector
    return found
