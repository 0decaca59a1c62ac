"""Return vectors as a DataFrame with names for rows and columns."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

# The layer choice of an array with every single layer, and the levels of its frame's columns.
ALL = "all"
LEVELS = ("layer", "dimension")


def frame_of(vectors: np.ndarray, names: Iterable[str], index: Any = None) -> pd.DataFrame:
    """Return vectors as a frame that shares their memory.

    Parameters
    ----------
    vectors : array of shape (n, features)
    names : iterable of str
        The names of the columns.
    index : Index, optional
        The names of the rows; by default 0, 1, …
    """
    return pd.DataFrame(vectors, index=index, columns=pd.Index(list(names), dtype=object))


def frame_of_layers(
    vectors: np.ndarray, layers: Iterable[int] | None = None, index: Any = None
) -> pd.DataFrame:
    """Return the vectors of several layers as a frame that shares their memory.

    ``frame[6]`` is the frame of layer 6.

    Parameters
    ----------
    vectors : array of shape (n, layers, width)
    layers : iterable of int, optional
        The numbers of the layers; by default from 0.
    index : Index, optional
        As in :func:`frame_of`.

    Returns
    -------
    DataFrame of shape (n, layers * width)
        Its columns are a MultiIndex of ``layer`` and ``dimension``.
    """
    n, depth, width = vectors.shape
    numbers = range(depth) if layers is None else layers
    columns = pd.MultiIndex.from_product([list(numbers), range(width)], names=LEVELS)
    return pd.DataFrame(vectors.reshape(n, -1), index=index, columns=columns)
