"""Find the blocks of a model by running it.

In most models, the input of a block is a hidden state. So the blocks are modules of one class whose
inputs, in the order of their calls, are the hidden states that the model returns.
"""

from contextlib import ExitStack
from typing import Any

import torch


def find_blocks(model: Any, inputs: dict[str, torch.Tensor]) -> list[torch.nn.Module] | None:
    """Return the modules whose inputs are a model's hidden states, except the last state.

    Parameters
    ----------
    model : torch.nn.Module
    inputs : dict
        The input for a sentence of a few pieces.

    Returns
    -------
    list of torch.nn.Module, or None
        None if there are no such modules: the model changes its hidden states before it returns
        them, or its output is not the last one.
    """
    inputs_of: dict[type, list[tuple[torch.nn.Module, torch.Tensor]]] = {}

    def keep(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        first = args[0] if args else kwargs.get("hidden_states")
        if isinstance(first, torch.Tensor):
            inputs_of.setdefault(type(module), []).append((module, first))

    with ExitStack() as hooks:
        for module in model.modules():
            hooks.enter_context(module.register_forward_pre_hook(keep, with_kwargs=True))
        output = model(**inputs, output_hidden_states=True)
    *states, last = output.hidden_states
    if not _same(getattr(output, "last_hidden_state", None), last):
        return None
    for calls in inputs_of.values():
        if len(calls) == len(states) and all(
            _same(given, state) for (_, given), state in zip(calls, states, strict=True)
        ):
            # ALBERT calls one block several times.
            return list(dict.fromkeys(module for module, _ in calls))
    return None


def _same(a: torch.Tensor | None, b: torch.Tensor) -> bool:
    return a is not None and a.shape == b.shape and torch.equal(a, b)
