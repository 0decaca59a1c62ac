"""What is done to vectors before their directions are compared, fitted on training rows alone.

``none``
    the vectors as they are;
``centre``
    less the mean;
``remove-k``
    less the mean and the part along the k main directions, such as ``remove-2`` (Mu and Viswanath
    2018, "All-but-the-Top");
``whiten``
    less the mean, and with the same variance in every direction (Su et al. 2021; Huang et al.
    2021, "WhiteningBERT").

With fewer rows than features, or hardly more, the covariance of the rows says nothing of many
directions: whitened by it, any training row is at a right angle to all others. So it is shrunk
towards a multiple of the identity, as far as the oracle approximating estimate has it (Chen et al.
2010), which needs nothing but the variances and the number of rows.
"""

from typing import NamedTuple

import numpy as np

# Of the largest variance: a direction with less is rounding.
LEAST = 1e-10


class Transform(NamedTuple):
    """A transformation: what is subtracted, and how much directions are stretched after it.

    Attributes
    ----------
    mean : array of shape (features,), or None
        Without one, vectors stay as they are.
    directions : array of shape (n_directions, features), or None
        Orthonormal.
    factors : array of shape (n_directions,), or None
        Of the directions; what is at a right angle to all of them keeps its length.
    """

    mean: np.ndarray | None = None
    directions: np.ndarray | None = None
    factors: np.ndarray | None = None

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors of shape (n, features), transformed, in float64."""
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
    """Fit a transformation.

    Parameters
    ----------
    name : str
        As in the text above.
    rows : array of shape (n, features)
        Training rows.
    weights : array of shape (n,), optional
        How much each row counts, in sum 1; by default all count alike.
    mean : array of shape (features,), optional
        Where it is known of more rows than these.
    """
    if name == "none":
        return Transform()
    weights = np.full(len(rows), 1 / len(rows)) if weights is None else weights
    mean = weights @ rows.astype(np.float64, copy=False) if mean is None else mean
    if name == "centre":
        return Transform(mean)
    variances, directions = _principal(_centred(rows, mean) * np.sqrt(weights)[:, None])
    if name == "whiten":
        # As many rows of equal weight would say as much (Kish).
        n = 1 / np.square(weights).sum()
        return Transform(mean, directions, _whitening(variances, n, rows.shape[1]))
    if not name.startswith("remove-"):
        raise ValueError(f"no transformation {name!r}")
    # One direction stays, however few the rows have.
    k = min(int(name.removeprefix("remove-")), max(0, len(variances) - 1))
    return Transform(mean, directions[:k], np.zeros(k))


def _centred(vectors: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Vectors less a mean; what the subtraction leaves of equal vectors is zero."""
    centred = vectors - mean.astype(np.float64, copy=False)
    # Below float32's precision a direction is rounding error: layer 0 of an encoder with relative
    # positions has equal vectors for all instances of a word.
    rounding = np.linalg.norm(centred, axis=1) <= 1e-6 * np.linalg.norm(vectors, axis=1)
    centred[rounding] = 0
    return centred


def _principal(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Main directions of centred, weighted rows, and the variances along them, falling."""
    wide = rows.shape[0] < rows.shape[1]
    variances, vectors = np.linalg.eigh(rows @ rows.T if wide else rows.T @ rows)
    kept = np.flatnonzero(variances > LEAST * max(variances[-1], 0))[::-1]
    variances, found = variances[kept], vectors[:, kept].T
    return variances, (found @ rows) / np.sqrt(variances)[:, None] if wide else found


def _whitening(variances: np.ndarray, n: float, features: int) -> np.ndarray:
    """How much each direction is stretched, where what the rows do not span keeps its length."""
    if not len(variances):
        return variances
    typical, squares = variances.sum() / features, np.square(variances).sum()
    excess = (n + 1) * (squares - features * typical**2)
    shrinkage = min(1.0, (squares + (features * typical) ** 2) / excess) if excess > 0 else 1.0
    return np.sqrt(shrinkage * typical / ((1 - shrinkage) * variances + shrinkage * typical))
