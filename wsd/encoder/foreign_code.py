"""Refuse keys and files of a model with which transformers would run foreign code.

Keys that load files without a known checksum are refused too. The checks read ``config.json`` and
``tokenizer_config.json`` at every depth, because models of several parts nest their configs.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wsd.errors import ModelError

CONFIG = "config.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
ADAPTER = "adapter_config.json"
# Implementations in transformers and torch. transformers fetches any other from the hub.
BUILT_IN = ("eager", "sdpa", "flex_attention", "grouped_mm", "batched_mm")
IMPLEMENTATION = re.compile(r"_?(attn|experts)_implementation(_internal)?")
MERGE = (
    "merge it into its model with the package peft: `merge_and_unload()`, then "
    "`save_pretrained(FOLDER)` of the model and its tokenizer; name FOLDER as the model's `path`"
)


class Refusal(NamedTuple):
    """Why a key is refused, and what to do."""

    why: str
    fix: str


OTHER_FILE = Refusal(
    "names another file to load, which no checksum covers",
    "remove the key, and give the file its usual name",
)
QUANTIZED = Refusal(
    "states quantized weights, which only further packages can compute",
    "use the model's weights in float32, float16 or bfloat16",
)
REFUSED = {
    "auto_map": Refusal(
        "makes transformers run code from the model's files",
        "choose a model whose architecture is part of the transformers library; if this one's is, "
        "remove `auto_map` from a copy of the folder, and name the copy as the model's `path`",
    ),
    "quantization_config": QUANTIZED,
    "compression_config": QUANTIZED,
    "transformers_weights": OTHER_FILE,
    "gguf_file": OTHER_FILE,
    "fast_tokenizer_files": OTHER_FILE,
}


def read_json(path: Path, reject: Callable[[Path], str] | None = None) -> dict[str, Any]:
    """Read a JSON object of a model's folder.

    Parameters
    ----------
    path : Path
    reject : callable, optional
        Handles a file that is not a JSON object, and returns the advice for the user.

    Raises
    ------
    ModelError
    """
    problem = "not a JSON object"
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (RecursionError, ValueError) as error:
        value, problem = None, f"not valid JSON: {error}"
    if isinstance(value, dict):
        return value
    raise ModelError(problem, where=str(path), fix=reject and reject(path))


def refuse_foreign_code(folder: Path, reject: Callable[[Path], str] | None = None) -> None:
    """Refuse a model whose configs make transformers run or fetch something else.

    Raises
    ------
    ModelError
        The error names the key and its file.
    """
    for file in (TOKENIZER_CONFIG, CONFIG):
        if not (folder / file).is_file():
            continue
        for key, value in entries(read_json(folder / file, reject)):
            if (refusal := _refusal(key, value)) is not None:
                problem = f"refused: `{key}` in {file} {refusal.why}"
                raise ModelError(problem, where=str(folder), fix=refusal.fix)
    if (folder / ADAPTER).is_file():
        problem = f"refused: the folder has a model and an adapter ({ADAPTER})"
        fix = f"to use the model without the adapter, remove {ADAPTER}; otherwise {MERGE}"
        raise ModelError(problem, where=str(folder), fix=fix)


def entries(config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every key and its value, at every depth."""
    left: list[Any] = [config]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield from value.items()
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)


def _refusal(key: str, value: Any) -> Refusal | None:
    if IMPLEMENTATION.fullmatch(key):
        names = value.values() if isinstance(value, dict) else [value]
        foreign = [name for name in names if name is not None and name not in BUILT_IN]
        if not foreign:
            return None
        why = f"is {foreign[0]!r}, which transformers may fetch as code"
        return Refusal(why, "set it to eager or sdpa, or remove it")
    return REFUSED.get(key) if value is not None or key == "auto_map" else None
