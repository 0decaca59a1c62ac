"""Fit many logistic regressions on the same rows at once, by Newton's method.

The fits differ in their training rows, in the scale of the features and in the strength of the L2
penalty. One matrix holds the weights of all fits, so that a step of all fits takes two matrix
products; fits one by one would take two products with a vector each.

The features x are standardised once, over all rows. For fit f, the weights u and the intercept b
minimise

    sum over rows i of  m(f,i) * -log softmax(u x(i) + b)[y(i)]
    + 1/(2C) * sum over features j of  s(f,j)**2 * |u(j)|**2

where m(f,i) is 1 for the training rows of the fit, else 0, and s(f,j) is the standard deviation of
feature j over these rows. The minimum is that of features standardised over these rows: s(f,j)
corrects the scale, and the intercept, which has no penalty, absorbs the mean.

A Newton step v solves H v = -gradient, where H is the Hessian, by preconditioned conjugate
gradients. They stop when the norm of H v + gradient is below a share of the norm of the gradient
(``TOLERANCES``: small far from the minimum). Gradient and loss are in double precision and decide
when the steps end, so a rough inner solution does not change the minimum.

Softmax ignores a constant that is added to all logits of a row, so K logits are computed from
k = K - 1 coordinates. Weights and logits have shape (k, n_fits, ...) in coordinates, and
(n_classes, n_fits, ...) in results.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import helmert

from wsd.classification.estimators.design_matrices import Curvature, Design, inner_products
from wsd.errors import WsdError

STEPS = 60  # Newton steps at most, per penalty
SINGLE_PRECISION_STEPS = 16  # the first steps, which are solved in single precision
TOLERANCES = (
    0.01,
    0.1,
)  # the smallest and the largest residual of a step, as a share of the gradient
HALVINGS = 30
SUFFICIENT = 1e-4  # share of the decrease that the slope predicts which a step must reach (Armijo)
ROUNDING = 1e-12  # relative increase of a sum of losses that is rounding


class NotConvergedError(WsdError):
    """Some of the fits did not reach their minimum.

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
        The weights of the design's features; the intercept is last.
    logits : array of shape (n_classes, n_fits, n_rows)
        The logits of all rows, training rows or not.
    objective : array of shape (n_fits,)
        The sum of the losses plus the penalty.
    """

    C: float
    weights: np.ndarray
    logits: np.ndarray
    objective: np.ndarray


def fit_all(
    design: Design,
    codes: np.ndarray,
    counts: np.ndarray,
    Cs: Sequence[float],
    tol: float,
    start: np.ndarray | None = None,
) -> Iterator[Fitted]:
    """Yield all fits under each penalty, from the strongest penalty to the weakest.

    Under each penalty, a fit starts where the last one ended, or at the extrapolation of the last
    two, whichever has the lower objective.

    Parameters
    ----------
    design : Dense or Sparse
    codes : int array of shape (n_rows,)
        Classes from 0 to n_classes - 1. Every fit has a training row of every class.
    counts : array of shape (n_fits, n_rows)
        1 for a training row of a fit, else 0.
    Cs : sequence of float
        Inverse penalties, as in scikit-learn.
    tol : float
        Every component of the gradient of the mean loss is at most this, at each fit's own scale of
        the features.
    start : array of shape (n_classes, n_fits, n_features + 1), optional
        Weights to start from; by default zeros.

    Raises
    ------
    NotConvergedError
    """
    losses = _Losses(codes, counts)
    (n, width), k, every = design.scales.shape, len(losses.contrasts), np.arange(len(counts))
    last = (np.zeros((k, n, width)), np.zeros((k, n, len(codes))))
    if start is not None:
        weights = np.tensordot(losses.contrasts, start, 1)
        last = (weights, design.forward(weights, every))
    before, logs = last, [np.nan, np.nan]  # the logs of the last two values of C
    for C in sorted(Cs):
        # scikit-learn gives two classes one vector w. Here they have w/2 and -w/2, whose sum of
        # squares is half as large, so the factor is twice as large.
        penalty = (2 if len(losses.contrasts) == 1 else 1) / C
        fits = _Fits(design, losses, penalty, *last)
        if np.isfinite(logs).all():
            share = (np.log(C) - logs[1]) / (logs[1] - logs[0])
            weights, logits = (
                now + share * (now - then) for now, then in zip(last, before, strict=True)
            )
            fits.move(every, weights, logits, fits.objective)
        fits.minimise(tol)
        before, last, logs = last, (fits.weights, fits.logits), [logs[1], np.log(C)]
        weights, logits = (np.tensordot(losses.contrasts.T, array, 1) for array in last)
        yield Fitted(C, weights, logits, fits.objective)


class _Losses:
    """The losses and probabilities of given logit coordinates.

    The rows of ``contrasts`` are orthonormal and sum to 0. The weights of K classes sum to 0 at a
    minimum, so they have the same sum of squares as their K - 1 coordinates.
    """

    def __init__(self, codes: np.ndarray, counts: np.ndarray) -> None:
        self.counts, self.contrasts = counts, helmert(int(codes.max()) + 1)
        self.gold = self.contrasts[:, codes][:, None]

    def evaluate(self, logits: np.ndarray, fits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities (n_classes, n_fits, n_rows) and summed losses (n_fits,)."""
        gold_logits = np.einsum("kfn,kon->fn", logits, self.gold)
        values = np.tensordot(self.contrasts.T, logits, 1)
        largest = values.max(axis=0)
        np.exp(np.subtract(values, largest, out=values), out=values)
        total = values.sum(axis=0)
        values /= total
        losses = np.log(total) + largest - gold_logits
        return values, np.einsum("fn,fn->f", losses, self.counts[fits])

    def gradient(self, probabilities: np.ndarray, fits: np.ndarray) -> np.ndarray:
        """Return the gradient of the losses by the logit coordinates: (k, n_fits, n_rows)."""
        gradient: np.ndarray = np.tensordot(self.contrasts, probabilities[:, fits], 1) - self.gold
        gradient *= self.counts[fits]
        return gradient


