"""Places of labels that must not overlap, on the pages and in the figures of a paper."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import isotonic_regression


def spread(
    places: Sequence[float], gap: float, ends: tuple[float, float] | None = None
) -> list[float]:
    """Move labels apart by as little as possible (least squares).

    Parameters
    ----------
    places : sequence of float
        In any order.
    gap : float
        The least distance; smaller if there are too many labels between the ends.
    ends : pair of floats, optional
        The labels stay between these.

    Examples
    --------
    >>> spread([3.0, 1.0, 3.0], 1)
    [2.5, 1.0, 3.5]
    """
    if not places:
        return []
    order = np.argsort(places, kind="stable")
    if ends:
        gap = min(gap, (ends[1] - ends[0]) / max(1, len(places) - 1))
    shifts = gap * np.arange(len(places))
    moved = isotonic_regression(np.asarray(places, dtype=float)[order] - shifts).x
    if ends:
        moved = moved.clip(ends[0], max(ends[0], ends[1] - shifts[-1]))
    spaced = np.empty(len(places))
    spaced[order] = moved + shifts
    return spaced.tolist()
