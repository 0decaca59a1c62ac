"""The order and the pace of a training: which instances make a batch, and how large a step is."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from wsd.studies.finetuning.finetuning_files import Setting

BATCH = 32
# The share of the steps in which the rate rises.
WARM_UP = 0.1


def steps_of(instances: int, epochs: int) -> int:
    """How many batches there are in all."""
    return epochs * math.ceil(instances / BATCH)


def long_enough(settings: Sequence[Setting], instances: int, steps: int) -> list[Setting]:
    """The same settings, with as many epochs more as so many steps take; each one once.

    >>> long_enough([Setting(1e-4, 2, "all"), Setting(1e-4, 3, "all")], 100, 10)
    [Setting(rate=0.0001, epochs=3, blocks='all')]
    """
    least = math.ceil(steps / steps_of(instances, 1))
    long = [of._replace(epochs=max(of.epochs, least)) for of in settings]
    return list(dict.fromkeys(long))


def rate_at(step: int, steps: int, highest: float) -> float:
    """The rate of a step, counted from 0: it rises in a line to the highest, and falls in one to 0.

    >>> tuple(rate_at(step, 20, 9.0) for step in (0, 1, 2, 11, 19))
    (4.5, 9.0, 9.0, 4.5, 0.5)
    """
    rising = math.ceil(WARM_UP * steps)
    return highest * min((step + 1) / rising, (steps - step) / max(1, steps - rising))


def batches(instances: int, seed: int, epoch: int) -> Iterator[np.ndarray]:
    """The instances of each batch of an epoch, in an order that hangs on the seed and the epoch."""
    order = np.random.default_rng([seed, epoch]).permutation(instances)
    yield from (order[start : start + BATCH] for start in range(0, instances, BATCH))
