"""What an unfinished training has done: everything at the end of an epoch, in one safetensors file.

It is written beside its place and renamed, so that there is a whole one or none. What a file is of
stands in its metadata: of another training, other instances or other code, it is not read.
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
    """Write tensors and what they are, whole or not at all."""
    from safetensors.torch import save_file

    here = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        save_file(here, temporary, metadata={KEY: json.dumps(about, sort_keys=True)})


def load(path: Path, of: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
    """Read what :func:`save` wrote; None where there is no such file, or it is of something else.

    Parameters
    ----------
    path : Path
    of : str
        The digest that ``about["of"]`` has to be.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()[KEY])
            if about["of"] == of:
                return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (LookupError, OSError, SafetensorError, TypeError, ValueError):
        pass
    log.warning("%s: an unfinished training of something else is thrown away", path.name)
    return None
