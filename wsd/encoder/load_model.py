"""Load a folder's tokenizer and model, and choose the device and the precision.

Loading uses neither the hub nor a pickle, and runs no code of the model.
"""

import hashlib
import json
import platform
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from wsd.encoder.tokenizer_errors import tokenizing
from wsd.errors import ConfigError, ModelError, WsdError
from wsd.logs import log

# Arguments of transformers that forbid requests to the hub and code of the model.
LOCAL = {"local_files_only": True, "trust_remote_code": False}
# Tensors that older versions of transformers saved and newer ones compute.
BUFFERS = re.compile(
    r"(^|\.)(position_ids|token_type_ids|inv_freq|(attn|attention)\.(masked_)?bias)$"
)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Switch off the warnings and progress bars of transformers, and its requests, for a while."""
    import transformers
    from huggingface_hub import constants

    logging = transformers.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    offline = constants.HF_HUB_OFFLINE
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = offline
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


@quiet_transformers()
def load_folder(
    folder: str,
    seed: int | None = None,
    *,
    head: bool = False,
    precision: str = "float32",
) -> tuple[Any, Any]:
    """Load a folder with ``config.json``, safetensors weights and a tokenizer.

    Parameters
    ----------
    folder : str
    seed : int, optional
        Draw random weights with this seed, as the architecture does before its training.
    head : bool
        Whether the model is loaded with its masked-language-model head.
    precision : {"float32", "bfloat16", "float16"}
        The type of the weights, which are read and drawn in it. Tensors that the architecture
        always keeps in float32, such as rotary frequencies, stay so.

    Returns
    -------
    tokenizer : transformers.PreTrainedTokenizerFast
    model : transformers.PreTrainedModel
        In evaluation mode, on the CPU. Weights of that precision stay in their files until they
        are used: the system maps the files into memory.

    Raises
    ------
    ModelError
        If the folder cannot be loaded, or its weights do not fill the model.
    """
    import transformers

    try:
        with tokenizing(folder):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, use_fast=True, **LOCAL)
        config = transformers.AutoConfig.from_pretrained(folder, **LOCAL)
        # Use the attention of transformers: config.json could name code to fetch in its place.
        config._attn_implementation = None
        dtype = getattr(torch, precision)
        if seed is None:
            model = _read_weights(folder, config, head, dtype)
        else:
            model = _drawn_weights(config, seed, dtype)
        model.config.use_cache = False  # a decoder would keep its states for the next word
        return tokenizer, model.eval()
    except (WsdError, MemoryError):
        raise
    except Exception as error:  # the libraries raise bare Exception for a damaged file
        raise ModelError(f"the model cannot be loaded: {error}", where=folder) from error


def _read_weights(folder: str, config: Any, head: bool, dtype: torch.dtype) -> Any:
    import transformers

    kind = transformers.AutoModelForMaskedLM if head else transformers.AutoModel
    options = {"use_safetensors": True, "dtype": dtype, "output_loading_info": True, **LOCAL}
    # A missing pooler is drawn, with a fixed seed, because a fine-tuned model is saved with it.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        model, loaded = kind.from_pretrained(folder, config=config, **options)
    # The hidden states of an encoder depend on neither the pooler nor a decoder.
    spare = ("pooler.", "decoder.") if model.config.is_encoder_decoder else ("pooler.",)
    missing = sorted(key for key in loaded["missing_keys"] if not key.startswith(spare))
    if missing:
        problem = f"the weights lack {len(missing)} of the model's tensors, such as {missing[0]}"
        raise ModelError(
            problem, where=folder, fix="use the weights that belong to this config.json"
        )
    if surplus := sorted(_surplus(model, loaded["unexpected_keys"], spare)):
        problem = f"{type(model).__name__} has no place for {len(surplus)} tensors of the weights, "
        fix = "use the config.json that belongs to the weights"
        raise ModelError(f"{problem}such as {surplus[0]}", where=folder, fix=fix)
    _cast_rest(model, dtype)
    return model


def _surplus(model: Any, names: Iterable[str], spare: tuple[str, ...]) -> Iterator[str]:
    """Yield the tensors of the weights that belong to the encoder: neither heads nor buffers."""
    prefix = f"{model.base_model_prefix}."
    parts = {name.partition(".")[0] for name, _ in model.base_model.named_parameters()}
    for full in names:
        name = full.removeprefix(prefix)
        inside = name != full or name.partition(".")[0] in parts
        if inside and not name.startswith(spare) and not BUFFERS.search(name):
            yield full


def _cast_rest(model: Any, dtype: torch.dtype) -> None:
    """Cast the parameters that some architectures (DeBERTa, XLNet) create in float32 regardless."""
    keys = ("_keep_in_fp32_modules", "_keep_in_fp32_modules_strict")
    kept = {name for key in keys for name in getattr(model, key, None) or ()}
    for name, parameter in model.named_parameters():
        if parameter.dtype is torch.float32 and kept.isdisjoint(name.split(".")):
            parameter.data = parameter.data.to(dtype)


def _drawn_weights(config: Any, seed: int, dtype: torch.dtype) -> Any:
    import transformers

    # Weights are drawn on the CPU, also for a GPU. torch.manual_seed would change the generators of
    # the GPUs too.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = transformers.AutoModel.from_config(config, dtype=dtype, trust_remote_code=False)
    _cast_rest(model, dtype)
    return model


def weights_digest(model: Any) -> str:
    """Return a SHA-256 over a model's parameters and their names, in the order of the names."""
    hasher = hashlib.sha256()
    for name, tensor in sorted(model.named_parameters()):
        hasher.update(json.dumps([name, list(tensor.shape)]).encode())
        # NumPy has no bfloat16.
        hasher.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return hasher.hexdigest()


def choose_device(name: str) -> torch.device:
    """Return the device for ``auto``, ``cpu`` or ``cuda``; ``auto`` prefers a GPU."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError("no GPU can be used here", where="device", fix="use auto or cpu")
    return torch.device(name)


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse a precision that a device cannot use, and warn of a slow one.

    Raises
    ------
    ConfigError
    """
    if device.type != "cpu":
        return
    if precision == "float16":
        problem = "float16 needs a GPU: a processor has no instructions for it"
        raise ConfigError(problem, where="precision", fix="use bfloat16 or float32")
    has_bfloat16 = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    if precision == "bfloat16" and platform.machine() == "x86_64" and not has_bfloat16:
        log.warning("this processor has no instructions for bfloat16: float32 would be faster")


def rounding_of(device: torch.device) -> list[str]:
    """Return the properties of this machine on which the last bits of a vector can depend."""
    if device.type == "cpu":
        return [platform.machine(), torch.backends.cpu.get_cpu_capability()]
    return [torch.cuda.get_device_name(device)]
