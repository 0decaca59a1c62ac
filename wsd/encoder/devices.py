"""Where an encoder computes, and in what precision."""

import logging
import platform

import torch

from wsd.errors import ConfigError


def choose_device(name: str) -> torch.device:
    """The device for ``auto``, ``cpu`` or ``cuda``; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError("no GPU can be used here", where="device", fix="use auto or cpu")
    return torch.device(name)


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse what a device cannot compute in, and warn of what it is slow in.

    Raises
    ------
    ConfigError
    """
    if device.type != "cpu":
        return
    if precision == "float16":
        raise ConfigError(
            "float16 is for GPUs: a processor would compute it in software",
            where="precision",
            fix="use bfloat16 or float32",
        )
    has_bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    if precision == "bfloat16" and platform.machine() == "x86_64" and not has_bfloat16:
        logging.getLogger("wsd").warning(
            "this processor has no instructions for bfloat16: float32 would be faster"
        )


def rounding_of(device: torch.device) -> list[str]:
    """What of this machine the rounding of a vector's last bits can depend on."""
    if device.type == "cpu":
        return [platform.machine(), torch.backends.cpu.get_cpu_capability()]
    return [torch.cuda.get_device_name(device)]
