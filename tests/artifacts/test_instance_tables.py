"""Projections and neighbours of all words: their files, and the signs of axes."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from wsd.artifacts.instance_tables import align_signs


def test_signs_are_aligned_axis_by_axis_with_the_previous_projection() -> None:
    first = np.array([[1.0, 2], [-3, 1], [0, -4]], dtype=np.float32)
    flips = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    for aligned in align_signs([first * np.array(flip, dtype=np.float32) for flip in flips]):
        assert_array_equal(aligned, first)
        assert aligned.dtype == np.float32
    # Each is rotated by 60 degrees; compared with the first, the third would be flipped.
    angles = np.radians([0, 60, 120])
    steps = [np.array([[np.cos(angle)] * 2, [np.sin(angle)] * 2]) for angle in angles]
    assert_allclose(align_signs([steps[0], steps[1] * [-1, 1], steps[2]]), steps)
    # An axis without a sign is left alone.
    pictures = [np.array([[1.0, 0], [1, 0]]), np.array([[1.0, 2], [-1, 3]])]
    assert_array_equal(align_signs(pictures)[1], pictures[1])
    assert align_signs([]) == []
