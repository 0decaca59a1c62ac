"""Find the blocks of a model by trying.

In most models a hidden state is what a block is given. So the blocks are modules of one kind whose
inputs, in the order of their calls, are the hidden states that the model itself gives.
"""

from contextlib import ExitStack
from typing import Any

import torch


def find_blocks(model: Any, inputs: dict[str, torch.Tensor]) -> list[torch.nn.Module] | None:
    """The modules whose inputs are a model's hidden states, up to the last one.

    Parameters
    ----------
    model : torch.nn.Module
    inputs : dict
        Arguments for a sentence of a few pieces.

    Returns
    -------
    list of torch.nn.Module, or None
        None if there are none: a model that turns its hidden states before it gives them, or
        whose last one is not its output.
    """
    given: dict[type, list[tuple[torch.nn.Module, torch.Tensor]]] = {}

    def keep(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if (state := _given(args, kwargs)) is not None:
            given.setdefault(type(module), []).append((module, state))

    with ExitStack() as hooks:
        for module in model.modules():
            hooks.enter_context(module.register_forward_pre_hook(keep, with_kwargs=True))
        output = model(**inputs, output_hidden_states=True)
    *states, last = output.hidden_states
    if not _same(getattr(output, "last_hidden_state", None), last):
        return None
    for calls in given.values():
        if len(calls) == len(states) and all(
            _same(came, state) for (_, came), state in zip(calls, states, strict=True)
        ):
            # ALBERT calls one block again and again.
            return list(dict.fromkeys(module for module, _ in calls))
    return None


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor | None:
    """What a module is called with, if that is a tensor."""
    first = args[0] if args else kwargs.get("hidden_states")
    return first if isinstance(first, torch.Tensor) else None


def _same(a: torch.Tensor | None, b: torch.Tensor) -> bool:
    return a is not None and a.shape == b.shape and torch.equal(a, b)
