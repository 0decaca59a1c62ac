"""Solve the Newton equations of many fits at once, by preconditioned conjugate gradients.

Here k is n_classes - 1: softmax ignores a constant that is added to all logits of a row, so K
logits have K - 1 free coordinates.
"""

from collections.abc import Callable

import numpy as np

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


def hessian_operator(
    curvature: Curvature, forward: Operator, backward: Operator, penalties: np.ndarray
) -> Operator:
    """Return a function that multiplies a direction with the Hessian of each active fit.

    Parameters
    ----------
    curvature : Curvature
    forward : function
        From weights (k, n_active, width) to logit coordinates (k, n_active, n_rows).
    backward : function
        The transpose of ``forward``.
    penalties : array of shape (n_fits, width)
        The second derivatives of the penalty.
    """
    of_active = curvature

    def multiply(direction: np.ndarray, active: np.ndarray) -> np.ndarray:
        nonlocal of_active
        if len(active) < len(of_active.counts):
            of_active = curvature.subset(active)
        product = backward(of_active.times(forward(direction, active)), active)
        product += penalties[active] * direction
        return product

    return multiply


def solve_newton(
    hessian: Operator,
    precondition: Operator,
    gradient: np.ndarray,
    tolerance: np.ndarray,
    max_iterations: int = MAX_ITERATIONS,
) -> tuple[np.ndarray, int]:
    """Solve ``hessian @ step = -gradient`` for each fit.

    Parameters
    ----------
    hessian, precondition : functions of an array (k, n_active, width) and the active fits
        The product with the Hessian, and with an approximation of its inverse.
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
    for iteration in range(1, max_iterations + 1):
        product = hessian(direction, active)
        curvature = inner_products(direction, product)
        safe = (curvature > 0) & (descent > 0)  # else the direction is rounding error
        length = np.where(safe, descent / np.where(safe, curvature, 1), 0)[:, None]
        step += length * direction
        product *= length
        residual -= product
        going = safe & (np.sqrt(inner_products(residual, residual)) > tolerance[active])
        if not going.any() or iteration == max_iterations:
            break
        if going.mean() < SHRINK_BELOW:
            solution[:, active] = step
            active, descent = active[going], descent[going]
            step, residual, direction = (array[:, going] for array in (step, residual, direction))
        preconditioned = precondition(residual, active)
        before, descent = descent, inner_products(residual, preconditioned)
        direction *= (descent / np.where(before > 0, before, 1))[:, None]
        direction += preconditioned
    solution[:, active] = step
    return solution, iteration


def inner_products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the inner product of two arrays (k, n_fits, width), per fit: array (n_fits,)."""
    inner: np.ndarray = np.einsum("kfd,kfd->f", first, second)
    return inner
