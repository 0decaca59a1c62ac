"""Spread a model that one device cannot hold over GPUs, the processor's memory and the disk.

The package accelerate places the blocks, and moves inputs and weights while the model runs.
"""

import tempfile
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any

import torch

from wsd.errors import ConfigError

AUTO = "auto"


class Offload:
    """A temporary folder for the weights that are offloaded to the disk, and how to load with it.

    The folder is removed with this object, and at the end of the program.

    Parameters
    ----------
    device_map : str or dict
        ``auto``, or the device of each module: a number of a GPU, ``cpu`` or ``disk``.
    device : torch.device
        The device of inputs and hidden states.

    Raises
    ------
    ConfigError
        If accelerate is not installed, or ``auto`` would use a GPU although the device is the CPU.
    """

    def __init__(self, device_map: str | dict[str, Any], device: torch.device) -> None:
        if find_spec("accelerate") is None:
            problem = f"`device_map: {device_map}` needs the package accelerate"
            raise ConfigError(problem, where="device_map", fix="run: pip install 'wsd[large]'")
        if device_map == AUTO and device.type == "cpu" and torch.cuda.is_available():
            problem = "`device_map: auto` uses every GPU, `device: cpu` uses none"
            raise ConfigError(problem, where="device_map", fix="use `device: auto`, or no map")
        self._folder = tempfile.TemporaryDirectory(
            prefix="wsd-offload-", ignore_cleanup_errors=True
        )
        self.options = {"device_map": device_map, "offload_folder": self._folder.name}


def is_spread(model: Any) -> bool:
    """Return whether accelerate moves inputs or weights of a model while it runs.

    Such a model can run only one batch at a time.
    """
    return any(hasattr(module, "_hf_hook") for module in model.modules())


def on_device(module: Any) -> AbstractContextManager[Any]:
    """Return a context in which an offloaded module has its weights."""
    if not hasattr(module, "_hf_hook"):
        return nullcontext()
    from accelerate.utils import align_module_device

    context: AbstractContextManager[Any] = align_module_device(module)
    return context
