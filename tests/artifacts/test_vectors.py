"""Half precision on disk: rounding as torch does it, range, and layers with gaps."""

from pathlib import Path

import numpy as np
import pytest
import torch
from builders import make_corpus
from safetensors import safe_open

from wsd.artifacts.vectors import (
    NAMES,
    Embeddings,
    TooLargeError,
    VectorsWriter,
    check_vectors,
    from_disk,
    to_disk,
)
from wsd.errors import DamageError, ResultError

HALVES = ["bfloat16", "float16"]


@pytest.mark.parametrize("dtype", HALVES)
def test_numbers_are_rounded_as_by_torch(dtype: str) -> None:
    rng = np.random.default_rng(1)
    scales = 10.0 ** rng.integers(-8, 4, (50, 20))
    values = (rng.normal(size=(50, 20)) * scales).astype(np.float32)
    halfway = np.array([[1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 0.0, -0.0]], dtype=np.float32)
    for numbers in (values, halfway, np.float32([[np.nan, np.inf, -np.inf]])):
        got = from_disk(to_disk(numbers, NAMES[dtype]), NAMES[dtype])
        expected = torch.from_numpy(numbers).to(getattr(torch, dtype)).float().numpy()
        assert got.dtype == np.float32
        assert np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize(("dtype", "most"), [("float16", 65504), ("bfloat16", 3.3895e38)])
def test_numbers_beyond_the_range_are_refused(dtype: str, most: float) -> None:
    values = np.zeros((3, 4), dtype=np.float32)
    values[1, 2] = most
    assert np.isfinite(from_disk(to_disk(values, NAMES[dtype]), NAMES[dtype])).all()
    values[2, 1] = np.float32(1.003) * values[1, 2]
    with pytest.raises(TooLargeError) as caught:
        to_disk(values, NAMES[dtype])
    assert (caught.value.row, caught.value.value) == (2, values[2, 1])


@pytest.mark.parametrize("dtype", NAMES)
def test_a_file_of_some_layers(tmp_path: Path, dtype: str) -> None:
    corpus = make_corpus([("train", 0)] * 4 + [("test", 1)])
    path = tmp_path / "focal.safetensors"
    vectors = np.random.default_rng(1).normal(size=(3, 5, 6)).astype(np.float32)
    about = f'{{"corpus": "{corpus.digest}", "stored_layers": [0, 2, 5], "model": {{"blocks": 5}}}}'
    writer = VectorsWriter(path, vectors.shape, {"wsd": about}, dtype)
    rows = range(vectors.shape[1])
    writer.add(vectors[:, :2], rows[:2])
    writer.add(vectors[:, 2:], rows[2:])
    writer.close()
    opened = Embeddings(path, corpus)
    assert (opened.layers, opened.stored, opened.blocks, opened.width) == (3, (0, 2, 5), 5, 6)
    expected = torch.from_numpy(vectors).to(getattr(torch, dtype)).float().numpy()
    for place, layer in enumerate((0, 2, 5)):
        assert np.array_equal(opened.layer(layer), expected[place])
    with pytest.raises(ResultError, match="layer 3 is not stored, only 0, 2, 5") as caught:
        opened.layer(3)
    assert "add 3 to `store_layers`" in str(caught.value)
    with safe_open(path, "pt") as file:  # any reader of safetensors
        assert file.get_tensor("vectors").dtype == getattr(torch, dtype)
    size = path.stat().st_size
    assert check_vectors(path).endswith(f" {size}")
    with path.open("r+b") as damaged:
        damaged.seek(size - 1)
        damaged.write(b"\x7f")
    with pytest.raises(DamageError, match="layer 2 has changed"):
        check_vectors(path)
