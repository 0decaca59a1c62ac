"""Running a model finds its blocks."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import zoo

from wsd.encoder.encoder import Encoder
from wsd.studies.finetuning.encoder_blocks import find_blocks


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.KINDS)
def test_the_blocks_of_every_architecture(built: Callable[..., Path], name: str) -> None:
    encoder = Encoder.load(str(built(name)), device="cpu")
    with torch.no_grad():
        blocks = find_blocks(encoder.model, encoder.trial_inputs())
    assert (blocks is not None) == zoo.KINDS[name].passing
