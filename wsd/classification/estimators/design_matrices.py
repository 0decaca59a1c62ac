"""Multiply features with the weights of many logistic regressions, and solve their Newton steps.

A design is the matrix of features with a column of ones, for the intercept. The weights of all fits
are one array of shape (k, n_fits, width): k = n_classes - 1 coordinates of the logits, and width =
n_features + 1, the intercept last.

Preconditioned conjugate gradients solve the Newton equations of many fits at once. Softmax ignores
a constant that is added to all logits of a row, so K logits have K - 1 free coordinates.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, qr

MIN_WEIGHT = 1e-10  # of a row, in a Cholesky factor
RIDGE = 1e-7  # added to a preconditioner's diagonal, as a share of its mean
# A product with fewer columns than the first number takes as long as with so many, because it waits
# for memory; with one column, as long as with the second.
MANY_COLUMNS = 12
ONE_COLUMN = 4
# Estimates of the number of iterations, to choose the cheapest way to solve a step.
ITERATIONS_PER_STEP = 6  # with Cholesky factors
STEPS_PER_FACTOR = 3  # Newton steps with the same factors
ITERATIONS_PER_SEARCH = 100
MAX_ITERATIONS = 300
MAX_BLOCKS = 12  # with more classes, a preconditioner per class costs more than it saves
SHRINK_BELOW = 0.8  # converged fits leave the arrays once a smaller share of the fits is active
# A linear map of arrays (k, n_active, width), given the positions of the active fits.
Operator = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Curvature:
    """The second derivatives of the softmax loss with respect to the logits, row by row.

    Parameters
    ----------
    probabilities : array of shape (n_classes, n_fits, n_rows)
    counts : array of shape (n_fits, n_rows)
        The weight of each row in each fit: 1 for training rows, 0 for the others.
    contrasts : array of shape (n_classes - 1, n_classes)
        Maps logits to their coordinates.
    """

    def __init__(
        self, probabilities: np.ndarray, counts: np.ndarray, contrasts: np.ndarray
    ) -> None:
        self.probabilities, self.counts, self.contrasts = probabilities, counts, contrasts
        # Two classes have one coordinate, and so one second derivative per fit and row.
        self.binary = (
            2 * probabilities[0] * probabilities[1] * counts if len(contrasts) == 1 else None
        )

    def subset(self, fits: np.ndarray) -> "Curvature":
        """Return the curvature of some of the fits."""
        return Curvature(self.probabilities[:, fits], self.counts[fits], self.contrasts)

    def astype(self, dtype: type) -> "Curvature":
        """Return the curvature in another precision."""
        arrays = (self.probabilities, self.counts, self.contrasts)
        return Curvature(*(array.astype(dtype) for array in arrays))

    def times(self, coordinates: np.ndarray) -> np.ndarray:
        """Multiply coordinates (k, n_fits, n_rows) with diag(p) - p p' of each fit and row."""
        if self.binary is not None:
            return coordinates * self.binary
        change = np.tensordot(self.contrasts.T, coordinates, 1)
        change *= self.probabilities
        change -= self.probabilities * change.sum(axis=0)
        change *= self.counts
        return np.tensordot(self.contrasts, change, 1)

    def by_class(self) -> np.ndarray:
        """Return the mean of p (1 - p) over the fits, per class: array (n_classes, n_rows).

        Two classes have the same values. For them, and for more than ``MAX_BLOCKS`` classes, the
        result is the mean over classes, of shape (1, n_rows).
        """
        n_classes = len(self.probabilities)
        variances = self.probabilities * (1 - self.probabilities)
        means: np.ndarray = np.einsum("kfn,fn->kn", variances, self.counts)
        # With this factor, two classes, or any number of equally likely ones, are exact.
        means *= n_classes / (n_classes - 1) / len(self.counts)
        return means if 2 < n_classes <= MAX_BLOCKS else means.mean(axis=0, keepdims=True)

    def diagonal(self) -> np.ndarray:
        """Return the diagonal with respect to the coordinates: array (k, n_fits, n_rows)."""
        squares = np.tensordot(self.contrasts**2, self.probabilities, 1)
        squares -= np.tensordot(self.contrasts, self.probabilities, 1) ** 2
        return squares * self.counts


def solve_newton(
    curvature: Curvature,
    forward: Operator,
    backward: Operator,
    precondition: Operator,
    penalties: np.ndarray,
    gradient: np.ndarray,
    tolerance: np.ndarray,
    max_iterations: int = MAX_ITERATIONS,
) -> tuple[np.ndarray, int]:
    """Solve ``hessian @ step = -gradient`` for each fit.

    Parameters
    ----------
    curvature : Curvature
    forward : function of an array and the active fits
        From weights (k, n_active, width) to logit coordinates (k, n_active, n_rows).
    backward : function
        The transpose of ``forward``.
    precondition : function
        The product of an array (k, n_active, width) with an approximation of the Hessian's inverse.
    penalties : array of shape (n_fits, width)
        The second derivatives of the penalty.
    gradient : array of shape (k, n_fits, width)
    tolerance : array of shape (n_fits,)
        A fit is solved when the norm of its residual is at most this.
    max_iterations : int

    Returns
    -------
    array of shape (k, n_fits, width), and the number of iterations
    """
    solution, residual = np.zeros_like(gradient), -gradient
    step, active = solution.copy(), np.arange(len(tolerance))
    preconditioned = precondition(residual, active)
    direction, descent = preconditioned.copy(), inner_products(residual, preconditioned)
    of_active = curvature
    for iteration in range(1, max_iterations + 1):
        product = backward(of_active.times(forward(direction, active)), active)
        product += penalties[active] * direction
        ascent = inner_products(direction, product)
        safe = (ascent > 0) & (descent > 0)  # else the direction is rounding error
        length = np.where(safe, descent / np.where(safe, ascent, 1), 0)[:, None]
        step += length * direction
        product *= length
        residual -= product
        going = safe & (np.sqrt(inner_products(residual, residual)) > tolerance[active])
        if not going.any() or iteration == max_iterations:
            break
        if going.mean() < SHRINK_BELOW:
            solution[:, active] = step
            active, descent = active[going], descent[going]
            of_active = curvature.subset(active)
            step, residual, direction = (array[:, going] for array in (step, residual, direction))
        preconditioned = precondition(residual, active)
        before, descent = descent, inner_products(residual, preconditioned)
        direction *= (descent / np.where(before > 0, before, 1))[:, None]
        direction += preconditioned
    solution[:, active] = step
    return solution, iteration


def inner_products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the inner product of two arrays (k, n_fits, width), per fit: array (n_fits,)."""
    return np.asarray(np.einsum("kfd,kfd->f", first, second))


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
        precondition, limit = self._preconditioner(rows, curvature, penalties, columns)
        solution, iterations = solve_newton(
            curvature,
            lambda direction, _: _product(direction, transposed),
            lambda residual, _: _product(residual, rows),
            precondition,
            penalties,
            slope,
            tolerance,
            limit,
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

        return precondition, MAX_ITERATIONS


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
        solution, _ = solve_newton(
            curvature,
            lambda direction, active: design.forward(direction, fits[active]),
            lambda residual, active: design.backward(residual, fits[active]),
            lambda residual, active: residual / diagonal[:, active],
            penalties,
            (gradient / norm).astype(dtype),
            tolerance,
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
    return np.asarray(cho_solve((factor, True), residual.T, check_finite=False).T)
