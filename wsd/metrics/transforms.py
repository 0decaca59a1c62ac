"""Transform vectors before their directions are compared; fitted on training rows only.

``none``
    unchanged;
``centre``
    minus the mean;
``remove-k``
    minus the mean and minus the first k principal components, such as ``remove-2`` (Mu and
    Viswanath 2018, "All-but-the-Top");
``whiten``
    minus the mean, and with the same variance in every direction (Su et al. 2021; Huang et al.
    2021, "WhiteningBERT").

With hardly more rows than features, or fewer, the covariance of the rows is arbitrary in many
directions: it would make every whitened training row orthogonal to all others. So whitening shrinks
the covariance towards a multiple of the identity by the oracle approximating estimate (Chen et al.
2010), which needs only the variances and the number of rows.
"""

from typing import NamedTuple

import numpy as np

# A direction with less than this share of the largest variance is rounding error.
LEAST = 1e-10


class Transform(NamedTuple):
    """A transform: the mean to subtract, and factors that then stretch some directions.

    Attributes
    ----------
    mean : array of shape (features,), or None
        Without a mean, vectors stay unchanged.
    directions : array of shape (n_directions, features), or None
        Orthonormal.
    factors : array of shape (n_directions,), or None
        The factor of each direction; the part orthogonal to all directions keeps its length.
    """

    mean: np.ndarray | None = None
    directions: np.ndarray | None = None
    factors: np.ndarray | None = None

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Return transformed vectors, of shape (n, features), in float64."""
        if self.mean is None:
            return vectors.astype(np.float64, copy=False)
        centred = _centred(vectors, self.mean)
        if self.directions is None or self.factors is None:
            return centred
        along = centred @ self.directions.T
        return centred + (along * (self.factors - 1)) @ self.directions


def fitted(
    name: str,
    rows: np.ndarray,
    weights: np.ndarray | None = None,
    mean: np.ndarray | None = None,
) -> Transform:
    """Fit a transform.

    Parameters
    ----------
    name : str
        One of the names above.
    rows : array of shape (n, features)
        Training rows.
    weights : array of shape (n,), optional
        The weight of each row, with sum 1; by default all are equal.
    mean : array of shape (features,), optional
        The mean, if it is known from more rows than these.
    """
    if name == "none":
        return Transform()
    weights = np.full(len(rows), 1 / len(rows)) if weights is None else weights
    mean = weights @ rows.astype(np.float64, copy=False) if mean is None else mean
    if name == "centre":
        return Transform(mean)
    variances, directions = _principal(_centred(rows, mean) * np.sqrt(weights)[:, None])
    if name == "whiten":
        # Kish's effective sample size.
        n = 1 / np.square(weights).sum()
        return Transform(mean, directions, _whitening(variances, n, rows.shape[1]))
    if not name.startswith("remove-"):
        raise ValueError(f"no transform {name!r}")
    # At least one direction stays, even with few rows.
    k = min(int(name.removeprefix("remove-")), max(0, len(variances) - 1))
    return Transform(mean, directions[:k], np.zeros(k))


def _centred(vectors: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return vectors minus a mean; equal vectors become exactly zero."""
    centred = vectors - mean.astype(np.float64, copy=False)
    # A length below float32's precision is rounding error: in layer 0 of an encoder with relative
    # positions, all instances of a word have equal vectors.
    rounding = np.linalg.norm(centred, axis=1) <= 1e-6 * np.linalg.norm(vectors, axis=1)
    centred[rounding] = 0
    return centred


def _principal(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return variances and directions of the principal components, the largest first."""
    wide = rows.shape[0] < rows.shape[1]
    variances, vectors = np.linalg.eigh(rows @ rows.T if wide else rows.T @ rows)
    kept = np.flatnonzero(variances > LEAST * max(variances[-1], 0))[::-1]
    variances, directions = variances[kept], vectors[:, kept].T
    if wide:
        directions = (directions @ rows) / np.sqrt(variances)[:, None]
    return variances, directions


def _whitening(variances: np.ndarray, n: float, features: int) -> np.ndarray:
    """Return the factor of each direction; directions outside the span keep their length."""
    if not len(variances):
        return variances
    typical, squares = variances.sum() / features, np.square(variances).sum()
    excess = (n + 1) * (squares - features * typical**2)
    shrinkage = min(1.0, (squares + (features * typical) ** 2) / excess) if excess > 0 else 1.0
    return np.sqrt(shrinkage * typical / ((1 - shrinkage) * variances + shrinkage * typical))
