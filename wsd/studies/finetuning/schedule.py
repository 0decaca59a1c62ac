"""Schedule a training: its batches, its steps, and the learning rate of each step."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from wsd.studies.finetuning.finetuning_files import Setting

BATCH = 32
# The share of the steps in which the learning rate rises.
WARM_UP = 0.1


def number_of_steps(instances: int, epochs: int) -> int:
    """Return the number of batches in all epochs."""
    return epochs * math.ceil(instances / BATCH)


def long_enough(settings: Sequence[Setting], instances: int, steps: int) -> list[Setting]:
    """Return the distinct settings, each with at least as many epochs as the steps take.

    >>> long_enough([Setting(1e-4, 2, "all"), Setting(1e-4, 3, "all")], 100, 10)
    [Setting(rate=0.0001, epochs=3, blocks='all')]
    """
    least = math.ceil(steps / number_of_steps(instances, 1))
    return list(dict.fromkeys(s._replace(epochs=max(s.epochs, least)) for s in settings))


def rate_at(step: int, steps: int, highest: float) -> float:
    """Return the rate of a step from 0: it rises linearly to the highest rate, then falls to 0.

    >>> tuple(rate_at(step, 20, 9.0) for step in (0, 1, 2, 11, 19))
    (4.5, 9.0, 9.0, 4.5, 0.5)
    """
    rising = math.ceil(WARM_UP * steps)
    return highest * min((step + 1) / rising, (steps - step) / max(1, steps - rising))


def batches(instances: int, seed: int, epoch: int) -> Iterator[np.ndarray]:
    """Yield the instances of each batch of an epoch, in an order drawn from the seed and epoch."""
    order = np.random.default_rng([seed, epoch]).permutation(instances)
    yield from (order[start : start + BATCH] for start in range(0, instances, BATCH))
