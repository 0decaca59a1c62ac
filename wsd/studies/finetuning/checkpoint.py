"""Save and load the state of an unfinished training at the end of an epoch, as safetensors.

The metadata has a digest of the training: its settings, instances and machine. A checkpoint of
another training is not loaded.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from wsd.logs import log
from wsd.storage.atomic import replacing

KEY = "wsd"


def save(path: Path, tensors: Mapping[str, torch.Tensor], about: Mapping[str, Any]) -> None:
    """Write tensors and metadata atomically."""
    from safetensors.torch import save_file

    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={KEY: json.dumps(about, sort_keys=True)})


def load(path: Path, digest: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
    """Read a checkpoint that :func:`save` wrote; None if there is none of this training.

    Parameters
    ----------
    path : Path
    digest : str
        The value that ``about["digest"]`` must have.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()[KEY])
            if about["digest"] == digest:
                return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (LookupError, OSError, SafetensorError, TypeError, ValueError):
        pass
    log.warning("%s: the checkpoint of a different training is discarded", path.name)
    return None