class _Fits:
    """The current weights of all fits under one penalty, with their logits and objectives."""

    def __init__(
        self,
        design: Design,
        losses: _Losses,
        penalty: float,
        weights: np.ndarray,
        logits: np.ndarray,
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
        self, fits: np.ndarray, weights: np.ndarray, logits: np.ndarray, bounds: np.ndarray
    ) -> np.ndarray:
        """Move the fits whose new objective is at most its bound, and return which have moved.

        Parameters
        ----------
        fits : int array of shape (n,)
        weights, logits : arrays of shape (k, n, width) and (k, n, n_rows)
        bounds : array of shape (n,)

        Returns
        -------
        bool array of shape (n,)
        """
        probabilities, objective = self.losses.evaluate(logits, fits)
        objective += self._penalty(weights, fits)
        moved: np.ndarray = objective <= bounds
        to = fits[moved]
        self.weights[:, to], self.logits[:, to] = weights[:, moved], logits[:, moved]
        self.probabilities[:, to] = probabilities[:, moved]
        self.objective[to] = objective[moved]
        return moved

    def minimise(self, tol: float) -> None:
        """Take Newton steps until no component of any fit's gradient exceeds ``tol``."""
        active, sizes = np.arange(len(self.objective)), self.losses.counts.sum(axis=1)
        for number in range(STEPS):
            gradient = self.design.backward(
                self.losses.gradient(self.probabilities, active), active
            )
            gradient += self.penalty * self.design.penalised[active] * self.weights[:, active]
            steepest = (
                np.abs(gradient / self.design.scales[active]).max(axis=(0, 2)) / sizes[active]
            )
            going = ~(steepest <= tol)  # also where the gradient is NaN
            active = active[going]
            if not len(active):
                return
            tolerance = np.clip(tol / steepest[going] / 2, *TOLERANCES)
            dtype = np.float32 if number < SINGLE_PRECISION_STEPS else np.float64
            self._step(active, gradient[:, going], tolerance, dtype)
        raise NotConvergedError(active)

    def _step(
        self, active: np.ndarray, gradient: np.ndarray, tolerance: np.ndarray, dtype: type
    ) -> None:
        """Take a Newton step, and halve it for the fits where it is too long."""
        counts, contrasts = self.losses.counts[active], self.losses.contrasts
        curvature = Curvature(self.probabilities[:, active], counts, contrasts)
        step = self.design.step(gradient, curvature, self.penalty, active, tolerance, dtype)
        change, slope = self.design.forward(step, active), inner_products(gradient, step)
        remaining, share = np.arange(len(active)), 1.0
        for _ in range(HALVINGS):
            fits = active[remaining]
            weights = self.weights[:, fits] + share * step[:, remaining]
            logits = self.logits[:, fits] + share * change[:, remaining]
            bounds = self.objective[fits] * (1 + ROUNDING) + SUFFICIENT * share * slope[remaining]
            remaining = remaining[~self.move(fits, weights, logits, bounds)]
            if not len(remaining):
                return
            share /= 2
        if dtype is np.float64:
            raise NotConvergedError(active[remaining])
