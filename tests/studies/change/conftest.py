"""A finished run of the command, which no test changes."""

from pathlib import Path

import numpy as np
import pytest
from made_change import SHIFTS, made_corpus, made_words, run, write_all, write_gold, write_judgments

from wsd.artifacts.vectors import Embeddings
from wsd.metrics.nearest import unit_vectors

LAYERS = ["0", "1", "mean-all"]
PAIRS = 20


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run on the planted words, with gold and judgments."""
    folder, words = write_gold(tmp_path_factory.mktemp("planted")), made_words()
    write_judgments(folder, judgments(folder))
    run(folder, words | {"lone": made_corpus("lone", ["1"] * 4)}, LAYERS)
    return folder


def judgments(folder: Path) -> list[str]:
    """Return ratings that follow the cosines of layer 1, each pair in both orders.

    A third annotator cannot decide.
    """
    words, lines, random = made_words(), [], np.random.default_rng(0)
    vectors = write_all(folder / "vectors", words)
    for word in SHIFTS:
        path, corpus = vectors / word / "focal.safetensors", words[word]
        units = unit_vectors(Embeddings(path, corpus).layer(1))
        pairs = [(i, j) for i in range(len(corpus)) for j in range(i)]
        for i, j in random.permutation(pairs)[:PAIRS].tolist():
            first, second, rating = f"{word}-{i}", f"{word}-{j}", round(4 * units[i] @ units[j], 2)
            lines += [f"{word}\t{first}\t{second}\ta\t{rating - 0.1}"]
            lines += [f"{word}\t{second}\t{first}\tb\t{rating + 0.1}"]
            lines += [f"{word}\t{second}\t{first}\tc\t0.0"]
    return lines
