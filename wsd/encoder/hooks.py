"""Hidden states taken as they pass, so that the whole stack of them is never held.

A model that is asked for its hidden states keeps all of them until it is done: with 25 layers of
width 1,024, a hundred times what is wanted of them. In most models a hidden state is what a block
is given, so it can be read there. Which modules those are is found by trying: the inputs of one
kind of module, in the order of their calls, must be the hidden states that the model itself gives.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import torch

Sink = Callable[[torch.Tensor], None]


class StateHooks:
    """The blocks of a model, and who wants to see what they are given.

    Parameters
    ----------
    model : torch.nn.Module
    blocks : sequence of torch.nn.Module
        From :func:`find_blocks`.
    """

    def __init__(self, model: Any, blocks: Sequence[torch.nn.Module]) -> None:
        self._model = model
        # Batches run at the same time, each on a thread of its own.
        self._local = threading.local()
        for block in blocks:
            block.register_forward_pre_hook(self._pass, with_kwargs=True)

    def _pass(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        sink: Sink | None = getattr(self._local, "sink", None)
        state = _given(args, kwargs)
        if sink is not None and state is not None:
            sink(state)

    def run(self, inputs: dict[str, torch.Tensor], sink: Sink) -> None:
        """Run the model and hand each hidden state to ``sink``, layer 0 first."""
        self._local.sink = sink
        try:
            last = self._model(**inputs).last_hidden_state
        finally:
            self._local.sink = None
        sink(last)


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
