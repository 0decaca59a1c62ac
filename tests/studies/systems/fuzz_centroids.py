"""The published centroids under damaged input."""

from pathlib import Path

import numpy as np
from fuzz_target import Target

from wsd.studies.systems import published_centroids


def run_centroids(data: bytes, folder: Path) -> None:
    (folder / "c.txt").write_bytes(data)
    found = published_centroids.read_centroids(folder / "c.txt")
    lines = data.decode().removesuffix("\n").split("\n")
    assert len(found) == len(lines)
    for line, (sense, vector) in zip(lines, found.items(), strict=True):
        assert line.split(" ")[0] == sense and np.isfinite(vector).all()
        assert vector.tolist() == [float(number) for number in line.split(" ")[1:]]


PARSERS = {
    "studies/systems/published_centroids": ("read_centroids",),
}
TARGETS = [
    Target(
        "centroids",
        lambda: [
            b"crane_bird 1.0 -2 3e-5\ncrane_machine 0.5 0 1E2\n",
            b"a 1e999",
            b"a 1\na 2",
            b"a 1\nb 1 2",
            b"a",
            b"a nan",
        ],
        run_centroids,
        (b" ", b"nan", b"inf", b"1_0", b"e", b".", b"1e400"),
        1.5,
    ),
]
