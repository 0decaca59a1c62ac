"""Load a folder's tokenizer and model, and choose the device and the precision.

Loading uses neither the hub nor a pickle, and runs no code of the model.

The tokenizers library panics on some damaged files, and on text that takes one of its patterns too
long. In Python a panic of Rust is not an Exception, so that ``except Exception`` does not catch it.

The weights of linear layers are reordered for the processor once, not for every product. On a CPU,
a matrix product first copies its weights into the order in which the processor reads them. With
small batches the copies take a tenth of an encoder's time or more. oneDNN, a part of torch, can
copy the weights in advance.
"""

import hashlib
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from wsd.errors import ConfigError, ModelError, WsdError
from wsd.logs import log

# Arguments of transformers that forbid requests to the hub and code of the model.
LOCAL = {"local_files_only": True, "trust_remote_code": False}
# Tensors that older versions of transformers saved and newer ones compute.
BUFFERS = re.compile(
    r"(^|\.)(position_ids|token_type_ids|inv_freq|(attn|attention)\.(masked_)?bias)$"
)

# oneDNN chooses the order for this number of rows. Products of other sizes can use it too.
ROWS = 512
# The relative distance of two outputs that rounding can cause, because sums run in another order.
ROUNDING = {torch.float32: 1e-4, torch.bfloat16: 0.1}
# Copies of larger weights would take too much memory, for 15% of the time in float32 and 6% in
# bfloat16. The linear layers of BERT-large have 1.2 GB in float32.
MOST_BYTES = 1_500_000_000


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
    folder: str, seed: int | None = None, *, head: bool = False, precision: str = "float32"
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


@contextmanager
def tokenizing(where: str | None = None) -> Iterator[None]:
    """Turn a panic of the tokenizers library, or its bare Exception, into a ModelError.

    Parameters
    ----------
    where : str, optional
        The model's folder, or the word whose sentences are tokenized.
    """
    try:
        yield
    except BaseException as error:
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        problem = f"the tokenizer fails: {error}"
        fix = "use the tokenizer.json that the model came with, or another model"
        raise ModelError(problem, where=where, fix=fix) from error


class PackedLinear(torch.nn.Module):
    """A linear layer with its weights in oneDNN's order; it is for inference only."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = linear.weight.detach()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        self.bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product as ``torch.nn.Linear``, of shape (…, ``out_features``)."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


def pack(model: Any, run: Callable[[], torch.Tensor]) -> bool:
    """Reorder the weights of a model's linear layers, if its output stays the same.

    Parameters
    ----------
    model : torch.nn.Module
        In evaluation mode. Each of its linear layers is replaced by a :class:`PackedLinear`.
    run : callable
        Runs the model on a few pieces and returns its last hidden state.

    Returns
    -------
    bool
        Whether the layers were replaced. Nothing is changed without oneDNN, on a GPU, for other
        types of numbers, for more than ``MOST_BYTES`` of weights, and for a model that reads the
        weights of a layer without calling it.
    """
    places = [
        (parent, name, child)
        for parent in model.modules()
        # named_children() would name a shared layer only once.
        for name, child in parent._modules.items()
        # Subclasses may compute more than the product.
        if type(child) is torch.nn.Linear
    ]
    kinds = {(child.weight.device.type, child.weight.dtype) for _, _, child in places}
    if not places or not torch.backends.mkldnn.is_available():
        return False
    if not all(device == "cpu" and dtype in ROUNDING for device, dtype in kinds):
        return False
    if sum(child.weight.nbytes for child in {child for _, _, child in places}) > MOST_BYTES:
        return False
    before = run().float()
    packed: dict[torch.nn.Linear, PackedLinear] = {}
    try:
        for parent, name, child in places:
            if child not in packed:
                packed[child] = PackedLinear(child)
            setattr(parent, name, packed[child])
        after = run().float()
        rounding = max(ROUNDING[dtype] for _, dtype in kinds)
        done = bool((after - before).norm() <= rounding * before.norm())
    except (AttributeError, NotImplementedError, RuntimeError):
        # The model reads the weights of a layer, or this build of torch lacks the product.
        done = False
    if not done:
        for parent, name, child in places:
            setattr(parent, name, child)
    return done
