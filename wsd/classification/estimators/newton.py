"""Many logistic regressions on the same rows, fitted at once by Newton's method.

The fits differ in which rows count, in the scale of the features and in the strength of the L2
penalty. Their weights stand side by side in one matrix, so that a step of all fits is two products
of the rows with a matrix, where fits one by one take two products with a vector each.
``docs/explanation/methods.md`` (*Logistic regression, all folds at once*) has the formulas.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import helmert

from wsd.classification.estimators.conjugate_gradients import Curvature, products
from wsd.errors import WsdError

STEPS = 60  # of Newton's method, per penalty
DOUBLE_FROM = 16  # steps; before that their systems are solved in single precision
PRECISION = 0.01, 0.1  # of a step: what of the gradient may be left
HALVINGS = 30
ENOUGH = 1e-4  # of the decrease that the slope promises (Armijo)
ROUNDING = 1e-12  # by which a sum of losses may rise


class NotConvergedError(WsdError):
    """Some of the fits have not reached their minimum.

    Attributes
    ----------
    fits : int array
    """

    def __init__(self, fits: np.ndarray) -> None:
        super().__init__(
            "logistic regression did not converge", fix="use a smaller C in the config"
        )
        self.fits = fits


class Fitted(NamedTuple):
    """All fits at one penalty.

    Attributes
    ----------
    C : float
    weights : array of shape (n_classes, n_fits, n_features + 1)
        On the design's features, the intercept last.
    logits : array of shape (n_classes, n_fits, n_rows)
        Of all rows, those that do not count too.
    objective : array of shape (n_fits,)
        The sum of the losses, and the penalty.
    """

    C: float
    weights: np.ndarray
    logits: np.ndarray
    objective: np.ndarray


def fit_all(
    design: Any,
    codes: np.ndarray,
    counts: np.ndarray,
    Cs: Sequence[float],
    tol: float,
    start: np.ndarray | None = None,
) -> Iterator[Fitted]:
    """Fit under every penalty, from the strongest to the weakest.

    Each starts where the two before it lead to, or where the last one ended if that is better.

    Parameters
    ----------
    design : Dense or Sparse
    codes : int array of shape (n_rows,)
        From 0 to n_classes - 1; every class is among the rows that count, in every fit.
    counts : array of shape (n_fits, n_rows)
        1 for a row that counts in a fit, else 0.
    Cs : sequence of float
        Inverse strengths, as scikit-learn has them.
    tol : float
        No component of the gradient of the mean loss exceeds it, in the fit's own scale.
    start : array, optional
        Weights to start from, as :class:`Fitted` has them (default: zeros).

    Raises
    ------
    NotConvergedError
    """
    losses = _Losses(codes, counts)
    size = (len(losses.turn), len(counts))
    at = (np.zeros((*size, design.scales.shape[1])), np.zeros((*size, len(codes))))
    if start is not None:
        weights = np.tensordot(losses.turn, start, 1)
        at = (weights, design.forward(weights, np.arange(len(counts))))
    before, known = at, [np.nan, np.nan]  # the logs of the last two penalties
    for C in sorted(Cs):
        # Two classes have w on one logit, which is w/2 and -w/2 on two, of half the squares.
        penalty = (2 if len(losses.turn) == 1 else 1) / C
        fits = _Fits(design, losses, penalty, *at)
        if np.isfinite(known).all():
            share = (np.log(C) - known[1]) / (known[1] - known[0])
            weights, logits = (
                now + share * (now - then) for now, then in zip(at, before, strict=True)
            )
            fits.move(np.arange(len(counts)), weights, logits, fits.objective)
        fits.minimise(tol)
        before, at, known = at, (fits.weights, fits.logits), [known[1], np.log(C)]
        of_weights, logits = (np.tensordot(losses.turn.T, array, 1) for array in at)
        yield Fitted(C, of_weights, logits, fits.objective)


class _Losses:
    """Losses and probabilities of given logits.

    A softmax does not see what is added to all logits, so that K of them have K - 1 coordinates.
    The rows of ``turn`` are orthonormal and sum to 0: K vectors of weights that sum to 0, as those
    of a minimum do, have the same sum of squares as their K - 1 coordinates.
    """

    def __init__(self, codes: np.ndarray, counts: np.ndarray) -> None:
        self.counts, self.turn = counts, helmert(int(codes.max()) + 1)
        self.gold = self.turn[:, codes][:, None]

    def evaluate(self, logits: np.ndarray, fits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities (n_classes, n_fits, n_rows) and summed losses (n_fits,)."""
        of_gold = np.einsum("kfn,kon->fn", logits, self.gold)
        values = np.tensordot(self.turn.T, logits, 1)
        largest = values.max(axis=0)
        np.exp(np.subtract(values, largest, out=values), out=values)
        total = values.sum(axis=0)
        values /= total
        losses = np.log(total) + largest - of_gold
        return values, np.einsum("fn,fn->f", losses, self.counts[fits])

    def residual(self, probabilities: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """The gradient of the losses by the logits' coordinates."""
        gradient: np.ndarray = np.tensordot(self.turn, probabilities[:, fits], 1) - self.gold
        gradient *= self.counts[fits]
        return gradient


class _Fits:
    """Where all fits stand under one penalty."""

    def __init__(
        self, design: Any, losses: _Losses, penalty: float, weights: np.ndarray, logits: np.ndarray
    ) -> None:
        self.design, self.losses, self.penalty = design, losses, penalty
        self.weights, self.logits = weights.copy(), logits.copy()
        every = np.arange(len(losses.counts))
        self.probabilities, self.objective = losses.evaluate(logits, every)
        self.objective += self._penalty(weights, every)

    def _penalty(self, weights: np.ndarray, fits: np.ndarray) -> np.ndarray:
        penalised: np.ndarray = np.einsum("kfd,fd->f", weights**2, self.design.penalised[fits])
        return self.penalty / 2 * penalised

    def move(
        self, fits: np.ndarray, weights: np.ndarray, logits: np.ndarray, most: np.ndarray
    ) -> np.ndarray:
        """Move each of the fits whose objective there is at most so high, and say which moved."""
        probabilities, objective = self.losses.evaluate(logits, fits)
        objective += self._penalty(weights, fits)
        moved: np.ndarray = objective <= most
        to = fits[moved]
        self.weights[:, to], self.logits[:, to] = weights[:, moved], logits[:, moved]
        self.probabilities[:, to] = probabilities[:, moved]
        self.objective[to] = objective[moved]
        return moved

    def minimise(self, tol: float) -> None:
        """Newton's method, until the gradient is as small as that in every fit."""
        left, rows = np.arange(len(self.objective)), self.losses.counts.sum(axis=1)
        for number in range(STEPS):
            gradient = self.design.backward(self.losses.residual(self.probabilities, left), left)
            gradient += self.penalty * self.design.penalised[left] * self.weights[:, left]
            steepest = np.abs(gradient / self.design.scales[left]).max(axis=(0, 2)) / rows[left]
            going = ~(steepest <= tol)
            left = left[going]
            if not len(left):
                return
            precision = np.clip(tol / steepest[going] / 2, *PRECISION)
            kind = np.float32 if number < DOUBLE_FROM else np.float64
            self._step(left, gradient[:, going], precision, kind)
        raise NotConvergedError(left)

    def _step(
        self, left: np.ndarray, gradient: np.ndarray, precision: np.ndarray, kind: type
    ) -> None:
        """A Newton step, halved for the fits where it is too long."""
        curvature = Curvature(
            self.probabilities[:, left], self.losses.counts[left], self.losses.turn
        )
        step = self.design.step(gradient, curvature, self.penalty, left, precision, kind)
        ahead, slope = self.design.forward(step, left), products(gradient, step)
        todo, share = np.arange(len(left)), 1.0
        for _ in range(HALVINGS):
            fits = left[todo]
            weights = self.weights[:, fits] + share * step[:, todo]
            logits = self.logits[:, fits] + share * ahead[:, todo]
            most = self.objective[fits] * (1 + ROUNDING) + ENOUGH * share * slope[todo]
            todo = todo[~self.move(fits, weights, logits, most)]
            if not len(todo):
                return
            share /= 2
        if kind is np.float64:
            raise NotConvergedError(left[todo])
