"""Check, without torch, whether the files of a model have a masked-language-model head.

Loading a model whose files lack the head would give it a head of random weights. So the names of
the tensors in the files are checked first. Loading then refuses anything that is missing.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wsd.encoder.find_model_folder import find_folder
from wsd.encoder.model_files import CONFIG, WEIGHTS_INDEX, weights_in
from wsd.errors import ModelError, WsdError

# By the model type in config.json: how the names of the head's own tensors begin.
HEADS = {
    "albert": ("predictions.dense.", "predictions.bias"),
    "bert": ("cls.predictions.transform.", "cls.predictions.bias"),
    "camembert": ("lm_head.dense.",),
    "distilbert": ("vocab_transform.", "vocab_projector."),
    "electra": ("generator_predictions.", "generator_lm_head."),
    "modernbert": ("head.dense.", "decoder."),
    "mpnet": ("lm_head.dense.",),
    "roberta": ("lm_head.dense.",),
    "xlm-roberta": ("lm_head.dense.",),
}


def why_no_head(name: str, folder: Path) -> str | None:
    """Return why a model cannot predict substitutes, or None if it can."""
    kind = json.loads((folder / CONFIG).read_text(encoding="utf-8")).get("model_type")
    if kind not in HEADS:
        return f"no masked-language-model head is known for {name}, a model of type {kind}"
    tensors = list(_tensors(folder))
    for begins in HEADS[kind]:
        if not any(tensor.startswith(begins) for tensor in tensors):
            return f"{name} has no masked-language-model head: its weights have no {begins}*"
    return None


def check_head(name: str, folder: Path) -> None:
    """Refuse a model without a head.

    Raises
    ------
    ModelError
    """
    if (reason := why_no_head(name, folder)) is not None:
        fix = "leave substitutes out of analyses, or use a checkpoint that was saved with its head"
        raise ModelError(reason, where=str(folder), fix=fix)


def known_without_head(name: str, source: Mapping[str, Any], drawn: bool = False) -> str | None:
    """Return why a model of a config has no head; None if it has one, or if its files are missing.

    Parameters
    ----------
    name : str
    source : mapping
        ``hub`` and ``revision``, ``package`` or ``path``.
    drawn : bool
        Whether its weights are random.
    """
    if drawn:
        return f"{name} has random weights: its substitutes have no meaning"
    try:
        folder = find_folder(name, source)
        return None if folder is None else why_no_head(name, folder)
    except (AttributeError, OSError, ValueError, WsdError):
        # The step that reads the files reports what is wrong with them.
        return None


def _tensors(folder: Path) -> Iterator[str]:
    from safetensors import SafetensorError, safe_open

    for file in weights_in(folder):
        if file != WEIGHTS_INDEX:
            try:
                with safe_open(folder / file, framework="numpy") as opened:
                    yield from opened.keys()
            except SafetensorError as error:
                problem = f"not safetensors: {error}"
                raise ModelError(problem, where=str(folder / file)) from error
