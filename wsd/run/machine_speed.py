"""Measure how fast this machine runs the matrix products of an encoder."""

import time
import timeit

import numpy as np

from wsd.artifacts.input_template import parse_input
from wsd.run.checked_config import Model

# Word pieces per sentence, special tokens included: the mean of CoarseWSD-20.
PIECES = 39
# The speed of a forward pass as a multiple of numpy's matrix product: weights are laid out for the
# processor. Norms, activations and the means of the views take as long as this many more columns of
# the weights. Both are measured with MiniLM, all-mpnet-base-v2 and BERT-large's shape.
EFFICIENCY = 1.25
OTHER_WIDTH = 250
# The speed of training, with its optimizer, measured with MiniLM.
TRAINING_EFFICIENCY = 0.97


def forward_seconds(model: Model, instances: int, efficiency: float) -> float:
    """Return the rough processor time of passing instances through an encoder, in seconds."""
    # A piece takes 12 width² multiplications and as many additions per block; attention adds little
    # at this length.
    columns = model.width * (model.width + OTHER_WIDTH)
    pieces = PIECES * len(parse_input(model.input).copies)
    operations = 24.0 * columns * model.blocks * pieces * instances
    return operations / (operations_per_second() * efficiency)


def weights(model: Model) -> int:
    """Return the rough number of a model's weights, with a vocabulary of BERT's size."""
    return 12 * model.width**2 * model.blocks + 31_000 * model.width


def operations_per_second() -> float:
    """Return the floating-point operations per second of one core in a matrix product."""
    from threadpoolctl import threadpool_limits

    a = np.ones((1024, 384), dtype=np.float32)
    b = np.ones((384, 1536), dtype=np.float32)
    # Processor time leaves out whatever else the machine is doing.
    with threadpool_limits(1):
        best = min(timeit.repeat(lambda: a @ b, timer=time.process_time, number=1, repeat=5))
    return 2.0 * a.shape[0] * a.shape[1] * b.shape[1] / best


def duration(seconds: float) -> str:
    """Return a duration as text, rounded as roughly as it is known."""
    if seconds < 90:
        return f"{max(1, round(seconds / 10) * 10)} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
