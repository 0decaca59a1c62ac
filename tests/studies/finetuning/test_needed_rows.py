"""A trial finds which linear layers may skip positions."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
import torch
import zoo
from tiny import corpus_of

from wsd.studies.finetuning.encoder_blocks import find_blocks
from wsd.studies.finetuning.skip_unused_positions import Needed, NeededRows, restore, spare
from wsd.studies.finetuning.tagger import Instance, Tagger

WIDTH = 8
STATE = torch.randn((2, 5, WIDTH), generator=torch.manual_seed(3))


class Block(torch.nn.Module):
    """Attention (a mean over visible positions) and a product after it."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        torch.manual_seed(7)
        self.value = torch.nn.Linear(WIDTH, WIDTH)
        self.after = torch.nn.Linear(WIDTH, WIDTH)
        self.kind = kind

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        value = self.value(state)
        seen = torch.ones(5, 5).tril() if self.kind == "looks back" else torch.ones(5, 5)
        mixed = (seen / seen.sum(dim=1, keepdim=True)) @ value
        if self.kind == "pieces before sentences":
            return self.after(mixed.transpose(0, 1)).transpose(0, 1)
        result = state + self.after(mixed)
        if self.kind == "shifts afterwards":
            return result + result.roll(1, dims=1)
        return result.mean(dim=1, keepdim=True) + result if self.kind == "pools" else result


@pytest.mark.parametrize("kind", ["ordinary", "looks back"])
def test_layers_after_attention_skip_unread_positions(kind: str) -> None:
    block = Block(kind)
    whole = block(STATE)
    needed = spare(block, lambda: block(STATE))
    assert needed is not None
    assert [name for name, entry in block.named_modules() if isinstance(entry, NeededRows)] == [
        "after"
    ]
    seen = []
    block.after.linear.register_forward_pre_hook(lambda _, args: seen.append(len(args[0])))
    assert torch.equal(block(STATE), whole)
    rows = torch.tensor([3, 6])
    with needed.only(10, rows):
        actual = block(STATE)
    assert torch.allclose(actual.reshape(10, -1)[rows], whole.reshape(10, -1)[rows], rtol=1e-6)
    assert seen == [2, 2]  # sentences, and rows
    assert torch.equal(block(STATE), whole)


@pytest.mark.parametrize("kind", ["pieces before sentences", "shifts afterwards", "pools"])
def test_layers_that_other_positions_need_do_not_change(kind: str) -> None:
    block = Block(kind)
    assert spare(block, lambda: block(STATE)) is None
    assert not any(isinstance(module, NeededRows) for module in block.modules())


def test_a_batch_of_another_thread_is_computed_whole() -> None:
    needed, actual = Needed(), []
    layer = NeededRows(torch.nn.Linear(WIDTH, WIDTH), needed)
    with needed.only(10, torch.tensor([0])):
        thread = Thread(target=lambda: actual.append(layer(STATE)))
        thread.start()
        thread.join()
        assert layer(STATE)[1].eq(0).all()
    assert torch.equal(actual[0], layer(STATE))


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.KINDS)
def test_every_architecture_gives_the_same_of_the_focal_word(
    built: Callable[..., Path], name: str
) -> None:
    how = {"pooling": "mean", "masked": False, "device": "cpu"}
    tagger = Tagger.load(built(name), [True] * 3, "all", **how)
    torch.nn.init.normal_(tagger.weight)
    encoder = tagger.encoder
    corpus = corpus_of(("near the river the old crane flew over it", 5), ("one crane", 1))
    batch = [Instance(aligned, range(3), 0) for aligned in encoder.align(corpus)]
    with torch.no_grad():
        actual = find_blocks(encoder.model, encoder.trial_inputs())
        assert (actual is not None) == zoo.KINDS[name].passing
        few = tagger.logits(batch)
        restore(tagger.model)
        whole = tagger.logits(batch)
    assert torch.allclose(few, whole, rtol=1e-4, atol=1e-5 * whole.abs().max().item())


@pytest.mark.slow
def test_keys_and_values_are_computed_of_every_position(built: Callable[..., Path]) -> None:
    tagger = Tagger.load(built("bert"), [True], "all", pooling="mean", masked=False, device="cpu")
    encoder = tagger.encoder
    spared = [
        name for name, entry in encoder.model.named_modules() if isinstance(entry, NeededRows)
    ]
    last = f"encoder.layer.{encoder.blocks - 1}"
    assert spared == [
        f"{last}.attention.self.query",
        f"{last}.attention.output.dense",
        f"{last}.intermediate.dense",
        f"{last}.output.dense",
    ]
