"""Estimate the memory and disk that an encoder needs, without loading it."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

from wsd.artifacts.view_names import STATIC
from wsd.errors import WsdError
from wsd.run.checked_config import Model
from wsd.run.machine_speed import weights

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
# The padded positions of a batch: on a CPU, and the first one on a GPU (wsd.encoder.batches).
CPU_POSITIONS, GPU_POSITIONS = 768, 4096
# While a block runs, its feed-forward layer holds two arrays of four times the width.
FEED_FORWARD = 8


def embedding_bytes(model: Model, instances: int, views: Sequence[str]) -> int:
    """Return the bytes of a model's embeddings: the stored hidden states of every view.

    Static vectors count with the width of a hidden state, and can be narrower.
    """
    layers = sum(1 if view in STATIC else len(model.stored) for view in views)
    return BYTES[model.store_dtype] * layers * model.width * instances


def weight_bytes(model: Model) -> int:
    """Return the bytes of a model's weights in its precision.

    They are counted in its files, if these are there, and estimated from its shape otherwise.
    """
    parameters = _parameters(model) or weights(model)
    return BYTES[model.precision] * parameters


def activation_bytes(model: Model, positions: int) -> int:
    """Return the bytes of a batch at its peak: every hidden state, and a feed-forward layer."""
    states = model.blocks + 1 + FEED_FORWARD
    return BYTES[model.precision] * states * model.width * positions


def describe_memory(model: Model, *, gpu: bool) -> str:
    """Return a line on the memory of weights and of a batch."""
    of_weights = f"{amount(weight_bytes(model))} of weights in {model.precision}"
    if gpu:
        batch = f"{amount(activation_bytes(model, GPU_POSITIONS))} of activations or more"
        return f"  memory of the GPU: {of_weights}, {batch} if there is room"
    batch = f"{amount(activation_bytes(model, CPU_POSITIONS))} of activations per core"
    return f"  memory: {of_weights}, {batch}"


def amount(size: float) -> str:
    """Return a number of bytes as text."""
    return f"{size / 1e6:.0f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


def _parameters(model: Model) -> int:
    """Return the number of parameters in a model's files; 0 if they are not there."""
    from wsd.encoder.find_model_folder import from_package, from_path
    from wsd.encoder.hub import cached
    from wsd.encoder.model_files import weights_in

    source = model.source
    try:
        if "package" in source:
            folder = from_package(model.name, source["package"])
        elif "path" in source:
            folder = from_path(source["path"])
        else:
            found = cached(source["hub"], source["revision"]) if "hub" in source else None
            if found is None:
                return 0
            folder = Path(found)
        return sum(_numbers(folder / file) for file in weights_in(folder))
    except (WsdError, OSError, ValueError, KeyError, TypeError):
        return 0


def _numbers(path: Path) -> int:
    """Return the number of numbers in a safetensors file, from its header alone."""
    with path.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name[0] != "_")
