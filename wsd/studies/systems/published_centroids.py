"""Read published sense vectors: a text file with a sense and its numbers on each line."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wsd.storage.text_files import at_place, read_lines

FIX = "give the authors' file of sense vectors, as it was published"
# float() accepts more: nan, inf, 1_0, and digits of other scripts.
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def read_centroids(path: Path) -> dict[str, np.ndarray]:
    """Return published sense vectors; single spaces separate a sense and its numbers.

    Returns
    -------
    dict of sense to float64 array
        In the order of the file.

    Raises
    ------
    CorpusError
        For a missing file, a line without numbers, a number that is malformed or not finite, a line
        with more or fewer numbers than the first, or a sense that occurs twice. It names the line.
    """
    centroids: dict[str, np.ndarray] = {}
    for n, line in enumerate(read_lines(path), start=1):
        with at_place(f"{path}:{n}", FIX):
            sense, vector = _parse(line, centroids)
        centroids[sense] = vector
    return centroids


def _parse(line: str, centroids: Mapping[str, np.ndarray]) -> tuple[str, np.ndarray]:
    """Parse a line; refuse one that does not match the lines before."""
    sense, *numbers = line.split(" ")
    if sense.split() != [sense] or not numbers:
        raise ValueError("not a sense and its numbers between single spaces")
    if wrong := [number for number in numbers if not NUMBER.fullmatch(number)]:
        raise ValueError(f"{wrong[0][:40]!r} is not a number")
    vector = np.array(numbers, dtype=np.float64)
    if not np.isfinite(vector).all():
        raise ValueError("a number is too large")
    width = len(next(iter(centroids.values()), vector))
    if len(vector) != width:
        raise ValueError(f"{len(vector)} numbers, but {width} on the first line")
    if sense in centroids:
        raise ValueError(f"the sense {sense!r} occurs in the file twice")
    return sense, vector
