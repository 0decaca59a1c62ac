"""The rows that logistic regressions are fitted on, and the systems that their Newton steps solve.

A design takes the weights of many fits as an array of shape (k, n_fits, width): k coordinates of
the classes, and of the width the last is the intercept's.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, get_lapack_funcs, qr

from wsd.classification.estimators.conjugate_gradients import (
    MOST,
    Curvature,
    hessian_of,
    products,
    solved,
)

SMALL = 1e-10  # a row's weight in a preconditioner, at least
FULL = 12  # columns: a product with fewer takes as long, for it waits for the matrix
ALONE = 4  # columns: what a product with a single one takes as long as
SHORT = 6  # iterations of a step with Cholesky factors, about
STEPS = 3  # that use the same factors, about
PATH = 100  # iterations of a search, about
RIDGE = 1e-7  # of a preconditioner, as a share of its mean diagonal


class Dense:
    """Features that are standardised, or nearly so: per fit what is left of their scale.

    Where many fits have far fewer rows than features, a step is solved in the rows' span, which is
    as wide as they are few. There the fits' own scales are left out; what a step lacks by that,
    the next one mends.

    Conjugate gradients start with the Hessian's diagonal as a preconditioner, and go on with it
    while steps are short. Cholesky factors are made where iterations have cost as much as they.

    Parameters
    ----------
    features : array of shape (n_rows, n_features)
    scales : array of shape (n_fits, n_features)
        Each fit's own standard deviations.
    """

    def __init__(self, features: np.ndarray, scales: np.ndarray) -> None:
        self.rows = np.column_stack([features, np.ones(len(features))])
        self.scales = np.column_stack([scales, np.ones(len(scales))])
        self.penalised = np.column_stack([scales**2, np.zeros(len(scales))])
        self.turned = _turned(self.rows, len(scales))
        self._in: dict[type, Any] = {}
        self._plain = True  # whether the diagonal has been enough
        self._factors: list[np.ndarray] = []
        self._worth = 0.0  # iterations with factors until new ones have paid

    def forward(self, weights: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Logits: array (k, n_fits, n_rows)."""
        return _product(weights, self.turned)

    def backward(self, residual: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """The gradient by the weights, of that by the logits."""
        return _product(residual, self.rows)

    def step(
        self,
        gradient: np.ndarray,
        curvature: Curvature,
        penalty: float,
        fits: np.ndarray,
        precision: np.ndarray,
        kind: type,
    ) -> np.ndarray:
        """A Newton step, in single or double precision."""
        columns = len(fits) * len(gradient)
        if kind not in self._in:
            self._in[kind] = self._system(kind, columns)
        inner, turned, basis = self._in[kind]
        curvature = curvature.astype(kind)
        # Single precision has too few exponents for a gradient that is nearly 0.
        length = np.sqrt(products(gradient, gradient))[:, None]
        slope = (gradient / length).astype(kind)
        penalised = (penalty * self.penalised[fits]).astype(kind)
        if basis is not None:
            slope = _product(slope, basis)
            penalised = np.full((len(fits), len(inner) + 1), penalty, dtype=kind)
            penalised[:, -1] = 0
        hessian = hessian_of(
            curvature,
            lambda way, _: _product(way, turned),
            lambda bent, _: _product(bent, inner),
            penalised,
        )
        precondition, most = self._preconditioner(inner, curvature, penalised, columns)
        solution, iterations = solved(hessian, precondition, slope, precision, most)
        self._worth -= iterations
        self._plain &= iterations < most
        if basis is not None:
            # Outside the span the Hessian is the penalty alone.
            across = gradient / length - _product(slope, basis.T)
            across[..., :-1] /= penalty * self.penalised[fits, :-1]
            solution = _product(solution, basis.T) - across
        return solution * length

    def _system(self, kind: type, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """What a step is solved on, the same turned, and the basis of the rows' span."""
        n, width = self.rows.shape
        basis: np.ndarray | None = None
        inner: np.ndarray = self.rows.astype(kind, copy=False)
        if n < width - 1 and n * (width - n / 3) < (width - 1 - n) * _full(columns) * PATH:
            orthogonal, triangle = qr(inner[:, :-1].T, mode="economic", check_finite=False)
            inner = np.column_stack([triangle.T, np.ones(n, dtype=kind)])
            basis = np.zeros((width, n + 1), dtype=kind)
            basis[:-1, :-1], basis[-1, -1] = orthogonal, 1
        return inner, _turned(inner, columns), basis

    def _preconditioner(
        self, inner: np.ndarray, curvature: Curvature, penalised: np.ndarray, columns: int
    ) -> tuple[Any, int]:
        """An approximate inverse of the Hessian, and the iterations to make with it at most.

        Of the factors each is of a class's own block, averaged over the fits.
        """
        n, width = inner.shape
        blocks = curvature.of_classes()
        # In iterations: the factors, and (at a third of a product's rate) solving with them.
        cost = len(blocks) * (n * width**2 + width**3 / 3) / (4 * n * width * _full(columns))
        solving = 1.5 * len(blocks) * width / (n * len(curvature.turn))
        if self._plain:
            squares = np.einsum("nd,nd->d", inner, inner) / n
            diagonal = curvature.of_coordinates().sum(axis=2)[..., None] * squares + penalised
            most = int(SHORT * (1 + solving) + cost / STEPS)
            return lambda residual, left: residual / diagonal[:, left], most
        if not self._factors or self._worth <= 0 or self._factors[0].dtype != inner.dtype:
            self._factors = [_factor(inner, block, penalised.mean(axis=0)) for block in blocks]
            self._worth = cost
        factors, turn = self._factors, curvature.turn

        def precondition(residual: np.ndarray, left: np.ndarray) -> np.ndarray:
            if len(factors) == 1:
                flat = residual.reshape(-1, residual.shape[-1])
                return _inverse(factors[0], flat).reshape(residual.shape)
            of_classes = np.tensordot(turn.T, residual, 1)
            inverses = [_inverse(*pair) for pair in zip(factors, of_classes, strict=True)]
            return np.tensordot(turn, np.stack(inverses), 1)

        return precondition, MOST


class Sparse:
    """Sparse features that every fit weighs in its own way, rows and columns.

    Parameters
    ----------
    features : sparse array of shape (n_rows, n_features)
    columns : array of shape (n_fits, n_features)
        What each fit multiplies the columns by.
    rows : array of shape (n_fits, n_rows)
        The same for the rows.
    """

    def __init__(self, features: sparse.csr_array, columns: np.ndarray, rows: np.ndarray) -> None:
        self.features, self.turned = features, features.T.tocsr()
        self.columns, self.rows = columns, rows
        self.penalised = np.column_stack([np.ones_like(columns), np.zeros(len(columns))])
        self.scales = np.ones_like(self.penalised)
        self._in: dict[type, Sparse] = {np.float64: self}

    def forward(self, weights: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """As :meth:`Dense.forward`."""
        logits = _sparse_product(self.features, weights[..., :-1] * self.columns[fits])
        return logits * self.rows[fits] + weights[..., -1:]

    def backward(self, residual: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """As :meth:`Dense.backward`."""
        gradient = _sparse_product(self.turned, residual * self.rows[fits]) * self.columns[fits]
        return np.concatenate([gradient, residual.sum(axis=2, keepdims=True)], axis=2)

    def step(
        self,
        gradient: np.ndarray,
        curvature: Curvature,
        penalty: float,
        fits: np.ndarray,
        precision: np.ndarray,
        kind: type,
    ) -> np.ndarray:
        """As :meth:`Dense.step`."""
        if kind not in self._in:
            arrays = (self.features, self.columns, self.rows)
            self._in[kind] = Sparse(*(array.astype(kind) for array in arrays))
        return self._in[kind]._step(gradient, curvature.astype(kind), penalty, fits, precision)

    def _step(
        self,
        gradient: np.ndarray,
        curvature: Curvature,
        penalty: float,
        fits: np.ndarray,
        precision: np.ndarray,
    ) -> np.ndarray:
        length = np.sqrt(products(gradient, gradient))[:, None]
        penalised = (penalty * self.penalised[fits]).astype(self.columns.dtype)
        bent = curvature.of_coordinates()
        diagonal = _sparse_product(self.turned.power(2), bent * self.rows[fits] ** 2)
        diagonal *= self.columns[fits] ** 2
        diagonal = np.concatenate([diagonal, bent.sum(axis=2, keepdims=True)], axis=2) + penalised
        diagonal += RIDGE * diagonal.mean()
        hessian = hessian_of(
            curvature,
            lambda way, left: self.forward(way, fits[left]),
            lambda bent, left: self.backward(bent, fits[left]),
            penalised,
        )

        def precondition(residual: np.ndarray, left: np.ndarray) -> np.ndarray:
            scaled: np.ndarray = residual / diagonal[:, left]
            return scaled

        slope = (gradient / length).astype(self.columns.dtype)
        solution, _ = solved(hessian, precondition, slope, precision)
        return solution * length


def _full(columns: int) -> int:
    """Return how many columns a product could have in the time that it takes for these."""
    return ALONE if columns == 1 else max(columns, FULL)


def _turned(rows: np.ndarray, columns: int) -> np.ndarray:
    """Transpose rows; BLAS is 1.5 times as fast with few columns if it need not copy the matrix."""
    return np.ascontiguousarray(rows.T) if columns >= FULL else rows.T


def _sparse_product(rows: sparse.csr_array, right: np.ndarray) -> np.ndarray:
    """Multiply (a, b) with (k, n_fits, b), for all fits at once."""
    product = rows @ right.reshape(-1, right.shape[-1]).T
    return np.ascontiguousarray(product.T).reshape(*right.shape[:-1], -1)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply (k, n_fits, a) with (a, b), for all fits at once.

    The processor's flag for an invalid operation is not looked at: some kernels of BLAS raise it
    for lanes of a register beyond the array, by chance and without effect on the product. A
    product that is not finite lowers no loss, so that Newton's method refuses it.
    """
    with np.errstate(invalid="ignore"):
        flat = left.reshape(-1, left.shape[-1]) @ right
    return flat.reshape(*left.shape[:-1], -1)


def _factor(inner: np.ndarray, weights: np.ndarray, penalised: np.ndarray) -> np.ndarray:
    weighed = inner * np.sqrt(np.maximum(weights, SMALL))[:, None]
    block = (weighed.T @ weighed).astype(np.float64)
    diagonal = np.einsum("ii->i", block)
    diagonal += penalised + RIDGE * diagonal.mean()
    factor, _ = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
    return np.asarray(factor, dtype=inner.dtype)


def _inverse(factor: np.ndarray, residual: np.ndarray) -> np.ndarray:
    (solve,) = get_lapack_funcs(("potrs",), (factor,))
    found: np.ndarray = solve(factor, residual.T, lower=True)[0].T
    return found
