"""Blocks are the modules that receive the hidden states."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from wsd.studies.finetuning.encoder_blocks import find_blocks

INPUTS = {"input_ids": torch.tensor([[1, 2, 3]]), "attention_mask": torch.ones(1, 3)}
Step = Callable[[torch.Tensor], torch.Tensor]


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(4, 4)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        return self.dense(hidden_states)


class Blocks(torch.nn.Module):
    """A model with consecutive blocks, whose config can be wrong."""

    def __init__(self, n: int, *, shown: Step = lambda x: x, end: Step = lambda x: x) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(9, 4)
        self.blocks = torch.nn.ModuleList([Block() for _ in range(n)])
        self.shown, self.end = shown, end

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, output_hidden_states=False
    ) -> Any:
        state = self.embed(input_ids)
        states = [state]
        for block in self.blocks:
            state = block(hidden_states=state)
            if output_hidden_states:
                states.append(state)
        shown = [*map(self.shown, states[:-1]), states[-1]]
        given = {"hidden_states": tuple(shown)} if output_hidden_states else {}
        return SimpleNamespace(last_hidden_state=self.end(state), **given)


def test_blocks_are_found_not_their_parts() -> None:
    model = Blocks(3)
    assert find_blocks(model, INPUTS) == list(model.blocks)
    assert not any(module._forward_pre_hooks for module in model.modules())


@pytest.mark.parametrize(
    "untrue",
    [
        {"shown": lambda x: 2 * x},
        {"shown": lambda x: x.transpose(0, 1)},
        {"end": lambda x: x + 1},
    ],
)
def test_a_model_that_gives_others_is_not_read_this_way(untrue: dict[str, Step]) -> None:
    assert find_blocks(Blocks(3, **untrue), INPUTS) is None


def test_hooks_are_taken_out_when_the_trial_fails() -> None:
    model = Blocks(3)
    with pytest.raises(IndexError):
        find_blocks(model, {**INPUTS, "input_ids": torch.tensor([[99]])})
    assert not any(module._forward_pre_hooks for module in model.modules())
