"""Write float32 numbers in half the space, and read them back as float32.

``bfloat16`` has the range of float32 and 8 bits of precision; ``float16`` has 11 bits, and ends at
65,504. NumPy has no bfloat16, so its numbers are handled as the upper half of a float32.
"""

from typing import Any

import numpy as np

FLOAT32, BFLOAT16, FLOAT16 = STORE_DTYPES = ("float32", "bfloat16", "float16")
# The names of the safetensors format, and the types of the numbers on disk.
NAMES = {FLOAT32: "F32", BFLOAT16: "BF16", FLOAT16: "F16"}
ON_DISK: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "BF16": np.dtype("<u2"),
    "F16": np.dtype("<f2"),
}


class TooLargeError(Exception):
    """A number that the type of the stored vectors cannot hold.

    Attributes
    ----------
    row, value
        The row of the array, and the number.
    """

    def __init__(self, row: int, value: float) -> None:
        super().__init__(row, value)
        self.row, self.value = row, value


def to_disk(values: np.ndarray, name: str) -> np.ndarray:
    """Round float32 numbers to a format, to the nearest, and to even halfway.

    Parameters
    ----------
    values : float32 array of shape (rows, width)
    name : str
        A name of the safetensors format: F32, BF16 or F16.

    Returns
    -------
    C-contiguous array of the same shape and the type ``ON_DISK[name]``

    Raises
    ------
    TooLargeError
        If a finite number is beyond the range.
    """
    values = np.ascontiguousarray(values, dtype="<f4")
    if name == "F32":
        return values
    if name == "F16":
        with np.errstate(over="ignore"):
            stored = values.astype("<f2")
    else:
        bits = values.view("<u4")
        stored = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")
        stored[np.isnan(values)] = 0x7FC0  # rounding could turn a NaN into another number
    lost = np.isfinite(values) & ~np.isfinite(from_disk(stored, name))
    if lost.any():
        row, column = (int(place) for place in np.argwhere(lost)[0])
        raise TooLargeError(row, float(values[row, column]))
    return stored


def from_disk(stored: np.ndarray, name: str) -> np.ndarray:
    """Return the numbers of :func:`to_disk` as float32; no number changes."""
    if name == "BF16":
        return (stored.astype("<u4") << 16).view("<f4")
    return stored.astype("<f4", copy=False)
