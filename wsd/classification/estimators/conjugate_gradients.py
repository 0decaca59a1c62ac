"""The step of Newton's method, for many fits side by side: preconditioned conjugate gradients."""

from collections.abc import Callable

import numpy as np

MOST = 300  # iterations
MANY = 12  # classes: a preconditioner for each would take more memory and time than it saves
FEW = 0.8  # where a smaller share of the fits is left, the others are dropped from the arrays


class Curvature:
    """How the softmax bends, row by row: the weights in the middle of the Hessian.

    Parameters
    ----------
    probabilities : array of shape (n_classes, n_fits, n_rows)
    counts : array of shape (n_fits, n_rows)
    turn : array of shape (n_classes - 1, n_classes)
        From logits to coordinates.
    """

    def __init__(self, probabilities: np.ndarray, counts: np.ndarray, turn: np.ndarray) -> None:
        self.probabilities, self.counts, self.turn = probabilities, counts, turn
        self.of_two = 2 * probabilities[0] * probabilities[1] * counts if len(turn) == 1 else None

    def subset(self, fits: np.ndarray) -> "Curvature":
        """That of some of the fits."""
        return Curvature(self.probabilities[:, fits], self.counts[fits], self.turn)

    def astype(self, kind: type) -> "Curvature":
        """The same in another precision."""
        arrays = (self.probabilities, self.counts, self.turn)
        return Curvature(*(array.astype(kind) for array in arrays))

    def times(self, coordinates: np.ndarray) -> np.ndarray:
        """How the gradient by the logits changes with them: (diag(p) - p p') of each row."""
        if self.of_two is not None:
            return coordinates * self.of_two
        change = np.tensordot(self.turn.T, coordinates, 1)
        change *= self.probabilities
        change -= self.probabilities * change.sum(axis=0)
        change *= self.counts
        return np.tensordot(self.turn, change, 1)

    def of_classes(self) -> np.ndarray:
        """Per class and row, the mean over the fits: array (n_classes, n_rows).

        Of two classes, which are alike, and of very many there is but one for all.
        """
        n_classes = len(self.probabilities)
        bent = self.probabilities * (1 - self.probabilities)
        counted: np.ndarray = np.einsum("kfn,fn->kn", bent, self.counts)
        # The factor makes it exact for two classes, and for any number that are equally likely.
        counted *= n_classes / (n_classes - 1) / len(self.counts)
        return counted if 2 < n_classes <= MANY else counted.mean(axis=0, keepdims=True)

    def of_coordinates(self) -> np.ndarray:
        """Its diagonal: array (n_classes - 1, n_fits, n_rows)."""
        squares = np.tensordot(self.turn**2, self.probabilities, 1)
        squares -= np.tensordot(self.turn, self.probabilities, 1) ** 2
        return squares * self.counts


def hessian_of(
    curvature: Curvature,
    forward: Callable[[np.ndarray, np.ndarray], np.ndarray],
    backward: Callable[[np.ndarray, np.ndarray], np.ndarray],
    penalised: np.ndarray,
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The Hessian of each fit times a direction: to the rows, bent there, and back.

    The curvature is cut down only when there are fewer fits left than before.
    """
    of_left = curvature

    def hessian(way: np.ndarray, left: np.ndarray) -> np.ndarray:
        nonlocal of_left
        if len(left) < len(of_left.counts):
            of_left = curvature.subset(left)
        bent = backward(of_left.times(forward(way, left)), left)
        bent += penalised[left] * way
        return bent

    return hessian


def solved(
    hessian: Callable[[np.ndarray, np.ndarray], np.ndarray],
    precondition: Callable[[np.ndarray, np.ndarray], np.ndarray],
    gradient: np.ndarray,
    precision: np.ndarray,
    most: int = MOST,
) -> tuple[np.ndarray, int]:
    """Solve the Newton equation of each fit: the Hessian times the step is minus the gradient.

    Parameters
    ----------
    hessian, precondition : functions of array (k, n_left, width) and the positions of those fits
    gradient : array of shape (k, n_fits, width)
    precision : array of shape (n_fits,)
        The largest residual of each fit.
    most : int
        The most iterations.

    Returns
    -------
    array of shape (k, n_fits, width), and the number of iterations
    """
    solution, residual = np.zeros_like(gradient), -gradient
    step, left = solution.copy(), np.arange(len(precision))
    better = precondition(residual, left)
    way, descent = better.copy(), products(residual, better)
    for iteration in range(1, most + 1):
        bent = hessian(way, left)
        along = products(way, bent)
        safe = (along > 0) & (descent > 0)  # else the direction is rounding error
        share = np.where(safe, descent / np.where(safe, along, 1), 0)[:, None]
        step += share * way
        bent *= share
        residual -= bent
        going = safe & (np.sqrt(products(residual, residual)) > precision[left])
        if not going.any() or iteration == most:
            break
        if going.mean() < FEW:
            solution[:, left] = step
            left, descent = left[going], descent[going]
            step, residual, way = (array[:, going] for array in (step, residual, way))
        better = precondition(residual, left)
        before, descent = descent, products(residual, better)
        way *= (descent / np.where(before > 0, before, 1))[:, None]
        way += better
    solution[:, left] = step
    return solution, iteration


def products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the inner product of each fit: array (n_fits,)."""
    inner: np.ndarray = np.einsum("kfd,kfd->f", first, second)
    return inner
