"""Multiply features with the weights of many logistic regressions, and solve their Newton steps.

A design is the matrix of features with a column of ones, for the intercept. The weights of all fits
are one array of shape (k, n_fits, width): k = n_classes - 1 coordinates of the logits, and width =
n_features + 1, the intercept last.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, qr

from wsd.classification.estimators import conjugate_gradients
from wsd.classification.estimators.conjugate_gradients import Curvature, Operator, inner_products

MIN_WEIGHT = 1e-10  # of a row, in a Cholesky factor
RIDGE = 1e-7  # added to a preconditioner's diagonal, as a share of its mean
# takes as long as with these, because it waits for memory; with one column, as long as with 4.
MANY_COLUMNS = 12
ONE_COLUMN = 4
# Estimates of the number of iterations, to choose the cheapest way to solve a step.
ITERATIONS_PER_STEP = 6  # with Cholesky factors
STEPS_PER_FACTOR = 3  # Newton steps with the same factors
ITERATIONS_PER_SEARCH = 100


class Dense:
    """A dense design; its features are standardised over all rows.

    If there are far fewer rows than features, a step is solved in the span of the rows. There each
    fit's own scales are ignored; the next step corrects the difference.

    The first preconditioner is the diagonal of the Hessian. Cholesky factors replace it when steps
    need so many iterations that the factors cost less.

    Parameters
    ----------
    features : array of shape (n_rows, n_features)
    scales : array of shape (n_fits, n_features)
        The standard deviation of each feature over the training rows of each fit.

    Attributes
    ----------
    scales : array of shape (n_fits, width)
    penalised : array of shape (n_fits, width)
        The factor of each squared weight in the penalty; 0 for the intercept.
    """

    def __init__(self, features: np.ndarray, scales: np.ndarray) -> None:
        self.rows = np.column_stack([features, np.ones(len(features))])
        self.scales = np.column_stack([scales, np.ones(len(scales))])
        self.penalised = np.column_stack([scales**2, np.zeros(len(scales))])
        self.transposed = _transpose(self.rows, len(scales))
        self._systems: dict[type, Any] = {}  # by precision
        self._diagonal_suffices = True
        self._factors: list[np.ndarray] = []
        self._iterations_left = 0.0  # with these factors, until new ones pay

    def forward(self, weights: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Return the logit coordinates, of shape (k, n_fits, n_rows).

        Parameters
        ----------
        weights : array of shape (k, n_fits, width)
        fits : int array of shape (n_fits,)
            The positions of these fits among all.
        """
        return _product(weights, self.transposed)

    def backward(self, residual: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Return the gradient by the weights, of shape (k, n_fits, width).

        Parameters
        ----------
        residual : array of shape (k, n_fits, n_rows)
            The gradient by the logit coordinates.
        fits : int array of shape (n_fits,)
        """
        return _product(residual, self.rows)

    def step(
        self,
        gradient: np.ndarray,
        curvature: Curvature,
        penalty: float,
        fits: np.ndarray,
        tolerance: np.ndarray,
        dtype: type,
    ) -> np.ndarray:
        """Return a Newton step of each fit, of shape (k, n_fits, width).

        Parameters
        ----------
        gradient : array of shape (k, n_fits, width)
        curvature : Curvature
        penalty : float
            The factor of ``penalised``.
        fits : int array of shape (n_fits,)
        tolerance : array of shape (n_fits,)
            The residual that a step may leave, as a share of the gradient.
        dtype : type
            The precision of the solver: float32 or float64.
        """
        columns = len(fits) * len(gradient)
        if dtype not in self._systems:
            self._systems[dtype] = self._system(dtype, columns)
        rows, transposed, basis = self._systems[dtype]
        curvature = curvature.astype(dtype)
        # Single precision cannot hold a gradient that is nearly 0, so its norm is scaled to 1.
        norm = np.sqrt(inner_products(gradient, gradient))[:, None]
        slope = (gradient / norm).astype(dtype)
        penalties = (penalty * self.penalised[fits]).astype(dtype)
        if basis is not None:
            slope = _product(slope, basis)
            penalties = np.full((len(fits), len(rows) + 1), penalty, dtype=dtype)
            penalties[:, -1] = 0
        hessian = conjugate_gradients.hessian_operator(
            curvature,
            lambda direction, _: _product(direction, transposed),
            lambda residual, _: _product(residual, rows),
            penalties,
        )
        precondition, limit = self._preconditioner(rows, curvature, penalties, columns)
        solution, iterations = conjugate_gradients.solve_newton(
            hessian, precondition, slope, tolerance, limit
        )
        self._iterations_left -= iterations
        self._diagonal_suffices &= iterations < limit
        if basis is not None:
            # Orthogonal to the rows, the Hessian is the penalty alone.
            across = gradient / norm - _product(slope, basis.T)
            across[..., :-1] /= penalty * self.penalised[fits, :-1]
            solution = _product(solution, basis.T) - across
        return solution * norm

    def _system(self, dtype: type, columns: int) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return the rows to solve a step with, their transpose, and the basis of their span.

        The basis has shape (width, n_rows + 1). It is None if the rows are used unchanged.
        """
        n, width = self.rows.shape
        basis = None
        rows: np.ndarray = self.rows.astype(dtype, copy=False)
        # = self.rows.astype(dtype, copy=False)
        decomposition = n * (width - n / 3)
        saving = (width - 1 - n) * _effective_columns(columns) * ITERATIONS_PER_SEARCH
        if n < width - 1 and decomposition < saving:
            orthogonal, triangle = qr(rows[:, :-1].T, mode="economic", check_finite=False)
            rows = np.column_stack([triangle.T, np.ones(n, dtype=dtype)])
            basis = np.zeros((width, n + 1), dtype=dtype)
            basis[:-1, :-1], basis[-1, -1] = orthogonal, 1
        return rows, _transpose(rows, columns), basis

    def _preconditioner(
        self, rows: np.ndarray, curvature: Curvature, penalties: np.ndarray, columns: int
    ) -> tuple[Operator, int]:
        """Return an approximate inverse of the Hessian, and the most iterations to make with it.

        It is the inverse of the diagonal, or of a block per class, averaged over the fits.
        """
        n, width = rows.shape
        blocks = curvature.by_class()
        # The costs of the factors, and of solving with them, in iterations.
        iteration = 4 * n * width * _effective_columns(columns)
        cost = len(blocks) * (n * width**2 + width**3 / 3) / iteration
        solving = 1.5 * len(blocks) * width / (n * len(curvature.contrasts))
        if self._diagonal_suffices:
            squares = np.einsum("nd,nd->d", rows, rows) / n
            diagonal = curvature.diagonal().sum(axis=2)[..., None] * squares + penalties
            limit = int(ITERATIONS_PER_STEP * (1 + solving) + cost / STEPS_PER_FACTOR)
            return lambda residual, active: residual / diagonal[:, active], limit
        if not self._factors or self._iterations_left <= 0 or self._factors[0].dtype != rows.dtype:
            self._factors = [_factor(rows, block, penalties.mean(axis=0)) for block in blocks]
            self._iterations_left = cost
        factors, contrasts = self._factors, curvature.contrasts

        def precondition(residual: np.ndarray, active: np.ndarray) -> np.ndarray:
            if len(factors) == 1:
                flat = residual.reshape(-1, residual.shape[-1])
                return _solve(factors[0], flat).reshape(residual.shape)
            by_class = np.tensordot(contrasts.T, residual, 1)
            solutions = [_solve(*pair) for pair in zip(factors, by_class, strict=True)]
            return np.tensordot(contrasts, np.stack(solutions), 1)

        return precondition, conjugate_gradients.MAX_ITERATIONS


class Sparse:
    """A sparse design, whose rows and columns each fit multiplies by factors; as :class:`Dense`.

    Parameters
    ----------
    features : sparse array of shape (n_rows, n_features)
    columns : array of shape (n_fits, n_features)
        The factor of each column in each fit.
    rows : array of shape (n_fits, n_rows)
        The factor of each row in each fit.
    """

    def __init__(self, features: sparse.csr_array, columns: np.ndarray, rows: np.ndarray) -> None:
        self.features, self.transposed = features, features.T.tocsr()
        self.columns, self.rows = columns, rows
        self.penalised = np.column_stack([np.ones_like(columns), np.zeros(len(columns))])
        self.scales = np.ones_like(self.penalised)
        self._designs: dict[type, Sparse] = {np.float64: self}  # by precision

    def forward(self, weights: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Return the logit coordinates, as :meth:`Dense.forward`."""
        logits = _sparse_product(self.features, weights[..., :-1] * self.columns[fits])
        return logits * self.rows[fits] + weights[..., -1:]

    def backward(self, residual: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Return the gradient by the weights, as :meth:`Dense.backward`."""
        gradient = _sparse_product(self.transposed, residual * self.rows[fits]) * self.columns[fits]
        return np.concatenate([gradient, residual.sum(axis=2, keepdims=True)], axis=2)

    def step(
        self,
        gradient: np.ndarray,
        curvature: Curvature,
        penalty: float,
        fits: np.ndarray,
        tolerance: np.ndarray,
        dtype: type,
    ) -> np.ndarray:
        """Return a Newton step of each fit, as :meth:`Dense.step`."""
        if dtype not in self._designs:
            arrays = (self.features, self.columns, self.rows)
            self._designs[dtype] = Sparse(*(array.astype(dtype) for array in arrays))
        design, curvature = self._designs[dtype], curvature.astype(dtype)
        norm = np.sqrt(inner_products(gradient, gradient))[:, None]
        penalties = (penalty * design.penalised[fits]).astype(dtype)
        seconds = curvature.diagonal()
        squares = _sparse_product(design.transposed.power(2), seconds * design.rows[fits] ** 2)
        squares *= design.columns[fits] ** 2
        sums = seconds.sum(axis=2, keepdims=True)
        diagonal = np.concatenate([squares, sums], axis=2) + penalties
        diagonal += RIDGE * diagonal.mean()
        hessian = conjugate_gradients.hessian_operator(
            curvature,
            lambda direction, active: design.forward(direction, fits[active]),
            lambda residual, active: design.backward(residual, fits[active]),
            penalties,
        )
        slope = (gradient / norm).astype(dtype)
        solution, _ = conjugate_gradients.solve_newton(
            hessian, lambda residual, active: residual / diagonal[:, active], slope, tolerance
        )
        return solution * norm


Design = Dense | Sparse


def _effective_columns(columns: int) -> int:
    """Return the number of columns that a product's time is proportional to."""
    return ONE_COLUMN if columns == 1 else max(columns, MANY_COLUMNS)


def _transpose(rows: np.ndarray, columns: int) -> np.ndarray:
    """Transpose rows; for products with few columns BLAS is 1.5 times as fast without a copy."""
    return np.ascontiguousarray(rows.T) if columns >= MANY_COLUMNS else rows.T


def _sparse_product(matrix: sparse.csr_array, right: np.ndarray) -> np.ndarray:
    """Multiply (a, b) with (k, n_fits, b), for all fits at once: array (k, n_fits, a)."""
    product = matrix @ right.reshape(-1, right.shape[-1]).T
    return np.ascontiguousarray(product.T).reshape(*right.shape[:-1], -1)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply (k, n_fits, a) with (a, b), for all fits at once: array (k, n_fits, b).

    Warnings of invalid operations are ignored: some BLAS kernels raise them by chance, for lanes of
    a register beyond the array. Newton's method refuses a product that is not finite, because it
    lowers no loss.
    """
    with np.errstate(invalid="ignore"):
        flat = left.reshape(-1, left.shape[-1]) @ right
    return flat.reshape(*left.shape[:-1], -1)


def _factor(rows: np.ndarray, weights: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Return the Cholesky factor of rows' diag(weights) rows + diag(penalties)."""
    weighted = rows * np.sqrt(np.maximum(weights, MIN_WEIGHT))[:, None]
    block = (weighted.T @ weighted).astype(np.float64)
    diagonal = np.einsum("ii->i", block)
    diagonal += penalties + RIDGE * diagonal.mean()
    factor, _ = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
    return np.asarray(factor, dtype=rows.dtype)


def _solve(factor: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Return the residuals (n, width), each multiplied with the inverse of the factored matrix."""
    solution: np.ndarray = cho_solve((factor, True), residual.T, check_finite=False).T
    return solution
