"""Copied vectors have the same layers and the given metadata."""

from pathlib import Path

import numpy as np
import pytest
from builders import WriteVectors
from tiny import corpus_of

from wsd.artifacts.vectors import Embeddings, check_vectors
from wsd.errors import DamageError
from wsd.run.adopt_old_vectors import copy_vectors, provenance_of

CORPUS = corpus_of(*[("the crane", 1)] * 2500)


def test_a_copy_has_the_same_layers(tmp_path: Path, write_vectors: WriteVectors) -> None:
    path, copy = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    vectors = np.random.default_rng(1).normal(size=(3, 2500, 4)).astype(np.float32)
    write_vectors(path, CORPUS, vectors)
    content = {**provenance_of(path), "seed": 7}
    copy_vectors(path, copy, content)
    check_vectors(copy)
    opened = Embeddings(copy, CORPUS)
    assert opened.provenance == content
    for number, layer in enumerate(vectors):
        assert np.array_equal(opened.layer(number), layer)


def test_damaged_vectors_are_not_copied(tmp_path: Path, write_vectors: WriteVectors) -> None:
    path, copy = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    write_vectors(path, CORPUS, np.zeros((3, 2500, 4), np.float32))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamageError, match="layer 2"):
        copy_vectors(path, copy, {})
    assert not copy.exists()
